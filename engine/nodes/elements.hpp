#pragma once
// Element types in the terms of the vendor libraries' interfaces.

#include "ir/dtype.hpp"
#include "runtime/blas.hpp"

namespace sinter::detail {

/// REQUIRES: an inexact type, or int8.
constexpr runtime::element element_type(dtype t) {
  constexpr std::pair<dtype, runtime::element> rows[] = {
      {dtype::int8, runtime::element::int8},
      {dtype::float16, runtime::element::float16},
      {dtype::bfloat16, runtime::element::bfloat16},
      {dtype::float32, runtime::element::float32},
      {dtype::float64, runtime::element::float64},
      {dtype::complex64, runtime::element::complex64},
      {dtype::complex128, runtime::element::complex128},
  };
  for (const auto& [type, element] : rows) {
    if (type == t) return element;
  }
  return runtime::element::float32;
}

}  // namespace sinter::detail
