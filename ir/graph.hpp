#pragma once
// The graph IR: one node type, a flat list in topological order.
//
// A graph is a value: it owns everything it says, so it can be printed, parsed, hashed, rewritten
// and sent elsewhere. Live arrays (engine/) are turned into a graph when they are evaluated; what
// the graph calls a source is then a materialised buffer, dense and row-major.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/extent.hpp"
#include "ir/program.hpp"

namespace sinter::ir {

using shape_t = extent_list;

/// The number of elements of a shape; 1 for rank 0.
constexpr extent size_of(const shape_t& s) {
  extent n = 1;
  for (extent e : s) n *= e;
  return n;
}

enum class node_kind : std::uint8_t {
  source,  // a materialised array: dense, row-major
  scalar,  // a rank-0 value known on the host; passed to kernels, never baked, unless a pass made
           // it
  map,     // a scalar program, element by element; every input has the node's shape or rank 0
  view,    // another order of the same elements: an affine index map, nothing moves
  reduce,  // one op over some axes; the axes are removed from the shape
  scan,    // one op along one axis: each element combined with all before it; the shape stays
  random,  // Philox 4x32-10 bits (uint32 or uint64), counter = row-major element index
  iota,    // int64, the row-major element index
  update,  // inputs {base, value}: base with the elements under an index map replaced by value
  call,    // a library routine on dense operands (and scalars); the node is its output 0
  result,  // inputs {call}: another output of it, value[0] >= 1 says which; of a loop, from 0 on
  gather,  // inputs {base, index}: base[map + index], where the index is int64; a third input,
           // bool, marks indices that are out of range: if any is, status value[0] says so, by the
           // greatest (as uint64) of the words of a fourth, int64, or by 1
  pad,     // inputs {x, inside}: x under the map where inside, else 0
  compress,  // inputs {x, mask, place, last}: elements of x where the mask holds, one behind the
             // other, each at its place - 1; what is behind them means nothing. Output 1 (`result`)
             // is the place where `last` holds: how many there are
  loop,  // a scalar program again and again, element by element: see `loop`. It has no value of its
         // own, its outputs are `result` nodes
  scatter,  // inputs {base, index, value, ...}: base, where each value is combined, by the op of
            // `reduction` (cast: put there), with the element at map + index. The index, int64, has
            // the shape that is walked. A fourth input, bool, says which values count, a fifth
            // which indices are out of range, a sixth words for these, as in gather. Values that
            // meet at one place come to the same in any order, or are `summed`
  join,  // pieces behind one another along an axis. Recorded as one node; a graph has a pad for
         // each, and choices between them
};

/// How many inputs of a gather or scatter come before the one that marks indices out of range.
constexpr std::size_t inputs_before_range(node_kind k) { return k == node_kind::scatter ? 4 : 2; }

using node_id = std::int32_t;

inline constexpr std::string_view node_kind_names[] = {
    "source", "scalar", "map",    "view", "reduce", "scan", "random",
    "iota",   "update", "call",   "result", "gather", "pad",    "compress", "loop", "scatter",
    "join"};
constexpr std::string_view name(node_kind k) { return node_kind_names[static_cast<int>(k)]; }

/// The row-major linear index in the viewed array of each element: offset + sum of
/// coordinate[d] * strides[d]. Strides may be 0 (broadcast) or negative (flip).
struct index_map {
  extent offset = 0;
  extent_list strides;
  /// pad: along this axis alone its array lies moved, mirrored or repeated, `offset` being steps of
  /// the array's and the stride a multiple of them (-1: backwards, 0: one element); -1: not known.
  /// The array has as many axes, of the same extents but there, and is walked in order.
  /// gather: the axis of its array that the index alone moves along, and moves along alone; -1: not
  /// known.
  int along = -1;
  bool operator==(const index_map&) const = default;
};

struct program {
  std::vector<dtype> inputs;
  std::vector<instruction> code;
  program_view view() const { return {inputs, code, hash_of(inputs, code)}; }
  bool operator==(const program&) const = default;
};

/// A reduction, or a scan along its only axis. `code` is an associative op of the table; with `arg`
/// the result is the int64 row-major index, among the reduced axes in their order, of the first
/// extremum.
struct reduction {
  op code = op::add;
  bool arg = false;
  std::vector<int> axes;  // ascending
  bool summed = false;    // scatter, floats under add: values may meet, and their sum does not
                          // depend on who comes first. A CPU adds them in order, a GPU all at
                          // once, to within a rounding (passes/sum_places.hpp), or rows in the
                          // order of their places (passes/sum_rows.hpp)
  bool operator==(const reduction&) const = default;
};

/// One element of a table of a loop, in every round (see loop).
struct table_read {
  int table = 0;
  int after = 0;  // so many writes
  bool operator==(const table_read&) const = default;
};
struct table_write {
  int table = 0;
  extent offset = 0;  // the element is this + `by`, ...
  int by = -1;        // ... an int32 or int64 of the program
  int value = -1;
  bool operator==(const table_write&) const = default;
};

/// What a loop does beside its program. The node's inputs are what is carried (first values),
/// what stays, and arrays that are read a slice a round: of these `maps`, `along` and `by` say
/// which element, map + along * (a value of the program that is int32 or int64: the round, a carry,
/// whatever is computed), which is there in every round that takes place; the condition reads none.
/// The program's inputs are the same with the number of the round (int64, from 0 on) behind what is
/// carried. Where `condition` holds, the carries take the values `results` and the next round
/// begins; each element stops by itself. The other inputs have the node's shape or rank 0.
///
/// Output k is what carry k came to, of the node's shape. Further values of `results` are kept from
/// every round, one behind the other along a new first axis: as many as every element has rounds.
///
/// A loop of rank 0 may have tables: arrays that its rounds read and write element by element, its
/// last inputs, which are none of the program's. What they come to are the outputs behind the
/// results. The last slices have no input either, they are of tables (`reads`). Reads and writes of
/// all tables are done in one order: `writes` as they stand, a read behind as many of them as it
/// says.
struct loop {
  int carries = 0;
  int condition = -1;        // values of the program
  std::vector<int> results;
  std::vector<index_map> maps;  // of the last inputs
  std::vector<extent> along;
  std::vector<int> by;  // a value of the program before all that reads the slice; the round is
                        // input `carries`
  int tables = 0;
  std::vector<table_read> reads;
  std::vector<table_write> writes;
  bool operator==(const loop&) const = default;
};

struct node {
  node_kind kind = node_kind::source;
  dtype type = dtype::float32;
  shape_t shape;
  std::vector<node_id> inputs;
  ir::program program;     // map, loop
  index_map map;           // view, gather, pad, scatter: of inputs[0]; update: where inputs[1] goes
                           // in it
  ir::reduction reduction; // reduce, scan; scatter: its op
  ir::loop loop;
  std::uint64_t value[2] = {};  // scalar: the bits (complex128: two words); random: {seed, 0};
                                // result: {which output, 0}; gather, scatter: {which check, 0}
  bool baked = false;      // scalar: a pass made it, so it is the same in every run of the plan
  std::string routine;     // call: "matmul"
  extent_list attributes;  // call: what the routine wants to know beside operands
  std::int32_t origin = -1;  // index into graph::origins: the statement that made it
};

struct graph {
  std::vector<node> nodes;        // inputs come before their users
  std::vector<node_id> outputs;   // what must be stored
  std::vector<std::string> origins;  // "file.cpp:17"

  node& operator[](node_id i) { return nodes[static_cast<std::size_t>(i)]; }
  const node& operator[](node_id i) const { return nodes[static_cast<std::size_t>(i)]; }
  node_id add(node n) {
    nodes.push_back(std::move(n));
    return static_cast<node_id>(nodes.size()) - 1;
  }
};

/// A call that gives what it is given: what stands on one side of it is planned without what stands
/// on the other. Its input is stored, and it is no step of a plan: both lie in one buffer.
constexpr std::string_view barrier = "barrier";
inline bool is_barrier(const node& n) { return n.kind == node_kind::call && n.routine == barrier; }
/// n, or what the barriers were given whose value it is.
node_id held_by(const graph&, node_id n);

/// Which input of a routine its output `output` may be written over, as they are of one size and
/// type; -1: none. Known by the routine's name.
int overwritten_input(std::string_view routine, int output);

/// The input of a loop's program that input `k` of the node is; the round has none.
constexpr std::size_t place_in_program(const loop& l, std::size_t k) {
  return k < static_cast<std::size_t>(l.carries) ? k : k + 1;
}

/// How many of a loop's slices are inputs; the others are of its tables.
constexpr std::size_t sliced_inputs(const loop& l) { return l.maps.size() - l.reads.size(); }
/// How many inputs of a loop node are carries, or stay what they are.
inline std::size_t whole_inputs(const node& n) {
  return n.inputs.size() - sliced_inputs(n.loop) - static_cast<std::size_t>(n.loop.tables);
}

/// Is it an output of a loop?
inline bool is_loop_result(const graph& g, node_id n) {
  return g[n].kind == node_kind::result && g[g[n].inputs[0]].kind == node_kind::loop;
}
/// Is it kept from every round?
inline bool is_emitted(const graph& g, node_id n) {
  return is_loop_result(g, n) &&
         g[n].value[0] >= static_cast<std::uint64_t>(g[g[n].inputs[0]].loop.carries);
}

/// Is it what a table of a loop comes to? Then which of its inputs it was, else -1.
inline int table_of(const graph& g, node_id n) {
  if (!is_loop_result(g, n)) return -1;
  const node& l = g[g[n].inputs[0]];
  const std::size_t results = l.loop.results.size();
  if (g[n].value[0] < results) return -1;
  return static_cast<int>(l.inputs.size() - static_cast<std::size_t>(l.loop.tables) +
                          (g[n].value[0] - results));
}
/// The node that n writes into, as far as it is written: it begins as that; -1: none.
inline node_id written_base(const graph& g, node_id n) {
  if (g[n].kind == node_kind::update || g[n].kind == node_kind::scatter) return g[n].inputs[0];
  const int table = table_of(g, n);
  return table < 0 ? -1 : g[g[n].inputs[0]].inputs[static_cast<std::size_t>(table)];
}

/// Text of a graph, one node a line; `parse_graph(print(g))` is g again, origins included.
std::string print(const graph&);
/// Throws ir::syntax_error with line and column.
graph parse_graph(std::string_view text);

/// Throws ir::verify_error naming the node and the rule it breaks.
void verify(const graph&);

}  // namespace sinter::ir
