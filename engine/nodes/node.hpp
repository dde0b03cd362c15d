#pragma once
// Nodes: what array handles point to. A node records an operation and its inputs; evaluation gives
// it a buffer and releases the inputs. Operation, type, shape and maps never change.
//
// Ownership: handles own nodes by reference count, nodes own their inputs. Deep graphs are released
// without recursion.
//
// Thread safety: recording and counting from any thread. While a function records it, a node
// belongs to its thread, which may still set `checks`, `depth` and `details->in_range`. Afterwards:
// - `buffer`, `device`, `inputs`, `depth`, `plan`, `passed`, `mark` and `checks` (with `unchecked`)
//   change only under the session's evaluation lock; releasing `inputs`, and reading them outside
//   of an evaluation, also takes `busy`;
// - `details->results` changes while `busy` is held, by any thread that releases a result;
// - `references` and `remembered` (set by an expression's memo) change from any thread, `next_dead`
//   on the thread that dropped the last reference.

#include <atomic>
#include <memory>
#include <optional>

#include <sinter/expr.hpp>

#include "engine/nodes/element_map.hpp"
#include "engine/nodes/reference_count.hpp"
#include "ir/graph.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

struct check;

/// A piece of a join: the input's element for each coordinate of the whole, and where the piece
/// ends along the axis.
struct joined_piece {
  element_map map;
  std::int64_t end = 0;
};

/// Fields that only some kinds of node need.
struct node_details {
  ir::reduction reduction;    // reduce, scan; scatter: its op
  ir::program program;        // map: a program built at run time, which node::program refers to;
                              // loop
  ir::loop loop;              // loop
  std::string routine;        // call
  std::vector<std::int64_t> attributes;  // call
  /// call, loop: nodes of its further outputs that are still held, not owned; changed while `busy`
  std::vector<node*> results;
  std::uint64_t output = 0;  // result: which output
  std::size_t axis = 0;               // join
  std::vector<joined_piece> pieces;   // join: one per input
  std::shared_ptr<check> in_range;  // gather, scatter: the check of its indices, if any
  /// made by indexing a view or a join: the same elements as a map of the array that was indexed
  std::optional<element_map> within;

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
};

struct ready_plan;

/// Scratch state of the snapshot being taken; all zero between snapshots. Under the evaluation
/// lock.
struct snapshot_mark {
  bool seen = false;
  bool output = false;
  bool moved = false;          // a view, a pad or a gather of the snapshot reads it
  std::uint8_t length = 0;     // the longest chain of nodes above stored ones, 255 at most
  std::int32_t id = -1;
  std::uint32_t within = 0;    // edges from nodes of the snapshot
  std::uint32_t released = 0;  // edges from those of its nodes that will release this one
};

// In this order for the snapshots: the fields that each of them reads come first and together.
struct node {
  reference_count references;
  /// The longest chain of pending nodes that ends in this one; 0: it has a buffer.
  std::atomic<std::uint32_t> depth{0};
  std::atomic<bool> busy{
      false};  // held while `inputs` is released, or read outside of an evaluation
  ir::node_kind kind = ir::node_kind::source;
  sinter::dtype type = dtype::float32;
  bool passed = false;      // a kernel has computed it once without storing it
  bool remembered = false;  // the only handle outside of nodes is an expression's memo
  std::uint16_t slabs = 0;  // update: see slabs_of
  std::atomic<bool> unchecked{false};  // it has checks; they change under the evaluation lock
  snapshot_mark mark;
  std::shared_ptr<runtime::buffer> buffer;  // set: materialised, dense and row-major
  // A statement of ten operations has as many nodes, which then need no heap.
  inline_vector<any_array, 6> inputs;
  inline_vector<std::int64_t, 4> shape;
  element_map map;                        // view, update, gather, pad, scatter
  ir::program_view program;               // map, loop
  inline_vector<scalar_word, 4>
      scalars;  // map: its scalar inputs; scalar: the value; random: the seed
  std::unique_ptr<node_details> details;
  statement* record = nullptr;            // map: the statement type it came from, if any
  location where;
  runtime::device* device = nullptr;      // where the buffer is
  std::shared_ptr<const ready_plan> plan;   // the plan that computed it, for explain
  /// Conditions to verify before the value is visible on the host (engine/evaluation/checks.hpp).
  std::vector<std::shared_ptr<check>> checks;
  node* next_dead = nullptr;  // while it is being released

  std::int64_t size() const {
    std::int64_t n = 1;
    for (auto e : shape) n *= e;
    return n;
  }

  /// From a thread's free list, as for details (node_memory.cpp): the heap took half of the cost of
  /// recording a statement.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
};

/// The node of a handle. Throws value_error for a handle that holds no array.
node& checked(const any_array& x, std::string_view op, location where);

/// The type that two operands are promoted to. Throws value_error for a handle without an array.
dtype common_type(const any_array& a, const any_array& b, std::string_view op, location where);

/// "float32 of shape (3, 4)", for messages.
std::string text_of(const any_array& x);

/// Throws memory_error unless the host has room for the `bytes` bytes that `op` makes of x.
void check_host_room(const any_array& x, std::size_t bytes, std::string_view op, location where);

/// Gives a pending node its value and releases its inputs: the end of an evaluation.
void settle(node&, runtime::device&, std::shared_ptr<runtime::buffer>);

/// The array a pending view reads, and its map; nothing for any other node. From any thread.
std::optional<std::pair<any_array, element_map>> viewed(const any_array& x);

/// The longest chain of pending nodes: a longer one is evaluated while it is being recorded.
inline constexpr std::uint32_t max_depth = 64;
/// The same inside a function that is recorded for replay.
inline constexpr std::uint32_t most_depth = 4096;

/// The base of a pending update and the value it assigns; nothing for any other node. From any
/// thread.
std::optional<std::pair<any_array, any_array>> updated(const any_array& x);

// ---- recording: nothing is checked beyond what is stated, and nothing is computed

/// A materialised array. REQUIRES: the buffer holds size * size_of(type) bytes.
any_array make_source(std::shared_ptr<runtime::buffer>, runtime::device&, dtype, shape_view);
/// A rank-0 value.
any_array make_scalar(const scalar_word&, dtype, location);
/// Shape `shape`, element = its row-major index, int64.
any_array make_iota(shape_view shape, location);
/// The int64 n as a coordinate in an array: plans may depend on it, as they do on extents, while
/// they never depend on a scalar's value. REQUIRES: n >= 0.
any_array make_place(std::int64_t n, location);
/// Ends along an axis this short are passed to plans as coordinates: plans unroll such axes, and
/// then know on which side of an end each position is.
inline constexpr std::int64_t short_axis = 16;
/// Random bits, uint32 or uint64, by counter = row-major index.
any_array make_random(dtype, shape_view shape, std::uint64_t seed, location);
/// A strided view of x. REQUIRES: every index of the map is inside x.
any_array make_view(const any_array& x, shape_view shape, element_map, location);
/// make_view that also keeps what `assign` needs; never x's own base.
any_array make_index_view(const any_array& x, shape_view shape, element_map, location);
/// A view of `base` that stands for the elements at `within` of the array that was indexed. Always
/// a node of its own.
any_array make_part_view(const any_array& base, shape_view shape, element_map,
                         element_map within, location);
/// The same elements in row-major order. REQUIRES: as many as x has.
any_array make_reshape(const any_array& x, shape_view shape, location);
/// The same elements in one dimension.
any_array flattened(const any_array& x, location);
/// x broadcast along new or unit axes. Throws shape_error, naming `op`, if it does not broadcast.
any_array make_broadcast(const any_array& x, shape_view shape, std::string_view op, location);
/// REQUIRES: axes ascending and in range; `code` accepts x's type.
any_array make_reduce(const any_array& x, ir::op code, bool arg, std::vector<int> axes, location);
/// Each element combined with all before it along one axis. REQUIRES: the axis is in range; `code`
/// accepts x's type.
any_array make_scan(const any_array& x, ir::op code, int axis, location);
/// One op on arrays of the type it computes in (broadcast). Throws shape_error.
any_array make_op(ir::op code, std::initializer_list<any_array> arguments, location);
/// The statement of a map node on other arrays of the same types (broadcast). Throws shape_error.
any_array make_map_like(const node& map, const std::vector<any_array>& inputs, location);
/// x as another type; x itself if it has that type.
any_array make_cast(const any_array& x, dtype to, location);
/// The same bits as another type of the same size. REQUIRES: neither is complex, bool or half.
any_array make_bitcast(const any_array& x, dtype to, location);
/// Which indices are out of range (bool), and a word for each that identifies it (int64, not 0
/// there): both of the shape that is walked, and either may be missing.
struct index_faults {
  any_array bad, word;
};
/// base[map + index]; `index`: int64, of the result's shape. If `bad` holds somewhere, reading the
/// value throws. REQUIRES: elsewhere the sum is inside the base.
any_array make_gather(const any_array& base, const any_array& index, const index_faults&,
                      element_map map, location);
/// x under the map where `inside`, else 0. REQUIRES: the map is inside x there; shape of `inside`.
any_array make_pad(const any_array& x, const any_array& inside, element_map map, location);
/// Pieces concatenated along an axis of `shape`, each a part of a base. REQUIRES: all of one dtype;
/// consecutive pieces that cover the axis.
any_array make_join(std::span<const any_array> bases, std::vector<joined_piece> pieces,
                    std::size_t axis, shape_view shape, location);
/// The elements of x where the mask holds, packed in an array as long as x, and their number,
/// int64. `place`: int32, 1 for the first of them; `last` holds for x's last element. REQUIRES:
/// rank 1, all of one shape.
std::pair<any_array, any_array> make_compress(const any_array& x, const any_array& mask,
                                              const any_array& place, const any_array& last,
                                              location);
/// base with the elements under `map` (a view of shape value.extents()) replaced.
any_array make_update(const any_array& base, element_map map, const any_array& value, location);

/// Where values go and which of them count: `index` (int64) has the shape that is walked, the
/// others have that shape or rank 0. `where` and `faults` (REQUIRES: `where`) may be missing.
struct scatter_inputs {
  any_array index, value, where;
  index_faults faults = {};
};
/// base with each value at map + index, or (`code` other than cast) combined with the old one.
/// REQUIRES: inside the base unless bad; values that meet combine to the same in any order.
/// `summed` (REQUIRES: add of float32 or float64): or are summed, in any order.
any_array make_scatter(const any_array& base, const scatter_inputs&, element_map map,
                       ir::op code, location, bool summed = false);

struct call_output {
  dtype type;
  std::vector<std::int64_t> shape;
};
/// A library routine (engine/calls/calls.hpp) and its outputs, in order. An output that nothing
/// holds when the call is evaluated is not stored.
std::vector<any_array> make_call(std::string routine, std::vector<any_array> inputs,
                                 std::vector<std::int64_t> attributes,
                                 std::vector<call_output> outputs, location);
/// The same with one output.
any_array make_call(std::string routine, std::vector<any_array> inputs, dtype, shape_view shape,
                    location, std::vector<std::int64_t> attributes = {});

/// A loop over elements of `shape` (ir/graph.hpp) and its outputs: `wanted` gives their numbers,
/// types and shapes. When one is evaluated, all that are held are stored.
struct loop_output {
  int which;
  call_output what;
};
std::vector<any_array> make_loop(ir::program, ir::loop, std::vector<any_array> inputs,
                                 shape_view shape, const std::vector<loop_output>& wanted,
                                 location where);

/// A stand-in for an argument of a function while it is traced: it has a type and a shape and no
/// value. Reading it, or anything computed from it, throws value_error.
any_array make_placeholder(dtype, shape_view shape, location where);

/// The operands of a pending node; nothing for one that has its value. From any thread.
std::vector<any_array> inputs_of(const any_array& x);

/// Handles of the live nodes of a pending call's further outputs.
std::vector<any_array> results_of(node& call);

/// The common broadcast shape. Throws shape_error naming `op` and all shapes.
inline_vector<std::int64_t, 4> broadcast_shape(std::span<const any_array> arrays,
                                               std::string_view op, location);

/// Row-major strides of a shape, in elements: never 0, because an empty axis counts as one element.
/// ir::dense_strides multiplies extents as they are: they may be symbols, without a maximum.
std::vector<std::int64_t> dense_strides(shape_view shape);
/// The same into existing storage, one stride per axis.
void write_dense_strides(shape_view shape, std::int64_t* strides);

/// The map that applies `outer` to the elements that `inner` (of shape `shape`) selects; nothing if
/// that is no affine map. Both maps stay inside their arrays.
std::optional<element_map> compose(const element_map& inner, shape_view shape,
                                   const element_map& outer, shape_view outer_shape);

/// An axis counted from the front. Throws axis_error: "[sum] axis 3 is out of range for 2
/// dimensions".
int normalize_axis(std::int64_t axis, int ndim, std::string_view op, location);

/// Throws shape_error for a negative extent, a rank above 32 or a size beyond 2^63 - 1 bytes.
void check_shape(shape_view shape, dtype, std::string_view op, location);

}  // namespace sinter::detail
