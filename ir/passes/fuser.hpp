#pragma once
// The walk behind fuse(): from the last node to the first, each node joins the groups that need it
// or becomes the root of one. One rule a kind of node; what all rules share stands here.

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

/// What a row's elements may cost (in float additions) in a kernel that walks its rows more than
/// once.
inline constexpr double again_limit = 64;

/// A use of a node: by a group, through an index expression over the group's domain. `inner`: by a
/// value that a reduction of the group needs, so before any of its results.
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
  // ---- what must be stored whatever it costs
  void force();
  /// Outputs that reshape what is stored have its memory.
  void force_reshapes();
  static bool writes_into(const node& n);
  /// Does group g change n's own elements? Then they are there before it.
  bool writes_over(node_id n, std::int32_t g) const;
  /// Calls get scalars as they are, not in memory.
  bool by_value(node_id i) const;
  /// An update waits for whoever else reads its base, where it can: it is done in place then.
  void write_after_reading();
  void visit(node_id n);
  void result(node_id n);

  // ---- boundaries (fuse_boundaries.cpp)
  void call(node_id n);
  /// What is chosen is not where it was chosen from: nobody else's elements join it.
  void compress(node_id n);
  void update(node_id n);
  /// Walks its indices; what they and the values are made of is computed there.
  void scatter(node_id n);
  /// Is n stored sooner by all threads, and read by the one that combines values, than computed by
  /// that one?
  bool too_dear_alone(node_id n) const;
  bool copies_more(const node& scatter, node_id i) const;
  bool copies_for_few(node_id base, node_id value) const;
  /// A group of scatters by the same indices that n may be done in.
  std::int32_t sibling_scatter(node_id n) const;
  /// How every reader of a mapped node sees what is mapped; nothing, and a refusal, if one cannot.
  std::optional<std::vector<index_expr>> seen_through(node_id n);
  void view(node_id n);
  void pad(node_id n);
  /// An input that is read where its reader is computed.
  void alongside(node_id n, std::size_t k, const demand& d);

  // ---- gathers (fuse_boundaries.cpp)
  void gather(node_id n);
  void gather_in(node_id n, const demand& d);
  /// An index of what is read in no order known: it is like no other.
  static index_expr everywhere();
  /// The kernel that computes the index says whether it is in range, if it walks just the gather's
  /// domain.
  /// A group over `domain` that a flag can join: the first that reads what `bad` is computed from.
  std::int32_t sharing(const shape_t& domain, node_id bad) const;
  bool walks(std::int32_t group, const shape_t& domain) const;
  void flag(node_id n);
  /// Its indices are looked at already: by a gather of something else by the same ones.
  bool flagged_before(node_id n);

  // ---- loops (fuse_elementwise.cpp)
  /// A loop is needed where its outputs are; those that are kept from every round come from memory.
  void loop_result(node_id n);
  bool lies_far_apart(node_id n, const std::vector<index_expr>& at) const;
  bool walks_merged(node_id n, const std::vector<index_expr>& at) const;
  bool repeats_loop(node_id n, const demand&) const;
  /// Runs once, whoever reads it: in the kernel of its only reader, else where its outputs are
  /// stored.
  void loop(node_id n);
  void loop_in(node_id n, const demand& d);

  // ---- maps (fuse_elementwise.cpp)
  void map(node_id n);
  bool demanded(node_id n, std::int32_t g) const;
  /// Does the group of a demand need n nowhere else?
  bool one_place(node_id n, const demand& d) const;
  /// Do demands come from more than one group?
  bool spread(node_id n) const;
  /// Is n, of few elements, computed for so many places of its readers (a window beside every row
  /// of a signal, the row of a product beside every column) that a kernel before them costs less?
  bool repeats(node_id n) const;
  bool is_widened(node_id n) const;
  bool asks_where(node_id n) const;
  /// Is n computed of reductions of its own shape, in whose kernel it can be made?
  bool ends_reduction(node_id n) const;
  /// How often a group computes what it reads at `d`.
  double evaluations(const demand& d) const;
  bool is_written_out(const group& g, std::size_t axis) const;
  /// Is all that n is computed from in memory before anything is computed?
  bool ready(node_id n) const;
  /// Than computing it in every group that reads it, which also reads what it is computed from.
  bool store_is_cheaper(node_id n) const;
  /// Of arrays that group g does not read yet.
  double unread_bytes(const std::vector<node_id>& leaves, std::int32_t g) const;
  void inputs(node_id n, std::int32_t g, const index_expr& at, bool inner);

  // ---- reductions (fuse_rows.cpp)
  void reduce(node_id n);
  /// Makes the reduction part of the group that needs it, if the shapes allow: as what an epilogue
  /// reads, or inside the rows of a normalisation. `at`: how the group then reads its input.
  bool join(node_id n, const demand& d, index_expr& at);
  bool normalise(node_id n, const demand& d, const shape_t& domain, index_expr& at);
  /// Does g update an array that n walks or that the updated value is made of? In one kernel some
  /// would be read when it is written already, so it would have to be copied first.
  bool writes_what_is_read(node_id n, std::int32_t g) const;
  /// Would a reader in its kernel leave most of the machine idle, a block a row?
  bool waits_for_row(node_id n) const;
  std::string too_few_rows(node_id n) const;
  shape_t reduced_extents(node_id n) const;
  /// The input of reduction n over the domain of group g.
  index_expr input_index(node_id n, std::int32_t g) const;
  void makes(node_id n, std::int32_t g);
  bool has_room(node_id n, std::int32_t g) const;
  std::int32_t sibling_reduction(node_id n);
  /// Does group g, no reduction itself, wait for one that walks what n reduces?
  bool waits_for_sibling(node_id n, std::int32_t g);
  static bool has_rows(const group& g);

  // ---- scans (fuse_rows.cpp)
  void scan(node_id n);
  /// Scan n runs along the rows of group g, whose domain is its shape.
  void scan_in(node_id n, std::int32_t to, bool inner);
  bool join_scan(node_id n, const demand& d);
  /// How threads share a row depends on the size of what is combined, and so does the order that
  /// it is combined in.
  bool scan_fits(node_id n, const group& g) const;
  std::int32_t sibling_scan(node_id n) const;
  std::vector<bool> scanned(node_id n) const;
  bool chained(node_id n) const;

  // ---- roots
  /// Stores n: with the group that needs it at the same place, else beside a sibling, else alone.
  void store(node_id n);
  /// What a group of n's own walks: of a reshape what is reshaped, whose inputs then are read as
  /// they lie, for both have their elements in one order.
  shape_t own_domain(node_id n) const;
  /// The row-major index of a root over its group's domain.
  index_expr where(node_id n, std::int32_t g) const;
  std::int32_t home(node_id n);
  /// Does a full group that reads n read what g stores?
  bool feeds(std::int32_t g, node_id n) const;
  /// May n join g? Not if g waits, through others, for somebody who waits for n.
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
  std::map<std::pair<node_id, node_id>, std::vector<node_id>> flags_;  // by what is wrong, and how
  std::set<node_id> apart_;  // stored by no kernel that reads them
  std::set<std::int32_t> reshaped_;  // whose first root has another shape than they walk
  std::map<node_id, std::vector<node_id>> results_;  // of calls: the nodes of further outputs
};

}  // namespace sinter::ir::fusing
