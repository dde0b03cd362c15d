#include "ir/extent.hpp"

#include <bit>
#include <utility>

#include "ir/kernel.hpp"
#include "ir/program.hpp"

namespace sinter::ir {

namespace {

thread_local trace* active = nullptr;

/// The power of four: sizes of one magnitude cost about the same.
std::int32_t magnitude(std::int64_t v) {
  const auto u = static_cast<std::uint64_t>(v < 0 ? -v : v);
  return (static_cast<std::int32_t>(std::bit_width(u)) + 1) / 2;
}

std::int64_t divisor_word(std::int64_t d) {
  if (d <= 0 || d >= (std::int64_t{1} << 31)) return 0;
  return static_cast<std::int64_t>(make_divisor(static_cast<std::uint64_t>(d)));
}

/// Numbers may overflow where the first ones did not: they wrap, and some condition on sizes fails.
/// False: no such number.
bool compute_one(extent_op code, std::int64_t a, std::int64_t b, std::int64_t& out) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (code) {
    case extent_op::add:
      out = static_cast<std::int64_t>(x + y);
      return true;
    case extent_op::subtract:
      out = static_cast<std::int64_t>(x - y);
      return true;
    case extent_op::multiply:
      return !__builtin_mul_overflow(a, b, &out);
    case extent_op::divide:
    case extent_op::modulo:
      if (b == 0 || b == -1) return false;
      out = code == extent_op::divide ? a / b : a % b;
      return true;
    case extent_op::divisor:
      out = divisor_word(a);
      return true;
    case extent_op::symbol:
    case extent_op::literal:
      break;
  }
  return false;
}

}  // namespace

bool recipe::compute(std::span<const std::int64_t> symbols,
                     std::vector<std::int64_t>& values) const {
  values.resize(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const term& t = terms[i];
    if (t.code == extent_op::symbol) {
      values[i] = symbols[static_cast<std::size_t>(t.a)];
    } else if (t.code == extent_op::literal) {
      values[i] = t.number;
    } else {
      const std::int64_t a = values[static_cast<std::size_t>(t.a)];
      const std::int64_t b = t.b == no_term ? 0 : values[static_cast<std::size_t>(t.b)];
      if (!compute_one(t.code, a, b, values[i])) return false;
    }
  }
  for (const condition& c : conditions) {
    const std::int64_t a = values[static_cast<std::size_t>(c.a)];
    bool holds;
    if (c.what == extent_relation::magnitude) {
      holds = magnitude(a) == c.b;
    } else {
      const std::int64_t b = values[static_cast<std::size_t>(c.b)];
      holds = c.what == extent_relation::equal ? a == b : a < b;
    }
    if (holds != c.holds) return false;
  }
  return true;
}

std::size_t trace::hasher::operator()(const recipe::term& t) const {
  std::uint64_t h = hash_step(hash_seed, static_cast<std::uint64_t>(t.code));
  h = hash_step(h, static_cast<std::uint64_t>(t.a) << 32 ^ static_cast<std::uint32_t>(t.b));
  return hash_step(h, static_cast<std::uint64_t>(t.number));
}

std::size_t trace::hasher::operator()(const recipe::condition& c) const {
  const std::uint64_t h = hash_step(hash_seed, static_cast<std::uint64_t>(c.what) * 2 + c.holds);
  return hash_step(h, static_cast<std::uint64_t>(c.a) << 32 ^ static_cast<std::uint32_t>(c.b));
}

trace::trace() {
  active = this;
}
trace::~trace() {
  active = nullptr;
}

trace::pause::pause() : paused_(std::exchange(active, nullptr)) {}
trace::pause::~pause() {
  active = paused_;
}

term_id trace::add(const recipe::term& t) {
  const auto id = static_cast<term_id>(recipe_.terms.size());
  const auto [it, fresh] = known_.insert({t, id});
  if (fresh) recipe_.terms.push_back(t);
  return it->id;
}

void trace::require(const recipe::condition& c) {
  if (required_.insert(c).second) recipe_.conditions.push_back(c);
}

term_id trace::term_of(extent e) {
  if (e.term_ != no_term) return e.term_;
  return add({extent_op::literal, no_term, no_term, e.value_});
}

extent trace::symbol(std::int32_t which, std::int64_t value) {
  return {value, add({extent_op::symbol, which, no_term, 0})};
}

recipe trace::take() {
  return std::move(recipe_);
}

extent extent::compute(extent_op code, extent a, extent b) {
  std::int64_t v = 0;
  const auto x = static_cast<std::uint64_t>(a.value_), y = static_cast<std::uint64_t>(b.value_);
  switch (code) {
    case extent_op::add:
      v = static_cast<std::int64_t>(x + y);
      break;
    case extent_op::subtract:
      v = static_cast<std::int64_t>(x - y);
      break;
    case extent_op::multiply:
      v = a.value_ * b.value_;
      break;
    case extent_op::divide:
      v = a.value_ / b.value_;
      break;
    default:
      v = a.value_ % b.value_;
  }
  if (!active) return v;
  // Folding what holds for all values of the symbols keeps recipes short.
  const bool plain_a = a.term_ == no_term, plain_b = b.term_ == no_term;
  if (code == extent_op::multiply) {
    if ((plain_a && a.value_ == 0) || (plain_b && b.value_ == 0)) return 0;
    if (plain_a && a.value_ == 1) return b;
  }
  if (plain_a && a.value_ == 0 && code == extent_op::add) return b;
  if (plain_b && b.value_ == 0 && (code == extent_op::add || code == extent_op::subtract)) return a;
  if (plain_b && b.value_ == 1) {
    if (code == extent_op::multiply || code == extent_op::divide) return a;
    if (code == extent_op::modulo) return 0;
  }
  return {v, active->add({code, active->term_of(a), active->term_of(b), 0})};
}

bool extent::compare(extent_relation what, extent a, extent b) {
  const bool holds = what == extent_relation::equal ? a.value_ == b.value_ : a.value_ < b.value_;
  if (!active) return holds;
  const term_id x = active->term_of(a), y = active->term_of(b);
  if (x != y) active->require({what, holds, x, y});
  return holds;
}

void extent::fix(extent e) {
  if (!active) return;
  const term_id number = active->add({extent_op::literal, no_term, no_term, e.value_});
  if (number != e.term_) active->require({extent_relation::equal, true, e.term_, number});
}

void extent::weigh(extent e) {
  if (active) active->require({extent_relation::magnitude, true, e.term_, magnitude(e.value_)});
}

std::vector<std::int64_t> plain(std::span<const extent> list) {
  std::vector<std::int64_t> out;
  for (extent e : list) out.push_back(e.peek());
  return out;
}

extent divisor_of(extent d) {
  const std::int64_t word = divisor_word(d.value_);
  if (d.term_ == no_term || !active) return word;
  return {word, active->add({extent_op::divisor, d.term_, no_term, 0})};
}

}  // namespace sinter::ir
