#include "engine/evaluation/loop_bodies.hpp"

#include <utility>

#include "ir/passes/explode.hpp"
#include "ir/passes/simplify.hpp"

namespace sinter::detail {

namespace {

/// The complete description of a source, a scalar, a map or a view.
class body_key {
 public:
  explicit body_key(const ir::graph& g) {
    word(g.nodes.size());
    for (const ir::node& n : g.nodes) add(n);
    for (const ir::node_id o : g.outputs) word(o);
  }
  std::vector<std::uint64_t> words;

 private:
  template <class T> void word(T w) { words.push_back(static_cast<std::uint64_t>(w)); }
  void extents(const auto& list) {
    word(list.size());
    for (const ir::extent& e : list) word(e.peek());
  }
  void add(const ir::node& n) {
    word(static_cast<std::uint64_t>(n.kind) << 8 | static_cast<std::uint64_t>(n.type));
    extents(n.shape);
    word(n.inputs.size());
    for (const ir::node_id i : n.inputs) word(i);
    if (n.kind == ir::node_kind::scalar) {
      word(n.value[0]);
      word(n.value[1]);
    }
    if (n.kind == ir::node_kind::view) {
      word(n.map.offset.peek());
      extents(n.map.strides);
    }
    word(n.program.inputs.size());
    for (const dtype t : n.program.inputs) word(t);
    word(n.program.code.size());
    for (const ir::instruction& i : n.program.code) {
      word(i.code);
      word(static_cast<std::uint64_t>(i.type) << 8 | static_cast<std::uint64_t>(i.result));
      for (const auto a : i.args) word(a);
    }
  }
};

}  // namespace

std::shared_ptr<const ir::graph> loop_bodies::simplified(ir::graph g) {
  const body_key key(g);
  {
    const std::scoped_lock lock(mutex_);
    if (auto known = known_.find(key.words)) return known;
  }
  auto made = std::make_shared<const ir::graph>(ir::simplify(ir::explode(std::move(g))));
  const std::scoped_lock lock(mutex_);
  if (!known_.find(key.words)) known_.add(key.words, made, made->nodes.size());
  return made;
}

}  // namespace sinter::detail
