// Reductions and scans.
#include "ir/graph_verifier.hpp"
#include "ir/verify.hpp"

namespace sinter::ir::detail {

void graph_verifier::reduce_rules(const node& n) const {
  const node& in = input(n, 0);
  const reduction& r = n.reduction;
  require(!r.axes.empty(), "reduce-axes", "no axis to reduce");
  shape_t kept;
  std::size_t next = 0;
  bool empty = false;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    if (next < r.axes.size() && r.axes[next] == static_cast<int>(d)) {
      empty |= in.shape[d] == 0;
      ++next;
    } else {
      kept.push_back(in.shape[d]);
    }
  }
  require(next == r.axes.size(), "reduce-axes", "axes are not ascending, or not of the array");
  require(kept == n.shape, "reduce-shape", "the result has the axes that are kept");
  require(is_reduction(r.code, in.type) &&
              (!is_complex(in.type) || r.code == op::add),
          "reduce-op", "the op cannot combine values of this type");
  require(n.type == (r.arg ? dtype::int64 : in.type), "reduce-type",
          "a reduction keeps its type, a position is int64");
  if (!r.arg) return;
  require(r.code == op::maximum || r.code == op::minimum, "reduce-arg",
          "only maximum and minimum have a position");
  require(!empty || size_of(n.shape) == 0, "reduce-empty", "no element has a position");
}

void graph_verifier::scan_rules(const node& n) const {
  const node& in = input(n, 0);
  const reduction& r = n.reduction;
  require(r.axes.size() == 1 && r.axes[0] >= 0 &&
              static_cast<std::size_t>(r.axes[0]) < in.shape.size(),
          "scan-axis", "a scan runs along one axis of the array");
  require(n.shape == in.shape && n.type == in.type && !r.arg, "scan-type",
          "a scan keeps shape and type");
  require(is_reduction(r.code, in.type) &&
              (!is_complex(in.type) || r.code == op::add),
          "scan-op", "the op cannot combine values of this type");
}

}  // namespace sinter::ir::detail
