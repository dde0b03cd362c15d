#include "engine/nodes/one_op.hpp"

namespace sinter::detail {
namespace {

using row = std::array<one_op, static_cast<std::size_t>(dtype_count)>;
using table = std::array<row, static_cast<std::size_t>(ir::op_count)>;

constexpr table make_table() {
  table all;
  for (int o = 0; o < ir::op_count; ++o) {
    for (int t = 0; t < dtype_count; ++t) {
      all[static_cast<std::size_t>(o)][static_cast<std::size_t>(t)] =
          one_op(static_cast<ir::op>(o), static_cast<dtype>(t));
    }
  }
  return all;
}

constexpr table programs = make_table();

}  // namespace

const one_op& program_of(ir::op code, dtype type) {
  return programs[static_cast<std::size_t>(code)][static_cast<std::size_t>(type)];
}

}  // namespace sinter::detail
