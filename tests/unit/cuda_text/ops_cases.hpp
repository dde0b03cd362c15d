#pragma once
// Single ops, casts and constants.

#include <bit>

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

using ir::op;

inline constexpr dtype value_types[] = {
    dtype::bool_,   dtype::int8,      dtype::int16,     dtype::int32,  dtype::int64,
    dtype::uint8,   dtype::uint16,    dtype::uint32,    dtype::uint64, dtype::float32,
    dtype::float64, dtype::complex64, dtype::complex128};

/// Several ops on the same three operands, each with its own output.
class op_batch {
 public:
  explicit op_batch(dtype t) : type_(t) {
    for (int i = 0; i < 3; ++i) load(operands_[i], t);
    load(mask_, dtype::bool_);
    load(integer_, dtype::int32);
  }

  void add(op code) {
    std::int32_t args[6];
    for (int i = 0; i < 3; ++i) {
      const dtype wanted = ir::argument_type(code, type_, i);
      const value& from = wanted == type_ ? operands_[i] : is_bool(wanted) ? mask_ : integer_;
      args[2 * i] = from.re;
      args[2 * i + 1] = from.im;
    }
    const auto [re, im] = ir::emit_complex(b_.k.body, code, type_, args);
    const int out = b_.output(ir::result_type(code, type_), {one});
    b_.store(out, re);
    if (im >= 0) b_.store(out, im, 1);
    name_ += " " + std::string(ir::name(code));
    ++count_;
  }

  int count() const { return count_; }
  trial finish(std::int64_t n) { return {std::string(name(type_)) + ":" + name_, b_.map(2), {n}}; }

 private:
  struct value {
    std::int32_t re = -1, im = -1;
  };

  void load(value& v, dtype t) {
    const int in = b_.input(t, {one});
    v.re = b_.load(in);
    if (is_complex(t)) v.im = b_.load(in, 1);
  }

  dtype type_;
  builder b_{1};
  value operands_[3], mask_, integer_;
  std::string name_;
  int count_ = 0;
};

inline bool is_tested(op code, dtype t) {
  const bool internal = ir::info(code).traits & ir::internal;  // internal ops have preconditions
  return !internal && ir::accepts(code, t) && ir::operand_type(code, t) == t;
}

/// Batches of the ops for which `wanted` holds.
template <class F> std::vector<trial> ops_where(F wanted) {
  std::vector<trial> trials;
  for (dtype t : value_types) {
    auto batch = std::make_unique<op_batch>(t);
    for (int i = 0; i < ir::op_count; ++i) {
      const auto code = static_cast<op>(i);
      if (!is_tested(code, t) || !wanted(code, t)) continue;
      batch->add(code);
      if (batch->count() < 12) continue;
      trials.push_back(batch->finish(2001));
      batch = std::make_unique<op_batch>(t);
    }
    if (batch->count() > 0) trials.push_back(batch->finish(2001));
  }
  return trials;
}

inline std::vector<trial> every_op() {
  return ops_where([](op, dtype) { return true; });
}

/// The ops with the same bits on every device.
inline std::vector<trial> exact_ops() {
  return ops_where([](op code, dtype t) { return !is_complex(t) && ir::is_exact(code, t); });
}

inline std::vector<trial> internal_ops() {
  std::vector<trial> trials;
  for (dtype t : value_types) {
    if (!is_integer(t)) continue;
    builder b(1);
    const int a = b.load(b.input(t, {one})), d = b.load(b.input(t, {one}));
    const int in_width = b.op(op::bitwise_and, t, {d, b.constant(t, 8 * size_of(t) - 1)});
    for (op code : {op::shift_left, op::shift_right}) {
      b.store(b.output(t, {one}), b.op(code, t, {a, in_width}));
    }
    for (op code : {op::quotient, op::modulus, op::floor_divide}) {
      b.store(b.output(t, {one}), b.op(code, t, {a, d}));
    }
    const int key = b.load(b.input(t, {one}));
    for (op code : {op::philox_low, op::philox_high}) {
      b.store(b.output(t, {one}), b.op(code, t, {a, d, key}));
    }
    trials.push_back({"internal ops in " + std::string(name(t)), b.map(1), {3001}});
  }
  for (dtype t : {dtype::float32, dtype::float64}) {
    builder b(1);
    const int a = b.load(b.input(t, {one}));
    for (op code : {op::portable_log, op::portable_exp}) {
      b.store(b.output(t, {one}), b.op(code, t, {a}));
    }
    const int bound = b.scalar(t);
    for (op code : {op::larger, op::smaller}) {
      b.store(b.output(t, {one}), b.op(code, t, {a, bound}));
    }
    const std::uint64_t half = t == dtype::float32 ? std::bit_cast<std::uint32_t>(-0.5f)
                                                   : std::bit_cast<std::uint64_t>(-0.5);
    trials.push_back({.name = "internal ops in " + std::string(name(t)),
                      .k = b.map(1),
                      .extents = {3001},
                      .scalars = {half}});
  }
  return trials;
}

/// By one number for all elements: small ones have precomputed divisor words, others do not.
inline std::vector<trial> divisions_by_scalars() {
  std::vector<trial> trials;
  for (dtype t : value_types) {
    if (!is_integer(t)) continue;
    builder b(1);
    const int a = b.load(b.input(t, {one})), d = b.scalar(t);
    for (op code : {op::quotient, op::modulus, op::floor_divide}) {
      b.store(b.output(t, {one}), b.op(code, t, {a, d}));
    }
    for (std::int64_t by : {0l, 1l, 3l, 7l, 64l, -1l, -7l, 641l, 0x7fffffffl, 0x80000000l,
                            0x80000001l, 0x123456789l, 1l << 40, 0x7ffffffffffffff1l}) {
      const std::string type(name(t));
      trials.push_back({.name = "divisions by " + std::to_string(by) + " in " + type,
                        .k = b.map(1),
                        .extents = {3001},
                        .scalars = {static_cast<std::uint64_t>(by)}});
    }
  }
  return trials;
}

/// By float and double numbers: ordinary ones have a reciprocal, others do not.
inline std::vector<trial> quotients_by_scalars() {
  std::vector<trial> trials;
  const auto add = [&]<class T, class W>(T, W, dtype t) {
    for (double by : {3.0, -7.0, 0.02, 1.0, 8.0, 1e-3, 9.9999994e-1, 0.0, -0.0, 1e-30, 1e30, 1e-300,
                      1e-310, 3e307, HUGE_VAL, std::nan("")}) {
      builder b(1);
      const int a = b.load(b.input(t, {one})), d = b.scalar(t);
      b.store(b.output(t, {one}), b.op(op::divide, t, {a, d}));
      const std::string type(name(t));
      trials.push_back({.name = "quotients by " + std::to_string(by) + " in " + type,
                        .k = b.map(2),
                        .extents = {30'001},
                        .scalars = {std::bit_cast<W>(static_cast<T>(by))}});
    }
  };
  add(0.0f, std::uint32_t{}, dtype::float32);
  add(0.0, std::uint64_t{}, dtype::float64);
  return trials;
}

/// Any number, or one from 1 to 4, made from bits.
inline int number_of_bits(builder& b, dtype t, bool ordinary) {
  const bool wide = size_of(t) == 8;
  const dtype words = wide ? dtype::uint64 : dtype::uint32;
  int bits = b.load(b.input(words, {one}));
  if (ordinary) {
    const int mask = b.constant(words, wide ? 0x801f'ffff'ffff'fffful : 0x80ffffffu);
    const int kept = b.op(op::bitwise_and, words, {bits, mask});
    const int unit = b.constant(words, wide ? 0x3ff0'0000'0000'0000ul : 0x3f800000u);
    bits = b.op(op::bitwise_or, words, {kept, unit});
  }
  ir::inst i;
  i.code = op::bitcast, i.type = words, i.result = t, i.args[0] = bits;
  b.k.body.push_back(i);
  return static_cast<int>(b.k.body.size()) - 1;
}

/// Quotients and roots without tests: of numbers from 1 to 4, none of which must be recomputed, and
/// of any numbers, most of which must. All are stored, or, with `chains`, only a last quotient,
/// which propagates an earlier NaN: the test for it then needs only the minimum of values that are
/// never negative.
inline std::vector<trial> quick_forms() {
  std::vector<trial> trials;
  const auto add = [&](dtype t, std::uint64_t divisor, bool ordinary, bool chains) {
    builder b(1);
    const int x = number_of_bits(b, t, ordinary), y = number_of_bits(b, t, ordinary);
    const int size = b.op(op::abs, t, {x});
    const int root = b.op(op::sqrt, t, {size});
    if (chains) {
      const int sum = b.op(op::add, t, {root, b.op(op::divide, t, {size, y})});
      const int squares = b.op(op::add, t, {size, b.op(op::multiply, t, {y, y})});
      const int other = b.op(op::divide, t, {squares, root});
      b.store(b.output(t, {one}), b.op(op::divide, t, {sum, other}));
    } else {
      const int ratio = b.op(op::divide, t, {x, y}), four = b.op(op::add, t, {size, size});
      const int by = b.scalar(t);
      for (int result : {ratio, b.op(op::divide, t, {four, y}), b.op(op::divide, t, {y, ratio}),
                         root, b.op(op::sqrt, t, {four}), b.op(op::divide, t, {y, by}),
                         b.op(op::divide, t, {b.op(op::subtract, t, {x, x}), y})}) {
        b.store(b.output(t, {one}), result);
      }
    }
    b.k.schedule.quick = true;
    for (int vector : {1, 16 / static_cast<int>(size_of(t))}) {
      trials.push_back({.name = "quick forms of " + std::string(name(t)),
                        .k = b.map(vector),
                        .extents = {ordinary ? 200'001 : chains ? 100'001 : 3'001},
                        .scalars = {divisor}});
      if (chains) trials.back().scalars.clear();
    }
  };
  for (bool ordinary : {true, false}) {
    for (bool chains : {true, false}) {
      add(dtype::float32, std::bit_cast<std::uint32_t>(3.1f), ordinary, chains);
      add(dtype::float64, std::bit_cast<std::uint64_t>(3.1), ordinary, chains);
    }
  }
  return trials;
}

/// The same in a walk, where each row has its own divisor.
inline std::vector<trial> quick_walks() {
  std::vector<trial> trials;
  for (const dtype t : {dtype::float32, dtype::float64}) {
    for (bool ordinary : {true, false}) {
      builder b(1, 1);
      const bool wide = size_of(t) == 8;
      const auto number_of = [&](double v) {
        return b.constant(t, wide ? std::bit_cast<std::uint64_t>(v)
                                  : std::bit_cast<std::uint32_t>(static_cast<float>(v)));
      };
      const auto number = [&](std::vector<ir::step> steps) {
        const int x = b.load(b.input(t, std::move(steps)));
        if (!ordinary) return x;
        const int size = b.op(op::abs, t, {x});
        return b.op(op::fmin, t, {b.op(op::fmax, t, {size, number_of(0.5)}), number_of(9)});
      };
      const int x = number({ir::step::any, one}), y = number({ir::step::any, one});
      const int by = number({ir::step::any, ir::step::zero});
      const int ratio = b.op(op::divide, t, {x, y}), root = b.op(op::sqrt, t, {x});
      for (int value : {ratio, root, b.op(op::divide, t, {y, by}), x}) {
        const int out = b.output(t, {ir::step::any, ir::step::zero});
        b.store(out, b.reduce(op::maximum, value));
      }
      for (int unroll : {1, 4}) {
        ir::kernel k = b.rows(64, 8, 16 / static_cast<int>(size_of(t)), unroll);
        k.schedule.quick = true;
        trials.push_back({.name = "quick walks of " + std::string(name(t)),
                          .k = std::move(k),
                          .extents = {301, 24}});
      }
    }
  }
  return trials;
}

inline std::vector<trial> casts() {
  std::vector<trial> trials;
  for (int f = 0; f < dtype_count - 2; ++f) {
    const auto from = static_cast<dtype>(f);
    builder b(1);
    const int value = b.load(b.input(from, {one}));
    for (int t = 0; t < dtype_count - 2; ++t) {
      const auto to = static_cast<dtype>(t);
      b.store(b.output(to, {one}), b.cast(value, to));
    }
    trials.push_back({"casts from " + std::string(name(from)), b.map(4), {5001}});
  }
  return trials;
}

inline std::vector<trial> bitcasts() {
  std::vector<trial> trials;
  const std::pair<dtype, dtype> pairs[] = {
      {dtype::float32, dtype::int32},  {dtype::uint32, dtype::float32},
      {dtype::float64, dtype::uint64}, {dtype::int64, dtype::float64},
      {dtype::float16, dtype::uint16}, {dtype::int16, dtype::bfloat16}};
  for (const auto& [from, to] : pairs) {
    builder b(1);
    ir::inst i;
    i.code = op::bitcast;
    i.type = from;
    i.result = to;
    i.args[0] = b.load(b.input(from, {one}));
    b.k.body.push_back(i);
    b.store(b.output(to, {one}), 1);
    trials.push_back({"bitcast to " + std::string(name(to)), b.map(2), {501}});
  }
  return trials;
}

inline std::vector<trial> constants() {
  std::vector<trial> trials;
  for (int t = 0; t < dtype_count - 2; ++t) {
    const auto type = static_cast<dtype>(t);
    builder b(1);
    const std::uint64_t top = std::uint64_t{1} << (8 * size_of(type) - 1);
    const std::uint64_t all = top | (top - 1);
    std::vector<std::uint64_t> bits = {0, 1, top, top - 1, all, top + 1, 0x1234567812345678 & all};
    if (type == dtype::float32) {
      for (float x : {1.0f, -1.5f, 0.1f, 3e38f, -INFINITY, 1e-45f})
        bits.push_back(std::bit_cast<std::uint32_t>(x));
    }
    if (type == dtype::float64) {
      for (double x : {1.0, -1.5, 0.1, 1e308, -1.0 / 0.0, 5e-324})
        bits.push_back(std::bit_cast<std::uint64_t>(x));
    }
    for (const std::uint64_t x : bits) {
      b.store(b.output(type, {one}), b.constant(type, is_bool(type) ? x & 1 : x));
    }
    trials.push_back({"constants of " + std::string(name(type)), b.map(1), {3}});
  }
  return trials;
}

inline std::vector<trial> scalars() {
  builder b(1);
  trial t{"scalars", {}, {5}};
  for (int i = 0; i < dtype_count - 2; ++i) {
    const auto type = static_cast<dtype>(i);
    b.store(b.output(type, {one}), b.scalar(type));
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
    t.scalars.push_back(is_bool(type) ? 1 : 0x4142434445464748 & all);
  }
  t.k = b.map(4);
  return {t};
}

}  // namespace sinter::tests
