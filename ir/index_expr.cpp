#include "ir/index_expr.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace sinter::ir {

std::vector<extent> dense_strides(const shape_t& shape) {
  std::vector<extent> s(shape.size());
  extent n = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    s[i] = n;
    n *= shape[i];
  }
  return s;
}

index_expr dense(const shape_t& domain) {
  index_expr e;
  e.strides = dense_strides(domain);
  return e;
}

bool same_access(const index_expr& a, const index_expr& b) {
  if (a.offset != b.offset || !a.affine() || !b.affine()) return false;
  const std::size_t n = std::max(a.strides.size(), b.strides.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

namespace {

/// The least and the greatest element of an affine map.
std::pair<extent, extent> range(const index_expr& e, const shape_t& domain) {
  std::pair<extent, extent> r{e.offset, e.offset};
  for (std::size_t d = 0; d < domain.size(); ++d) {
    const extent far = e.stride(d) * (domain[d] - 1);
    (far < 0 ? r.first : r.second) += far;
  }
  return r;
}

struct steps {
  extent stride;  // > 0
  extent most;    // steps from the first coordinate to the last
};

/// Is a distance the sum of up to `most` steps of each stride, forwards or backwards? Starts at the
/// greatest stride; true if the smaller ones together reach farther than a greater one.
bool steps_to(extent distance, std::span<const steps> all) {
  if (distance < 0) distance = -distance;
  if (all.empty()) return distance == 0;
  const steps& s = all[0];
  extent rest = 0;
  for (const steps& smaller : all.subspan(1)) rest += smaller.stride * smaller.most;
  if (distance > s.stride * s.most + rest) return false;
  if (rest >= s.stride) return true;
  const extent whole = distance / s.stride, over = distance - whole * s.stride;
  if (whole <= s.most && steps_to(over, all.subspan(1))) return true;
  return whole < s.most && steps_to(s.stride - over, all.subspan(1));
}

}  // namespace

bool never_meet(const index_expr& a, const index_expr& b, const shape_t& domain) {
  if (!a.affine() || !b.affine()) return false;
  const auto [first_a, last_a] = range(a, domain);
  const auto [first_b, last_b] = range(b, domain);
  if (last_a < first_b || last_b < first_a) return true;
  std::vector<steps> all;
  for (std::size_t d = 0; d < domain.size(); ++d) {
    const extent s = a.stride(d);
    if (s != b.stride(d)) return false;
    if (s != 0 && domain[d] > 1) all.push_back({s < 0 ? -s : s, domain[d] - 1});
  }
  std::sort(all.begin(), all.end(),
            [](const steps& x, const steps& y) { return y.stride < x.stride; });
  return !steps_to(a.offset - b.offset, all);
}

namespace {

struct layout {
  shape_t shape;
  index_map map;
};

/// Drops unit axes and merges axes that the map walks as one.
layout merged(const shape_t& shape, const index_map& map) {
  layout l;
  l.map.offset = map.offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const extent s = map.strides[i];
    if (!l.shape.empty() && l.map.strides.back() == s * shape[i]) {
      l.shape.back() *= shape[i];
      l.map.strides.back() = s;
    } else {
      l.shape.push_back(shape[i]);
      l.map.strides.push_back(s);
    }
  }
  return l;
}

/// The coordinates of a row-major index. Those of an index outside of the array differ from one
/// inside in the first coordinate alone.
shape_t unravel(extent linear, const shape_t& shape) {
  shape_t c(shape.size());
  for (std::size_t i = shape.size(); i-- > 1;) {
    c[i] = linear % shape[i];
    if (c[i] < 0) c[i] += shape[i];
    linear = (linear - c[i]) / shape[i];
  }
  if (!c.empty()) c[0] = linear;
  return c;
}

extent dot(const shape_t& a, const std::vector<extent>& b) {
  extent sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<extent> products(const std::vector<extent>& a, const shape_t& b) {
  std::vector<extent> all = a;
  for (std::size_t i = 0; i < a.size(); ++i) all[i] *= b[i];
  return all;
}

/// The strides of an array's axes, as strides of the domain axes that walk them.
std::vector<extent> over_domain(const std::vector<extent>& strides, const std::vector<int>& axes,
                                std::size_t rank) {
  std::vector<extent> all(rank, 0);
  for (std::size_t j = 0; j < axes.size(); ++j) {
    if (axes[j] >= 0) all[static_cast<std::size_t>(axes[j])] = strides[j];
  }
  return all;
}

/// The affine composition, if no coordinate of `l.shape` carries anywhere in the domain. The first
/// one has none to carry to: where it leaves the array, a condition keeps the element from being
/// read. (Of two filtered images one behind the other each place was divided by a row's length, 18
/// times; 480 x 640 floats, two cores of an EPYC: 18.8 ms.)
std::optional<index_expr> affine(const index_expr& e, const shape_t& domain, const layout& l) {
  const shape_t start = unravel(e.offset, l.shape);
  shape_t low = start, high = start;
  index_expr out;
  out.offset = l.map.offset + dot(start, l.map.strides);
  out.strides.assign(e.strides.size(), 0);
  for (std::size_t d = 0; d < e.strides.size(); ++d) {
    const extent s = e.strides[d];
    if (s == 0 || domain[d] <= 1) continue;
    shape_t step = unravel(s < 0 ? -s : s, l.shape);
    for (std::size_t j = 0; j < step.size(); ++j) {
      if (s < 0) step[j] = -step[j];
      const extent reach = step[j] * (domain[d] - 1);
      (reach < 0 ? low : high)[j] += reach;
    }
    out.strides[d] = dot(step, l.map.strides);
  }
  for (std::size_t j = 1; j < l.shape.size(); ++j) {
    if (low[j] < 0 || high[j] >= l.shape[j]) return std::nullopt;
  }
  return out;
}

/// The same for coordinates that are already unravelled, which are a domain of their own.
std::optional<index_expr> below_unravelled(const index_expr& e, const layout& l) {
  index_expr inner;
  inner.offset = e.outer.offset;
  inner.strides = e.outer.strides;
  const auto composed = affine(inner, e.extents, l);
  if (!composed) return std::nullopt;
  index_expr out = e;
  out.outer.offset = composed->offset;
  out.outer.strides = composed->strides;
  return out;
}

}  // namespace

std::optional<index_expr> compose(const index_expr& e, const shape_t& domain, const shape_t& shape,
                                  const index_map& map) {
  const layout l = merged(shape, map);
  if (l.shape.empty()) {  // one element
    index_expr out;
    out.offset = map.offset;
    return out;
  }
  // Nothing is read of an empty array, but the index must move, or a kernel would read once for
  // all.
  if (size_of(shape) == 0) return dense(domain);
  if (l.shape.size() == 1) {  // the view is affine in the linear index itself
    index_expr out = e;
    out.start.clear();
    out.pace.clear();
    out.axes.clear();
    extent& offset = e.affine() ? out.offset : out.outer.offset;
    auto& strides = e.affine() ? out.strides : out.outer.strides;
    offset = l.map.offset + offset * l.map.strides[0];
    for (extent& s : strides) s *= l.map.strides[0];
    return out;
  }
  if (!e.affine()) return below_unravelled(e, l);
  if (!e.start.empty()) {  // no axis carries where something is read
    index_expr out;
    out.offset = map.offset + dot(e.start, map.strides);
    out.strides = over_domain(products(map.strides, e.pace), e.axes, domain.size());
    return out;
  }
  if (auto out = affine(e, domain, l)) return out;
  index_expr out = e;
  out.extents = l.shape;
  out.outer = l.map;
  return out;
}

namespace {

constexpr int still = -2;  // an axis that is walked, but by no axis of the domain

/// Coordinates of an array as functions of those of a domain.
struct walk {
  shape_t start, pace;
  std::vector<int> axes;

  explicit walk(shape_t first)
      : start(std::move(first)), pace(start.size(), 1), axes(start.size(), -1) {}
  explicit walk(const index_expr& e) : start(e.start), pace(e.pace), axes(e.axes) {}
};

/// The only axis of `shape` that a stride moves along, and how far; nothing if it moves along
/// several.
std::optional<std::pair<std::size_t, extent>> along_one(extent stride, const shape_t& shape) {
  const bool back = stride < 0;
  const shape_t step = unravel(back ? -stride : stride, shape);
  std::optional<std::pair<std::size_t, extent>> found;
  for (std::size_t j = 0; j < step.size(); ++j) {
    if (step[j] == 0) continue;
    if (found) return std::nullopt;
    found = {j, back ? -step[j] : step[j]};
  }
  return found;
}

/// Records n places at the stride as a walk along one axis, if it stays inside `shape`.
std::optional<std::size_t> walk_along(walk& w, extent stride, extent n, const shape_t& shape) {
  const auto one = along_one(stride, shape);
  if (!one || w.axes[one->first] >= 0) return std::nullopt;
  const extent last = w.start[one->first] + one->second * (n - 1);
  if (last < 0 || last >= shape[one->first]) return std::nullopt;
  w.pace[one->first] = one->second;
  return one->first;
}

/// The coordinates of an array, if `e` is inside it everywhere and at most one axis of the domain
/// walks each.
std::optional<walk> walk_of(const index_expr& e, const shape_t& domain, const shape_t& shape) {
  if (!e.affine() || size_of(domain) == 0) return {};
  // Coordinates lost in a reshape may begin outside, and appear as an offset of other ones.
  if (e.offset < 0 || e.offset >= size_of(shape)) return {};
  walk w(unravel(e.offset, shape));
  for (std::size_t d = 0; d < domain.size(); ++d) {
    if (e.stride(d) == 0 || domain[d] == 1) continue;
    const auto axis = walk_along(w, e.stride(d), domain[d], shape);
    if (!axis) return {};
    w.axes[*axis] = static_cast<int>(d);
  }
  return w;
}

/// The walk of `from` where a view of it is walked, if the view keeps its axes apart.
std::optional<walk> through(const index_expr& e, const node& view, const shape_t& from) {
  if (size_of(from) == 0 || size_of(view.shape) == 0) return {};
  walk w(unravel(view.map.offset, from));
  for (std::size_t k = 0; k < view.shape.size(); ++k) {
    if (view.map.strides[k] == 0 || view.shape[k] == 1) continue;
    const auto axis = walk_along(w, view.map.strides[k], view.shape[k], from);
    if (!axis) return {};
    const extent pace = w.pace[*axis];
    w.start[*axis] += pace * e.start[k];
    w.pace[*axis] = pace * e.pace[k];
    w.axes[*axis] = e.axes[k] >= 0 ? e.axes[k] : still;
  }
  std::ranges::replace(w.axes, still, -1);
  return w;
}

/// The walk of a pad's input along one axis, where the pad's own elements are walked.
std::optional<walk> below(const index_expr& e, const shape_t& domain, const node& pad) {
  if (pad.map.along < 0) return {};
  auto w = e.start.empty() ? walk_of(e, domain, pad.shape) : walk(e);
  if (!w) return {};
  const auto axis = static_cast<std::size_t>(pad.map.along);
  const extent apart = dense_strides(pad.shape)[axis];  // the same in its input
  const extent pace = pad.map.strides[axis] / apart;
  w->start[axis] = pad.map.offset / apart + pace * w->start[axis];
  w->pace[axis] = pace * w->pace[axis];
  return w;
}

/// The elements of an array with these strides at the walk's coordinates.
index_expr index_of(walk w, const std::vector<extent>& strides, std::size_t rank) {
  index_expr out;
  out.offset = dot(w.start, strides);
  out.strides = over_domain(products(strides, w.pace), w.axes, rank);
  out.start = std::move(w.start);
  out.pace = std::move(w.pace);
  out.axes = std::move(w.axes);
  return out;
}

}  // namespace

std::optional<index_expr> compose(const index_expr& e, const shape_t& domain, const graph& g,
                                  const node& n) {
  const shape_t& from = g[n.inputs[0]].shape;
  std::optional<walk> w;
  if (n.kind == node_kind::pad) w = below(e, domain, n);
  if (n.kind == node_kind::view && !e.start.empty()) w = through(e, n, from);
  if (!w) return compose(e, domain, n.shape, n.map);
  return index_of(std::move(*w), dense_strides(from), domain.size());
}

}  // namespace sinter::ir
