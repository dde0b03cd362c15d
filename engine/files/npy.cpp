#include <sinter/npy.hpp>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/files/npy_stream.hpp"

namespace sinter {
namespace detail {

void settle_for_writing(std::span<const any_array> list, std::string_view op, location where) {
  for (const any_array& x : list) checked(x, op, where);
  evaluate(list, op, where);
  for (const any_array& x : list) verify_checks(x);
}

}  // namespace detail

any_array load_npy(const std::string& path, const load_options& options, location where) {
  detail::file f({"load_npy", path, where}, detail::file::mode::read);
  const auto e = detail::read_npy_header(f);
  if (!options.mmap) return detail::read_elements(f, e, f.task());
  return detail::map_elements(f.map(), f.position(), e, f.task());
}

void save_npy(const std::string& path, const any_array& x, location where) {
  detail::settle_for_writing({&x, 1}, "save_npy", where);
  detail::file f({"save_npy", path, where}, detail::file::mode::write);
  const auto header = detail::format_npy_header(x.dtype(), x.extents());
  f.write(header.data(), header.size());
  detail::write_elements(f, detail::element_stream(x, "save_npy", where));
  f.finish();
}

}  // namespace sinter
