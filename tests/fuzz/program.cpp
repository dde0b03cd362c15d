#include "tests/fuzz/program.hpp"

#include "engine/evaluation/session.hpp"
#include "engine/nodes/term.hpp"
#include "tests/fuzz/program_body.hpp"

namespace sinter::fuzz {
namespace {

constexpr dtype types[] = {dtype::int32,   dtype::float32, dtype::int64,  dtype::float64,
                           dtype::uint8,   dtype::bool_,   dtype::int8,   dtype::float16,
                           dtype::float32, dtype::int64,   dtype::uint32, dtype::complex64};
constexpr dtype body_types[] = {dtype::float64, dtype::int64, dtype::float32};

std::string text_of(const any_array& x) {
  std::string text = std::string(name(x.dtype())) + "(";
  for (std::int64_t e : x.shape()) text += std::to_string(e) + ",";
  return text + ")";
}

class programmer {
 public:
  explicit programmer(choices& c) : c_(c) {}

  program_result run() {
    c_.next_step();
    const std::uint32_t steps = 2 + c_.below(9);
    const std::uint32_t sizes[] = {7, 40, 300, 2000};
    most_ = c_.pick(sizes);
    source();
    for (std::uint32_t i = 0; i < steps && c_.next_step(); ++i) step();
    return std::move(result_);
  }

 private:
  using list = std::vector<any_array>;

  void add(const std::string& what, const list& values) {
    result_.steps.push_back(what);
    for (const any_array& x : values) {
      result_.steps.back() += " -> %" + std::to_string(result_.values.size()) + " " + text_of(x);
      result_.values.push_back(x);
    }
  }

  void source() {
    static constexpr fill fills[] = {fill::small, fill::edges, fill::small, fill::ascending};
    ir::shape_t shape(c_.below(4), 1);
    std::uint32_t left = most_;
    for (auto& e : shape) {
      const std::uint32_t extent = c_.chance(3) ? 0 : 1 + c_.below(std::max(left, 1u));
      e = std::int64_t{extent};
      left /= std::max(1u, extent);
    }
    const ir::tensor t = make_tensor(c_.pick(types), shape, {c_.pick(fills), c_.below(1000)});
    runtime::device& d = detail::current_device();
    auto buffer = d.allocate(t.data.size());
    d.copy_from_host(*buffer, 0, t.data.data(), t.data.size());
    add("source", {detail::make_source(std::move(buffer), d, t.type, ir::plain(t.shape))});
  }

  const any_array& pick() {
    const auto n = static_cast<std::uint32_t>(result_.values.size());
    const std::uint32_t back = c_.below(c_.chance(30) ? n : std::min(n, 3u));
    return result_.values[n - 1 - back];
  }
  any_array real(const any_array& x) { return is_complex(x.dtype()) ? magnitude(x) : x; }
  static any_array magnitude(const any_array& x) {
    return detail::make_op(ir::op::real, {x}, location::current());
  }
  any_array vector() { return ravel(pick()); }
  /// Integers in [0, n).
  any_array counts(const any_array& x, double n) {
    const any_array i = astype(real(x), dtype::int64);
    const location where = location::current();
    return detail::apply(ir::op::remainder, {detail::as_term(i, "test", where),
                                             detail::number(n, dtype::int64, where)}).x;
  }

  void step() {
    using method = void (programmer::*)();
    static constexpr method steps[] = {
        &programmer::source,  &programmer::map,        &programmer::view,  &programmer::reduce,
        &programmer::bins,    &programmer::set_of_one, &programmer::sets,  &programmer::search,
        &programmer::choose,  &programmer::order,      &programmer::loop,  &programmer::slices,
        &programmer::weights, &programmer::slices,     &programmer::loop,  &programmer::bins};
    const std::size_t before = result_.values.size();
    const method what = c_.pick(steps);
    try {
      (this->*what)();
    } catch (const user_error& e) {  // invalid steps are refused in both runs
      result_.values.resize(before);
      result_.steps.push_back(std::string("refused: ") + e.what());
    }
  }

  void map();
  void view();
  void reduce();
  void bins();
  void weights();
  void set_of_one();
  void sets();
  void search();
  void choose();
  void order();
  void loop();
  void slices();
  template <body_type T> void slices_of(const body& b, const any_array& x);

  choices& c_;
  std::uint32_t most_ = 7;
  program_result result_;
};

void programmer::map() {
  static constexpr ir::op codes[] = {ir::op::add,     ir::op::multiply, ir::op::minimum,
                                     ir::op::maximum, ir::op::less,     ir::op::equal};
  const ir::op code = c_.pick(codes);
  const any_array a = real(pick());
  const any_array b = c_.chance(50) ? real(pick()) : flip(a);
  const location where = location::current();
  const bool fits = std::ranges::equal(a.shape(), b.shape()) || b.ndim() == 0;
  const auto t = detail::apply(code, {detail::as_term(a, "test", where),
                                      detail::as_term(fits ? b : a, "test", where)});
  const dtype wanted = promote(a.dtype(), fits ? b.dtype() : a.dtype());
  add(std::string(ir::info(code).name),
      {is_half(wanted) && !is_bool(t.type()) ? detail::rounded(t, wanted) : t.x});
}

void programmer::view() {
  const any_array& x = pick();
  switch (c_.below(4)) {
    case 0: return add("transpose", {transpose(x)});
    case 1: return add("flip", {flip(x)});
    case 2: return add("ravel", {ravel(x)});
    default: {
      const index_item items[] = {slice(1, slice::unset, 2)};
      return add("slice", {detail::index(x, items)});
    }
  }
}

void programmer::reduce() {
  const any_array x = real(pick());
  const any_array whole = is_inexact(x.dtype()) ? counts(x, 100) : x;  // sums of floats round
  const bool all = c_.chance(40) || x.ndim() == 0;
  const axis_list axis = all ? axis_list() : axis_list(-1);
  const scan_options along{all ? std::nullopt : std::optional<std::int64_t>(-1)};
  switch (c_.below(6)) {
    case 0: return add("sum", {detail::sum(whole, {.axis = axis})});
    case 1: return add("max", {detail::max(x, {.axis = axis})});
    case 2: return add("any", {detail::any(x, {.axis = axis})});
    case 3: return add("cumsum", {detail::cumsum(whole, along)});
    case 4: return add("cummin", {detail::cummin(x, along)});
    default: return add("argmax", {detail::argmax(x, {along.axis})});
  }
}

void programmer::bins() {
  const any_array x = real(pick());
  const location where = location::current();
  const bool density = c_.chance(30);
  if (c_.chance(30)) {
    const any_array edges = sort(astype(real(vector()), dtype::float64));
    const auto r = detail::histogram(x, edges, {}, density, "histogram", where);
    return add("histogram at", {r.first, r.second});
  }
  bin_options o{1 + static_cast<int>(c_.below(20))};
  if (c_.chance(50)) o.range = {-2.0, 3.5};
  const auto r = detail::histogram(x, o, {}, density, "histogram", where);
  add("histogram", {r.first, r.second});
}

void programmer::weights() {
  const any_array x = real(vector());
  const any_array w = flip(x);
  const location where = location::current();
  if (c_.chance(50)) {
    const any_array places = counts(x, 1 + c_.below(30));
    if (c_.chance(50)) return add("bincount", {detail::bincount(places, {3})});
    return add("bincount weights", {detail::bincount(places, w, {3})});
  }
  if (c_.chance(40)) {
    const any_array y = detail::roll(x, std::vector<std::int64_t>{1}, {}, where);
    return add("histogram2d", detail::histogram_of_points(
                                  {x, y}, {.bins = {3, 4}, .range = {{-2, 2}, {-1, 5}}},
                                  "histogram2d", where));
  }
  bin_options o{1 + static_cast<int>(c_.below(9))};
  o.range = {-2.0, 3.5};
  const auto r = detail::histogram(x, o, w, false, "histogram", where);
  add("histogram weights", {r.first});
}

void programmer::set_of_one() {
  const any_array& x = pick();
  unique_options o{c_.chance(50)};
  if (x.ndim() > 1 && c_.chance(50)) o.axis = c_.below(static_cast<std::uint32_t>(x.ndim()));
  const auto r =
      detail::unique(x, o, {true, true, true}, "unique_all", location::current());
  add("unique_all", {r.values, r.indices, r.inverse_indices, r.counts});
}

void programmer::sets() {
  const any_array a = vector(), b = vector();
  switch (c_.below(5)) {
    case 0: return add("union1d", {union1d(a, b)});
    case 1: return add("intersect1d", {intersect1d(a, b)});
    case 2: return add("intersect1d_indices", intersect1d_indices(a, b));
    case 3: return add("setdiff1d", {setdiff1d(a, b)});
    default: return add("setxor1d", {setxor1d(a, b)});
  }
}

void programmer::search() {
  const any_array &x = pick(), &y = pick();
  const auto side = c_.chance(50) ? search_side::left : search_side::right;
  switch (c_.below(3)) {
    case 0: return add("isin", {isin(x, y, {.invert = c_.chance(50)})});
    case 1: return add("searchsorted", {searchsorted(sort(ravel(y)), x, {side})});
    default: return add("digitize", {digitize(real(x), sort(ravel(real(y))), {c_.chance(50)})});
  }
}

void programmer::choose() {
  const any_array& x = pick();
  const location where = location::current();
  const any_array mask = detail::apply(ir::op::less, {detail::as_term(real(x), "test", where),
                                                      detail::number(1, real(x).dtype(), where)}).x;
  switch (c_.below(4)) {
    case 0: return add("nonzero", detail::nonzero(x, where));
    case 1: return add("extract", {detail::extract(mask, x, where)});
    case 2: return add("argwhere", {detail::argwhere(mask, where)});
    default: {
      const any_array from = ravel(x);
      return add("take", {detail::take(
                             from, counts(pick(), static_cast<double>(from.size())))});
    }
  }
}

void programmer::order() {
  const any_array& x = pick();
  const bool flat = x.ndim() == 0 || c_.chance(30);
  const std::optional<std::int64_t> axis =
      flat ? std::nullopt
           : std::optional<std::int64_t>(c_.below(static_cast<std::uint32_t>(x.ndim())));
  switch (c_.below(5)) {
    case 0: return add("sort", {sort(x, {axis, c_.chance(50)})});
    case 1: return add("argsort", {argsort(x, {axis, c_.chance(50)})});
    case 2: return add("median", {median(real(x))});
    case 3: {
      const auto r = topk(real(x), 1, {.axis = axis, .largest = c_.chance(50)});
      return add("topk", {r.first});
    }
    default: return add("lexsort", {lexsort({ravel(x), flip(ravel(x))})});
  }
}

void programmer::loop() {
  const any_array x = astype(real(pick()), c_.pick(body_types));
  const bool wide = x.ndim() > 0 && x.size() > 0 && c_.chance(40);
  const body b = draw_body(c_, !wide, 2);
  visit(x, [&](const auto& a) {
    using T = typename std::remove_cvref_t<decltype(a)>::value_type;
    if constexpr (body_type<T>) {
      add("run " + fuzz::text_of(b), {run_body<T>(b, a, array<T>(flip(a)))});
    }
  });
}

/// vmap over the first axis against the slices one by one; records any difference.
template <body_type T> void programmer::slices_of(const body& b, const any_array& x) {
  const array<T> a(x), reverse(flip(a));
  const auto f = [&](const array<T>& v, const array<T>& w) { return run_body<T>(b, v, w); };
  std::vector<array<T>> each;
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) each.push_back(f(a(i), reverse(i)));
  add("vmap " + fuzz::text_of(b), {vmap(f)(a, reverse), stack(each)});
  result_.same.emplace_back(result_.values.size() - 2, result_.values.size() - 1);
}

void programmer::slices() {
  any_array x = astype(real(pick()), c_.pick(body_types));
  if (x.ndim() == 0 || x.size() == 0) return source();
  const index_item few[] = {slice(0, 3)};
  x = detail::index(x, few);
  const body b = draw_body(c_, x.ndim() < 2 || c_.chance(30), 2);
  if (x.dtype() == dtype::int64) slices_of<std::int64_t>(b, x);
  else if (x.dtype() == dtype::float32) slices_of<float>(b, x);
  else slices_of<double>(b, x);
}

}  // namespace

program_result make_program(choices& c) {
  return programmer(c).run();
}

}  // namespace sinter::fuzz
