#pragma once
// Extents: sizes, strides and offsets that remember what they were computed from.
//
// Why: a plan is made from numbers, and the plan for other numbers is nearly always the same one
// with other values in its slots. While a trace is active, arithmetic on its symbols is recorded as
// a recipe, and every decision the planner makes with them (a comparison, a use as a plain integer)
// becomes a condition of the recipe. Other numbers that meet all conditions would have led the
// planner to the same plan, so only the recipe has to be evaluated again. The only way around the
// conditions is `peek`, and that is for text and hashes.

#include <concepts>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sinter::ir {

using term_id = std::int32_t;
inline constexpr term_id no_term = -1;

enum class extent_op : std::uint8_t {
  symbol,   // a: which
  literal,  // number
  add,
  subtract,
  multiply,
  divide,  // rounds towards zero
  modulo,
  divisor,  // make_divisor(a); 0 if there is none
};

enum class extent_relation : std::uint8_t {
  equal,
  less,
  magnitude,  // the order of magnitude of a, in powers of four, is b (a number, no term)
};

class extent {
 public:
  constexpr extent() = default;
  template <std::integral I> constexpr extent(I v) : value_(static_cast<std::int64_t>(v)) {}

  /// As a plain integer. For a traced extent, being exactly this number becomes a condition.
  constexpr operator std::int64_t() const {
    if (term_ != no_term) fix(*this);
    return value_;
  }
  /// For cost estimates. For a traced extent, its order of magnitude (a power of four) becomes a
  /// condition.
  constexpr explicit operator double() const {
    if (term_ != no_term) weigh(*this);
    return static_cast<double>(value_);
  }

  /// The number, for text and hashes: no decision may depend on it.
  constexpr std::int64_t peek() const { return value_; }
  term_id term() const { return term_; }

  constexpr extent operator-() const { return extent(0) - *this; }
  constexpr extent& operator+=(extent b) { return *this = *this + b; }
  constexpr extent& operator-=(extent b) { return *this = *this - b; }
  constexpr extent& operator*=(extent b) { return *this = *this * b; }
  constexpr extent& operator/=(extent b) { return *this = *this / b; }
  constexpr extent& operator++() { return *this += 1; }
  constexpr extent& operator--() { return *this -= 1; }

  friend constexpr extent operator+(extent a, extent b) {
    return traced(a, b) ? compute(extent_op::add, a, b) : extent(a.value_ + b.value_);
  }
  friend constexpr extent operator-(extent a, extent b) {
    return traced(a, b) ? compute(extent_op::subtract, a, b) : extent(a.value_ - b.value_);
  }
  friend constexpr extent operator*(extent a, extent b) {
    return traced(a, b) ? compute(extent_op::multiply, a, b) : extent(a.value_ * b.value_);
  }
  friend constexpr extent operator/(extent a, extent b) {
    return traced(a, b) ? compute(extent_op::divide, a, b) : extent(a.value_ / b.value_);
  }
  friend constexpr extent operator%(extent a, extent b) {
    return traced(a, b) ? compute(extent_op::modulo, a, b) : extent(a.value_ % b.value_);
  }
  friend constexpr bool operator==(extent a, extent b) {
    return traced(a, b) ? compare(extent_relation::equal, a, b) : a.value_ == b.value_;
  }
  friend constexpr bool operator<(extent a, extent b) {
    return traced(a, b) ? compare(extent_relation::less, a, b) : a.value_ < b.value_;
  }
  friend constexpr bool operator>(extent a, extent b) { return b < a; }
  friend constexpr bool operator<=(extent a, extent b) { return !(b < a); }
  friend constexpr bool operator>=(extent a, extent b) { return !(a < b); }

 private:
  friend class trace;
  friend extent divisor_of(extent);
  constexpr extent(std::int64_t value, term_id term) : value_(value), term_(term) {}
  static constexpr bool traced(extent a, extent b) {
    return a.term_ != no_term || b.term_ != no_term;
  }
  static extent compute(extent_op, extent a, extent b);
  static bool compare(extent_relation, extent a, extent b);
  static void fix(extent);
  static void weigh(extent);

  std::int64_t value_ = 0;
  term_id term_ = no_term;
};

// With a plain integer on one side: exact matches, or the built-in operators would compete.
template <class A, class B>
concept one_extent = (std::same_as<A, extent> && std::integral<B>) ||
                     (std::integral<A> && std::same_as<B, extent>);

template <class A, class B>
requires one_extent<A, B>
constexpr extent operator+(A a, B b) {
  return extent(a) + extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr extent operator-(A a, B b) {
  return extent(a) - extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr extent operator*(A a, B b) {
  return extent(a) * extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr extent operator/(A a, B b) {
  return extent(a) / extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr extent operator%(A a, B b) {
  return extent(a) % extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr bool operator==(A a, B b) {
  return extent(a) == extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr bool operator<(A a, B b) {
  return extent(a) < extent(b);
}
template <class A, class B>
requires one_extent<A, B>
constexpr bool operator>(A a, B b) {
  return extent(b) < extent(a);
}
template <class A, class B>
requires one_extent<A, B>
constexpr bool operator<=(A a, B b) {
  return !(extent(b) < extent(a));
}
template <class A, class B>
requires one_extent<A, B>
constexpr bool operator>=(A a, B b) {
  return !(extent(a) < extent(b));
}

/// |e|, still traced: std::abs would take a plain integer, and so add a condition.
constexpr extent magnitude(extent e) {
  return e < 0 ? -e : e;
}

/// make_divisor(d) as a number of a plan; 0 if d is no divisor of 31 bits.
extent divisor_of(extent d);

/// Extents of a shape, or strides.
class extent_list : public std::vector<extent> {
 public:
  using std::vector<extent>::vector;
  extent_list() = default;
  extent_list(std::vector<extent> v) : std::vector<extent>(std::move(v)) {}
  extent_list(const std::vector<std::int64_t>& v) : std::vector<extent>(v.begin(), v.end()) {}
};

/// The numbers, for text.
std::vector<std::int64_t> plain(std::span<const extent>);

/// How to compute the numbers of a plan from other symbols, and the conditions under which it is
/// their plan.
struct recipe {
  struct term {
    extent_op code;
    term_id a = no_term, b = no_term;
    std::int64_t number = 0;
    bool operator==(const term&) const = default;
  };
  struct condition {
    extent_relation what;
    bool holds;
    term_id a, b;
    bool operator==(const condition&) const = default;
  };
  std::vector<term> terms;  // each after the terms it is computed from
  std::vector<condition> conditions;

  /// The value of every term. False: a condition does not hold, and the values are meaningless.
  bool compute(std::span<const std::int64_t> symbols, std::vector<std::int64_t>& values) const;
};

/// While it lives, extents made by `symbol` are traced on this thread. Traces do not nest.
class trace {
 public:
  trace();
  ~trace();
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  /// Number `which` of the symbols, currently of value `value`.
  extent symbol(std::int32_t which, std::int64_t value);
  recipe take();

  /// While it lives, nothing on this thread is recorded: for checks and dumps.
  class pause {
   public:
    pause();
    ~pause();
    pause(const pause&) = delete;
    pause& operator=(const pause&) = delete;

   private:
    trace* paused_;
  };

 private:
  friend class extent;
  friend extent divisor_of(extent);
  struct hasher {
    std::size_t operator()(const recipe::term& t) const;
    std::size_t operator()(const recipe::condition& c) const;
  };
  struct known {
    recipe::term key;
    term_id id;
    bool operator==(const known& o) const { return key == o.key; }
  };
  struct known_hasher {
    std::size_t operator()(const known& k) const { return hasher()(k.key); }
  };

  term_id term_of(extent);
  term_id add(const recipe::term&);
  void require(const recipe::condition&);

  recipe recipe_;
  std::unordered_set<known, known_hasher> known_;
  std::unordered_set<recipe::condition, hasher> required_;
};

}  // namespace sinter::ir
