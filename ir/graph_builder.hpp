#pragma once
// Makes the nodes of a graph one by one, for passes that rewrite graphs: shapes and types follow
// from the inputs.

#include <functional>

#include "ir/graph.hpp"

namespace sinter::ir {

class graph_builder {
 public:
  graph out;
  std::int32_t origin = -1;  // of nodes made from now on

  /// A materialised array.
  node_id source(dtype type, shape_t shape);
  /// A rank-0 number, converted to `type`.
  node_id scalar(dtype type, double value);
  /// One that is baked into the plan: the only scalar a pass may add.
  node_id constant(dtype type, double value);
  /// A rank-0 value broadcast to a shape.
  node_id spread(node_id scalar, const shape_t& shape);
  /// 0, 1, 2, ..., int64.
  node_id count(extent n);
  /// n as int64 of rank 0: a size is bound in each run of a plan, not baked into it.
  node_id size(extent n);
  /// x under a map. REQUIRES: the map stays inside x.
  node_id view(node_id x, shape_t shape, extent_list strides, extent offset = 0);
  /// x under a map where `inside` (bool) holds, else 0; of the shape of `inside`.
  node_id pad(node_id x, node_id inside, index_map map);
  /// x where `inside` (bool, of x's shape or rank 0) holds, else 0; where it does not, x is not
  /// read.
  node_id only(node_id x, node_id inside);
  /// where(condition, a, b) of one type, which may be a half.
  node_id choose(node_id condition, node_id a, node_id b);
  /// One op on inputs of the type it computes in; rank-0 inputs are broadcast.
  node_id apply(op code, std::vector<node_id> inputs);
  /// One op over ascending axes, which the result lacks.
  node_id reduce(node_id x, op code, std::vector<int> axes);
  /// x itself if it has the type.
  node_id cast(node_id x, dtype to);
  /// The same bits.
  node_id bitcast(node_id x, dtype to);
  /// base[map + index], with all indices in range; of the index's shape.
  node_id gather(node_id base, node_id index, index_map map);
  /// base with code(old, value) at every map + index; `where` (bool) says which values count, if >=
  /// 0.
  node_id scatter(op code, node_id base, node_id index, node_id value, node_id where,
                  index_map map);
  node_id call(std::string routine, dtype type, shape_t shape, std::vector<node_id> inputs,
               std::vector<std::int64_t> attributes);
  /// Another output of a call or of a loop.
  node_id output(node_id of, int which, dtype type, shape_t shape);

 private:
  node_id map(instruction i, std::vector<node_id> inputs);
  node make(node_kind kind, dtype type, shape_t shape) const;
};

/// g with every node for which `asks` holds replaced by make(builder, node, copy), `copy` being the
/// node with its inputs in the new graph. g itself if it holds for none.
graph replaced(const graph& g, const std::function<bool(const node&)>& asks,
               const std::function<node_id(graph_builder&, const node&, node copy)>& make);

}  // namespace sinter::ir
