#include "ir/kernel_pieces.hpp"

#include <algorithm>
#include <array>

namespace sinter::ir {

namespace {

enum class motion : std::uint8_t { still, forward, backward, other };

constexpr std::array comparisons = {op::less,          op::less_equal, op::greater,
                                    op::greater_equal, op::equal,      op::not_equal};

class finder {
 public:
  finder(const kernel& k, const lane_step& steps) : k_(k), steps_(steps) {}

  lane_values run() {
    for (std::size_t n = 0; n < k_.body.size(); ++n) {
      const inst& i = k_.body[n];
      motions_.push_back(motion_of(i));
      if (!compares(i)) continue;
      const motion a = of(i.args[0]), b = of(i.args[1]);
      if (moves(a) == moves(b) || a == motion::other || b == motion::other) continue;
      const int moving = moves(a) ? 0 : 1;
      const bool backward = (moving == 0 ? a : b) == motion::backward;
      const bool index = at(i.args[moving]).kind == inst_kind::index;
      edges_.push_back({static_cast<int>(n), moving, backward, !index});
    }
    return {edges_, shared()};
  }

 private:
  const inst& at(std::int32_t i) const { return k_.body[static_cast<std::size_t>(i)]; }
  motion of(std::int32_t i) const { return motions_[static_cast<std::size_t>(i)]; }
  static bool moves(motion m) { return m == motion::forward || m == motion::backward; }

  static bool compares(const inst& i) {
    return i.kind == inst_kind::compute && i.type == dtype::int64 &&
           std::ranges::find(comparisons, i.code) != comparisons.end();
  }

  motion motion_of(const inst& i) const {
    if (i.kind == inst_kind::index) {
      const step s = steps_(i.which);
      return s == step::zero ? motion::still : s == step::one ? motion::forward : motion::other;
    }
    const bool reads = i.kind == inst_kind::load || i.kind == inst_kind::gather;
    const bool plain = i.kind == inst_kind::scalar || i.kind == inst_kind::constant ||
                       i.kind == inst_kind::compute || i.kind == inst_kind::random;
    if (!plain && !(reads && steps_(i.which) == step::zero)) return motion::other;
    const bool still = std::ranges::all_of(
        i.args, [&](std::int32_t a) { return a < 0 || of(a) == motion::still; });
    return still ? motion::still : i.kind == inst_kind::compute ? sum(i) : motion::other;
  }

  motion sum(const inst& i) const {
    if (i.type != dtype::int64 || (i.code != op::add && i.code != op::subtract)) {
      return motion::other;
    }
    const motion a = of(i.args[0]), b = of(i.args[1]);
    if (b == motion::still) return a;
    if (a != motion::still || i.code == op::add) return a == motion::still ? b : motion::other;
    return b == motion::forward ? motion::backward
           : b == motion::backward ? motion::forward
                                   : motion::other;
  }

  std::vector<bool> shared() const {
    std::vector<bool> by_edge(k_.body.size()), by_other(k_.body.size());
    auto next = edges_.rbegin();
    for (std::size_t n = k_.body.size(); n-- > 0;) {
      const inst& i = k_.body[n];
      const bool is_edge = next != edges_.rend() && next->instruction == static_cast<int>(n);
      for (int a = 0; a < 3; ++a) {
        if (i.args[a] < 0) continue;
        const bool hidden = is_edge ? a == next->moving : by_edge[n] && !by_other[n];
        (hidden ? by_edge : by_other)[static_cast<std::size_t>(i.args[a])] = true;
      }
      if (is_edge) ++next;
    }
    for (std::size_t n = 0; n < k_.body.size(); ++n) {
      by_edge[n] = motions_[n] == motion::still || (by_edge[n] && !by_other[n]);
    }
    return by_edge;
  }

  const kernel& k_;
  const lane_step& steps_;
  std::vector<motion> motions_;
  std::vector<edge> edges_;
};

}  // namespace

lane_values find_edges(const kernel& k, const lane_step& steps) {
  return finder(k, steps).run();
}

lane_values find_edges(const kernel& k) {
  return find_edges(k, [&](int o) {
    const access& a = k.operands[static_cast<std::size_t>(o)].access;
    const bool along = k.reduced > 0 && k.schedule.lanes == lane_axis::reduced;
    const int axis = (along ? k.kept + k.reduced : k.kept) - 1;
    return a.unravel > 0 ? step::any : a.steps[static_cast<std::size_t>(axis)];
  });
}

}  // namespace sinter::ir
