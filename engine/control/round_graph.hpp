#pragma once
// One round of a loop whose body is elementwise, as a graph of its own.
//
// Why: a body is simplified as a whole, once for all calls (evaluation/loop_bodies), before it
// becomes the program of a loop. How: every value is requested as the loop's elements see it,
// starting from the outputs of the round. So broadcasts and transposes end at the leaves, which the
// loop reads through maps of their own.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/control/loop_tables.hpp"
#include "engine/control/traced_loop.hpp"
#include "engine/nodes/traced_region.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

class round_graph {
 public:
  /// The axis of a value along which each axis of the loop moves, or -1.
  using axes = std::vector<int>;

  /// A source of the graph.
  struct leaf {
    enum class kind { carry, round, outside, slice, picked, read } is;
    std::size_t which = 0;  // carry, slice: its number; picked, read: the graph output that is its
                            // index
    any_array array = {};   // outside; picked: the array it is gathered from
    element_map map = {};   // slice (without the axis of rounds) and picked: the map it is read
                            // through
    std::int64_t along = 0;  // slice: the distance between rounds
    loop_tables::version of = {};  // read
  };

  /// A write to one element of a table per round: at offset + one output of the graph, the value of
  /// another.
  struct put {
    std::size_t table;
    std::int64_t offset;
    std::size_t index, value;
  };

  round_graph(const traced_loop&, location);

  /// The outputs are the condition, the next values (for a table the condition again), what is
  /// emitted, then indices and written values. Nothing if the round is not elementwise over one
  /// shape, or does not access tables by single elements; `why` then explains.
  std::optional<ir::graph> build(std::string& why);

  const std::vector<std::int64_t>& shape() const { return shape_; }
  /// In the order of the graph's sources and scalars.
  const std::vector<leaf>& leaves() const { return leaves_; }
  const std::vector<any_array>& scalars() const { return scalars_; }
  const loop_tables& tables() const { return tables_; }
  const std::vector<put>& puts() const { return puts_; }

 private:
  /// What prevents it.
  struct refusal {
    std::string why;
  };
  struct seen {
    const node* of;
    axes by;
    auto operator<=>(const seen&) const = default;
  };

  void find_shape();
  void walk();
  bool fits(const any_array& x) const;
  axes whole() const;

  ir::node_id ask(const any_array& x, const axes& by);
  ir::node_id made(const any_array& x, const axes& by);
  ir::node_id source(const any_array& x, leaf);
  ir::node_id outside(const any_array& x, const axes& by);
  ir::node_id slice(const any_array& x, std::size_t k, const axes& by);
  ir::node_id map(const any_array& x, const axes& by);
  ir::node_id view(const any_array& x, const axes& by);
  ir::node_id pick(const any_array& x, const axes& by);
  ir::node_id read(const any_array& x, const loop_tables::version&, const any_array& index,
                   std::int64_t offset);
  void write(const loop_tables::write&);
  ir::node_id converted(ir::node_id x, dtype from, dtype to);
  ir::node_id computed(ir::op, dtype, std::vector<ir::node_id>);
  ir::node_id scalar(const scalar_word&, dtype);
  ir::shape_t shape_of(const any_array& x) const;

  const traced_loop& t_;
  const location where_;
  const region region_;
  const loop_tables tables_;
  std::vector<std::int64_t> shape_;
  ir::graph g_;
  std::map<seen, ir::node_id> ids_;
  std::unordered_map<const node*, std::size_t> slices_;
  std::vector<leaf> leaves_;
  std::vector<any_array> scalars_;
  std::vector<ir::node_id> indices_;
  std::vector<put> puts_;
};

}  // namespace sinter::detail
