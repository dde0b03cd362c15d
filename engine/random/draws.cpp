#include "engine/random/draws.hpp"

#include <charconv>
#include <cmath>

#include "engine/control/batcher.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "ir/philox.hpp"

namespace sinter::detail {
namespace {

/// "0.5", "-1": the shortest text of a number.
std::string text_of_number(double v) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v);
  return {buffer, end};
}

}  // namespace

std::uint64_t derived_key(std::uint64_t seed, std::uint64_t number, key_purpose purpose) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const ir::philox_block b = ir::philox4x32_10(
      {low(number), high(number), 0, 0x80000000u | static_cast<std::uint32_t>(purpose)},
      {low(seed), high(seed)});
  return b[0] | static_cast<std::uint64_t>(b[1]) << 32;
}

std::uint64_t seed_of(std::optional<std::uint64_t> seed) {
  if (seed) return *seed;
  refuse_draw_over_slices();
  ++unrepeatable();
  return the_session().seeds.next();
}

signed_number centred_of(const term& word, dtype compute) {
  const location where = word.where;
  const int width = static_cast<int>(8 * size_of(word.type()));
  // 2^63 - 1 is no double, so the mask is the complement below the top bit.
  const term top = number(std::ldexp(1.0, width - 1), word.type(), where);
  const term low = apply(ir::op::bitwise_and, {word, top - number(1, word.type(), where)});
  const term real{make_cast(low.x, compute, where), where};
  return {apply(ir::op::greater_equal, {word, top}),
          real * std::ldexp(1.0, -width) + std::ldexp(1.0, -width - 1)};
}

term normal_of(const term& word, dtype compute) {
  const auto [lower, m] = centred_of(word, compute);
  const term z = apply(ir::op::ndtri, {m});
  return select(lower, apply(ir::op::negative, {z}), z);
}

whole_recording::whole_recording() : before_(std::exchange(recording_function(), true)) {}
whole_recording::~whole_recording() {
  recording_function() = before_;
}

draws::draws(std::string_view op, dtype type, shape_view shape, std::optional<std::uint64_t> seed,
             location where, std::optional<dtype> compute)
    : op_(op),
      type_(type),
      compute_(compute.value_or(compute_of(type))),
      shape_(shape.begin(), shape.end()),
      seed_(seed_of(seed)),
      where_(where) {
  check_shape(shape, type, op, where);
}

std::uint64_t draws::key() {
  const std::uint64_t number = streams_++;
  return number == 0 ? seed_ : derived_key(seed_, number, key_purpose::stream);
}

term draws::bits(dtype word) {
  return {make_random(word, shape_, key(), where_), where_};
}

term draws::half_open() {
  return {uniform(compute_, shape_, {.seed = key()}, where_), where_};
}

term draws::normal() {
  return {detail::normal(compute_, shape_, {.seed = key()}, where_), where_};
}

signed_number draws::centred() {
  return centred_of(bits(compute_ == dtype::float64 ? dtype::uint64 : dtype::uint32), compute_);
}

term draws::exponential() {
  const auto [lower, m] = centred();
  const term u = select(lower, m, 1 - m), l = log_of(u);
  // log1p(-m) for u = 1 - m: the logarithm of the rounded difference, corrected by the quotient of
  // exact and rounded differences.
  const term rounded = select(u == 1, m, negative(l) * (m / (1 - u)));
  return select(lower, negative(l), rounded);
}

term draws::any(const random::parameter& p) const {
  if (p.is_number()) return constant(p.number());
  const node& n = detail::checked(p.values(), op_, where_);
  if (is_complex(n.type)) {
    fail<dtype_error>(error_code::bad_dtype, op_,
                      "a parameter is " + std::string(name(n.type)) + ", not real", where_);
  }
  below_ = std::max(below_, n.depth.load(std::memory_order_relaxed));
  const any_array x = make_broadcast(p.values(), shape_, op_, where_);
  return {make_cast(x, compute_, where_), where_};
}

template <class Holds, class Condition>
term draws::checked(const random::parameter& p, std::string_view what, std::string_view must,
                    Holds holds, Condition condition) const {
  const term x = any(p);
  if (!p.is_number()) return select(condition(x), x, constant(std::nan("")));
  if (!holds(p.number())) {
    refuse(std::string(what) + " is " + text_of_number(p.number()) + ", not " + std::string(must));
  }
  return x;
}

term draws::at_least(const random::parameter& p, double least, std::string_view what) const {
  return checked(
      p, what, "at least " + text_of_number(least), [&](double v) { return v >= least; },
      [&](const term& x) { return constant(least) <= x; });
}

term draws::above(const random::parameter& p, double bound, std::string_view what) const {
  return checked(
      p, what, "above " + text_of_number(bound), [&](double v) { return v > bound; },
      [&](const term& x) { return constant(bound) < x; });
}

term draws::finite(const random::parameter& p, std::string_view what) const {
  return checked(
      p, what, "finite", [](double v) { return std::isfinite(v); },
      [](const term& x) { return apply(ir::op::isfinite, {x}); });
}

term draws::within(const random::parameter& p, double least, double most,
                   std::string_view what) const {
  return checked(
      p, what, "between " + text_of_number(least) + " and " + text_of_number(most),
      [&](double v) { return v >= least && v <= most; },
      [&](const term& x) { return constant(least) <= x && x <= constant(most); });
}

void draws::refuse(const std::string& why) const {
  fail<value_error>(error_code::bad_argument, op_, why, where_);
}

any_array draws::result(const term& value) const {
  const any_array x = make_cast(make_broadcast(value.x, shape_, op_, where_), type_, where_);
  auto& depth = x.get()->depth;
  if (depth.load(std::memory_order_relaxed) > 0) depth.store(below_ + 1, std::memory_order_relaxed);
  return x;
}

any_array draws::counts(const term& value) const {
  return result(select(value == value, value, constant(-1)));
}

term log_of(const term& x) {
  return apply(ir::op::portable_log, {x});
}
term exp_of(const term& x) {
  return apply(ir::op::portable_exp, {x});
}
term sqrt_of(const term& x) {
  return apply(ir::op::sqrt, {x});
}
term negative(const term& x) {
  return apply(ir::op::negative, {x});
}
term least(const term& a, const term& b) {
  return apply(ir::op::minimum, {a, b});
}
term greatest(const term& a, const term& b) {
  return apply(ir::op::maximum, {a, b});
}

// Both by Kahan: the rounding error of the sum cancels in the quotient (see Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, 1.14.1).
term log1p_of(const term& x) {
  const term u = x + 1;
  return select(u == 1, x, log_of(u) * (x / (u - 1)));
}
term expm1_of(const term& x) {
  const term u = exp_of(x), l = log_of(u);
  const term infinite = u == std::numeric_limits<double>::infinity();
  return select(u == 1, x, select(infinite, u, (u - 1) * (x / l)));
}

term high_product(const term& a, const term& b) {
  const term mask = number(0xffffffffu, dtype::uint64, a.where);
  const term width = number(32, dtype::uint64, a.where);
  const auto low = [&](const term& x) { return apply(ir::op::bitwise_and, {x, mask}); };
  const auto high = [&](const term& x) { return apply(ir::op::shift_right, {x, width}); };
  const term a0 = low(a), a1 = high(a), b0 = low(b), b1 = high(b);
  const term cross = a1 * b0 + high(a0 * b0);
  return a1 * b1 + high(cross) + high(a0 * b1 + low(cross));
}

}  // namespace sinter::detail
