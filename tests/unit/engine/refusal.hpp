#pragma once
// The texts of errors, for tests of rejected programs.

#include <sinter/error.hpp>
#include <sinter/location.hpp>

#include "tests/catch.hpp"

namespace sinter::test {

/// The text of the error that `program` throws, without the call's line: it must be an E and end
/// with that line.
template <class E, class Program>
std::string refusal(sinter::error_code code, Program&& program, sinter::location where) {
  std::string text;
  try {
    program();
    return "no error";
  } catch (const E& e) {
    CHECK(e.code() == code);
    text = e.what();
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
  const std::string path = where.file_name(), file = path.substr(path.rfind('/') + 1);
  const std::string place = " (" + file + ":" + std::to_string(where.line()) + ")";
  INFO(text);
  CHECK(text.ends_with(place));
  return text.substr(0, text.rfind(" (" + file + ":"));
}

template <class Program>
std::string shape_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::shape_error>(sinter::error_code::shape_mismatch, p, where);
}
template <class Program>
std::string axis_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::axis_error>(sinter::error_code::bad_axis, p, where);
}
template <class Program>
std::string index_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::index_error>(sinter::error_code::index_out_of_range, p, where);
}
template <class Program>
std::string value_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::value_error>(sinter::error_code::bad_argument, p, where);
}

template <class Program>
std::string missing_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::device_error>(sinter::error_code::device_missing, p, where);
}
template <class Program>
std::string empty_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::value_error>(sinter::error_code::empty_reduction, p, where);
}
template <class Program>
std::string dtype_refusal(Program&& p, sinter::location where = sinter::location::current()) {
  return refusal<sinter::dtype_error>(sinter::error_code::bad_dtype, p, where);
}

/// Members of handles and conversions of scalars take no location.
template <class Program> std::string unplaced_refusal(Program&& program) {
  try {
    program();
  } catch (const sinter::user_error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace sinter::test
