#include "ir/passes/sum_places.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ir/graph_builder.hpp"
#include "ir/passes/hold_places.hpp"

namespace sinter::ir {
namespace {

// The format of a double: |x| < 2^(exponent - bias), and `special` is the exponent field of
// infinities and NaN.
constexpr int digits = 52, bias = 1022, special = 2047;

/// 2^n has n + this in its exponent field.
constexpr int digit_bias = bias + 1;

/// Infinities are counted: positive ones in the low bits, negative ones in the high bits, and a NaN
/// in both.
constexpr double counter = 2147483648.0;

bool is_summed(const node& n) {
  return n.kind == node_kind::scatter && n.reduction.summed;
}

/// Values from which on a first pass over all of them costs less than finding the largest of each
/// place, if there are no more than twice as many places (H100).
constexpr extent many = extent{1} << 18;

/// Significant bits of a number.
constexpr int float_digits = 24, double_digits = 53;

/// Bits in which so many can be counted: in a few classes of plans, not one per length.
int bits_of(extent n) {
  int bits = 4;
  while (!(n < std::int64_t{1} << bits)) bits += 4;
  return bits;
}

/// Sums of integers in bins, as in Demmel and Nguyen, Fast Reproducible Floating-Point Summation,
/// 2013: one bin for floats, two for doubles. If all values are of similar magnitude, the bins are
/// the same for all places, and there is one more: then nothing is left over, and the largest value
/// of a place need not be known.
class summation {
 public:
  summation(graph_builder& b, const node& n)
      : b_(b),
        n_(n),
        places_(n.shape),
        index_(n.inputs[1]),
        bins_(was_float(n.inputs[2]) ? 1 : 2),
        windowed_(is_worth_a_window()),
        room_(61 - bits_of(size_of(b.out[index_].shape))) {}

  node_id run() {
    const node_id value = b_.cast(n_.inputs[2], dtype::float64);
    if (windowed_) look_at_all(value);
    const node_id largest = largest_exponents(value);
    node_id near = b_.gather(largest, index_, n_.map);
    if (windowed_) near = of_place(b_.only(near, apply(op::logical_not, {together_})));
    const node_id wild = apply(op::equal, {near, whole(special)});
    node_id left = in_units(value, up(near));
    std::vector<node_id> sums;
    for (int bin = 0; bin < bins_ + windowed_; ++bin) {
      const node_id units = apply(op::round, {left});
      const node_id here = b_.cast(units, dtype::int64);
      const node_id here_or = bin == 0
                                  ? apply(op::where, {wild, counted(value), here})
                                  : apply(op::where, {leaves_nothing(bin, wild), wide(0), here});
      sums.push_back(added(here_or));
      left = apply(op::multiply, {apply(op::subtract, {left, units}), number(bin_width())});
    }
    report(sums[0]);
    return result(of_place(largest), sums);
  }

 private:
  bool was_float(node_id value) const {
    const node& v = b_.out[value];
    if (v.type == dtype::float32) return true;
    if (v.kind == node_kind::view) return was_float(v.inputs[0]);
    const bool cast = v.kind == node_kind::map && v.program.code.size() == 1 &&
                      v.program.code[0].code == op::cast;
    return cast && (v.program.inputs[0] == dtype::float32 || is_half(v.program.inputs[0]));
  }

  /// Not if the places could be held in a block, but not with all their bins.
  bool is_worth_a_window() const {
    const extent bin = 8 * size_of(places_);
    const bool fits = (bins_ + 1) * bin <= most_held || bin > most_held;
    const extent values = size_of(b_.out[index_].shape);
    const bool one = b_.out[n_.inputs[2]].shape.empty();  // one value for all indices
    return fits && !one && values >= many && size_of(places_) <= 2 * values;
  }

  node_id apply(op code, std::vector<node_id> in) { return b_.apply(code, std::move(in)); }
  node_id whole(int v) { return b_.constant(dtype::int32, v); }
  node_id wide(double v) { return b_.constant(dtype::int64, v); }
  node_id number(double v) { return b_.constant(dtype::float64, v); }

  /// Which values count, or -1: all. If an index is out of range nothing reads the sums.
  node_id counts() const {
    if (n_.inputs.size() < 4) return -1;
    const node& x = b_.out[n_.inputs[3]];
    const bool in_range = n_.inputs.size() > 4 && x.kind == node_kind::map &&
                          x.program.code.size() == 1 && x.program.code[0].code == op::logical_not &&
                          x.inputs[0] == n_.inputs[4];
    return in_range ? -1 : n_.inputs[3];
  }

  node_id scattered(op code, node_id at_first, node_id value, node_id where) {
    if (counts() >= 0 && where >= 0) where = apply(op::logical_and, {counts(), where});
    return b_.scatter(code, b_.spread(at_first, places_), index_, value,
                      where >= 0 ? where : counts(), n_.map);
  }
  node_id added(node_id units) {
    return scattered(op::add, wide(0), units, apply(op::not_equal, {units, wide(0)}));
  }

  node_id exponent_of(node_id value) {
    const node_id bits = b_.bitcast(value, dtype::uint64);
    const node_id shifted = apply(op::shift_right, {bits, b_.constant(dtype::uint64, digits)});
    return b_.cast(apply(op::bitwise_and, {shifted, b_.constant(dtype::uint64, special)}),
                   dtype::int32);
  }

  /// Are all values so close in magnitude that the bins hold every bit of them, and what is their
  /// largest exponent? Includes values that do not count: that costs time if these are wild, but a
  /// mask would have to be read once more.
  void look_at_all(node_id value) {
    std::vector<int> axes(b_.out[index_].shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    const node_id size = apply(op::abs, {value});
    const node_id some = apply(op::not_equal, {size, number(0)});
    const node_id infinite = number(std::numeric_limits<double>::infinity());
    const node_id least = b_.reduce(apply(op::where, {some, size, infinite}), op::minimum, axes);
    largest_ = exponent_of(b_.reduce(size, op::maximum, axes));
    const node_id range = apply(op::subtract, {largest_, exponent_of(least)});
    const int held = (bins_ + 1) * room_ - (bins_ == 1 ? float_digits : double_digits);
    together_ = apply(op::logical_and, {apply(op::less, {largest_, whole(special)}),
                                        apply(op::less_equal, {range, whole(held)})});
  }

  /// The exponent from which the units of a place follow, given that of the place's largest value.
  node_id of_place(node_id largest) {
    return windowed_ ? apply(op::where, {together_, largest_, largest}) : largest;
  }

  /// Does a bin of a place, other than the first, get nothing?
  node_id leaves_nothing(int bin, node_id wild) {
    return bin < bins_ ? wild : apply(op::logical_not, {together_});
  }

  /// The largest exponent of each place's values; -1: the place gets none.
  node_id largest_exponents(node_id value) {
    return scattered(op::maximum, whole(-1), exponent_of(value),
                     windowed_ ? apply(op::logical_not, {together_}) : -1);
  }

  /// This scatter reports wrong indices for all.
  void report(node_id made) {
    for (std::size_t k = 4; k < n_.inputs.size(); ++k) {
      b_.out[made].inputs.push_back(n_.inputs[k]);
    }
    b_.out[made].value[0] = n_.value[0];
  }

  /// 2^n as a double's bits. REQUIRES: for the n of an empty place it multiplies zeros only.
  node_id power(node_id n) {
    const node_id exponent = b_.cast(apply(op::add, {n, whole(digit_bias)}), dtype::int64);
    return b_.bitcast(apply(op::shift_left, {exponent, wide(digits)}), dtype::float64);
  }

  /// x * 2^n. For floats 2^n is a double; otherwise x is multiplied by the power of half of n
  /// twice, and what is cut between is less than any unit.
  node_id in_units(node_id x, node_id n) {
    if (bins_ == 1) return apply(op::multiply, {x, power(n)});
    const node_id half = apply(op::shift_right, {n, whole(1)});
    const node_id near = apply(op::multiply, {x, power(half)});
    return apply(op::multiply, {near, power(apply(op::subtract, {n, half}))});
  }

  /// The exponent by which values are scaled so that their sums stay below 2^61.
  node_id up(node_id largest) { return apply(op::subtract, {whole(room_ + bias), largest}); }

  node_id counted(node_id value) {
    const double infinite = std::numeric_limits<double>::infinity();
    const node_id below =
        apply(op::where, {apply(op::equal, {value, number(-infinite)}), wide(counter), wide(0)});
    const node_id finite_or =
        apply(op::where, {apply(op::equal, {value, number(infinite)}), wide(1), below});
    return apply(op::where, {apply(op::not_equal, {value, value}), wide(counter + 1), finite_or});
  }

  double bin_width() const { return std::ldexp(1.0, room_); }

  /// Does a place get nothing, or zeros alone?
  node_id nothing(node_id largest, const std::vector<node_id>& sums) {
    const node_id none = apply(op::less, {largest, whole(0)});
    if (!windowed_) return none;
    node_id any = sums[0];
    for (std::size_t bin = 1; bin < sums.size(); ++bin) {
      any = apply(op::bitwise_or, {any, sums[bin]});
    }
    return apply(op::where, {together_, apply(op::equal, {any, wide(0)}), none});
  }

  /// The total of all bins, in units of the first. More than half of such a unit is carried to the
  /// bin before: the rest is less than anything in a bin before it that is not zero.
  node_id total_of(std::vector<node_id> sums) {
    node_id finer = number(0);
    for (std::size_t bin = sums.size() - 1; bin > 0; --bin) {
      const node_id half = apply(op::add, {sums[bin], wide(bin_width() / 2)});
      const node_id carried = apply(op::shift_right, {half, wide(room_)});
      sums[bin - 1] = apply(op::add, {sums[bin - 1], carried});
      const node_id left =
          apply(op::subtract, {sums[bin], apply(op::shift_left, {carried, wide(room_)})});
      finer = apply(op::multiply, {apply(op::add, {b_.cast(left, dtype::float64), finer}),
                                   number(1 / bin_width())});
    }
    const node_id near = b_.cast(sums[0], dtype::float64);
    const node_id cut = apply(op::subtract, {sums[0], b_.cast(near, dtype::int64)});
    return apply(op::add, {near, apply(op::add, {b_.cast(cut, dtype::float64), finer})});
  }

  /// The value that counted infinities stand for.
  node_id special_of(node_id sum) {
    const double infinite = std::numeric_limits<double>::infinity();
    const node_id low = apply(op::bitwise_and, {sum, wide(counter - 1)});
    const node_id both = apply(op::logical_and, {apply(op::greater, {sum, wide(counter)}),
                                                 apply(op::not_equal, {low, wide(0)})});
    const node_id one = apply(
        op::where, {apply(op::less, {sum, wide(counter)}), number(infinite), number(-infinite)});
    return apply(op::where, {both, number(std::numeric_limits<double>::quiet_NaN()), one});
  }

  /// Computed per place, not per value: there are mostly fewer places.
  node_id result(node_id largest, const std::vector<node_id>& sums) {
    const node_id finite = apply(op::ldexp, {total_of(sums), apply(op::negative, {up(largest)})});
    const node_id wild = apply(op::equal, {largest, whole(special)});
    const node_id all = apply(op::where, {wild, special_of(sums[0]), finite});
    const node_id base = n_.inputs[0];
    const node_id there = apply(op::add, {b_.cast(base, dtype::float64), all});
    return apply(op::where, {nothing(largest, sums), base, b_.cast(there, n_.type)});
  }

  graph_builder& b_;
  const node& n_;
  shape_t places_;
  node_id index_;
  int bins_;
  bool windowed_;
  int room_;
  node_id together_ = -1, largest_ = -1;  // if windowed
};

}  // namespace

graph sum_places(const graph& g, const machine& m) {
  if (m.target != target::gpu) return g;
  return replaced(g, is_summed, [](graph_builder& b, const node&, node copy) {
    return summation(b, copy).run();
  });
}

}  // namespace sinter::ir
