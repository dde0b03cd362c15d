#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include <sinter/linalg.hpp>
#include <sinter/reductions.hpp>
#include <sinter/views.hpp>

#include "engine/linalg/contraction.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// The operands as stacks of matrices, and the shape of their product.
struct product {
  any_array a, b;  // (batch..., m, k) and (batch..., k, n), of one dtype
  /// The shape returned to the caller: broadcast batch axes, and no axis for an operand that is a
  /// vector.
  inline_vector<std::int64_t, 4> visible;
};

[[noreturn]] void refuse(const any_array& a, const any_array& b, const std::string& why,
                         location where) {
  fail<shape_error>(error_code::shape_mismatch, "matmul",
                    "shapes " + text_of(a.extents()) + " and " + text_of(b.extents()) + " " + why,
                    where);
}

/// The broadcast shape of the batch axes.
extents batch_of(const any_array& a, const any_array& b, location where) {
  const auto sa = a.extents(), sb = b.extents();
  const std::size_t na = sa.size() > 2 ? sa.size() - 2 : 0, nb = sb.size() > 2 ? sb.size() - 2 : 0;
  const std::size_t rank = std::max(na, nb);
  extents batch(rank, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t ea = d + na >= rank ? sa[d + na - rank] : 1;
    const std::int64_t eb = d + nb >= rank ? sb[d + nb - rank] : 1;
    if (ea != eb && ea != 1 && eb != 1) {
      refuse(a, b,
             "do not broadcast: axis " + std::to_string(d) + " is " + std::to_string(ea) +
                 " against " + std::to_string(eb),
             where);
    }
    batch[d] = ea == 1 ? eb : ea;
  }
  return batch;
}

any_array as_matrices(const any_array& x, dtype type, extents batch, std::int64_t rows,
                      std::int64_t columns, location where) {
  const auto s = x.extents();
  extents own(s.begin(), s.end() - std::min<std::ptrdiff_t>(2, x.ndim()));
  own.insert(own.end(), {rows, columns});
  batch.insert(batch.end(), {rows, columns});
  const any_array converted = make_cast(x, type, where);
  return make_broadcast(make_reshape(converted, own, where), batch, "matmul", where);
}

/// Does the array hold a single matrix or vector?
bool is_alone(const any_array& x) {
  const auto s = x.extents();
  return s.size() < 3 || std::all_of(s.begin(), s.end() - 2, [](std::int64_t e) { return e == 1; });
}

/// Is x a view of a view, which no operand description covers?
bool needs_copy(const any_array& x) {
  const auto below = viewed(x);
  return below && viewed(below->first);
}

product align(const any_array& a, const any_array& b, dtype type, location where) {
  const auto sa = checked(a, "matmul", where).shape.size();
  const auto sb = checked(b, "matmul", where).shape.size();
  if (sa == 0 || sb == 0) refuse(a, b, "need at least one axis each", where);
  const std::size_t inner = sb > 1 ? sb - 2 : 0;
  const std::int64_t k = a.extents()[sa - 1];
  if (b.extents()[inner] != k) {
    refuse(a, b,
           "do not align: axis " + std::to_string(sa - 1) + " is " + std::to_string(k) + ", axis " +
               std::to_string(inner) + " is " + std::to_string(b.extents()[inner]),
           where);
  }
  const std::int64_t m = sa > 1 ? a.extents()[sa - 2] : 1, n = sb > 1 ? b.extents()[sb - 1] : 1;
  product p;
  if (sa == 2 && sb == 2) {  // the common case
    p.a = make_cast(a, type, where);
    p.b = make_cast(b, type, where);
    p.visible.push_back(m);
    p.visible.push_back(n);
    check_shape(p.visible, type, "matmul", where);
    return p;
  }
  const extents batch = batch_of(a, b, where);
  const std::int64_t rows = std::accumulate(batch.begin(), batch.end(), m, std::multiplies<>());
  const any_array tall =
      is_alone(b) ? make_reshape(make_cast(a, type, where), extents{rows, k}, where) : any_array();
  if (is_alone(b) && !needs_copy(tall)) {
    // The batch axes fold into the rows of one tall matrix; nothing is repeated.
    p.a = tall;
    p.b = make_reshape(make_cast(b, type, where), extents{k, n}, where);
  } else {
    p.a = as_matrices(a, type, batch, m, k, where);
    p.b = as_matrices(b, type, batch, k, n, where);
  }
  p.visible.assign(batch);
  if (sa > 1) p.visible.push_back(m);
  if (sb > 1) p.visible.push_back(n);
  check_shape(p.visible, type, "matmul", where);
  return p;
}

/// For integers and bool, which no library multiplies. A product as a sum fuses with its
/// neighbours.
any_array multiply_and_sum(const product& p, dtype type, location where) {
  const std::int64_t last[] = {-1}, before[] = {-3};
  const any_array a = expand_dims(p.a, last, where), b = expand_dims(p.b, before, where);
  const bool logical = is_bool(type);
  const any_array terms = make_op(logical ? ir::op::logical_and : ir::op::multiply, {a, b}, where);
  return make_reduce(terms, logical ? ir::op::logical_or : ir::op::add, false, {terms.ndim() - 2},
                     where);
}

/// A product of windows by a few vectors, summed in place; nullopt for other operands. Axes are
/// numbered from the first of `a`.
std::optional<any_array> by_windows(const any_array& a, const any_array& b, dtype type,
                                    location where) {
  const int na = static_cast<int>(a.ndim()), nb = static_cast<int>(b.ndim());
  if (nb > 2) return std::nullopt;
  const std::int64_t rows = na == 2 ? a.extents()[0] : 1, columns = nb == 2 ? b.extents()[1] : 1;
  const std::int64_t summed = b.extents()[0];
  const bool left = na > 1 && sums_windows(a, summed, columns);
  const bool right = na <= 2 && nb == 2 && sums_windows(b, summed, rows);
  if (!left && !right) return std::nullopt;
  labelled x{a, {}}, y{b, {na - 1}};
  label_list result;
  for (int d = 0; d < na; ++d) x.labels.push_back(d);
  for (int d = 0; d + 1 < na; ++d) result.push_back(d);
  if (nb == 2) y.labels.push_back(na), result.push_back(na);
  return contract(std::move(x), std::move(y), result, type, where);
}

/// The attributes of a product, from the calling thread's settings.
std::vector<std::int64_t> mode_of(dtype type) {
  const bool single = real_of(type) == dtype::float32;
  const matmul_mode mode = single ? thread_precision().matmul : matmul_mode::ieee;
  if (mode == matmul_mode::ieee) return {};
  return {static_cast<std::int64_t>(mode)};
}

}  // namespace

precision_modes& thread_precision() {
  // SINTER_TF32=1 sets every thread's initial mode.
  static const matmul_mode first = [] {
    const char* text = std::getenv("SINTER_TF32");
    return text && std::strcmp(text, "1") == 0 ? matmul_mode::tf32 : matmul_mode::ieee;
  }();
  thread_local precision_modes modes{first, fft_mode::wide};
  return modes;
}

any_array matmul(const any_array& a, const any_array& b, location where) {
  const dtype type = common_type(a, b, "matmul", where);
  product p = align(a, b, type, where);
  if (is_inexact(type)) {
    if (auto sums = by_windows(a, b, type, where)) return *std::move(sums);
    new_node n = start(ir::node_kind::call, type, p.visible, where);
    n->inputs.push_back(std::move(p.a));
    n->inputs.push_back(std::move(p.b));
    n->details = std::make_unique<node_details>();
    n->details->routine = "matmul";
    n->details->attributes = mode_of(type);
    return finish(std::move(n));
  }
  return make_reshape(multiply_and_sum(p, type, where), p.visible, where);
}

}  // namespace sinter::detail
