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
  scalar,  // a rank-0 value known on the host; passed to kernels, not baked in, unless a pass made
           // it
  map,     // a scalar program, element by element; every input has the node's shape or rank 0
  view,    // a strided view: an affine index map, no data moves
  reduce,  // one op over some axes; the axes are removed from the shape
  scan,    // one op along one axis: each element combined with all before it; the shape stays
  random,  // Philox 4x32-10 bits (uint32 or uint64), counter = row-major element index
  iota,    // int64, the row-major element index
  update,  // inputs {base, value}: base with the elements under an index map replaced by value
  call,    // a library routine on dense operands (and scalars); the node is its output 0
  result,  // inputs {call}: another output of it, value[0] >= 1 says which; of a loop, from 0 on
  gather,  // inputs {base, index}: base[map + index], where the index is int64; a third input,
           // bool, marks indices out of range: if any is, status value[0] is raised to the greatest
           // (as uint64) of the words of a fourth input, int64, or to 1
  pad,     // inputs {x, inside}: x under the map where inside, else 0
  compress,  // inputs {x, mask, place, last}: the elements of x where the mask holds, packed, each
             // at its place - 1; elements behind them are undefined. Output 1 (`result`) is the
             // place where `last` holds: their number
  loop,  // a scalar program iterated element by element: see `loop`. It has no value of its own,
         // its outputs are `result` nodes
  scatter,  // inputs {base, index, value, ...}: base, with each value combined, by the op of
            // `reduction` (cast: assigned), with the element at map + index. The index, int64, has
            // the shape that is walked. A fourth input, bool, says which values count, a fifth
            // which indices are out of range, a sixth their words, as in gather. Values that meet
            // at one element combine to the same in any order, or are `summed`
  join,  // pieces concatenated along an axis. Recorded as one node; in a graph it becomes one pad
         // per piece and selects between them
};

/// How many inputs of a gather or scatter precede the one that marks indices out of range.
constexpr std::size_t inputs_before_range(node_kind k) { return k == node_kind::scatter ? 4 : 2; }

using node_id = std::int32_t;

inline constexpr std::string_view node_kind_names[] = {
    "source", "scalar", "map",    "view", "reduce", "scan", "random",
    "iota",   "update", "call",   "result", "gather", "pad",    "compress", "loop", "scatter",
    "join"};
constexpr std::string_view name(node_kind k) { return node_kind_names[static_cast<int>(k)]; }

/// The row-major linear index in the viewed array of each element: offset + sum of coordinate[d] *
/// strides[d]. Strides may be 0 (broadcast) or negative (flip).
struct index_map {
  extent offset = 0;
  extent_list strides;
  /// pad: the only axis along which its array is shifted, mirrored or repeated: `offset` is then a
  /// multiple of the array's stride there, and the stride that times a factor (-1: backwards, 0:
  /// one element); -1: unknown. The array has as many axes, of equal extents except there, and is
  /// walked in order. gather: the only axis of its array that the index moves along, and along
  /// which nothing else moves; -1: unknown.
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
/// the result is the int64 row-major index, among the reduced axes in order, of the first extremum.
struct reduction {
  op code = op::add;
  bool arg = false;
  std::vector<int> axes;  // ascending
  bool summed = false;    // scatter, floats under add: values may meet, and their sum does not
                          // depend on thread order. A CPU adds them in order; a GPU in integers,
                          // exact to a rounding (passes/sum_places.hpp), or row by row in sorted
                          // order (passes/sum_rows.hpp)
  bool operator==(const reduction&) const = default;
};

/// One element of a loop's table, read in every round (see loop).
struct table_read {
  int table = 0;
  int after = 0;  // the number of this round's writes that precede it
  bool operator==(const table_read&) const = default;
};
struct table_write {
  int table = 0;
  extent offset = 0;  // the element is offset + `by`, ...
  int by = -1;        // ... an int32 or int64 value of the program
  int value = -1;
  bool operator==(const table_write&) const = default;
};

/// What a loop does besides its program. The node's inputs are the carries (initial values), the
/// invariants, and arrays of which one slice is read per round: `maps`, `along` and `by` say which
/// element, map + along * (a value of the program that is int32 or int64: the round, a carry,
/// anything computed), which exists in every round that takes place; the condition reads no slice.
/// The program has the same inputs, with the round number (int64, from 0 on) after the carries.
/// While `condition` holds, the carries take the values `results` and the next round begins; each
/// element stops by itself. All inputs but the slices have the node's shape or rank 0.
///
/// Output k is the final value of carry k, of the node's shape. Further values of `results` are
/// emitted by every round and stacked along a new first axis, which has as many entries as every
/// element has rounds.
///
/// A loop of rank 0 may have tables: arrays that its rounds read and write element by element. They
/// are its last inputs, and no inputs of the program. Their final values are the outputs after the
/// results. The last slices have no input either, they read tables (`reads`). Accesses to all
/// tables happen in one order: `writes` as listed, a read after as many of them as it says.
struct loop {
  int carries = 0;
  int condition = -1;        // a value of the program
  std::vector<int> results;
  std::vector<index_map> maps;  // of the last inputs
  std::vector<extent> along;
  std::vector<int> by;  // a value of the program that precedes everything that reads the slice; the
                        // round is input `carries`
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
  index_map map;           // view, gather, pad, scatter: of inputs[0]; update: where inputs[1] is
                           // written in it
  ir::reduction reduction; // reduce, scan; scatter: its op
  ir::loop loop;
  std::uint64_t value[2] = {};  // scalar: the bits (complex128: two words); random: {seed, 0};
                                // result: {which output, 0}; gather, scatter: {which check, 0}
  bool baked = false;      // scalar: made by a pass, so it is the same in every run of the plan
  std::string routine;     // call: "matmul"
  extent_list attributes;  // call: the routine's parameters besides operands
  std::int32_t origin = -1;  // index into graph::origins: the statement that made it
};

struct graph {
  std::vector<node> nodes;        // inputs come before their users
  std::vector<node_id> outputs;   // nodes that must be stored
  std::vector<std::string> origins;  // "file.cpp:17"

  node& operator[](node_id i) { return nodes[static_cast<std::size_t>(i)]; }
  const node& operator[](node_id i) const { return nodes[static_cast<std::size_t>(i)]; }
  node_id add(node n) {
    nodes.push_back(std::move(n));
    return static_cast<node_id>(nodes.size()) - 1;
  }
};

/// A call that returns its input: nodes on one side of it are planned separately from those on the
/// other. Its input is stored, and it is no step of a plan: input and output are one buffer.
constexpr std::string_view barrier = "barrier";
inline bool is_barrier(const node& n) { return n.kind == node_kind::call && n.routine == barrier; }
/// n, or the node whose value it is, through any barriers.
node_id held_by(const graph&, node_id n);

/// Which input of a routine its output `output` may overwrite, having the same size and type; -1:
/// none. Determined by the routine's name.
int overwritten_input(std::string_view routine, int output);

/// The input of a loop's program that input `k` of the node is; the round number is no input of the
/// node.
constexpr std::size_t place_in_program(const loop& l, std::size_t k) {
  return k < static_cast<std::size_t>(l.carries) ? k : k + 1;
}

/// How many of a loop's slices have an input; the others read its tables.
constexpr std::size_t sliced_inputs(const loop& l) { return l.maps.size() - l.reads.size(); }
/// How many inputs of a loop node are carries or invariants.
inline std::size_t whole_inputs(const node& n) {
  return n.inputs.size() - sliced_inputs(n.loop) - static_cast<std::size_t>(n.loop.tables);
}

/// Is it an output of a loop?
inline bool is_loop_result(const graph& g, node_id n) {
  return g[n].kind == node_kind::result && g[g[n].inputs[0]].kind == node_kind::loop;
}
/// Is it emitted by every round (an output after the carries)?
inline bool is_emitted(const graph& g, node_id n) {
  return is_loop_result(g, n) &&
         g[n].value[0] >= static_cast<std::uint64_t>(g[g[n].inputs[0]].loop.carries);
}

/// The input index of the table whose final value n is; -1 if n is no such value.
inline int table_of(const graph& g, node_id n) {
  if (!is_loop_result(g, n)) return -1;
  const node& l = g[g[n].inputs[0]];
  const std::size_t results = l.loop.results.size();
  if (g[n].value[0] < results) return -1;
  return static_cast<int>(l.inputs.size() - static_cast<std::size_t>(l.loop.tables) +
                          (g[n].value[0] - results));
}
/// The node whose elements n starts from and partly overwrites; -1: none.
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
