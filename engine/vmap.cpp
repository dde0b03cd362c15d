#include <sinter/vmap.hpp>

#include <algorithm>
#include <map>

#include "engine/checks.hpp"
#include "engine/report.hpp"
#include "engine/traced_loop.hpp"
#include "engine/traced_region.hpp"

namespace sinter::detail {

namespace {

using extents = std::vector<std::int64_t>;

extents behind(std::int64_t first, shape_view rest) {
  extents all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

/// The axis moved from one place to another; a view.
any_array with_axis_at(const any_array& x, std::size_t from, std::size_t to, location where) {
  extents shape(x.shape().begin(), x.shape().end());
  ir::index_map map{0, dense_strides(x.shape())};
  const auto move = [&](auto& list) {
    const auto value = list[from];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(from));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), value);
  };
  move(shape);
  move(map.strides);
  return make_view(x, shape, std::move(map), where);
}

/// Records what a function recorded once more, with an axis of `count` slices in front.
class batcher {
 public:
  batcher(const region& r, std::int64_t count, location where)
      : region_(r), count_(count), where_(where) {}

  void is(const any_array& stand_in, any_array batched) {
    batched_[stand_in.get()] = std::move(batched);
  }

  void run() {
    for (const any_array& x : region_.nodes()) {
      if (x.get()->kind == ir::node_kind::loop) continue;  // its results bring it
      batched_[x.get()] = one(x);
    }
  }

  /// x of every slice: [count, ...x.shape()].
  any_array all_of(const any_array& x) {
    if (region_.depends(x)) return batched_.at(x.get());
    return make_broadcast(x, behind(count_, x.shape()), "vmap", where_);
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail<value_error>(error_code::bad_argument, "vmap",
                      "not over " + std::string(what) + ": it has no form with one more axis",
                      where_);
  }

  /// x of every slice as a reader of `shape` sees it; rank 0 stays rank 0 where it is the same.
  any_array beside(const any_array& x, shape_view shape) {
    if (!region_.depends(x)) {
      return x.shape().empty() ? x : make_broadcast(x, behind(count_, shape), "vmap", where_);
    }
    const any_array all = all_of(x);
    if (!x.shape().empty() || shape.empty()) return all;
    ir::index_map map{0, {1}};
    map.strides.resize(shape.size() + 1, 0);
    return make_view(all, behind(count_, shape), std::move(map), where_);
  }

  /// A map into x, of every slice.
  ir::index_map into(const any_array& x, const ir::index_map& m) const {
    ir::index_map all{m.offset, {region_.depends(x) ? x.size() : 0}};
    all.strides.insert(all.strides.end(), m.strides.begin(), m.strides.end());
    return all;
  }
  any_array base(const any_array& x) { return region_.depends(x) ? all_of(x) : x; }

  any_array one(const any_array& x) {
    const node& n = *x.get();
    const auto& in = region_.inputs(x);
    const extents shape = behind(count_, n.shape);
    switch (n.kind) {
      case ir::node_kind::map: {
        std::vector<any_array> inputs;
        for (const any_array& i : in) inputs.push_back(beside(i, n.shape));
        return make_map_like(n, inputs, where_);
      }
      case ir::node_kind::view:
        return make_view(all_of(in[0]), shape, into(in[0], n.details->map), where_);
      case ir::node_kind::reduce: {
        std::vector<int> axes = n.details->reduction.axes;
        for (int& a : axes) ++a;
        return make_reduce(all_of(in[0]), n.details->reduction.code, n.details->reduction.arg,
                           std::move(axes), where_);
      }
      case ir::node_kind::scan:
        return make_scan(all_of(in[0]), n.details->reduction.code,
                         n.details->reduction.axes[0] + 1, where_);
      case ir::node_kind::update: {
        ir::index_map map = n.details->map;
        map.strides.insert(map.strides.begin(), in[0].size());
        return make_update(all_of(in[0]), std::move(map), all_of(in[1]), where_);
      }
      case ir::node_kind::gather: return gather(n, in, shape);
      case ir::node_kind::pad:
        return make_pad(base(in[0]), filled(in[1], shape), into(in[0], n.details->map), where_);
      case ir::node_kind::call: return call(n, in);
      case ir::node_kind::result:
        if (in[0].get()->kind == ir::node_kind::loop) return loop_result(n, in[0]);
        refuse(in[0].get()->kind == ir::node_kind::call ? in[0].get()->details->routine
                                                        : std::string(name(in[0].get()->kind)));
      default: refuse(name(n.kind));
    }
  }

  /// An index or a mask of rank 0 or of the reader's shape, of every slice, at every element.
  any_array filled(const any_array& x, shape_view shape) {
    return make_broadcast(beside(x, shape.subspan(1)), shape, "vmap", where_);
  }

  any_array gather(const node& n, const std::vector<any_array>& in, shape_view shape) {
    const any_array bad = in.size() == 3 ? filled(in[2], shape) : any_array();
    const any_array picked =
        make_gather(base(in[0]), filled(in[1], shape), bad, into(in[0], n.details->map), where_);
    if (const auto& old = n.details->in_range) {
      const auto c = std::make_shared<check>();
      c->raise = old->raise;
      c->op = old->op;
      c->where = old->where;
      c->shape = old->shape;
      picked.get()->details->in_range = c;
      attach(picked, c);
    }
    return picked;
  }

  any_array call(const node& n, const std::vector<any_array>& in) {
    if (n.details->routine != "matmul") refuse(n.details->routine);
    return make_call("matmul", {all_of(in[0]), all_of(in[1])}, n.type, behind(count_, n.shape),
                     where_);
  }

  /// All outputs of a loop that somebody asks for; slices and what is kept have their axis behind
  /// that of the rounds.
  any_array loop_result(const node& n, const any_array& loop) {
    auto& outputs = loops_[loop.get()];
    if (outputs.empty()) outputs = loop_of(loop);
    return outputs.at(n.details->output);
  }

  std::map<std::uint64_t, any_array> loop_of(const any_array& x) {
    const node& n = *x.get();
    ir::loop l = n.details->loop;
    const auto& in = region_.inputs(x);
    const std::size_t whole = in.size() - l.maps.size();
    std::vector<any_array> inputs;
    for (std::size_t k = 0; k < in.size(); ++k) {
      inputs.push_back(k < whole ? beside(in[k], n.shape) : base(in[k]));
      if (k >= whole) l.maps[k - whole] = into(in[k], l.maps[k - whole]);
    }
    std::vector<loop_output> wanted;
    for (const any_array& r : region_.nodes()) {
      const node& of = *r.get();
      if (of.kind != ir::node_kind::result || region_.inputs(r)[0].get() != x.get()) continue;
      extents shape(of.shape.begin(), of.shape.end());
      const bool kept = of.details->output >= static_cast<std::uint64_t>(l.carries);
      shape.insert(shape.begin() + (kept ? 1 : 0), count_);
      wanted.push_back({static_cast<int>(of.details->output), {of.type, shape}});
    }
    const auto made = make_loop(n.details->program, l, inputs, behind(count_, n.shape), wanted,
                                where_);
    std::map<std::uint64_t, any_array> outputs;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const bool kept = wanted[k].which >= l.carries;
      outputs[static_cast<std::uint64_t>(wanted[k].which)] =
          kept ? with_axis_at(made[k], 1, 0, where_) : made[k];
    }
    return outputs;
  }

  const region& region_;
  const std::int64_t count_;
  const location where_;
  std::map<const node*, any_array> batched_;
  std::map<const node*, std::map<std::uint64_t, any_array>> loops_;
};

/// Entry k of a list, which stands for all if there is only one.
template <class List>
const auto& entry(const List& list, std::size_t k, std::size_t count, const char* what,
                  location where) {
  if (list.size() == 1) return list[0];
  if (list.size() != count) {
    fail<value_error>(error_code::bad_argument, "vmap",
                      std::string(what) + " lists " + std::to_string(list.size()) + " axes for " +
                          std::to_string(count),
                      where);
  }
  return list[k];
}

}  // namespace

std::vector<any_array> vmap(array_function f, std::vector<any_array> arguments,
                            const vmap_options& options, location where) {
  std::optional<std::int64_t> count;
  std::vector<any_array> in, batched(arguments.size());
  region r;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const any_array& x = arguments[k];
    checked(x, "vmap", where);
    const auto& axis = entry(options.in_axes, k, arguments.size(), "in_axes", where);
    in.push_back(x);
    // A C++ scalar among arguments that are all to be sliced is the same for all.
    if (!axis || (options.in_axes.size() == 1 && x.get()->kind == ir::node_kind::scalar)) continue;
    const int a = normalize_axis(*axis, x.ndim(), "vmap", where);
    batched[k] = with_axis_at(x, static_cast<std::size_t>(a), 0, where);
    const std::int64_t n = batched[k].shape()[0];
    if (count && *count != n) {
      fail<shape_error>(error_code::shape_mismatch, "vmap",
                        "argument " + std::to_string(k) + " has " + std::to_string(n) +
                            " slices where another has " + std::to_string(*count),
                        where);
    }
    count = n;
    in[k] = make_placeholder(x.dtype(), batched[k].shape().subspan(1), where);
    r.stand_in(in[k]);
  }
  if (!count) {
    fail<shape_error>(error_code::shape_mismatch, "vmap", "no argument has an axis of slices",
                      where);
  }
  std::vector<any_array> out(f.outputs), given = in;
  try {
    const tracing_scope scope;
    f.call(f.f, given.data(), out.data(), where);
  } catch (const untraceable&) {
    fail<value_error>(error_code::bad_argument, "vmap",
                      "the function decides by values, in a loop that runs round by round or in "
                      "cond: it has no form with one more axis",
                      where);
  }
  for (const any_array& x : out) {
    checked(x, "vmap", where);
    r.add(x);
  }
  batcher b(r, *count, where);
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (batched[k].valid()) b.is(in[k], batched[k]);
  }
  b.run();
  std::vector<any_array> results;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const any_array all = b.all_of(out[k]);
    const std::int64_t to = entry(options.out_axes, k, out.size(), "out_axes", where);
    const int axis = normalize_axis(to, all.ndim(), "vmap", where);
    results.push_back(with_axis_at(all, 0, static_cast<std::size_t>(axis), where));
  }
  return results;
}

}  // namespace sinter::detail
