#pragma once
// The format of errors: "[op] message (file.cpp:17)".

#include <span>
#include <string>

#include <sinter/error.hpp>
#include <sinter/location.hpp>

#include "ir/dtype.hpp"

namespace sinter::detail {

/// "(3, 4)", "(3,)" and "()", as NumPy writes shapes.
std::string text_of(std::span<const std::int64_t> shape);

/// "main.cpp:17": the file without its folders.
std::string text_of(const location& where);

std::string error_text(std::string_view op, std::string_view message,
                       const location& where);

template <class Error>
[[noreturn]] void fail(error_code code, std::string_view op, std::string_view message,
                       const location& where) {
  throw Error(code, error_text(op, message, where));
}

}  // namespace sinter::detail
