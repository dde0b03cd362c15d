#include "bench/support/ceilings.hpp"

#include <memory>
#include <stdexcept>

#include <sinter/sinter.hpp>

#include "bench/support/hand_written.hpp"
#include "bench/support/host_floats.hpp"
#ifdef SINTER_BENCH_CUDA
#include "bench/support/cuda_ceilings.hpp"
#endif

namespace bench {

namespace {

std::map<std::string, ceiling> cpu_ceilings(std::int64_t n) {
  const auto make = [n](float value) {
    return std::make_shared<host_floats>(static_cast<std::size_t>(n), value);
  };
  const auto x = make(1.5f), y = make(2.5f), z = make(0);
  const auto copy = [=](bool streaming) {
    return [=] { by_hand::copy(x->data(), z->data(), n, streaming); };
  };
  const auto triad = [=](bool streaming) {
    return [=] { by_hand::triad(0.5f, x->data(), y->data(), z->data(), n, streaming); };
  };
  const auto sum = [=] {
    if (!(by_hand::sum(x->data(), n) > 0)) throw std::logic_error("a positive sum is not positive");
  };
  const auto bytes = 4.0 * static_cast<double>(n);
  return {{"copy", {2 * bytes, {copy(false), copy(true)}}},
          {"triad", {3 * bytes, {triad(false), triad(true)}}},
          {"sum", {bytes, {sum}}}};
}

}  // namespace

std::map<std::string, ceiling> make_ceilings(std::int64_t n) {
  if (sinter::current_device().what == sinter::device::kind::cpu) return cpu_ceilings(n);
#ifdef SINTER_BENCH_CUDA
  return cuda_ceilings(n);
#else
  throw std::logic_error("built without the CUDA toolkit's headers");
#endif
}

}  // namespace bench
