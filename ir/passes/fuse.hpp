#pragma once
// fuse: decides which nodes share a kernel and which results are stored.
//
// Why: this is the core of the library. A group is one pass over one domain; everything between its
// loads and its roots stays in registers. The pass walks the graph once forwards (which nodes are
// cheaper to store than to recompute) and once backwards (which group each node joins), linear in
// the graph; finally, groups that reduce the same rows are joined (join_siblings.hpp). Every node
// that is not merged leaves a reason.
//
// REQUIRES: every map node has one op (explode).

#include <map>
#include <string>

#include "ir/index_expr.hpp"
#include "ir/machine.hpp"
#include "ir/passes/group_waits.hpp"

namespace sinter::ir {

/// One future kernel. The domain is the kept and reduced axes in the order of the arrays; the index
/// expression of each root says where its elements are stored.
struct group {
  shape_t domain;
  std::vector<bool> reduced;   // per axis of the domain
  std::vector<node_id> roots;  // stored nodes, by descending id; a call before its results
  std::vector<node_id> flags;  // gathers and scatters over this domain whose range check this
                               // kernel makes
  std::vector<std::string> refusals;
  bool chained = false;  // its scans cut rows into chunks (needs_chain); nothing else may walk them
  std::size_t scan_bytes = 0;  // the element size of what its scans combine; 0: no scans
  int scans = 0;

  shape_t kept_shape() const;
  shape_t reduced_shape() const;
  /// Row-major over the kept axes, 0 along the reduced ones.
  index_expr kept_index() const;
};

struct fusion {
  std::vector<group> groups;         // in execution order
  std::vector<std::int32_t> stored;  // per node: its group if it is a root, else not_stored
  bool full = false;                 // some node was stored only because a kernel reached op_limit
  /// Outputs that reshape a stored node, and that node: both share its memory.
  std::map<node_id, node_id> reshaped;
  /// Gathers whose range check another gather with the same indices and shape already makes.
  std::map<node_id, node_id> flagged;
};

inline constexpr std::int32_t not_stored = -1;

/// The index of a reduction's input, of shape `shape`, over a domain whose axes are `reduced` or
/// not: kept axes in their order, reduced axes in theirs.
index_expr reduction_index(const shape_t& shape, const reduction&,
                           const std::vector<bool>& reduced);

/// Does view n keep the elements of its input in row-major order?
bool is_reshape(const graph&, node_id n);

/// Does reshape n merge axes of a view whose innermost contiguous run is shorter than `run`? Not
/// for overlapping windows (a view larger than its array): their elements are read once.
bool merges_short_runs(const graph&, node_id n, std::int64_t run);

/// Sorts the groups so that each comes after those it waits for.
void put_in_order(fusion&, const group_waits&);

fusion fuse(const graph&, const machine&);

/// Does a scan along this axis place its lanes along it? If not, each lane scans its own column.
/// Depends on shape and axis alone, not on what is fused with the scan, and therefore so does the
/// order of combination.
bool scans_rows(const machine&, const shape_t&, int axis);

/// Does a scan along this axis cut its rows into chunks, several blocks per row?
bool needs_chain(const machine&, const shape_t&, int axis);

/// Elements of a row that a CPU scans with one carry. Results depend on it bit for bit, so every
/// scan of the row uses it.
extent scan_chunk(const machine&);

/// Does one CPU thread combine all values of a scatter? With few places threads would contend for
/// them; with few threads compare-and-exchange costs more than it gains. The order of summed floats
/// is observable, so `summed` scatters always do.
bool combines_alone(const machine&, const node& scatter);

/// Does a reduction of `rows` rows of `length` need several blocks per row to fill the machine?
bool needs_split(const machine&, extent rows, extent length);

/// The same for reduction n with the layout of its input: down columns a block walks several at
/// once, so more columns than rows are needed to fill the machine.
bool needs_split(const machine&, const graph&, const node& n);

/// Do blocks over this many adjacent columns fill only a small part of the machine?
bool fills_little(const machine&, extent columns, dtype);

/// Does reduction n walk across memory, so that adjacent elements belong to different rows? Judged
/// by the arrays its input is computed from in place.
bool walks_across(const graph&, const node& n);

/// Can the blocks of a cluster share rows of this length, so that several walks need no split?
bool fits_cluster(const machine&, extent length);

}  // namespace sinter::ir
