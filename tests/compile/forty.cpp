// A program that uses more than forty functions of the language.
#include <sinter/sinter.hpp>

namespace sn = sinter;
using floats = sn::array<float>;

floats forty(const floats& x, const floats& y, const sn::array<int>& rows) {
  const auto parts = sn::split(x, 2, 1);
  const auto [u, v] = sn::meshgrid(x(0), y(0));
  floats a = sn::softmax(x, {.axis = 1}) + sn::log_softmax(y, {.axis = 1});
  a += sn::logsumexp(x, {.axis = 1, .keepdims = true}) + sn::norm(x, {.axis = 0});
  a += sn::nansum(x, {.axis = 0}) + sn::nanmean(x, {.axis = 0}) + sn::nanvar(y, {.axis = 0});
  a += sn::cumsum(x, {.axis = 0}) + sn::cummax(y, {.axis = 1}) + sn::ptp(y, {.axis = 0});
  a += sn::average(x, y, {.axis = 1}) + sn::trapezoid(x, {.axis = 0});
  a += sn::tril(x) + sn::triu(y, {.k = 1}) + sn::rot90(x, {.k = 2});
  a += sn::tile(x(0), {4, 1}) + sn::diag(sn::diagonal(x)) + sn::trace(x);
  a += sn::einsum("ij,kj->ik", x, y) + sn::tensordot(x, y, 1) + sn::outer(x(0), y(0));
  a += sn::dot(x, y) + sn::kron(x(0), y(0)).reshape({4, -1});
  a += sn::where(sn::isclose(x, y), sn::nan_to_num(x), sn::clip(y, 0, 1)) + parts[0];
  a += sn::sort(x, {.axis = 1}) + sn::median(x, {.axis = 0}) + sn::take(y, rows, {.axis = 0});
  a(a < 0) = 0;
  a = a.at(rows).add(1);
  a += sn::random::normal<float>({4, 4}, {.seed = 1}) + sn::astype<float>(sn::argsort(x));
  a += sn::fori_loop(0, 10, [](auto, const floats& v) { return floats(v * 0.5f + 1); }, a);
  a += sn::pad(x, 1)(sn::slice(1, -1), sn::slice(1, -1)) + sn::stack({x(0), y(0), x(1), y(1)});
  a += sn::astype<float>(sn::searchsorted(sn::sort(sn::ravel(x)), y)) + u * v;
  return sn::concatenate({a, sn::roll(a, 1), sn::flip(a), sn::repeat(a, 1)});
}
