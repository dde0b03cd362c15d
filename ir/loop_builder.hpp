#pragma once
// Builds a loop node input by input: carries, invariants, slices, then its program.

#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"

namespace sinter::ir {

/// Each call returns the number of a value of the program. REQUIRES: calls in the order above, and
/// an invariant, or `round`, before a slice.
class loop_builder {
 public:
  loop_builder(graph_builder& b, shape_t shape, int carries) : b_(b) {
    n_.kind = node_kind::loop;
    n_.shape = std::move(shape);
    n_.origin = b.origin;
    n_.loop.carries = carries;
  }

  int input(node_id x) {
    if (n_.inputs.size() == static_cast<std::size_t>(n_.loop.carries)) round();
    return take(x);
  }
  int round() {
    if (static_cast<int>(n_.program.inputs.size()) == n_.loop.carries) {
      n_.program.inputs.push_back(dtype::int64);
    }
    return n_.loop.carries;
  }
  int slice(node_id x, index_map map, extent along, int by) {
    n_.loop.maps.push_back(std::move(map));
    n_.loop.along.push_back(along);
    n_.loop.by.push_back(by);
    return take(x);
  }
  int compute(op code, dtype type, int a, int b = -1) {
    const dtype result = result_type(code, type);
    return push({code, type, result, {narrow(a), narrow(b), -1}});
  }
  int choose(dtype type, int condition, int a, int b) {
    return push({op::where, type, type, {narrow(condition), narrow(a), narrow(b)}});
  }
  int cast(int a, dtype from, dtype to) {
    return from == to ? a : push({op::cast, from, to, {narrow(a), -1, -1}});
  }
  /// The result of another program on values that have the types of its inputs.
  int run(const ir::program& p, std::vector<int> values) {
    for (instruction i : p.code) {
      for (int a = 0; a < arity(i); ++a) {
        i.args[a] = narrow(values[static_cast<std::size_t>(i.args[a])]);
      }
      values.push_back(push(i));
    }
    return values.back();
  }
  /// The final value of carry 0.
  node_id made(int condition, std::vector<int> next) {
    n_.loop.condition = condition;
    n_.loop.results = std::move(next);
    const dtype type = n_.program.inputs[0];
    n_.type = type;
    const shape_t shape = n_.shape;
    return b_.output(b_.out.add(std::move(n_)), 0, type, shape);
  }

 private:
  static std::int16_t narrow(int v) { return static_cast<std::int16_t>(v); }
  int take(node_id x) {
    n_.inputs.push_back(x);
    n_.program.inputs.push_back(b_.out[x].type);
    return static_cast<int>(n_.program.inputs.size()) - 1;
  }
  int push(const instruction& i) {
    n_.program.code.push_back(i);
    return static_cast<int>(n_.program.inputs.size() + n_.program.code.size()) - 1;
  }

  graph_builder& b_;
  node n_;
};

}  // namespace sinter::ir
