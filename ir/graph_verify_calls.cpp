// Calls of routines, and their results.
#include "ir/graph_verifier.hpp"
#include "ir/product.hpp"

namespace sinter::ir::detail {

bool graph_verifier::dense_product(const node& n) const {
  const node &a = input(n, 0), &b = input(n, 1);
  const std::size_t rank = a.shape.size();
  bool fits = rank >= 2 && b.shape.size() == rank && same_element(a, b, n) && !is_bool(n.type);
  extent count = 1;
  for (std::size_t d = 0; fits && d + 2 < rank; ++d) {
    fits = a.shape[d] == b.shape[d];
    count *= a.shape[d];
  }
  return fits && a.shape[rank - 1] == b.shape[rank - 2] &&
         count * a.shape[rank - 2] * b.shape[rank - 1] == size_of(n.shape);
}

bool graph_verifier::same_element(const node& a, const node& b, const node& product) {
  return a.type == b.type && (a.type == product.type || product.type == summed_in(a.type));
}

bool graph_verifier::product_in_place(const node& n) const {
  const node &a = input(n, 0), &b = input(n, 1);
  const matmul_form f = matmul_form_of(a.shape, b.shape, n.attributes);
  return same_element(a, b, n) && f.m * f.n * f.batch == size_of(n.shape) &&
         reach_of(f.a, f.m, f.k, f.batch) <= size_of(a.shape) &&
         reach_of(f.b, f.k, f.n, f.batch) <= size_of(b.shape);
}

void graph_verifier::sort_rules(const node& n) const {
  bool fits = n.inputs.size() == 1 && !n.shape.empty() && is_unsigned(n.type) &&
              input(n, 0).shape.size() == n.shape.size() && input(n, 0).type == n.type;
  for (std::size_t d = 0; fits && d < n.shape.size(); ++d) {
    const extent have = input(n, 0).shape[d], wanted = n.shape[d];
    fits = have == wanted || (d + 1 == n.shape.size() && wanted < have);
  }
  require(fits, "sort", "unsigned keys of one or more axes are sorted, or the first of each row");
}

void graph_verifier::select_rules(const node& n) const {
  bool fits = n.inputs.size() == 2 && !n.shape.empty() && is_unsigned(n.type);
  fits = fits && input(n, 0).type == n.type && input(n, 1).type == dtype::int64 &&
         input(n, 1).shape == n.shape && input(n, 0).shape.size() == n.shape.size();
  for (std::size_t d = 0; fits && d + 1 < n.shape.size(); ++d) {
    fits = input(n, 0).shape[d] == n.shape[d];
  }
  require(fits, "select", "of rows of unsigned keys as many of each, at places of 64 bits");
}

void graph_verifier::result_rules(const node& n) {
  if (input(n, 0).kind == node_kind::loop) return loop_result_rules(n);
  require(input(n, 0).kind == node_kind::call || input(n, 0).kind == node_kind::compress,
          "result", "only a call, a compress or a loop has further outputs");
  require(n.value[0] >= 1 && n.value[0] < 64, "result", "the call itself is output 0");
  require(results_.insert({n.inputs[0], n.value[0]}).second, "result-twice",
          "this output has a node already");
}

void graph_verifier::call_rules(const node& n) const {
  require(!n.routine.empty(), "call", "a call names a routine");
  if (is_barrier(n)) {
    const bool same = n.inputs.size() == 1 && input(n, 0).type == n.type &&
                      input(n, 0).shape == n.shape;
    require(same, "barrier", "a barrier gives the array that it is given");
  }
  if (n.routine == "sort") sort_rules(n);
  if (n.routine == "select") select_rules(n);
  const bool triangle = n.routine == "syrk";
  if (n.routine != "matmul" && !triangle) return;
  bool fits = n.inputs.size() >= 2;
  fits = fits && (n.attributes.size() < 15 ? dense_product(n) : product_in_place(n));
  require(fits, "matmul", "the operands do not fit");
  require(epilogue_fits(n), "matmul", "the inputs of the epilogue do not fit");
  require(!triangle || n.inputs == std::vector<node_id>(2, n.inputs[0]), "syrk",
          "the operands are one array");
}

bool graph_verifier::epilogue_fits(const node& n) const {
  const node &a = input(n, 0), &b = input(n, 1);
  const matmul_form f = matmul_form_of(a.shape, b.shape, n.attributes);
  const matmul_epilogue& e = f.epilogue;
  if (n.inputs.size() != 2 + e.inputs()) return false;
  std::size_t next = 2;
  bool fits = true;
  const auto has = [&](bool wanted, dtype type, extent size) {
    if (!wanted) return;
    const node& x = input(n, next++);
    fits = fits && x.type == type && size_of(x.shape) == size;
  };
  has(e.bias, n.type, f.n);
  has(e.addend, n.type, size_of(n.shape));
  has(e.alpha, compute_of(a.type), 1);
  has(e.beta, compute_of(a.type), 1);
  return fits && (!e.beta || e.addend);
}

}  // namespace sinter::ir::detail
