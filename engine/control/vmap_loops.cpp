// Loops that run round by round inside a function mapped over slices: one loop, whose rounds
// process all slices.
#include <algorithm>

#include "engine/control/batcher.hpp"
#include "engine/control/control_host.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

/// A function of slices as a function of all of them; its first `counted` arguments are not sliced.
struct over_slices {
  const batcher& outer;
  array_function f;
  std::size_t counted, given;
  location where;

  /// The results of f for slices of `all`, for every slice. `check` sees the slices before the
  /// call. `live`: the slices whose results are needed; an invalid array means all.
  template <class Check>
  void operator()(const any_array* all, std::span<any_array> out, const any_array& live,
                  const Check& check) const {
    batcher b = outer.from_here();
    std::vector<any_array> slices(all, all + given);
    for (std::size_t k = counted; k < given; ++k) {
      slices[k] = make_placeholder(all[k].dtype(), all[k].extents().subspan(1), where);
      b.is(slices[k], all[k]);
    }
    const std::vector<any_array> kept = slices;
    any_array wanted;
    if (live.valid()) {
      wanted = make_placeholder(dtype::bool_, {}, where);
      b.is(wanted, live);
    }
    {
      const tracing_scope inside({true, true, &b, live.valid() ? &wanted : nullptr});
      f.call(f.f, slices.data(), out.data(), where);
    }
    check(std::span(kept).subspan(counted), out);
    for (const any_array& x : out) b.look_at(x);
    for (any_array& x : out) x = b.all_of(x);
  }
};

std::vector<any_array> all_of(batcher& b, const std::vector<any_array>& list) {
  std::vector<any_array> all;
  for (const any_array& x : list) b.look_at(x);
  for (const any_array& x : list) all.push_back(b.all_of(x));
  return all;
}

/// Whether what is recorded now is live, per slice; an invalid array if it always is.
any_array live_of_all(batcher& b) {
  const any_array* live = tracing_now().live;
  return live ? all_of(b, {*live})[0] : any_array();
}

/// Placeholders for slices of a loop's results.
std::vector<any_array> slices_of(batcher& b, std::vector<any_array> all, location where) {
  std::vector<any_array> slices;
  for (any_array& x : all) {
    slices.push_back(make_placeholder(x.dtype(), x.extents().subspan(1), where));
    b.is(slices.back(), std::move(x));
  }
  return slices;
}

/// A body that checks that its carries keep type and shape.
struct kept_body {
  over_slices body;
  const char* op;
  std::size_t carries;
  any_array live;

  static void call(void* p, any_array* in, any_array* out, location where) {
    const kept_body& k = *static_cast<kept_body*>(p);
    const std::size_t outputs = k.carries + k.body.f.outputs;
    k.body(in, {out, outputs}, k.live, [&](auto first, auto next) {
      keep_carries(k.op, first.first(k.carries), next.first(k.carries), where);
    });
  }
};

any_array any_of(const any_array& mask, location where) {
  return make_reduce(mask, ir::op::logical_or, false, {0}, where);
}

/// Adds a carry after the others: a mask of the slices that continue.
struct kept_while {
  over_slices condition, body;
  std::size_t carries;

  /// The slices that still run among the live ones.
  any_array goes(const any_array* all, const any_array& live, location where) const {
    any_array c;
    condition(all, {&c, 1}, live, [](auto, auto) {});
    if (c.extents().size() == 1) {
      return live.valid() ? make_op(ir::op::logical_and, {live, c}, where) : c;
    }
    fail<shape_error>(error_code::shape_mismatch, "while_loop",
                      "the condition has shape " + text_of(c.extents().subspan(1)) + ", not ()",
                      where);
  }

  static void holds(void* p, any_array* in, any_array* out, location where) {
    out[0] = any_of(in[static_cast<kept_while*>(p)->carries], where);
  }

  static void step(void* p, any_array* in, any_array* out, location where) {
    const kept_while& k = *static_cast<kept_while*>(p);
    const any_array mask = in[k.carries];
    k.body(in, {out, k.carries}, mask, [&](auto first, auto next) {
      keep_carries("while_loop", first, next, where);
    });
    for (std::size_t i = 0; i < k.carries; ++i) {
      element_map each{0, {1}};
      each.strides.resize(out[i].extents().size(), 0);
      const any_array m = make_view(mask, out[i].extents(), std::move(each), where);
      out[i] = chosen(m, out[i], in[i], where);
    }
    out[k.carries] = k.goes(out, mask, where);
  }
};

}  // namespace

std::vector<any_array> fori_over_slices(batcher& b, const loop_bounds& bounds,
                                        array_function body, const std::vector<any_array>& first,
                                        location where) {
  if (b.depends(bounds.lo) || b.depends(bounds.hi)) {
    fail<value_error>(error_code::bad_argument, "fori_loop",
                      "lo and hi differ between the slices of a vmap, and the loop is not "
                      "elementwise: use while_loop, where each slice has its own condition",
                      where);
  }
  const std::vector<any_array> all = all_of(b, first);
  const any_array live = live_of_all(b);
  std::vector<any_array> last;
  {
    const tracing_scope outside(b.outside());
    kept_body k{{b, body, 1, first.size() + 1, where}, "fori_loop", first.size(), live};
    last = fori_loop(bounds.lo, bounds.hi, {kept_body::call, &k, 0}, all, where);
  }
  return slices_of(b, std::move(last), where);
}

std::vector<any_array> while_over_slices(batcher& b, array_function condition,
                                         array_function body, const std::vector<any_array>& first,
                                         location where) {
  std::vector<any_array> all = all_of(b, first), last;
  const any_array live = live_of_all(b);
  {
    const tracing_scope outside(b.outside());
    const std::size_t n = first.size();
    kept_while k{{b, condition, 0, n, where}, {b, body, 0, n, where}, n};
    all.push_back(k.goes(all.data(), live, where));
    last = while_loop({kept_while::holds, &k, 0}, {kept_while::step, &k, 0}, all, where);
  }
  last.pop_back();
  return slices_of(b, std::move(last), where);
}

std::vector<any_array> scan_over_slices(batcher& b, array_function body,
                                        const std::vector<any_array>& first,
                                        const std::vector<any_array>& xs, std::int64_t rounds,
                                        location where) {
  const std::size_t n = first.size();
  const std::vector<any_array> all = all_of(b, first);
  std::vector<any_array> along = all_of(b, xs), last;
  const any_array live = live_of_all(b);
  for (any_array& x : along) x = with_axis_at(x, 0, 1, where);
  {
    const tracing_scope outside(b.outside());
    kept_body k{{b, body, 0, n + xs.size(), where}, "scan", n, live};
    last = scan({kept_body::call, &k, body.outputs}, all, along, rounds, false, where);
  }
  for (std::size_t y = n; y < last.size(); ++y) last[y] = with_axis_at(last[y], 1, 0, where);
  return slices_of(b, std::move(last), where);
}

}  // namespace sinter::detail
