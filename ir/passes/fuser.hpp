#pragma once
// The walk behind fuse(): from the last node to the first, each node joins the groups that read it
// or becomes the root of one. There is one rule per kind of node; the state they share is here.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/passes/fuse.hpp"
#include "ir/passes/join_siblings.hpp"
#include "ir/passes/pricing.hpp"

namespace sinter::ir::fusing {

/// Ops a kernel may hold: past this, compile time grows and registers spill.
inline constexpr int op_limit = 320;

/// Ops that a complex one counts as: a product is six, an exponential more. Counted as one, 320 of
/// a recursive Fourier transform of 256 numbers were 6,000 instructions, of which 16 kernels took
/// 9.7 s to compile; 28 of a third of them take 1.1 s (two cores of an EPYC).
inline constexpr int ops_of_complex = 3;

/// The largest cost of a row's element, in float additions, in a kernel that walks its rows more
/// than once.
inline constexpr double again_limit = 64;

/// A use of a node: by a group, through an index expression over the group's domain. `inner`: by a
/// value that a reduction of the group reads, that is before any of its results is known.
struct demand {
  std::int32_t group;
  index_expr at;
  bool inner = false;
  bool operator==(const demand&) const = default;
};

class fuser {
 public:
  fuser(const graph&, const machine&);

  fusion run();

 private:
  // ---- nodes that must be stored whatever it costs
  void force();
  /// Outputs that reshape a stored node share its memory.
  void force_reshapes();
  static bool writes_into(const node& n);
  /// Does group g overwrite n's own elements? Then n must be computed before g.
  bool writes_over(node_id n, std::int32_t g) const;
  /// Calls take scalars by value, not from memory.
  bool by_value(node_id i) const;
  /// An update waits for all other readers of its base where it can, so that it is done in place.
  void write_after_reading();
  void visit(node_id n);
  void result(node_id n);

  // ---- boundaries (fuse_boundaries.cpp)
  void call(node_id n);
  /// Selected elements move to other positions, so no other node joins the group.
  void compress(node_id n);
  void update(node_id n);
  /// Walks its indices; its values and conditions are computed there.
  void scatter(node_id n);
  /// Is it faster if all threads compute and store n, and the one that combines values reads it,
  /// than if that one computes it?
  bool too_dear_alone(node_id n) const;
  /// Would fusing input i with this scatter force a copy of a base much larger than the domain?
  bool copies_more(const node& scatter, node_id i) const;
  /// Would fusing `value` with an update of `base` force a copy of a base much larger than the
  /// value?
  bool copies_for_few(node_id base, node_id value) const;
  /// A group of scatters by the same indices that n can join, or -1.
  std::int32_t sibling_scatter(node_id n) const;
  /// The index at which each reader of view n reads its input; nothing, and a refusal, if one
  /// cannot.
  std::optional<std::vector<index_expr>> seen_through(node_id n);
  void view(node_id n);
  void pad(node_id n);
  /// An input that is read at the index at which its reader is computed.
  void alongside(node_id n, std::size_t k, const demand& d);

  // ---- gathers (fuse_boundaries.cpp)
  void gather(node_id n);
  void gather_in(node_id n, const demand& d);
  /// Stores what a CPU's gather needs of earlier ones (lookup_chains).
  void cut_chain(node_id gather);
  /// The index of data-dependent accesses: equal to no other.
  static index_expr everywhere();
  /// The kernel that computes an index also checks its range, if it walks exactly the gather's
  /// domain.
  /// The first group over `domain` that reads the operands of `bad` and so can take its flag, or
  /// -1.
  std::int32_t sharing(const shape_t& domain, node_id bad) const;
  bool walks(std::int32_t group, const shape_t& domain) const;
  void flag(node_id n);
  /// Does another gather with the same indices and shape already check them?
  bool flagged_before(node_id n);

  // ---- loops (fuse_elementwise.cpp)
  /// A loop runs where its outputs are needed; outputs emitted in every round are read from memory.
  void loop_result(node_id n);
  /// Would a strided read be cheaper from a packed copy?
  bool lies_far_apart(node_id n, const std::vector<index_expr>& at) const;
  /// Does a CPU reduction walk axes that a reshape of a view merged?
  bool walks_merged(node_id n, const std::vector<index_expr>& at) const;
  /// Would the group of d repeat the loop along an axis of its domain?
  bool repeats_loop(node_id n, const demand&) const;
  /// A loop runs once: in the kernel of its only reader, else where its outputs are stored.
  void loop(node_id n);
  void loop_in(node_id n, const demand& d);

  // ---- maps (fuse_elementwise.cpp)
  void map(node_id n);
  bool demanded(node_id n, std::int32_t g) const;
  /// Does the group of a demand read n at no other index?
  bool one_place(node_id n, const demand& d) const;
  /// Is n read by more than one group?
  bool spread(node_id n) const;
  /// Is n small and computed at so many points of its readers (a window beside every row of a
  /// signal, the row of a product beside every column) that a kernel before them costs less?
  bool repeats(node_id n) const;
  /// Is n a widening cast of a computed value, better stored before the cast?
  bool is_widened(node_id n) const;
  /// Is n a condition on coordinates and scalars alone?
  bool asks_where(node_id n) const;
  /// Is n computed from reductions of its own shape, at the end of whose kernel it can be made?
  bool ends_reduction(node_id n) const;
  /// How many times a group computes what it reads through `d`.
  double evaluations(const demand& d) const;
  /// Will share_axis unroll this axis of the group, because its roots are joins along it?
  bool is_written_out(const group& g, std::size_t axis) const;
  /// Are all leaves of n stored before anything that reads n is computed?
  bool ready(node_id n) const;
  /// Is storing n cheaper than recomputing it, and rereading its operands, in every group that
  /// reads it?
  bool store_is_cheaper(node_id n) const;
  /// Bytes of those arrays that group g does not read yet.
  double unread_bytes(const std::vector<node_id>& leaves, std::int32_t g) const;
  /// Ops of a kernel's limit that a map takes.
  int written(node_id n) const;
  void inputs(node_id n, std::int32_t g, const index_expr& at, bool inner);

  // ---- reductions (fuse_rows.cpp)
  void reduce(node_id n);
  /// Fuses reduction n into the group that reads it, if the shapes allow: as the operand of an
  /// epilogue, or inside the rows of a normalisation. `at`: the index at which the group then reads
  /// n's input.
  bool join(node_id n, const demand& d, index_expr& at);
  bool normalise(node_id n, const demand& d, const shape_t& domain, index_expr& at);
  /// Does a CPU's g, of maps only, read nothing of n's rows, but another array across? Then the
  /// rows cost no more as a kernel of their own, and a map transposes by squares.
  bool transposes_another(node_id n, const group& g) const;
  /// Does g update an array that n walks or that the updated value reads? In one kernel some
  /// elements would be read after they are written, so the array would have to be copied first.
  bool writes_what_is_read(node_id n, std::int32_t g) const;
  /// Would a reader in the same kernel, with one block per row, leave most of the machine idle?
  bool waits_for_row(node_id n) const;
  std::string too_few_rows(node_id n) const;
  shape_t reduced_extents(node_id n) const;
  /// The index of reduction n's input over the domain of group g.
  index_expr input_index(node_id n, std::int32_t g) const;
  void makes(node_id n, std::int32_t g);
  bool has_room(node_id n, std::int32_t g) const;
  std::int32_t sibling_reduction(node_id n);
  /// Does group g, which reduces nothing itself, wait for a group that walks the rows n reduces?
  bool waits_for_sibling(node_id n, std::int32_t g);
  static bool has_rows(const group& g);

  // ---- scans (fuse_rows.cpp)
  void scan(node_id n);
  /// Scan n runs along the rows of group g, whose domain is n's shape.
  void scan_in(node_id n, std::int32_t to, bool inner);
  bool join_scan(node_id n, const demand& d);
  /// How threads share a row depends on the size of the combined element, and therefore so does the
  /// order of combination.
  bool scan_fits(node_id n, const group& g) const;
  std::int32_t sibling_scan(node_id n) const;
  std::vector<bool> scanned(node_id n) const;
  bool chained(node_id n) const;

  // ---- roots
  /// Stores n: in the group that reads it at the same index, else with a sibling, else in its own.
  void store(node_id n);
  /// The domain of a group of n's own. For a reshape it is the shape of its input, whose operands
  /// are then read affinely, since both have the same row-major order.
  shape_t own_domain(node_id n) const;
  /// The row-major index of a root over its group's domain.
  index_expr where(node_id n, std::int32_t g) const;
  /// The existing group that n can be stored by, or -1.
  std::int32_t home(node_id n);
  /// Does a full group that reads n also read what g stores?
  bool feeds(std::int32_t g, node_id n) const;
  /// May n join g? Not if g waits, possibly through others, for a reader of n.
  bool acyclic(node_id n, std::int32_t g) const;
  void root(node_id n, std::int32_t g);
  void link(node_id n, std::int32_t g);
  std::int32_t new_group(shape_t domain);
  void need(node_id n, std::int32_t g, index_expr at, bool inner = false);
  void refuse(std::int32_t g, std::string reason);

  const graph& g_;
  const machine& m_;
  pricing prices_;
  fusion out_;
  std::vector<std::vector<demand>> demands_;
  std::vector<char> forced_;
  group_waits waits_;
  std::vector<group_notes> notes_;
  std::set<std::int32_t> calls_, updates_, emits_;
  std::map<std::pair<node_id, node_id>, std::vector<node_id>> flags_;  // by the condition and the
                                                                       // status word they report
  std::set<node_id> apart_;  // never stored by a kernel that reads them
  std::set<std::int32_t> reshaped_;  // groups whose first root has another shape than their domain
  std::map<node_id, std::vector<node_id>> results_;  // of calls and loops: their `result` nodes
};

}  // namespace sinter::ir::fusing
