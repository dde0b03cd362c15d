#pragma once
// fuse: which nodes become one kernel, and which results are stored.
//
// Why: this is what the library is for. A group is one pass over one domain; everything between its
// loads and its roots stays in registers. The pass runs over the graph once forwards (what is
// cheaper stored than computed again) and once backwards (which group each node joins), linear in
// the graph; last, groups that reduce the same rows are joined (join_siblings.hpp). A node that is
// not merged leaves a reason behind.

#include <map>
#include <string>

#include "ir/index_expr.hpp"
#include "ir/machine.hpp"
#include "ir/passes/group_waits.hpp"

namespace sinter::ir {

/// One kernel to be. The domain is the kept axes and the reduced axes in the order of the arrays;
/// the index expression of every root says where its elements go.
struct group {
  shape_t domain;
  std::vector<bool> reduced;   // per axis of the domain
  std::vector<node_id> roots;  // stored nodes, by id
  std::vector<node_id> flags;  // gathers over this domain whose third input says what is amiss
  std::vector<std::string> refusals;
  bool chained = false;  // its scans cut rows in chunks (needs_chain); nothing else walks them
  std::size_t scan_bytes = 0;  // the size of what its scans combine; 0: no scans
  int scans = 0;

  shape_t kept_shape() const;
  shape_t reduced_shape() const;
  /// Row-major over the kept axes, 0 along the reduced ones.
  index_expr kept_index() const;
};

struct fusion {
  std::vector<group> groups;         // in an order to run them in
  std::vector<std::int32_t> stored;  // per node: its group if it is a root, else not_stored
  bool full = false;                 // something is stored because a kernel has its ops
  /// Outputs that are another shape of what is stored anyway, and of what: their memory is one.
  std::map<node_id, node_id> reshaped;
  /// Gathers whose indices are looked at where another one's, the same over the same shape, are.
  std::map<node_id, node_id> flagged;
};

inline constexpr std::int32_t not_stored = -1;

/// The input of a reduction, of shape `shape`, over a domain whose axes are `reduced` or not: kept
/// axes in their order, reduced axes in theirs.
index_expr reduction_index(const shape_t& shape, const reduction&,
                           const std::vector<bool>& reduced);

/// Has view n the elements of its input in their order?
bool is_reshape(const graph&, node_id n);

/// Does view n bring axes of a view together, of which the last is no run of so many elements of
/// memory? Not of windows that lie over each other: what they are combined with is read once.
bool merges_short_runs(const graph&, node_id n, std::int64_t run);

/// Puts the groups in an order that respects what each waits for .
void put_in_order(fusion&, const group_waits&);

/// REQUIRES: every map node has one op (explode).
fusion fuse(const graph&, const machine&);

/// Does a scan along this axis have its lanes along it? If not, a lane keeps to its column. Not
/// what is fused with a scan decides, but shape and axis alone: so does the order it combines in.
bool scans_rows(const machine&, const shape_t&, int axis);

/// Does it cut its rows in chunks, several blocks a row?
bool needs_chain(const machine&, const shape_t&, int axis);

/// Elements of a row that a CPU scans with one carry: part of what its bits mean, whoever scans it.
extent scan_chunk(const machine&);

/// Does one thread of a CPU combine all values of a scatter? Threads would wait for each other
/// where there are few places, and where few threads compare and exchange one is done first that
/// adds. The order of floats that are summed shows.
bool combines_alone(const machine&, const node& scatter);

/// Does a reduction of `rows` rows of `length` need several blocks a row to fill the machine?
bool needs_split(const machine&, extent rows, extent length);

/// The same of reduction n, as its input lies: a block walks several columns at once, so that it
/// takes more of them than rows to fill the machine.
bool needs_split(const machine&, const graph&, const node& n);

/// Are blocks of so many columns, which lie beside each other, a small part of the machine?
bool fills_little(const machine&, extent columns, dtype);

/// Does a walk along reduction n read across memory, so that what lies beside an element is another
/// row's? As far as the arrays tell that it is computed from in place.
bool walks_across(const graph&, const node& n);

/// May the blocks of a cluster share rows of this length, so that several walks need no split?
bool fits_cluster(const machine&, extent length);

}  // namespace sinter::ir
