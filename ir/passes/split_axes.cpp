#include "ir/passes/split_axes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sinter::ir {
namespace {

/// Per axis, the places at which it is cut, in steps along it: ascending, each dividing the next
/// one, the last one dividing the extent.
using cuts = std::vector<std::vector<extent>>;

/// Where the unravelled axes begin inside axes of the domain. Nothing: nowhere, or not at whole
/// steps.
std::optional<cuts> cuts_of(const index_expr& e, const shape_t& domain) {
  cuts all(domain.size());
  bool any = false;
  extent border = 1;  // elements of the unravelled axes after j
  for (std::size_t j = e.extents.size(); j-- > 1;) {
    border *= e.extents[j];
    for (std::size_t d = 0; d < domain.size(); ++d) {
      const extent step = e.stride(d);
      if (!(step > 0 && step < border && border < step * domain[d])) continue;
      const extent steps = border / step;
      const extent inner = all[d].empty() ? extent(1) : all[d].back();
      if (steps * step != border || domain[d] % steps != 0 || steps % inner != 0) {
        return std::nullopt;
      }
      all[d].push_back(steps);
      any = true;
    }
  }
  return any ? std::optional(all) : std::nullopt;
}

/// The axes that an axis is split into, outermost first: their extents and their steps.
struct split_part { extent size, steps; };
std::vector<split_part> parts_of(const extent& size, const std::vector<extent>& cut) {
  std::vector<split_part> parts;
  extent inner = 1;
  for (const extent& steps : cut) {
    parts.insert(parts.begin(), split_part{steps / inner, inner});
    inner = steps;
  }
  parts.insert(parts.begin(), split_part{size / inner, inner});
  return parts;
}

shape_t split(const shape_t& domain, const cuts& where) {
  shape_t out;
  for (std::size_t d = 0; d < domain.size(); ++d) {
    for (const split_part& p : parts_of(domain[d], where[d])) out.push_back(p.size);
  }
  return out;
}

index_expr split(index_expr e, const shape_t& domain, const cuts& where) {
  std::vector<extent> strides;
  for (std::size_t d = 0; d < domain.size(); ++d) {
    for (const split_part& p : parts_of(domain[d], where[d])) {
      strides.push_back(p.steps * e.stride(d));
    }
  }
  e.strides = std::move(strides);
  e.start.clear();
  e.pace.clear();
  e.axes.clear();
  return e;
}

/// The index without unravelling, if no coordinate carries.
std::optional<index_expr> straight(const index_expr& e, const shape_t& domain) {
  index_expr linear = e;
  linear.extents.clear();
  linear.outer = {};
  auto out = compose(linear, domain, e.extents, e.outer);
  return out && out->affine() ? out : std::nullopt;
}

}  // namespace

void split_axes(body& b, shape_t& domain, std::vector<bool>& reduced) {
  for (std::size_t o = 0; o < b.operands.size(); ++o) {
    const index_expr& at = b.operands[o].at;
    if (at.extents.size() < 2) continue;
    const auto where = cuts_of(at, domain);
    if (!where || !straight(split(at, domain, *where), split(domain, *where))) continue;
    std::vector<bool> along;
    for (std::size_t d = 0; d < domain.size(); ++d) {
      along.insert(along.end(), (*where)[d].size() + 1, reduced[d]);
    }
    const shape_t finer = split(domain, *where);
    for (body_operand& x : b.operands) {
      x.at = split(std::move(x.at), domain, *where);
      if (x.at.extents.size() < 2) continue;
      if (auto out = straight(x.at, finer)) x.at = std::move(*out);
    }
    domain = finer;
    reduced = std::move(along);
  }
}

}  // namespace sinter::ir
