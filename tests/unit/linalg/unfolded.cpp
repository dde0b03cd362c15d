// Epilogues that no library supports: a product and a kernel that follows the definition.
#include "engine/linalg/support.hpp"
#include "ir/product.hpp"
#include "samples.hpp"

namespace unfolded_test {

using namespace linalg_tests;
namespace detail = sinter::detail;
namespace ir = sinter::ir;

namespace {

bool on_gpu() {
  return sn::current_device().what == sn::device::kind::cuda;
}

/// A call with the parts of an epilogue given by the bits of `which`, as fold_epilogues makes it.
template <class T> struct folded_call {
  sn::array<T> a = sample<T>({2, 5, 7}), b = sample<T>({2, 7, 3}, 8), bias = sample<T>({3}, 9),
               addend = sample<T>({2, 5, 3}, 10);
  ir::matmul_form form;
  double alpha = 3, beta = -2;

  explicit folded_call(int which, ir::matmul_activation act) {
    form = ir::matmul_form_of({2, 5, 7}, {2, 7, 3}, {});
    form.epilogue = {(which & 1) != 0, (which & 2) != 0, (which & 4) != 0, (which & 8) != 0, act};
    form.epilogue.beta &= form.epilogue.addend;
  }

  sn::array<T> value() const {
    const sn::location here = sn::location::current();
    std::vector<sn::any_array> inputs{a, b};
    if (form.epilogue.bias) inputs.push_back(bias);
    if (form.epilogue.addend) inputs.push_back(addend);
    const detail::routine r{"matmul", here};
    if (form.epilogue.alpha) inputs.push_back(r.constant(alpha, sn::dtype_of<T>));
    if (form.epilogue.beta) inputs.push_back(r.constant(beta, sn::dtype_of<T>));
    const extents shape{2, 5, 3};
    return sn::array<T>(detail::make_call("matmul", inputs, sn::dtype_of<T>, shape, here,
                                          ir::dense_attributes_of(form)));
  }

  sn::array<T> expected() const {
    sn::array<T> x = sn::matmul(a, b);
    if (form.epilogue.alpha) x = x * T(alpha);
    if (form.epilogue.addend) x = x + (form.epilogue.beta ? addend * T(beta) : addend * T(1));
    if (form.epilogue.bias) x = x + bias;
    if constexpr (std::is_same_v<T, real_of<T>>) {
      if (form.epilogue.activation == ir::matmul_activation::relu) x = sn::maximum(x, T(0));
      if (form.epilogue.activation == ir::matmul_activation::gelu) {
        const T root = T(0.7978845608028654), cube = T(0.044715);
        x = T(0.5) * x * (T(1) + sn::tanh(root * (x + cube * x * x * x)));
      }
    }
    return x;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("an epilogue that is not folded is what it says", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  constexpr bool real = std::is_same_v<T, real_of<T>>;
  for (const auto act :
       {ir::matmul_activation::none, ir::matmul_activation::relu, ir::matmul_activation::gelu}) {
    if (!real && act != ir::matmul_activation::none) continue;
    // fold_epilogues never folds it on a GPU: the library's tanh is accurate only for halves.
    if (on_gpu() && act == ir::matmul_activation::gelu) continue;
    for (int which = 0; which < 16; ++which) {
      INFO(which << " " << static_cast<int>(act));
      const folded_call<T> call(which, act);
      CHECK(error<T>(call.value(), call.expected(), 7) < bound);
    }
  }
}

TEST_CASE("an epilogue that is not folded takes the numbers of each call") {
  folded_call<double> call(15, ir::matmul_activation::none);
  CHECK(error<double>(call.value(), call.expected(), 7) < bound);
  call.alpha = 5;
  call.beta = 7;
  CHECK(error<double>(call.value(), call.expected(), 7) < bound);
}

}  // namespace unfolded_test
