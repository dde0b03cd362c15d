#include "ir/passes/long_arg.hpp"

#include <algorithm>
#include <limits>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/fuse.hpp"

namespace sinter::ir {

namespace {

class arg_rewriter {
 public:
  arg_rewriter(graph& out, const node& n) : out_(out), n_(n), x_(n.inputs[0]) {}

  /// min over where(x == extremum || x != x, index, last): a NaN anywhere makes the extremum NaN,
  /// and then only NaN elements match.
  node_id run() {
    const shape_t shape = out_[x_].shape;
    const dtype t = out_[x_].type;
    const node_id best = spread(reduced(x_, n_.reduction.code, t), shape);
    node_id hit = map(op::equal, t, dtype::bool_, {x_, best}, shape);
    if (is_real(t)) {
      const node_id nan = map(op::not_equal, t, dtype::bool_, {x_, x_}, shape);
      hit = map(op::logical_or, dtype::bool_, dtype::bool_, {hit, nan}, shape);
    }
    const dtype u = dtype::uint64;
    const node_id place = map(op::cast, dtype::int64, u, {index(shape)}, shape);
    const node_id zero = map(op::bitwise_xor, u, u, {place, place}, shape);
    const node_id nowhere = map(op::bitwise_invert, u, u, {zero}, shape);
    const node_id at = map(op::where, u, u, {hit, place, nowhere}, shape);
    return map(op::cast, u, dtype::int64, {reduced(at, op::minimum, u)}, n_.shape);
  }

 private:
  node_id map(op code, dtype type, dtype result, std::vector<node_id> in, const shape_t& shape) {
    node m;
    m.kind = node_kind::map;
    m.type = result;
    m.shape = shape;
    m.origin = n_.origin;
    instruction i{code, type, result, {-1, -1, -1}};
    for (std::size_t k = 0; k < in.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      m.program.inputs.push_back(out_[in[k]].type);
    }
    m.program.code = {i};
    m.inputs = std::move(in);
    return out_.add(std::move(m));
  }

  node_id reduced(node_id x, op code, dtype t) {
    node r;
    r.kind = node_kind::reduce;
    r.type = t;
    r.shape = n_.shape;
    r.inputs = {x};
    r.reduction = n_.reduction;
    r.reduction.code = code;
    r.reduction.arg = false;
    r.origin = n_.origin;
    return out_.add(std::move(r));
  }

  node_id spread(node_id r, const shape_t& shape) {
    node v;
    v.kind = node_kind::view;
    v.type = out_[r].type;
    v.shape = shape;
    v.inputs = {r};
    const auto strides = dense_strides(out_[r].shape);
    std::size_t k = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      v.map.strides.push_back(is_reduced(i) ? extent(0) : strides[k++]);
    }
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  /// The row-major index among the reduced axes: an iota over them, broadcast to the whole shape.
  node_id index(const shape_t& shape) {
    node i;
    i.kind = node_kind::iota;
    i.type = dtype::int64;
    for (int a : n_.reduction.axes) i.shape.push_back(shape[static_cast<std::size_t>(a)]);
    i.origin = n_.origin;
    const auto strides = dense_strides(i.shape);
    node v;
    v.kind = node_kind::view;
    v.type = dtype::int64;
    v.shape = shape;
    std::size_t k = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      v.map.strides.push_back(is_reduced(d) ? strides[k++] : extent(0));
    }
    v.inputs = {out_.add(std::move(i))};
    v.origin = n_.origin;
    return out_.add(std::move(v));
  }

  bool is_reduced(std::size_t axis) const {
    const auto& a = n_.reduction.axes;
    return std::find(a.begin(), a.end(), static_cast<int>(axis)) != a.end();
  }

  graph& out_;
  const node& n_;
  node_id x_;
};

/// The most positions that fit beside a key of 32 bits.
constexpr std::int64_t most_places = std::int64_t{1} << 32;

/// Packs a value and its position into one word, the least of which is that of the first extremum:
/// one walk instead of two, for an extremum and then its position. NaN precedes all others, as in
/// NumPy, and -0 equals 0.
class word_rewriter {
 public:
  word_rewriter(graph_builder& b, const node& n) : b_(b), n_(n) { b_.origin = n.origin; }

  node_id run() {
    const node_id x = n_.inputs[0];
    const shape_t shape = b_.out[x].shape;
    const node_id key = b_.cast(is_inexact(b_.out[x].type) ? of_float(x) : of_integer(x),
                                dtype::uint64);
    const node_id high = b_.apply(op::bitwise_left_shift, {key, b_.constant(dtype::uint64, 32)});
    const node_id word = b_.apply(op::bitwise_or, {high, b_.cast(place(shape), dtype::uint64)});
    const node_id least = b_.reduce(word, op::minimum, n_.reduction.axes);
    const node_id low = b_.constant(dtype::uint64, static_cast<double>(most_places - 1));
    return b_.cast(b_.apply(op::bitwise_and, {least, low}), dtype::int64);
  }

 private:
  bool most() const { return n_.reduction.code == op::maximum; }

  /// A key from a float's bits: those of negative numbers fall as the numbers rise.
  node_id of_float(node_id x) {
    const node_id f = b_.cast(x, dtype::float32);
    const node_id zero = b_.constant(dtype::float32, 0);
    const node_id bits = b_.bitcast(b_.apply(op::add, {f, zero}), dtype::int32);
    const node_id sign =
        b_.apply(op::bitwise_right_shift, {bits, b_.constant(dtype::int32, 31)});
    const node_id low = b_.apply(op::bitwise_and,
                                 {sign, b_.constant(dtype::int32, 0x7fffffff)});
    const node_id up = b_.apply(op::bitwise_xor, {bits, low});  // in the floats' order
    const node_id key = b_.apply(op::bitwise_xor,
                                 {b_.bitcast(up, dtype::uint32),
                                  b_.constant(dtype::uint32, most() ? 0x7fffffff : 0x80000000)});
    const node_id nan = b_.apply(op::not_equal, {f, f}), first = b_.constant(dtype::uint32, 0);
    return b_.choose(nan, b_.spread(first, b_.out[x].shape), key);
  }

  node_id of_integer(node_id x) {
    const bool wide = b_.out[x].type == dtype::uint32;
    const node_id i = b_.cast(x, dtype::int64);
    const node_id end = b_.constant(dtype::int64, most() ? (wide ? 0xffffffff : 0x7fffffff)
                                                         : (wide ? 0 : 0x80000000));
    return most() ? b_.apply(op::subtract, {end, i}) : b_.apply(op::add, {i, end});
  }

  /// The row-major index among the reduced axes.
  node_id place(const shape_t& shape) {
    shape_t along;
    for (int a : n_.reduction.axes) along.push_back(shape[static_cast<std::size_t>(a)]);
    const auto steps = dense_strides(along);
    extent_list strides(std::vector<extent>(shape.size(), extent(0)));
    for (std::size_t k = 0; k < along.size(); ++k) {
      strides[static_cast<std::size_t>(n_.reduction.axes[k])] = steps[k];
    }
    return b_.view(b_.count(size_of(along)), shape, strides);
  }

  graph_builder& b_;
  const node& n_;
};

/// A GPU computes the words while memory moves. (Not tried on a CPU.)
bool fits_words(const graph& g, const node& n, const machine& m) {
  const node& x = g[n.inputs[0]];
  return m.target == target::gpu && !is_complex(x.type) && size_of(x.type) <= 4 &&
         size_of(x.shape) <= extent(most_places);
}

}  // namespace

graph long_arg(const graph& g, const machine& m) {
  const auto wanted = [&](const node& n) {
    if (n.kind != node_kind::reduce || !n.reduction.arg) return false;
    return needs_split(m, g, n);
  };
  return replaced(g, wanted, [&](graph_builder& b, const node& n, node copy) {
    if (fits_words(g, n, m)) return word_rewriter(b, copy).run();
    return arg_rewriter(b.out, copy).run();
  });
}

}  // namespace sinter::ir
