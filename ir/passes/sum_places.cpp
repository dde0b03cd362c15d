#include "ir/passes/sum_places.hpp"

#include <limits>
#include <utility>

#include "ir/graph_builder.hpp"

namespace sinter::ir {
namespace {

// How a double writes its numbers: |x| < 2^(exponent - bias), and `special` is what infinities and
// NaN have in place of an exponent.
constexpr int digits = 52, bias = 1022, special = 2047;

/// Infinities are counted: positive ones low, negative ones high, and a NaN is both.
constexpr double counter = 2147483648.0;

bool is_summed(const node& n) {
  return n.kind == node_kind::scatter && n.reduction.summed;
}

/// Bits in which so many may be counted: a few classes of plans, not one a length.
int bits_of(extent n) {
  int bits = 4;
  while (!(n < std::int64_t{1} << bits)) bits += 4;
  return bits;
}

/// Sums of integers with one bin, as in Demmel and Nguyen, Fast Reproducible Floating-Point
/// Summation, 2013; with a second bin for doubles.
class summation {
 public:
  summation(graph_builder& b, const node& n)
      : b_(b),
        n_(n),
        places_(n.shape),
        index_(n.inputs[1]),
        narrow_(was_float(n.inputs[2])),
        room_(61 - bits_of(size_of(b.out[index_].shape))) {}

  node_id run() {
    const node_id value = b_.cast(n_.inputs[2], dtype::float64);
    const node_id largest = largest_exponents(value);
    const node_id near = b_.gather(largest, index_, n_.map);
    const node_id wild = apply(op::equal, {near, whole(special)});
    const node_id scaled = apply(op::ldexp, {value, up(near)});
    const node_id high = apply(op::round, {scaled});
    const node_id sum =
        added(apply(op::where, {wild, counted(value), b_.cast(high, dtype::int64)}));
    node_id total = b_.cast(sum, dtype::float64);
    if (!narrow_) {
      const node_id rest = apply(op::ldexp, {apply(op::subtract, {scaled, high}), whole(room_)});
      const node_id low = b_.cast(apply(op::round, {rest}), dtype::int64);
      total = with_rest(sum, total, added(apply(op::where, {wild, wide(0), low})));
    }
    return result(largest, sum, total);
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

  node_id apply(op code, std::vector<node_id> in) { return b_.apply(code, std::move(in)); }
  node_id whole(int v) { return b_.constant(dtype::int32, v); }
  node_id wide(double v) { return b_.constant(dtype::int64, v); }
  node_id number(double v) { return b_.constant(dtype::float64, v); }

  node_id scattered(op code, node_id at_first, node_id value) {
    const node_id where = n_.inputs.size() > 3 ? n_.inputs[3] : -1;
    return b_.scatter(code, b_.spread(at_first, places_), index_, value, where, n_.map);
  }
  node_id added(node_id units) { return scattered(op::add, wide(0), units); }

  /// Of each place the largest exponent of its values; -1: nothing comes here. Wrong indices are
  /// reported by this scatter, for all.
  node_id largest_exponents(node_id value) {
    const node_id bits = b_.bitcast(value, dtype::uint64);
    const node_id shifted =
        apply(op::shift_right, {bits, b_.constant(dtype::uint64, digits)});
    const node_id exponent =
        apply(op::bitwise_and, {shifted, b_.constant(dtype::uint64, special)});
    const node_id made = scattered(op::maximum, whole(-1), b_.cast(exponent, dtype::int32));
    for (std::size_t k = 4; k < n_.inputs.size(); ++k) {
      b_.out[made].inputs.push_back(n_.inputs[k]);
    }
    b_.out[made].value[0] = n_.value[0];
    return made;
  }

  /// By what values are multiplied so that their sums stay below 2^61.
  node_id up(node_id largest) {
    return apply(op::subtract, {whole(room_ + bias), largest});
  }

  node_id counted(node_id value) {
    const double infinite = std::numeric_limits<double>::infinity();
    const node_id below = apply(
        op::where, {apply(op::equal, {value, number(-infinite)}), wide(counter), wide(0)});
    const node_id finite_or = apply(
        op::where, {apply(op::equal, {value, number(infinite)}), wide(1), below});
    return apply(op::where,
                 {apply(op::not_equal, {value, value}), wide(counter + 1), finite_or});
  }

  /// The sum of what the first units left over, and of what a double does not hold of the first
  /// sum.
  node_id with_rest(node_id sum, node_id total, node_id low) {
    const node_id cut = b_.cast(
        apply(op::subtract, {sum, b_.cast(total, dtype::int64)}), dtype::float64);
    const node_id finer =
        apply(op::ldexp, {b_.cast(low, dtype::float64), whole(-room_)});
    return apply(op::add, {total, apply(op::add, {cut, finer})});
  }

  /// What counted infinities come to.
  node_id special_of(node_id sum) {
    const double infinite = std::numeric_limits<double>::infinity();
    const node_id low = apply(op::bitwise_and, {sum, wide(counter - 1)});
    const node_id both = apply(op::logical_and, {apply(op::greater, {sum, wide(counter)}),
                                                 apply(op::not_equal, {low, wide(0)})});
    const node_id one = apply(op::where, {apply(op::less, {sum, wide(counter)}),
                                          number(infinite), number(-infinite)});
    return apply(op::where, {both, number(std::numeric_limits<double>::quiet_NaN()), one});
  }

  /// Over the places, not over the values: there are mostly fewer of them.
  node_id result(node_id largest, node_id sum, node_id total) {
    const node_id finite = apply(op::ldexp, {total, apply(op::negative, {up(largest)})});
    const node_id wild = apply(op::equal, {largest, whole(special)});
    const node_id all = apply(op::where, {wild, special_of(sum), finite});
    const node_id base = n_.inputs[0];
    const node_id there = apply(op::add, {b_.cast(base, dtype::float64), all});
    const node_id none = apply(op::less, {largest, whole(0)});
    return apply(op::where, {none, base, b_.cast(there, n_.type)});
  }

  graph_builder& b_;
  const node& n_;
  shape_t places_;
  node_id index_;
  bool narrow_;
  int room_;
};

}  // namespace

graph sum_places(const graph& g, const machine& m) {
  if (m.target != target::gpu) return g;
  return replaced(g, is_summed, [](graph_builder& b, const node&, node copy) {
    return summation(b, copy).run();
  });
}

}  // namespace sinter::ir
