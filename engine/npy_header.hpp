#pragma once
// The header of a .npy file: a Python dictionary written out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.hpp"

namespace sinter::detail {

struct npy_header {
  dtype type = dtype::float64;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;  // of the elements
};

/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }". Throws std::string, what is
/// wrong with it.
npy_header parse_npy_header(std::string_view text);

/// Magic, version, length and dictionary, as NumPy would write them.
std::string format_npy_header(dtype type, const std::vector<std::int64_t>& shape);

}  // namespace sinter::detail
