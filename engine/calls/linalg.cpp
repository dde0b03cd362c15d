// Factorisations and solvers. The matrices of these calls are column-major: as arrays, (...,
// columns, rows). Output 0 of a call that can fail is its status, one int32 per matrix.
#include <cstring>
#include <memory>

#include "engine/calls/calls.hpp"
#include "engine/nodes/elements.hpp"
#include "runtime/solver.hpp"

namespace sinter::detail {
namespace {

runtime::matrices matrices_of(const ir::shape_t& s, dtype type, void* data) {
  runtime::matrices m;
  m.type = element_type(type);
  m.columns = s[s.size() - 2];
  m.rows = s[s.size() - 1];
  for (std::size_t i = 0; i + 2 < s.size(); ++i) m.batch *= s[i];
  m.data = data;
  return m;
}

/// Memory for an output that the library writes but the plan does not need.
class work_area {
 public:
  explicit work_area(const call_site& c) : call_(c) {}

  void* allocate(std::size_t bytes) {
    held_.push_back(call_.device.allocate(bytes));
    return held_.back()->data();
  }

  std::int32_t* status(std::int64_t batch) {
    void* wanted = call_.outputs[0];
    if (!wanted) wanted = allocate(static_cast<std::size_t>(batch) * sizeof(std::int32_t));
    return static_cast<std::int32_t*>(wanted);
  }

  /// A writable copy of an input: in the memory of an output, else in scratch memory.
  void* writable(std::size_t input, std::size_t output) {
    const auto count = static_cast<std::size_t>(ir::size_of(call_.input_shape(input)));
    const std::size_t bytes = count * size_of(call_.input_type(input));
    runtime::buffer* to = output < call_.outputs.size() ? call_.output_buffers[output] : nullptr;
    if (!to) {
      held_.push_back(call_.device.allocate(bytes));
      to = held_.back().get();
    }
    runtime::buffer* from = call_.input_buffers[input];
    if (to != from) call_.device.copy(*to, 0, *from, 0, bytes);
    return to->data();
  }

 private:
  const call_site& call_;
  std::vector<std::shared_ptr<runtime::buffer>> held_;
};

runtime::matrices input_matrices(const call_site& c, std::size_t i, void* data) {
  return matrices_of(c.input_shape(i), c.input_type(i), data);
}

void* output(const call_site& c, std::size_t i) {
  return i < c.outputs.size() ? c.outputs[i] : nullptr;
}

std::size_t real_size(dtype t) {
  return size_of(real_of(t));
}

/// (a) -> status, factor. Attributes: triangle.
void potrf(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 1));
  c.device.factorisations().cholesky(a, static_cast<runtime::triangle>(c.attribute(0)),
                                     w.status(a.batch));
}

/// (a) -> status, factors, pivots.
void getrf(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 1));
  void* pivots = output(c, 2);
  if (!pivots) {
    pivots = w.allocate(static_cast<std::size_t>(a.batch * std::min(a.rows, a.columns)) * 4);
  }
  c.device.factorisations().lu(a, static_cast<std::int32_t*>(pivots), w.status(a.batch));
}

/// (factors, pivots, b) -> x. Attributes: transposition, and whether x is an inverse.
void getrs(const call_site& c) {
  work_area w(c);
  const auto b = input_matrices(c, 2, w.writable(2, 0));
  c.device.factorisations().lu_solve(input_matrices(c, 0, c.inputs[0]),
                                     static_cast<const std::int32_t*>(c.inputs[1]), b,
                                     static_cast<runtime::transposition>(c.attribute(0)));
}

/// (a) -> status, inverse.
void matinv(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, c.inputs[0]);
  c.device.factorisations().invert(a, c.outputs[1], w.status(a.batch));
}

/// As matinv, in place.
void getri(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 1));
  c.device.factorisations().invert(a, a.data, w.status(a.batch));
}

/// (a, b) -> x. Attributes: triangle, transposition, unit diagonal, and optionally whether x is an
/// inverse.
void trsm(const call_site& c) {
  work_area w(c);
  const auto b = input_matrices(c, 1, w.writable(1, 0));
  c.device.factorisations().triangular_solve(
      input_matrices(c, 0, c.inputs[0]), b, static_cast<runtime::triangle>(c.attribute(0)),
      static_cast<runtime::transposition>(c.attribute(1)), c.attribute(2) != 0);
}

/// (a) -> status, R and the reflectors, the reflectors' factors.
void geqrf(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 1));
  void* tau = output(c, 2);
  if (!tau) {
    tau = w.allocate(static_cast<std::size_t>(a.batch * std::min(a.rows, a.columns)) *
                     size_of(c.input_type(0)));
  }
  c.device.factorisations().qr(a, tau, w.status(a.batch));
}

/// (reflectors, the reflectors' factors) -> status, Q.
void orgqr(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 1));
  c.device.factorisations().form_q(a, c.input_shape(1).back(), c.inputs[1], w.status(a.batch));
}

/// (a) -> status, s, U, V^H. Attributes: svd_vectors.
void gesvd(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 99));
  const auto vectors = static_cast<runtime::svd_vectors>(c.attribute(0));
  const std::size_t size = size_of(c.input_type(0));
  const auto area = [&](std::size_t i, std::int64_t count, std::size_t bytes) {
    return output(c, i) ? output(c, i) : w.allocate(static_cast<std::size_t>(count) * bytes);
  };
  void* s = area(1, a.batch * a.columns, real_size(c.input_type(0)));
  void *u = nullptr, *vh = nullptr;
  if (vectors != runtime::svd_vectors::none) {
    const std::int64_t width = vectors == runtime::svd_vectors::full ? a.rows : a.columns;
    u = area(2, a.batch * a.rows * width, size);
    vh = area(3, a.batch * a.columns * a.columns, size);
  }
  c.device.factorisations().svd(a, s, u, vh, vectors, w.status(a.batch));
}

/// (a) -> status, w, V. Attributes: vectors, triangle.
void syevd(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 2));
  void* values = output(c, 1);
  if (!values) {
    values = w.allocate(static_cast<std::size_t>(a.batch * a.columns) * real_size(c.input_type(0)));
  }
  c.device.factorisations().eigh(a, values, c.attribute(0) != 0,
                                 static_cast<runtime::triangle>(c.attribute(1)), w.status(a.batch));
}

/// (a) -> status, w, packed V. Attributes: vectors.
void geev(const call_site& c) {
  work_area w(c);
  const auto a = input_matrices(c, 0, w.writable(0, 99));
  void *values = output(c, 1), *vectors = output(c, 2);
  if (!values) {
    values =
        w.allocate(static_cast<std::size_t>(a.batch * a.columns) * 2 * real_size(c.input_type(0)));
  }
  if (!vectors && c.attribute(0)) {
    vectors = w.allocate(static_cast<std::size_t>(a.batch * a.size()) * size_of(c.input_type(0)));
  }
  c.device.factorisations().eig(a, values, vectors, w.status(a.batch));
}

constexpr call_row factorisation_rows[] = {
    {"potrf", potrf}, {"getrf", getrf}, {"getrs", getrs}, {"trsm", trsm}, {"geqrf", geqrf},
    {"orgqr", orgqr}, {"gesvd", gesvd}, {"syevd", syevd}, {"geev", geev}, {"matinv", matinv},
    {"getri", getri},
};

}  // namespace

std::span<const call_row> linalg_calls() {
  return factorisation_rows;
}

}  // namespace sinter::detail
