#pragma once
// Linear algebra: sn::matmul, and sn::linalg with NumPy's names (SciPy's for lu, solve_triangular,
// expm, null_space). Everything is lazy and works on stacks of matrices: the last two axes are the
// matrix, the leading axes the stack.
//
// dtype: unless a function says otherwise, sn::linalg keeps float, double and complex types and
// converts integers and bool to double; half types throw dtype_error. Failures that LAPACK detects
// only during the computation (a singular matrix, no convergence) throw linalg_error where a
// dependent value is read; other arrays stay usable.

#include <limits>
#include <optional>
#include <utility>

#include <sinter/arguments.hpp>

namespace sinter {

/// The order of a norm: a number ("the sum of |x|^p"), infinity, "fro", "nuc"; none: NumPy's
/// default.
struct norm_order {
  enum class kind : std::uint8_t { standard, number, frobenius, nuclear };
  norm_order() = default;
  norm_order(double exponent) : what(kind::number), p(exponent) {}
  norm_order(int exponent) : norm_order(static_cast<double>(exponent)) {}
  /// Throws value_error for any other word.
  norm_order(const char* name, location where = location::current());
  kind what = kind::standard;
  double p = 2;
};

/// The precision of float32 (and complex64) products: IEEE, or from operands rounded to fewer bits
/// and accumulated in float32. TF32 keeps 10 bits after the leading one, bfloat16 7, float16 10
/// with a smaller range.
enum class matmul_mode : std::uint8_t { ieee, tf32, bfloat16, float16 };

/// How sn::fft transforms real numbers of half types: in float32, or in half precision where the
/// device supports it (on a GPU, along last axes whose lengths are powers of two). Spectra are
/// complex64 either way. In half precision they are accurate to 3 digits (bfloat16: 2), and
/// infinite where sums exceed 65504 (float16).
enum class fft_mode : std::uint8_t { wide, half };

/// Members that are not set leave the mode unchanged.
struct precision_options {
  std::optional<matmul_mode> matmul = {};
  std::optional<fft_mode> fft = {};
};

namespace detail {
struct precision_modes {
  matmul_mode matmul = matmul_mode::ieee;
  fft_mode fft = fft_mode::wide;
};
precision_modes& thread_precision();  // the modes the calling thread records with
}  // namespace detail

/// While it lives, the calling thread records products and transforms in the given modes. A device
/// without a mode reports that once, and computes in IEEE precision, or in float32. Without a scope
/// products are IEEE, or TF32 with SINTER_TF32=1, and transforms are wide.
/// `auto scope = sn::precision({.matmul = sn::matmul_mode::tf32});`
class [[nodiscard]] precision {
 public:
  explicit precision(const precision_options& options) : previous_(detail::thread_precision()) {
    detail::precision_modes& now = detail::thread_precision();
    now = {options.matmul.value_or(now.matmul), options.fft.value_or(now.fft)};
  }
  ~precision() { detail::thread_precision() = previous_; }
  precision(const precision&) = delete;
  precision& operator=(const precision&) = delete;

 private:
  detail::precision_modes previous_;
};

namespace linalg {

inline constexpr double inf = std::numeric_limits<double>::infinity();

struct cholesky_options {
  bool upper = false;  // R^H R, from the upper triangle
};
enum class qr_mode : std::uint8_t { reduced, complete, r };
struct qr_options {
  sinter::detail::worded<qr_mode> mode = qr_mode::reduced;
};
struct svd_options {
  bool full_matrices = true;
};
struct eigh_options {
  bool upper = false;  // whether the upper triangle is read
};
struct triangular_options {
  bool lower = false;
  enum class transposition : std::uint8_t { none, transpose, adjoint };
  sinter::detail::worded<transposition> trans = transposition::none;  // SciPy's words: N, T, C
  bool unit_diagonal = false;
};
struct cutoff_options {
  std::optional<double> rtol = {};  // none: max(rows, columns) times epsilon
};
struct rank_options {
  std::optional<double> tol = {};   // absolute
  std::optional<double> rtol = {};  // relative to the largest; none: max(rows, columns) * epsilon
};
struct norm_options {
  norm_order ord = {};
  axis_list axis = {};
  bool keepdims = false;
};
struct matrix_norm_options {
  norm_order ord = "fro";
  bool keepdims = false;
};

}  // namespace linalg

namespace detail {

template <>
inline constexpr enum_words option_words<linalg::qr_mode> = {"qr_mode", "reduced, complete, r"};
template <>
inline constexpr enum_words option_words<linalg::triangular_options::transposition> = {
    "transposition", "N, T, C"};

any_array matmul(const any_array& a, const any_array& b, location where = location::current());

constexpr dtype linalg_type(dtype t) {
  return is_inexact(t) ? t : dtype::float64;
}
constexpr dtype complex_of(dtype t) {
  if (is_complex(t)) return t;
  return t == dtype::float32 ? dtype::complex64 : dtype::complex128;
}

/// Up to four results, in the order that the functions document.
struct results {
  any_array a, b, c, d;
};

namespace la = sinter::linalg;

any_array cholesky(const any_array& a, const la::cholesky_options&, location);
results lu_factor(const any_array& a, location);
results lu(const any_array& a, location);
any_array lu_solve(const any_array& lu, const any_array& pivots, const any_array& b, location);
results qr(const any_array& a, const la::qr_options&, location);
results svd(const any_array& a, bool full, location);
any_array svdvals(const any_array& a, location);
results eigh(const any_array& a, const la::eigh_options&, location);
any_array eigvalsh(const any_array& a, const la::eigh_options&, location);
results eig(const any_array& a, location);
any_array eigvals(const any_array& a, location);
any_array solve(const any_array& a, const any_array& b, location);
any_array solve_triangular(const any_array& a, const any_array& b, const la::triangular_options&,
                           location);
results lstsq(const any_array& a, const any_array& b, const la::cutoff_options&, location);
any_array inv(const any_array& a, location);
any_array pinv(const any_array& a, const la::cutoff_options&, location);
any_array det(const any_array& a, location);
results slogdet(const any_array& a, location);
any_array matrix_rank(const any_array& a, const la::rank_options&, location);
any_array matrix_power(const any_array& a, std::int64_t n, location);
any_array norm(const any_array& x, const la::norm_options&, location);
any_array matrix_norm(const any_array& x, const la::matrix_norm_options&, location);
any_array vector_norm(const any_array& x, const la::norm_options&, location);
any_array cond(const any_array& x, norm_order p, location);
any_array expm(const any_array& a, location);
any_array null_space(const any_array& a, const la::cutoff_options&, location);
any_array cross(const any_array& a, const any_array& b, std::int64_t axis, location);
any_array trace(const any_array& a, std::int64_t offset, location);
any_array multi_dot(const std::vector<any_array>& chain, location);
any_array tensorsolve(const any_array& a, const any_array& b, location);
any_array tensorinv(const any_array& a, std::int64_t ind, location);

template <class X> inline constexpr dtype solved_type = linalg_type(dtype_of_argument<X>);

/// The operands of sn::linalg: any dtype except half types.
template <class X>
concept solvable = expression<X> && !is_half(dtype_of_argument<X>);
/// The dtype in which a system with two operands is solved.
template <class A, class B>
inline constexpr dtype solved_with = linalg_type(promote(solved_type<A>, solved_type<B>));

template <dtype T> array<element_of<T>> typed(any_array x, location where) {
  return array<element_of<T>>(std::move(x), where);
}

}  // namespace detail

using detail::matmul;  // for arrays whose dtype is known only at run time

/// The matrix product: (..., m, k) and (..., k, n) give (..., m, n); the leading axes broadcast. A
/// vector is a row on the left or a column on the right, and leaves no axis. dtype: the promotion
/// of both. Throws shape_error. On a GPU a following scale, addend, bias, relu or gelu may be
/// applied to the sums before they are rounded. `matmul(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto matmul(A&& a, B&& b, location where = location::current()) {
  using R = element_of<promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<B>)>;
  return array<R>(detail::matmul(detail::to_any(std::forward<A>(a), where),
                                 detail::to_any(std::forward<B>(b), where), where));
}

}  // namespace sinter

#include <sinter/linalg_factor.hpp>
#include <sinter/linalg_solve.hpp>
