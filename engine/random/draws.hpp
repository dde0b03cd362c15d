#pragma once
// Building blocks of distributions: the random numbers and the parameters of one call, as terms.
// Everything here is exact, so a distribution has the same bits on every device; logarithms and
// exponentials are the portable ones for that reason.

#include <sinter/random.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {

/// Independent streams of 64-bit keys: Philox at a counter that no element has. Purposes never give
/// equal keys for one seed.
enum class key_purpose : std::uint32_t { stream = 1, draw = 2, child = 3 };
std::uint64_t derived_key(std::uint64_t seed, std::uint64_t number, key_purpose purpose);

/// The seed, or a fresh one for every call.
std::uint64_t seed_of(std::optional<std::uint64_t> seed);

/// A random bit, and a number uniform in (0, 1/2], with full resolution near 0.
struct signed_number {
  term negative, magnitude;
};
/// From a random word, uint32 or uint64.
signed_number centred_of(const term& word, dtype compute);
/// A standard normal variable with symmetric tails.
term normal_of(const term& word, dtype compute);

/// While it lives, chains of ops are not cut by an evaluation: the recording is finite.
class [[nodiscard]] whole_recording {
 public:
  whole_recording();
  ~whole_recording();
  whole_recording(const whole_recording&) = delete;

 private:
  bool before_;
};

/// The random numbers and the parameters of one call. However many ops it records, they count as
/// one statement.
class draws {
 public:
  /// Throws shape_error. `type`: of the result; a half type is computed in float32.
  draws(std::string_view op, dtype type, shape_view shape, std::optional<std::uint64_t> seed,
        location where, std::optional<dtype> compute = {});

  dtype compute() const { return compute_; }
  const extents& shape() const { return shape_; }
  location where() const { return where_; }
  term constant(double value) const { return number(value, compute_, where_); }

  /// The next key: the seed itself first, so that a single draw gives the bits of the seed.
  std::uint64_t key();

  // Random numbers, each call a new one.
  term bits(dtype word);  // uint32 or uint64
  term half_open();       // uniform in [0, 1): 24 or 53 bits
  term normal();          // standard
  term exponential();     // standard, with full resolution near 0 and in the tail
  signed_number centred();

  // Parameters, in the type that is computed in. Each checks that they broadcast.
  term any(const random::parameter& p) const;
  /// p, or NaN where it is out of bounds; a number out of bounds is an error instead. `what` names
  /// the parameter.
  term at_least(const random::parameter& p, double least, std::string_view what) const;
  term above(const random::parameter& p, double bound, std::string_view what) const;
  term finite(const random::parameter& p, std::string_view what) const;
  /// A probability.
  term within(const random::parameter& p, double least, double most, std::string_view what) const;
  [[noreturn]] void refuse(const std::string& why) const;

  /// The value broadcast to the shape, in the result's type.
  any_array result(const term& value) const;
  /// The same for counts: -1 where `value` is NaN.
  any_array counts(const term& value) const;

 private:
  template <class Holds, class Condition>
  term checked(const random::parameter& p, std::string_view what, std::string_view must,
               Holds holds, Condition condition) const;

  std::string_view op_;
  dtype type_, compute_;
  extents shape_;
  std::uint64_t seed_, streams_ = 0;
  location where_;
  whole_recording recording_;
  mutable std::uint32_t below_ = 0;  // the longest chain of pending nodes that ends in a parameter
};

// Functions with the same bits on every device.
term log_of(const term& x);
term exp_of(const term& x);
term sqrt_of(const term& x);
term log1p_of(const term& x);  // for x > -1 if 1 + x does not overflow
term expm1_of(const term& x);
term negative(const term& x);
term least(const term& a, const term& b);
term greatest(const term& a, const term& b);

/// The high 64 bits of the product of two uint64.
term high_product(const term& a, const term& b);

}  // namespace sinter::detail
