// All pairs of types there and back, over all values of the small ones.
#include <cstring>

#include "ir/passes/simplify.hpp"
#include "ir/reference.hpp"
#include "tests/catch.hpp"

namespace conversions_test {

using namespace sinter;

namespace {

bool dropped(dtype type, dtype by_way_of) {
  ir::graph g;
  const auto cast = [&](ir::node_id x, dtype to) {
    ir::node n;
    n.kind = ir::node_kind::map;
    n.type = to;
    n.shape = {4};
    n.inputs = {x};
    n.program.inputs = {g[x].type};
    n.program.code = {{ir::op::cast, g[x].type, to, {0, -1, -1}}};
    return g.add(n);
  };
  ir::node s;
  s.type = type;
  s.shape = {4};
  g.outputs = {cast(cast(g.add(s), by_way_of), type)};
  return ir::simplify(g).nodes.size() == 1;
}

bool survives(dtype type, dtype by_way_of) {
  for (std::uint64_t word = 0; word < 65536; ++word) {
    // 16 bits each: wider types are tried at both ends and in the middle.
    const std::uint64_t shifts[] = {0, 8 * size_of(type) - 16, 4 * size_of(type)};
    for (const std::uint64_t shift : shifts) {
      ir::scalar_value x;
      const std::uint64_t bits = size_of(type) < 2 ? word : word << shift;
      std::memcpy(x.bits, &bits, std::min<std::size_t>(8, size_of(type)));
      if (is_bool(type)) x.bits[0] &= 1;
      const auto back = ir::convert(ir::convert(x, type, by_way_of), by_way_of, type);
      // NaN stays NaN, with any payload.
      const ir::scalar_value pair[] = {x, x};
      const dtype compared = compute_of(type);
      const ir::scalar_value wide[] = {ir::convert(pair[0], type, compared),
                                       ir::convert(pair[1], type, compared)};
      const bool nan = ir::apply(ir::op::not_equal, compared, wide).bits[0] & 1;
      if (!nan && !(back == x)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("conversions there and back are dropped only where every value survives") {
  int found = 0;
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto type = static_cast<dtype>(a), other = static_cast<dtype>(b);
      if (a == b || !dropped(type, other)) continue;
      ++found;
      INFO(name(type) << " by way of " << name(other));
      CHECK(survives(type, other));
    }
  }
  CHECK(found > 40);
}

}  // namespace conversions_test
