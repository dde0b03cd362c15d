#include <string>

#include "ir/product.hpp"
#include "ir/text.hpp"

namespace sinter::ir {
namespace {

/// A graph of maps over one shape, as text.
class writer {
 public:
  writer(shape_t shape, dtype computed)
      : shape_(detail::list_text(shape)),
        computed_(name(computed)),
        complex_(is_complex(computed)) {}

  int add(const std::string& node) {
    text_ += "%" + std::to_string(count_) + " = " + node + "\n";
    return count_++;
  }
  int scalar(const std::string& value) {
    return add("scalar " + computed_ + " [] " + (complex_ ? "(" + value + ", 0)" : value));
  }
  int two(const std::string& code, int a, int b) {
    return add("map " + computed_ + " " + shape_ + " (%" + std::to_string(a) + ", %" +
               std::to_string(b) + ") { v2 = " + code + " " + computed_ + " v0 v1 }");
  }
  int tanh(int a) {
    return add("map " + computed_ + " " + shape_ + " (%" + std::to_string(a) + ") { v1 = tanh " +
               computed_ + " v0 }");
  }
  int cast(int a, dtype from, dtype to, const std::string& shape) {
    if (from == to) return a;
    return add("map " + std::string(name(to)) + " " + shape + " (%" + std::to_string(a) +
               ") { v1 = cast " + std::string(name(from)) + " -> " + std::string(name(to)) +
               " v0 }");
  }
  graph result(int end) const {
    return parse_graph(text_ + "return %" + std::to_string(end) + "\n");
  }
  const std::string& shape() const { return shape_; }

 private:
  const std::string shape_, computed_;
  const bool complex_;
  std::string text_;
  int count_ = 0;
};

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
int gelu(writer& w, int x) {
  const int cubed = w.two("multiply", w.two("multiply", x, x), x);
  const int sum = w.two("add", x, w.two("multiply", w.scalar("0.044715"), cubed));
  const int t = w.tanh(w.two("multiply", w.scalar("0.7978845608028654"), sum));
  return w.two("multiply", w.two("multiply", w.scalar("0.5"), x), w.two("add", w.scalar("1"), t));
}

}  // namespace

graph epilogue_graph(const matmul_form& f, dtype type, dtype stored) {
  const dtype computed = compute_of(type);
  const std::string row = detail::list_text(shape_t{f.n}), kind(name(stored));
  writer w({f.batch * f.m, f.n}, computed);
  const matmul_epilogue& e = f.epilogue;
  int x = w.add("source " + std::string(name(computed)) + " " + w.shape());
  const int bias = e.bias ? w.add("source " + kind + " " + row) : -1;
  const int addend = e.addend ? w.add("source " + kind + " " + w.shape()) : -1;
  const int alpha = e.alpha ? w.scalar("1") : -1, beta = e.beta ? w.scalar("1") : -1;
  if (e.alpha) x = w.two("multiply", alpha, x);
  if (e.addend) {
    const int wide = w.cast(addend, stored, computed, w.shape());
    x = w.two("add", x, e.beta ? w.two("multiply", beta, wide) : wide);
  }
  if (e.bias) {
    const int wide = w.cast(bias, stored, computed, row);
    x = w.two("add", x,
              w.add("view " + std::string(name(computed)) + " " + w.shape() + " (%" +
                    std::to_string(wide) + ") strides [0, 1]"));
  }
  if (e.activation == matmul_activation::relu) x = w.two("maximum", x, w.scalar("0"));
  if (e.activation == matmul_activation::gelu) x = gelu(w, x);
  return w.result(w.cast(x, computed, stored, w.shape()));
}

}  // namespace sinter::ir
