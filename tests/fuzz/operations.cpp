#include "tests/fuzz/operations.hpp"

#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

/// Pairs of the 24 special values, each some seven times.
constexpr ir::extent elements = 4096;

std::vector<operation> list() {
  std::vector<operation> all;
  for (int t = 0; t < dtype_count; ++t) {
    const auto type = static_cast<dtype>(t);
    for (int i = 0; i < ir::op_count; ++i) {
      const auto code = static_cast<op>(i);
      const bool computes = ir::operand_type(code, type) == type && ir::accepts(code, type);
      const bool is_public = !(ir::info(code).traits & ir::internal);
      if (computes && is_public) all.push_back({code, type, ir::result_type(code, type)});
    }
    for (int to = 0; to < dtype_count; ++to) {
      if (to != t) all.push_back({op::cast, type, static_cast<dtype>(to)});
    }
  }
  return all;
}

}  // namespace

const std::vector<operation>& operations() {
  static const std::vector<operation> all = list();
  return all;
}

trial trial_of(const operation& o, std::uint64_t seed) {
  trial t;
  ir::node map;
  map.kind = ir::node_kind::map;
  map.type = o.result;
  map.shape = {elements};
  ir::instruction i{o.code, o.type, o.result, {-1, -1, -1}};
  for (int k = 0; k < ir::info(o.code).arity; ++k) {
    ir::node source;
    source.type = ir::argument_type(o.code, o.type, k);
    source.shape = map.shape;
    map.program.inputs.push_back(source.type);
    map.inputs.push_back(t.graph.add(source));
    i.args[k] = static_cast<std::int16_t>(k);
    const std::uint64_t own = 3 * seed + static_cast<std::uint64_t>(k);
    t.sources.push_back({own % 4 == 3 ? fill::bits : fill::edges, own});
  }
  map.program.code = {i};
  t.graph.outputs = {t.graph.add(std::move(map))};
  return t;
}

}  // namespace sinter::fuzz
