// length: the rules of all kinds of nodes, over one graph
// The rules a graph obeys, as a program. Each has a name, which the error begins with.
#include <algorithm>
#include <limits>
#include <set>

#include "ir/graph.hpp"
#include "ir/product.hpp"
#include "ir/verify.hpp"

namespace sinter::ir {
namespace {

/// How many inputs each kind has; -1: any number.
constexpr int input_counts[] = {0, 0, -1, 1, 1, 1, 0, 0, 2, -1, 1, -1, 2, 4, -1, -1};

/// The range of offsets a map gives over a shape that is not empty; false on overflow.
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

class verifier {
 public:
  explicit verifier(const graph& g) : g_(g) {}

  void run() {
    for (id_ = 0; id_ < static_cast<node_id>(g_.nodes.size()); ++id_) node_rules(g_[id_]);
    for (node_id o : g_.outputs) {
      detail::require(o >= 0 && o < id_, "output", "return", "an output is no node");
    }
  }

 private:
  void require(bool holds, std::string_view rule, std::string_view what) const {
    if (holds) return;
    detail::require(false, rule, detail::cat("%", id_, " (", name(g_[id_].kind), ")"), what);
  }
  const node& input(const node& n, std::size_t k) const { return g_[n.inputs[k]]; }

  void node_rules(const node& n) {
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
      case node_kind::scalar: return require(n.shape.empty(), "scalar", "a scalar has rank 0");
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
      case node_kind::source: return;
    }
  }

  void shape_rules(const node& n) const {
    std::int64_t size = 1;
    bool empty = false, fits = true;
    for (extent e : n.shape) {
      require(e >= 0, "shape", "an extent is negative");
      empty |= e == 0;
      fits &= e == 0 || !__builtin_mul_overflow(size, e.peek(), &size);
    }
    require(empty || fits, "shape", "more elements than an int64 counts");
  }

  // ---- map

  void map_rules(const node& n) const {
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

  void instruction_rules(const program& p, std::size_t at) const {
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

  // ---- view and update

  void index_map_rules(const shape_t& from, const index_map& map, const shape_t& to) const {
    require(map.strides.size() == from.size(), "strides", "one stride an axis is wanted");
    if (std::find(from.begin(), from.end(), 0) != from.end()) return;
    std::int64_t low = 0, high = 0;
    require(reach(from, map, low, high) && low >= 0 && high < size_of(to), "bounds",
            "the index map leaves the array");
  }

  void view_rules(const node& n) const {
    require(n.type == input(n, 0).type, "view-type", "a view has the type of its array");
    index_map_rules(n.shape, n.map, input(n, 0).shape);
  }

  void update_rules(const node& n) const {
    const node &base = input(n, 0), &value = input(n, 1);
    require(n.type == base.type && n.type == value.type, "update-type",
            "base and value have the type of the result");
    require(n.shape == base.shape, "update-shape", "the result has the shape of the base");
    index_map_rules(value.shape, n.map, n.shape);
    for (std::size_t d = 0; d < value.shape.size(); ++d) {
      require(value.shape[d] < 2 || n.map.strides[d] != 0, "update-twice",
              "an element is written twice");
    }
  }

  // ---- gather and pad

  /// An input of the node's own shape, or rank 0.
  void alongside(const node& n, std::size_t k, dtype type, std::string_view rule) const {
    const node& in = input(n, k);
    require(in.type == type, rule, "an input has the wrong type");
    require(in.shape.empty() || in.shape == n.shape, rule,
            "an input has neither the node's shape nor rank 0");
  }

  void gather_rules(const node& n) const {
    require(n.inputs.size() == 2 || n.inputs.size() == 3, "gather-inputs",
            "an array, an index, and perhaps what is out of range");
    require(n.type == input(n, 0).type, "gather-type", "an element has the type of its array");
    alongside(n, 1, dtype::int64, "gather-index");
    if (n.inputs.size() == 3) alongside(n, 2, dtype::bool_, "gather-range");
    require(n.map.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
    require(size_of(input(n, 0).shape) > 0 || size_of(n.shape) == 0, "gather-empty",
            "nothing to read from");
  }

  void pad_rules(const node& n) const {
    require(n.type == input(n, 0).type, "pad-type", "an element has the type of its array");
    alongside(n, 1, dtype::bool_, "pad-inside");
    require(n.map.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
  }

  void compress_rules(const node& n) const {
    require(n.shape.size() == 1 && input(n, 0).shape == n.shape, "compress-shape",
            "a row of elements, as long as what they are chosen from");
    require(n.type == input(n, 0).type, "compress-type", "an element has the type of its array");
    alongside(n, 1, dtype::bool_, "compress-mask");
    alongside(n, 2, dtype::int32, "compress-place");
    alongside(n, 3, dtype::bool_, "compress-last");
  }

  // ---- scatter

  void scatter_rules(const node& n) const {
    require(n.inputs.size() >= 3 && n.inputs.size() <= 5, "scatter-inputs",
            "an array, an index, values, and perhaps which count and what is out of range");
    const node &base = input(n, 0), &index = input(n, 1), &value = input(n, 2);
    require(n.type == base.type && n.type == value.type, "scatter-type",
            "base and values have the type of the result");
    require(n.shape == base.shape, "scatter-shape", "the result has the shape of the base");
    require(index.type == dtype::int64, "scatter-index", "an index is int64");
    walked(index, value, "scatter-value");
    for (std::size_t k = 3; k < n.inputs.size(); ++k) {
      require(is_bool(input(n, k).type), "scatter-where", "a condition is bool");
      walked(index, input(n, k), "scatter-where");
    }
    require(n.map.strides.size() == index.shape.size(), "strides", "one stride an axis is wanted");
    require(size_of(n.shape) > 0 || size_of(index.shape) == 0, "scatter-empty",
            "nothing to write to");
    combine_rules(n);
  }

  void walked(const node& index, const node& in, std::string_view rule) const {
    require(in.shape.empty() || in.shape == index.shape, rule,
            "an input has neither the shape of the index nor rank 0");
  }

  /// Of complex numbers only what takes the parts one by one.
  void combine_rules(const node& n) const {
    const op code = n.reduction.code;
    if (code == op::cast) return;
    const bool parts = code == op::add || code == op::subtract;
    require(info(code).arity == 2 && accepts(code, n.type) && !is_half(n.type) &&
                !is_bool(n.type) && result_type(code, n.type) == n.type &&
                (!is_complex(n.type) || parts),
            "scatter-op", "the op cannot combine values of this type");
  }

  // ---- reduce

  void reduce_rules(const node& n) const {
    const node& in = input(n, 0);
    const reduction& r = n.reduction;
    require(!r.axes.empty(), "reduce-axes", "no axis to reduce");
    shape_t kept;
    std::size_t next = 0;
    bool empty = false;
    for (std::size_t d = 0; d < in.shape.size(); ++d) {
      if (next < r.axes.size() && r.axes[next] == static_cast<int>(d)) {
        empty |= in.shape[d] == 0;
        ++next;
      } else {
        kept.push_back(in.shape[d]);
      }
    }
    require(next == r.axes.size(), "reduce-axes", "axes are not ascending, or not of the array");
    require(kept == n.shape, "reduce-shape", "the result has the axes that are kept");
    require(detail::is_reduction(r.code, in.type) &&
                (!is_complex(in.type) || r.code == op::add),
            "reduce-op", "the op cannot combine values of this type");
    require(n.type == (r.arg ? dtype::int64 : in.type), "reduce-type",
            "a reduction keeps its type, a position is int64");
    if (!r.arg) return;
    require(r.code == op::maximum || r.code == op::minimum, "reduce-arg",
            "only maximum and minimum have a position");
    require(!empty || size_of(n.shape) == 0, "reduce-empty", "no element has a position");
  }

  /// Operands (..., m, k) and (..., k, n).
  bool dense_product(const node& n) const {
    const node &a = input(n, 0), &b = input(n, 1);
    const std::size_t rank = a.shape.size();
    bool fits = rank >= 2 && b.shape.size() == rank && same_element(a, b, n) && !is_bool(n.type);
    extent count = 1;
    for (std::size_t d = 0; fits && d + 2 < rank; ++d) {
      fits = a.shape[d] == b.shape[d];
      count *= a.shape[d];
    }
    return fits && a.shape[rank - 1] == b.shape[rank - 2] &&
           count * a.shape[rank - 2] * b.shape[rank - 1] == size_of(n.shape);
  }

  /// Products of halves may be stored as they were summed.
  static bool same_element(const node& a, const node& b, const node& product) {
    return a.type == b.type &&
           (a.type == product.type || (is_half(a.type) && product.type == dtype::float32));
  }

  /// Operands as the attributes say: inside what they are read from.
  bool product_in_place(const node& n) const {
    const node &a = input(n, 0), &b = input(n, 1);
    const matmul_form f = matmul_form_of(a.shape, b.shape, n.attributes);
    return same_element(a, b, n) && f.m * f.n * f.batch == size_of(n.shape) &&
           reach_of(f.a, f.m, f.k, f.batch) <= size_of(a.shape) &&
           reach_of(f.b, f.k, f.n, f.batch) <= size_of(b.shape);
  }

  void sort_rules(const node& n) const {
    const bool fits = n.inputs.size() == 1 && !n.shape.empty() && is_unsigned(n.type) &&
                      input(n, 0).shape == n.shape && input(n, 0).type == n.type;
    require(fits, "sort", "unsigned keys of one or more axes are sorted, and stay what they are");
  }

  void select_rules(const node& n) const {
    bool fits = n.inputs.size() == 2 && !n.shape.empty() && is_unsigned(n.type);
    fits = fits && input(n, 0).type == n.type && input(n, 1).type == dtype::int64 &&
           input(n, 1).shape == n.shape && input(n, 0).shape.size() == n.shape.size();
    for (std::size_t d = 0; fits && d + 1 < n.shape.size(); ++d) {
      fits = input(n, 0).shape[d] == n.shape[d];
    }
    require(fits, "select", "of rows of unsigned keys as many of each, at places of 64 bits");
  }

  void result_rules(const node& n) {
    if (input(n, 0).kind == node_kind::loop) return loop_result_rules(n);
    require(input(n, 0).kind == node_kind::call || input(n, 0).kind == node_kind::compress,
            "result", "only a call, a compress or a loop has further outputs");
    require(n.value[0] >= 1 && n.value[0] < 64, "result", "the call itself is output 0");
    require(results_.insert({n.inputs[0], n.value[0]}).second, "result-twice",
            "this output has a node already");
  }

  // ---- loop

  void loop_rules(const node& n) const {
    const program& p = n.program;
    const loop& l = n.loop;
    const std::size_t inputs = n.inputs.size(), slices = l.maps.size();
    require(l.carries >= 0 && static_cast<std::size_t>(l.carries) + slices <= inputs &&
                p.inputs.size() == inputs + 1 && l.along.size() == slices,
            "loop-inputs", "the program takes another number of inputs");
    require(p.inputs[static_cast<std::size_t>(l.carries)] == dtype::int64, "loop-round",
            "the number of the round is int64");
    for (std::size_t k = 0; k < inputs; ++k) {
      const node& in = input(n, k);
      require(in.type == p.inputs[place_in_program(l, k)], "loop-types",
              "an input has another type in the program");
      const bool slice = k + slices >= inputs;
      require(slice || in.shape.empty() || in.shape == n.shape, "loop-shapes",
              "an input has neither the node's shape nor rank 0");
    }
    for (const index_map& m : l.maps) {
      require(m.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
    }
    for (std::size_t i = 0; i < p.code.size(); ++i) instruction_rules(p, i);
    const program_view view{p.inputs, p.code, 0};
    const int values = static_cast<int>(p.inputs.size() + p.code.size());
    require(l.condition >= 0 && l.condition < values && is_bool(view.value_type(l.condition)),
            "loop-condition", "the condition is no bool of the program");
    require(l.results.size() >= static_cast<std::size_t>(l.carries) && !l.results.empty(),
            "loop-results", "a carry has no next value");
    for (std::size_t k = 0; k < l.results.size(); ++k) {
      const int v = l.results[k];
      require(v >= 0 && v < values, "loop-results", "a result is no value of the program");
      if (k >= static_cast<std::size_t>(l.carries)) continue;
      require(view.value_type(v) == p.inputs[k], "loop-carry", "a carry becomes another type");
    }
  }

  void loop_result_rules(const node& n) {
    const node& from = input(n, 0);
    const auto k = static_cast<std::size_t>(n.value[0]);
    require(k < from.loop.results.size(), "result", "the loop has no such output");
    const program_view view{from.program.inputs, from.program.code, 0};
    require(n.type == view.value_type(from.loop.results[k]), "result-type",
            "the output has another type");
    const bool emitted = k >= static_cast<std::size_t>(from.loop.carries);
    const shape_t inner{n.shape.begin() + (emitted && !n.shape.empty() ? 1 : 0), n.shape.end()};
    require(inner == from.shape && (!emitted || !n.shape.empty()), "result-shape",
            "the output has another shape");
    require(results_.insert({n.inputs[0], n.value[0]}).second, "result-twice",
            "this output has a node already");
  }

  void scan_rules(const node& n) const {
    const node& in = input(n, 0);
    const reduction& r = n.reduction;
    require(r.axes.size() == 1 && r.axes[0] >= 0 &&
                static_cast<std::size_t>(r.axes[0]) < in.shape.size(),
            "scan-axis", "a scan runs along one axis of the array");
    require(n.shape == in.shape && n.type == in.type && !r.arg, "scan-type",
            "a scan keeps shape and type");
    require(detail::is_reduction(r.code, in.type) &&
                (!is_complex(in.type) || r.code == op::add),
            "scan-op", "the op cannot combine values of this type");
  }

  void call_rules(const node& n) const {
    require(!n.routine.empty(), "call", "a call names a routine");
    if (n.routine == "sort") sort_rules(n);
    if (n.routine == "select") select_rules(n);
    const bool triangle = n.routine == "syrk";
    if (n.routine != "matmul" && !triangle) return;
    bool fits = n.inputs.size() >= 2;
    fits = fits && (n.attributes.size() < 15 ? dense_product(n) : product_in_place(n));
    require(fits, "matmul", "the operands do not fit");
    require(epilogue_fits(n), "matmul", "the inputs of the epilogue do not fit");
    require(!triangle || n.inputs == std::vector<node_id>(2, n.inputs[0]), "syrk",
            "the operands are one array");
  }

  bool epilogue_fits(const node& n) const {
    const node &a = input(n, 0), &b = input(n, 1);
    const matmul_form f = matmul_form_of(a.shape, b.shape, n.attributes);
    const matmul_epilogue& e = f.epilogue;
    if (n.inputs.size() != 2 + e.inputs()) return false;
    std::size_t next = 2;
    bool fits = true;
    const auto has = [&](bool wanted, dtype type, extent size) {
      if (!wanted) return;
      const node& x = input(n, next++);
      fits = fits && x.type == type && size_of(x.shape) == size;
    };
    has(e.bias, n.type, f.n);
    has(e.addend, n.type, size_of(n.shape));
    has(e.alpha, compute_of(a.type), 1);
    has(e.beta, compute_of(a.type), 1);
    return fits && (!e.beta || e.addend);
  }

  const graph& g_;
  node_id id_ = 0;
  std::set<std::pair<node_id, std::uint64_t>> results_;
};

}  // namespace

void verify(const graph& g) { verifier(g).run(); }

}  // namespace sinter::ir
