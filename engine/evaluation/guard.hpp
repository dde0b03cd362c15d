#pragma once
// Translates a device's failures into sinter's errors.

#include <new>
#include <utility>

#include "engine/nodes/report.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// The value of `work`; what the runtime throws becomes memory_error or device_error.
template <class Work>
auto guarded(std::string_view op, const location& where, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const runtime::out_of_memory& e) {
    fail<memory_error>(error_code::out_of_memory, op, e.what(), where);
  } catch (const runtime::device_error& e) {
    fail<device_error>(error_code::device_failure, op, e.what(), where);
  } catch (const std::bad_alloc&) {
    fail<memory_error>(error_code::out_of_memory, op, "no host memory left", where);
  }
}

}  // namespace sinter::detail
