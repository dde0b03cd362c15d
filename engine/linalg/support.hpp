#pragma once
// What the functions of sn::linalg share: stacks of matrices, checks of calls, and elementwise
// pieces of compositions.

#include <string_view>
#include <vector>

#include <sinter/linalg.hpp>

#include "engine/evaluation/checks.hpp"
#include "engine/nodes/node.hpp"

namespace sinter::detail {

using extents = std::vector<std::int64_t>;

/// A function of sn::linalg while it runs: its name and its caller, for errors.
struct routine {
  std::string_view name;
  location where;

  [[noreturn]] void refuse_shape(const any_array& x, const std::string& why) const;

  /// x in a type that the libraries support: integers and bool as float64. Throws dtype_error for
  /// half types, shape_error for fewer than two axes.
  any_array matrices(const any_array& x) const;
  /// matrices(x), which must be square.
  any_array square(const any_array& x) const;

  // ---- elementwise; operands broadcast
  any_array op(ir::op code, std::initializer_list<any_array> arguments) const {
    return make_op(code, arguments, where);
  }
  any_array constant(double value, dtype type) const;
  any_array imaginary_unit(dtype type) const;
  any_array as(const any_array& x, dtype type) const { return make_cast(x, type, where); }
  any_array times(const any_array& a, const any_array& b) const {
    return op(ir::op::multiply, {a, b});
  }
  any_array absolute(const any_array& x) const { return op(ir::op::abs, {x}); }
  /// |x|^2, real.
  any_array squared(const any_array& x) const;
  any_array conjugate(const any_array& x) const {
    return is_complex(x.dtype()) ? op(ir::op::conj, {x}) : x;
  }
  any_array choose(const any_array& condition, const any_array& a, const any_array& b) const {
    return op(ir::op::where, {condition, a, b});
  }
  any_array reduce(const any_array& x, ir::op code, std::vector<int> axes) const;
  /// Over the last axis, or the last two.
  any_array reduce_last(const any_array& x, ir::op code, int count = 1) const;
  any_array expand(const any_array& x, std::int64_t axis) const;

  // ---- views
  /// The last two axes swapped.
  any_array swapped(const any_array& x) const;
  any_array adjoint(const any_array& x) const { return conjugate(swapped(x)); }
  /// min(rows, columns) elements of each matrix.
  any_array diagonal(const any_array& x, std::int64_t offset = 0) const;
  /// The elements [first, last) along an axis.
  any_array part(const any_array& x, int axis, std::int64_t first, std::int64_t last) const;
  any_array element(const any_array& x, int axis, std::int64_t at) const;
  any_array broadcast(const any_array& x, const extents& shape) const {
    return make_broadcast(x, shape, name, where);
  }
  any_array reshape(const any_array& x, const extents& shape) const {
    return make_reshape(x, shape, where);
  }

  // ---- matrices computed from indices
  any_array rows_of(std::int64_t rows) const;        // (rows, 1), int64: 0 1 2 ...
  any_array columns_of(std::int64_t columns) const;  // (columns), int64
  any_array eye(std::int64_t rows, std::int64_t columns, dtype type) const;
  any_array zeros(const extents& shape, dtype type) const;
  /// x where row - column >= -k (lower) or <= -k (upper), else 0.
  any_array lower(const any_array& x, std::int64_t k = 0) const;
  any_array upper(const any_array& x, std::int64_t k = 0) const;

  // ---- products
  any_array product(const any_array& a, const any_array& b) const;

  // ---- checks
  using raise_function = void (*)(std::span<const std::int32_t>, const check&);
  std::shared_ptr<check> deferred(const any_array& status, raise_function raise) const;
};

/// The shape before the last `axes` axes, followed by `last`.
extents shape_with(const any_array& x, int axes, std::initializer_list<std::int64_t> last);

/// The batch axes.
inline extents in_front(const any_array& a) {
  return shape_with(a, 2, {});
}
/// The shape of column-major matrices after the batch axes: (..., columns, rows).
inline extents column_shape(const any_array& a, std::int64_t rows, std::int64_t columns) {
  return shape_with(a, 2, {columns, rows});
}

/// "the matrix" or "matrix 3 of the batch", for the first status that is not 0.
std::string which_matrix(std::span<const std::int32_t> statuses, const check&);
std::int32_t first_status(std::span<const std::int32_t> statuses);

// The meaning of a nonzero status.
void raise_not_positive(std::span<const std::int32_t>, const check&);
void raise_singular(std::span<const std::int32_t>, const check&);
void raise_no_convergence(std::span<const std::int32_t>, const check&);

/// Attaches the same check to all of them.
template <class... Arrays>
void attach_to(const std::shared_ptr<check>& c, const Arrays&... arrays) {
  (attach(arrays, c), ...);
}

/// Right-hand sides in the libraries' layout.
struct right_sides {
  any_array columns;  // (..., k, n): column-major
  bool vector = false;
  any_array restore(const routine&, const any_array& solved) const;
};
/// b against matrices (..., n, n), a vector being one column; batch axes broadcast. Throws
/// shape_error.
right_sides align_right_sides(const routine&, const any_array& a, const any_array& b);

/// x with a x = b; NaN if a has one, and a zero pivot is an error when read. Without `checks`
/// neither is tested.
any_array solve_general(const routine&, const any_array& a, const any_array& b, bool checks = true);
/// The same with the identity as b.
any_array inverse(const routine&, const any_array& a);

/// The first k columns of Q, column-major, from reflectors as "geqrf" leaves them (column-major,
/// (..., n, m); elements on and above the diagonal are ignored) and their factors: products of
/// stacks, where LAPACK's routine is one call per matrix.
any_array q_by_products(const routine&, const any_array& reflectors, const any_array& tau,
                        std::int64_t k);

inline std::int64_t rows_in(const any_array& x) {
  return x.shape(-2);
}
inline std::int64_t columns_in(const any_array& x) {
  return x.shape(-1);
}

/// The singularity status of LU factors; on a GPU none for a non-finite matrix: its library takes a
/// NaN pivot for zero, where LAPACK continues.
any_array singular_where_finite(const routine&, const any_array& a, const any_array& status);

/// The value, with NaN wherever its matrix has one: libraries differ in how they treat NaN. `axes`:
/// how many axes of the value belong to the matrix.
any_array with_nans_of(const routine&, const any_array& a, const any_array& value, int axes);

/// The same for results of LU factors, whose `status` a GPU's library also sets when it stops at
/// infinities: its output is then undefined.
any_array with_nans_of(const routine&, const any_array& a, const any_array& status,
                       const any_array& value, int axes);

}  // namespace sinter::detail
