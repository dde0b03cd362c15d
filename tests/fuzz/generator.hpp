#pragma once
// Random graphs: every kind of node, op, type and shape.
//
// Values are exact (the same bits on every path) or approximate (results of mathematical functions
// and of float sums). Discontinuous ops rarely get approximate values: their results could not be
// bounded.

#include <initializer_list>
#include <vector>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

class generator {
 public:
  explicit generator(choices& c) : c_(c) {}
  trial run();

 private:
  struct slot {  // a value of a program
    dtype type;
    bool approximate;
    bool hidden = false;  // must not be read yet
  };

  // ---- picking
  ir::graph& g() { return trial_.graph; }
  const ir::node& at(ir::node_id n) const { return trial_.graph[n]; }
  bool approximate(ir::node_id n) const { return approximate_[static_cast<std::size_t>(n)]; }
  ir::node_id add(ir::node n, bool approximate);
  ir::node_id pick_array();
  dtype pick_type();
  ir::shape_t pick_shape();
  ir::extent pick_extent(ir::extent most);
  bool room() const;

  // ---- steps
  void step();
  ir::node_id source(dtype, const ir::shape_t&);
  ir::node_id scalar(dtype);
  ir::node_id exponent(dtype);
  ir::node_id iota();
  ir::node_id random();
  ir::node_id reduce(ir::node_id x);
  ir::node_id scan(ir::node_id x);
  ir::node_id update(ir::node_id base);
  ir::node_id product();
  ir::node_id matmul();
  ir::node_id multiplied(ir::node_id left, ir::node_id right);
  ir::node_id layer();
  ir::node_id gelu(ir::node_id x);
  ir::node_id gram();
  ir::node_id number(dtype type, double value);
  ir::node_id sort();
  ir::node_id select();
  ir::node_id reduced(ir::op code, bool arg, std::vector<int> axes, ir::node_id x);

  // ---- maps
  ir::node_id map(ir::node_id first);
  ir::node_id cast(ir::node_id x, dtype to);
  /// One op on nodes, in their promoted type; the first node has the result's shape.
  ir::node_id apply(ir::op code, std::vector<ir::node_id> args);
  void instruction();
  bool try_instruction();
  ir::op pick_op(bool smooth);
  int argument(dtype type, int not_this);
  int converted(int value, dtype to);
  void last_conversion();
  std::vector<slot> values_;
  ir::program program_;

  // ---- views
  ir::node_id view(ir::node_id x);
  ir::node_id view_of(ir::node_id x, ir::shape_t shape, ir::index_map map);
  ir::node_id slice(ir::node_id x);
  ir::node_id transpose(ir::node_id x);
  ir::node_id reshape(ir::node_id x);
  ir::node_id flip(ir::node_id x);
  ir::node_id broadcast(ir::node_id x);
  ir::node_id window(ir::node_id x);
  /// Some elements of an array of this shape, each at most once.
  std::pair<ir::shape_t, ir::index_map> section(const ir::shape_t& shape);
  /// x as an array of this type and shape; another array if that is impossible.
  ir::node_id conform(ir::node_id x, dtype type, const ir::shape_t& shape);

  // ---- reads at other places
  ir::node_id integer(ir::extent value);
  ir::node_id gather(ir::node_id x);
  ir::node_id taken(ir::node_id x);
  ir::node_id looked_up(ir::node_id x);
  ir::node_id picked(ir::node_id x, ir::shape_t rows, ir::extent row);
  ir::node_id pad(ir::node_id x);
  ir::node_id compress();
  ir::node_id scatter(ir::node_id base);
  ir::node_id scatter_rows(ir::node_id from);
  ir::node_id some_rows(ir::node_id from, const ir::shape_t& all);
  ir::node_id places(ir::extent size, const ir::shape_t& shape, bool apart);

  // ---- loops
  ir::node_id loop(ir::node_id x);
  ir::node_id table_loop(ir::node_id x);
  ir::node_id loop_results(ir::node n, bool emits, ir::extent rounds);
  int loop_condition(int round, int limit, bool each);
  ir::node_id exactly(ir::node_id x);
  void exact_instruction();
  int computed(ir::op code, dtype type, int a, int b);

  ir::node_id barrier(ir::node_id x);

  // ---- patterns
  ir::node_id pattern(ir::node_id x);
  ir::node_id along(ir::op code, ir::node_id x, const std::vector<int>& axes);
  ir::node_id softmax(ir::node_id x, const std::vector<int>& axes);
  ir::node_id normalised(ir::node_id x, const std::vector<int>& axes);
  ir::node_id stencil(ir::node_id x);
  ir::node_id sweeps(ir::node_id x);
  ir::node_id chain(ir::node_id x);
  ir::node_id joined(ir::node_id x);
  std::vector<int> pick_axes(const ir::shape_t&);

  choices& c_;
  trial trial_;
  std::vector<bool> approximate_;  // per node
  ir::extent limit_ = 64;          // elements of one array
  ir::extent total_ = 0;           // elements of all nodes
};

/// The elements of a shape, counting empty axes as 1: a bound for reductions of it.
ir::extent reach_of(const ir::shape_t&);

/// Does the op give the same bits everywhere on operands of this type?
bool exact_op(ir::op code, dtype type);

/// Is the op, as a map, continuous?
bool smooth_op(ir::op code);

}  // namespace sinter::fuzz
