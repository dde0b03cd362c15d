// The rules a graph obeys. Each has a name, with which its error begins.
#include <algorithm>

#include "ir/graph_verifier.hpp"
#include "ir/verify.hpp"

namespace sinter::ir::detail {

namespace {

/// How many inputs each kind of node has; -1: any number.
constexpr int input_counts[] = {0, 0, -1, 1, 1, 1, 0, 0, 2, -1, 1, -1, 2, 4, -1, -1, -1};
static_assert(std::size(input_counts) == std::size(node_kind_names));

/// The range of offsets of a map over a shape that is not empty; false on overflow.
bool reach(const shape_t& shape, const index_map& map, std::int64_t& low, std::int64_t& high) {
  low = high = map.offset;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t span = 0;
    if (__builtin_mul_overflow(shape[d].peek() - 1, map.strides[d].peek(), &span)) return false;
    std::int64_t& end = span < 0 ? low : high;
    if (__builtin_add_overflow(end, span, &end)) return false;
  }
  return true;
}

}  // namespace

void graph_verifier::run() {
  for (id_ = 0; id_ < static_cast<node_id>(g_.nodes.size()); ++id_) node_rules(g_[id_]);
  for (node_id o : g_.outputs) {
    detail::require(o >= 0 && o < id_, "output", "return", "an output is no node");
  }
}

void graph_verifier::require(bool holds, std::string_view rule, std::string_view what) const {
  if (holds) return;
  detail::require(false, rule, cat("%", id_, " (", name(g_[id_].kind), ")"), what);
}

void graph_verifier::node_rules(const node& n) {
  for (node_id in : n.inputs) {
    require(in >= 0 && in < id_, "order", "an input is no node before this one");
    require(g_[in].kind != node_kind::loop || n.kind == node_kind::result, "loop-value",
            "a loop has results, no value");
  }
  const int inputs = input_counts[static_cast<int>(n.kind)];
  require(inputs < 0 || n.inputs.size() == static_cast<std::size_t>(inputs), "inputs",
          "wrong number of inputs");
  shape_rules(n);
  require(n.origin >= -1 && n.origin < static_cast<std::int32_t>(g_.origins.size()), "origin",
          "the origin is not in the list");
  switch (n.kind) {
    case node_kind::scalar:
      require(n.shape.empty(), "scalar", "a scalar has rank 0");
      return require(!n.baked || !is_complex(n.type), "baked", "what a kernel holds is real");
    case node_kind::map: return map_rules(n);
    case node_kind::view: return view_rules(n);
    case node_kind::reduce: return reduce_rules(n);
    case node_kind::scan: return scan_rules(n);
    case node_kind::random:
      return require(n.type == dtype::uint32 || n.type == dtype::uint64, "random",
                     "random bits are uint32 or uint64");
    case node_kind::iota: return require(n.type == dtype::int64, "iota", "an index is int64");
    case node_kind::update: return update_rules(n);
    case node_kind::call: return call_rules(n);
    case node_kind::result:
      return result_rules(n);
    case node_kind::gather: return gather_rules(n);
    case node_kind::pad: return pad_rules(n);
    case node_kind::compress: return compress_rules(n);
    case node_kind::loop: return loop_rules(n);
    case node_kind::scatter: return scatter_rules(n);
    case node_kind::join: return require(false, "join", "a graph has pads for it");
    case node_kind::source: return;
  }
}

void graph_verifier::shape_rules(const node& n) const {
  std::int64_t size = 1;
  bool empty = false, fits = true;
  for (extent e : n.shape) {
    require(e >= 0, "shape", "an extent is negative");
    empty |= e == 0;
    fits &= e == 0 || !__builtin_mul_overflow(size, e.peek(), &size);
  }
  require(empty || fits, "shape", "more elements than an int64 counts");
}

void graph_verifier::map_rules(const node& n) const {
  const program& p = n.program;
  require(p.inputs.size() == n.inputs.size(), "map-inputs",
          "the program takes another number of inputs");
  require(!p.inputs.empty() || !p.code.empty(), "map-empty", "the program has no value");
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    const node& in = input(n, k);
    require(in.type == p.inputs[k], "map-types", "an input has another type in the program");
    require(in.shape.empty() || in.shape == n.shape, "map-shapes",
            "an input has neither the node's shape nor rank 0");
  }
  for (std::size_t i = 0; i < p.code.size(); ++i) instruction_rules(p, i);
  require(p.view().result_type() == n.type, "map-result", "the program gives another type");
}

void graph_verifier::instruction_rules(const program& p, std::size_t at) const {
  const instruction& i = p.code[at];
  const int values = static_cast<int>(p.inputs.size() + at);
  const program_view view{p.inputs, p.code, 0};
  const bool conversion = i.code == op::cast || i.code == op::bitcast;
  require(conversion || (accepts(i.code, i.type) && !is_half(i.type)), "op-type",
          "an op computes in a type it has no meaning for");
  for (int k = 0; k < 3; ++k) {
    const int a = i.args[k];
    require(k < arity(i) ? a >= 0 && a < values : a == -1, "op-arguments",
            "an op has too few or too many arguments, or one that is no value before it");
    if (k >= arity(i)) continue;
    const dtype wanted = conversion ? i.type : argument_type(i.code, i.type, k);
    require(view.value_type(a) == wanted, "op-argument-type", "an argument has another type");
  }
  if (i.code == op::cast) return;
  require(i.code == op::bitcast ? size_of(i.type) == size_of(i.result)
                                : i.result == result_type(i.code, i.type),
          "op-result", "an op gives another type than the table says");
}

void graph_verifier::index_map_rules(const shape_t& from, const index_map& map,
                                     const shape_t& to) const {
  require(map.strides.size() == from.size(), "strides", "one stride an axis is wanted");
  if (std::find(from.begin(), from.end(), 0) != from.end()) return;
  std::int64_t low = 0, high = 0;
  require(reach(from, map, low, high) && low >= 0 && high < size_of(to), "bounds",
          "the index map leaves the array");
}

void graph_verifier::view_rules(const node& n) const {
  require(n.type == input(n, 0).type, "view-type", "a view has the type of its array");
  index_map_rules(n.shape, n.map, input(n, 0).shape);
}

void graph_verifier::update_rules(const node& n) const {
  const node &base = input(n, 0), &value = input(n, 1);
  require(n.type == base.type && n.type == value.type, "update-type",
          "base and value have the type of the result");
  require(n.shape == base.shape, "update-shape", "the result has the shape of the base");
  index_map_rules(value.shape, n.map, n.shape);
  const bool nothing = size_of(value.shape) == 0;
  for (std::size_t d = 0; d < value.shape.size(); ++d) {
    require(nothing || value.shape[d] < 2 || n.map.strides[d] != 0, "update-twice",
            "an element is written twice");
  }
}

}  // namespace sinter::ir::detail

namespace sinter::ir {

void verify(const graph& g) { detail::graph_verifier(g).run(); }

}  // namespace sinter::ir
