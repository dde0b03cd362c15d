#include "ir/passes/read_in_place.hpp"

#include <optional>

#include "ir/index_expr.hpp"
#include "ir/product.hpp"

namespace sinter::ir {
namespace {

bool is_op(const node& n, op code) {
  return n.kind == node_kind::map && n.program.code.size() == 1 && n.program.code[0].code == code;
}

/// How an operand is read: from which node, with which strides.
struct reading {
  node_id array;
  index_expr at;  // over the operand's shape
  bool conjugate = false;
  bool widened = false;  // through a cast from halves to float32
};

/// Looks through views, conjugates and (if asked) casts of halves, as long as the access stays
/// affine.
reading look_through(const graph& g, node_id operand, bool casts) {
  const shape_t& shape = g[operand].shape;
  reading a{operand, dense(shape)};
  for (;;) {
    const node& n = g[a.array];
    const bool same = !n.inputs.empty() && g[n.inputs[0]].shape == n.shape;
    if (same && is_op(n, op::conj)) {
      a.conjugate = !a.conjugate;
      a.array = n.inputs[0];
      continue;
    }
    if (casts && same && is_op(n, op::cast) && is_half(g[n.inputs[0]].type)) {
      a.widened = true;
      a.array = n.inputs[0];
      continue;
    }
    // A scalar is passed by value: there is no array to read in place.
    if (n.kind != node_kind::view || g[n.inputs[0]].kind == node_kind::scalar) return a;
    const auto through = compose(a.at, shape, n.shape, n.map);
    if (!through || !through->affine()) return a;
    a.at = *through;
    a.array = n.inputs[0];
  }
}

/// The stride between the matrices of a batch, if there is a single one.
std::optional<extent> batch_step(const shape_t& shape, const index_expr& at) {
  std::optional<extent> step;
  extent inner = 1;  // matrices in the axes seen so far
  for (std::size_t d = shape.size() - 2; d-- > 0;) {
    if (shape[d] == 1) continue;
    if (!step) {
      step = at.stride(d);
    } else if (at.stride(d) != *step * inner) {
      return std::nullopt;
    }
    inner *= shape[d];
  }
  return step ? step : extent{0};
}

/// The operand as BLAS takes it: rows or columns of contiguous elements, walked forwards.
std::optional<matmul_operand> taken(const shape_t& shape, const reading& a) {
  const std::size_t rank = shape.size();
  const extent rows = shape[rank - 2], columns = shape[rank - 1];
  const extent down = rows > 1 ? a.at.stride(rank - 2) : extent(0);
  const extent along = columns > 1 ? a.at.stride(rank - 1) : extent(0);
  const auto batch = batch_step(shape, a.at);
  if (!batch || *batch < 0) return std::nullopt;
  matmul_operand x{a.at.offset, 0, *batch, false, a.conjugate};
  const bool by_rows = (columns <= 1 || along == 1) && (rows <= 1 || down >= columns);
  if (by_rows) {
    x.leading = rows > 1 ? down : columns;
    return x;
  }
  const bool by_columns = (rows <= 1 || down == 1) && (columns <= 1 || along >= rows);
  if (!by_columns) return std::nullopt;
  x.transpose = true;
  x.leading = columns > 1 ? along : rows;
  return x;
}

class reader {
 public:
  reader(const graph& g, const machine& m) : in_(g), m_(m) { out_.origins = g.origins; }

  graph run() {
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      if (n.kind == node_kind::call && n.routine == "matmul" && size_of(n.shape) > 0) {
        product(copy);
      }
      id_.push_back(out_.add(std::move(copy)));
    }
    for (node_id o : in_.outputs) out_.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    return std::move(out_);
  }

 private:
  void product(node& n) {
    matmul_form f = matmul_form_of(out_[n.inputs[0]].shape, out_[n.inputs[1]].shape, n.attributes);
    if (n.type == dtype::float32 && halves(n, f)) {
      n.attributes = attributes_of(f);
      return;
    }
    const bool a = operand(n.inputs[0], f.a), b = operand(n.inputs[1], f.b);
    if (a || b) n.attributes = attributes_of(f);
  }

  bool operand(node_id& input, matmul_operand& x) const {
    const reading through = look_through(out_, input, false);
    const auto read = taken(out_[input].shape, through);
    if (through.array == input || !read) return false;
    input = through.array;
    x = *read;
    return true;
  }

  /// float32(a) @ float32(b) of halves is the product of halves accumulated in float32, which the
  /// tensor cores of a GPU, and some CPUs, compute.
  bool halves(node& n, matmul_form& f) const {
    const reading a = look_through(out_, n.inputs[0], true),
                 b = look_through(out_, n.inputs[1], true);
    if (!a.widened || !b.widened || out_[a.array].type != out_[b.array].type) return false;
    if (!m_.multiplies(out_[a.array].type)) return false;
    const auto left = taken(out_[n.inputs[0]].shape, a), right = taken(out_[n.inputs[1]].shape, b);
    if (!left || !right) return false;
    f.a = *left;
    f.b = *right;
    n.inputs = {a.array, b.array};
    return true;
  }

  const graph& in_;
  const machine& m_;
  graph out_;
  std::vector<node_id> id_;
};

}  // namespace

graph read_in_place(const graph& g, const machine& m) {
  return m.fuse ? reader(g, m).run() : g;
}

}  // namespace sinter::ir
