#include "engine/control/batcher.hpp"

#include <algorithm>

#include "engine/evaluation/checks.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/report.hpp"
#include "ir/fourier.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

extents behind(std::int64_t first, shape_view rest) {
  extents all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

extents extents_of(const any_array& x) { return {x.extents().begin(), x.extents().end()}; }

bool is_matrix(const any_array& x) { return x.extents().size() == 2; }

/// Is this a routine with operands (operands..., right-hand sides)? If its matrices are the same
/// for all slices, the right-hand sides of all slices become columns of one matrix.
bool has_right_sides(const std::string& routine) {
  return routine == "getrs" || routine == "trsm";
}

}  // namespace

any_array with_axis_at(const any_array& x, std::size_t from, std::size_t to, location where) {
  extents shape(x.extents().begin(), x.extents().end());
  element_map map{0, dense_strides(x.extents())};
  const auto move = [&](auto& list) {
    const auto value = list[from];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(from));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), value);
  };
  move(shape);
  move(map.strides);
  return make_view(x, shape, std::move(map), where);
}

void batcher::is(const any_array& stand_in, any_array all) {
  region_.stand_in(stand_in);
  stand_ins_.push_back(stand_in);
  all_[stand_in.get()] = std::move(all);
}

bool batcher::depends(const any_array& x) {
  region_.add(x);
  return region_.depends(x);
}

any_array batcher::all_of(const any_array& x) {
  region_.add(x);
  // By index, because checks add nodes.
  for (std::size_t i = 0; i < region_.nodes().size(); ++i) {
    const any_array next = region_.nodes()[i];
    batch(next);
  }
  return known(x);
}

batcher batcher::from_here() const {
  batcher b = *this;
  b.outside_ = tracing_now();
  return b;
}

void batcher::refuse(std::string_view what) const {
  fail<value_error>(error_code::bad_argument, "vmap",
                    "not over " + std::string(what) +
                        ", which has no form with one more axis: call it on all slices before or "
                        "after, or on each of them in a loop",
                    where_);
}

/// x for every slice: as recorded for all, or broadcast if x does not depend on the slice.
any_array batcher::known(const any_array& x) const {
  if (region_.depends(x)) return all_.at(x.get());
  return make_broadcast(x, behind(count_, x.extents()), "vmap", where_);
}

any_array batcher::batch(const any_array& x) {
  if (!region_.depends(x)) return known(x);
  if (const auto it = all_.find(x.get()); it != all_.end()) return it->second;
  for (const any_array& in : region_.inputs(x)) batch(in);
  if (x.get()->kind == ir::node_kind::loop) return {};  // recorded when its results are
  const any_array all = one(x);
  all_[x.get()] = all;
  checks(x, all);
  return all;
}

/// x for every slice as an operand of a node of `shape`; a slice-independent x of rank 0 stays rank
/// 0.
any_array batcher::beside(const any_array& x, shape_view shape) {
  if (!region_.depends(x)) {
    return x.extents().empty() ? x : make_broadcast(x, behind(count_, shape), "vmap", where_);
  }
  const any_array all = known(x);
  if (!x.extents().empty() || shape.empty()) return all;
  element_map map{0, {1}};
  map.strides.resize(shape.size() + 1, 0);
  return make_view(all, behind(count_, shape), std::move(map), where_);
}

/// An index or a mask (rank 0 or the reader's shape), for every slice and every element.
any_array batcher::filled(const any_array& x, shape_view shape) {
  return make_broadcast(beside(x, shape.subspan(1)), shape, "vmap", where_);
}

/// A map into x, extended by the axis of slices.
element_map batcher::into(const any_array& x, const element_map& m) const {
  element_map all{m.offset, {region_.depends(x) ? x.size() : 0}};
  all.strides.insert(all.strides.end(), m.strides.begin(), m.strides.end());
  return all;
}

any_array batcher::one(const any_array& x) {
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
      return make_view(known(in[0]), shape, into(in[0], n.map), where_);
    case ir::node_kind::reduce: {
      std::vector<int> axes = n.details->reduction.axes;
      for (int& a : axes) ++a;
      return make_reduce(known(in[0]), n.details->reduction.code, n.details->reduction.arg,
                         std::move(axes), where_);
    }
    case ir::node_kind::scan:
      return make_scan(known(in[0]), n.details->reduction.code,
                       n.details->reduction.axes[0] + 1, where_);
    case ir::node_kind::update: {
      element_map map = n.map;
      map.strides.insert(map.strides.begin(), in[0].size());
      return make_update(known(in[0]), std::move(map), known(in[1]), where_);
    }
    case ir::node_kind::gather: return gather(n, in, shape);
    case ir::node_kind::pad:
      return make_pad(base(in[0]), filled(in[1], shape), into(in[0], n.map), where_);
    case ir::node_kind::join: return join(n, in, shape);
    case ir::node_kind::scatter: return scatter(n, in);
    case ir::node_kind::call:
    case ir::node_kind::result: return result(x);
    default: refuse(name(n.kind));
  }
}

any_array batcher::gather(const node& n, const std::vector<any_array>& in, shape_view shape) {
  const auto optional = [&](std::size_t k) {
    return k < in.size() ? filled(in[k], shape) : any_array();
  };
  return make_gather(base(in[0]), filled(in[1], shape), {optional(2), optional(3)},
                     into(in[0], n.map), where_);
}

any_array batcher::join(const node& n, const std::vector<any_array>& in, shape_view shape) {
  std::vector<any_array> bases;
  std::vector<joined_piece> pieces;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const joined_piece& p = n.details->pieces[k];
    bases.push_back(base(in[k]));
    pieces.push_back({into(in[k], p.map), p.end});
  }
  return make_join(bases, std::move(pieces), n.details->axis + 1, shape, where_);
}

any_array batcher::scatter(const node& n, const std::vector<any_array>& in) {
  const extents walked = behind(count_, in[1].extents());
  const auto optional = [&](std::size_t k) {
    return k < in.size() ? filled(in[k], walked) : any_array();
  };
  element_map map = n.map;
  map.strides.insert(map.strides.begin(), in[0].size());
  const scatter_inputs given{filled(in[1], walked), beside(in[2], in[1].extents()), optional(3),
                             {optional(4), optional(5)}};
  const ir::reduction& by = n.details->reduction;
  return make_scatter(known(in[0]), given, std::move(map), by.code, where_, by.summed);
}

// ---- calls and loops: all live outputs of one node together

any_array batcher::result(const any_array& x) {
  const node& n = *x.get();
  const bool first = n.kind == ir::node_kind::call;
  const any_array from = first ? x : region_.inputs(x)[0];
  const std::uint64_t k = first ? 0 : n.details->output;
  auto& outputs = outputs_[from.get()];
  if (!outputs.contains(k)) {
    switch (from.get()->kind) {
      case ir::node_kind::call: call(from); break;
      case ir::node_kind::loop: loop(from); break;
      default: refuse("a mask that chooses elements");
    }
  }
  return outputs.at(k);
}

/// Operands that carry all slices as rows or columns of one matrix, if the other operands are the
/// same for all slices; else none.
std::vector<any_array> batcher::merged(const std::string& routine,
                                       const std::vector<any_array>& in) {
  const any_array& last = in.back();
  if (!is_matrix(in[0]) || !is_matrix(last)) return {};
  const auto rows = [&](const any_array& x, std::int64_t count, std::int64_t width) {
    return make_reshape(known(x), extents{count_ * count, width}, where_);
  };
  const std::int64_t count = last.extents()[0], width = last.extents()[1];
  if (routine == "matmul") {
    if (!region_.depends(last)) return {rows(in[0], in[0].extents()[0], count), last};
    if (region_.depends(in[0]) || width != 1) return {};
    return {rows(last, 1, count), with_axis_at(in[0], 0, 1, where_)};
  }
  const auto same = [&](const any_array& x) { return !region_.depends(x); };
  if (!has_right_sides(routine) || !std::all_of(in.begin(), in.end() - 1, same)) return {};
  std::vector<any_array> inputs(in.begin(), in.end() - 1);
  inputs.push_back(rows(last, count, width));
  return inputs;
}

/// The results for zero slices, without a library call.
void batcher::nothing(const any_array& x) {
  const auto empty = [&](const node& n) {
    return make_broadcast(make_scalar({}, n.type, where_), behind(0, n.shape), "vmap", where_);
  };
  auto& outputs = outputs_[x.get()];
  outputs[0] = empty(*x.get());
  for (const any_array& r : results_of(*x.get())) {
    outputs[r.get()->details->output] = empty(*r.get());
  }
}

void batcher::call(const any_array& x) {
  const node& n = *x.get();
  const std::string& routine = n.details->routine;
  const auto& in = region_.inputs(x);
  std::vector<std::int64_t> attributes = n.details->attributes;
  if (routine == "fft") {
    auto a = ir::fourier_attributes::unpack(attributes);
    ++a.first;
    ++a.last;
    attributes = a.pack();
  }
  auto& outputs = outputs_[x.get()];
  const extents shape = behind(count_, n.shape);
  if (count_ == 0) return nothing(x);
  if (const auto inputs = merged(routine, in); !inputs.empty()) {
    const extents rows = has_right_sides(routine) ? extents_of(inputs.back()) : shape;
    const any_array made = make_call(routine, inputs, n.type, rows, where_, attributes);
    outputs[0] = make_reshape(made, shape, where_);
    return;
  }
  std::vector<loop_output> further;
  for (const any_array& r : results_of(*x.get())) {
    const node& of = *r.get();
    further.push_back({static_cast<int>(of.details->output), {of.type, behind(count_, of.shape)}});
  }
  std::vector<any_array> inputs;
  for (const any_array& i : in) inputs.push_back(known(i));
  const auto made = make_call_with(routine, inputs, attributes, {n.type, shape}, further, where_);
  outputs[0] = made[0];
  for (std::size_t k = 0; k < further.size(); ++k) {
    outputs[static_cast<std::uint64_t>(further[k].which)] = made[k + 1];
  }
}

/// Sliced inputs and emitted values have the axis of slices after that of the rounds.
void batcher::loop(const any_array& x) {
  const node& n = *x.get();
  ir::loop l = n.details->loop;
  // A loop recorded under a vmap has no tables (loop_tables).
  if (l.tables > 0) refuse("a loop that writes to elements of what it carries");
  const auto& in = region_.inputs(x);
  const std::size_t whole = in.size() - l.maps.size();
  std::vector<any_array> inputs;
  for (std::size_t k = 0; k < in.size(); ++k) {
    inputs.push_back(k < whole ? beside(in[k], n.shape) : base(in[k]));
    if (k >= whole) l.maps[k - whole] = index_map_of(into(in[k], plain(l.maps[k - whole])));
  }
  std::vector<loop_output> wanted;
  for (const any_array& r : results_of(*x.get())) {
    const node& of = *r.get();
    extents shape(of.shape.begin(), of.shape.end());
    const bool kept = of.details->output >= static_cast<std::uint64_t>(l.carries);
    shape.insert(shape.begin() + (kept ? 1 : 0), count_);
    wanted.push_back({static_cast<int>(of.details->output), {of.type, shape}});
  }
  const auto made =
      make_loop(n.details->program, l, inputs, behind(count_, n.shape), wanted, where_);
  for (std::size_t k = 0; k < made.size(); ++k) {
    const bool kept = wanted[k].which >= l.carries;
    outputs_[x.get()][static_cast<std::uint64_t>(wanted[k].which)] =
        kept ? with_axis_at(made[k], 1, 0, where_) : made[k];
  }
}

/// The check of one slice becomes a check of all slices.
void batcher::checks(const any_array& from, const any_array& to) {
  const auto& in_range = from.get()->details ? from.get()->details->in_range : nullptr;
  for (const auto& old : from.get()->checks) {
    auto& c = checks_[old.get()];
    if (!c) {
      c = std::make_shared<check>();
      c->raise = old->raise;
      c->op = old->op;
      c->where = old->where;
      c->size = old->size;
      c->shape = old->shape;
      if (old->status.valid()) {
        region_.add(old->status);
        c->status = batch(old->status);
      }
    }
    if (old == in_range) to.get()->details->in_range = c;
    attach(to, c);
  }
}

void refuse_draw_over_slices() {
  const batcher* b = tracing_now().mapped;
  if (!b) return;
  fail<value_error>(error_code::bad_argument, "vmap",
                    "random numbers drawn inside would be the same for every slice: give the draw "
                    "a .seed if they are to be, or draw those of all slices before and pass them",
                    b->where());
}

}  // namespace sinter::detail
