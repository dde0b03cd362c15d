// Rows of little work on a GPU: few kernels for all their lengths.
#include <set>
#include <string>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace little_work_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The kernels of a program over single rows of so many lengths.
template <class Program> std::size_t kernels_of(Program program, std::int64_t first, int lengths) {
  std::set<std::string> texts;
  for (std::int64_t n = first; n < first + lengths; ++n) {
    for (ir::kernel k : plan_for({program(stored({n}))}, ir::target::gpu).kernels) {
      k.name.clear();
      texts.insert(ir::print(k));
    }
  }
  return texts.size();
}

floats centred(const floats& x) { return x - sn::mean(x); }

}  // namespace

TEST_CASE("little work: a recursion over all lengths has few kernels") {
  // Lengths below a vector have a kernel of their own, and so have threads: 4, 32, 128.
  CHECK(kernels_of(centred, 2, 500) <= 6);
  CHECK(kernels_of([](const floats& x) { return sn::sum(x * x); }, 2, 500) <= 6);
}

TEST_CASE("little work: rows that one block can hold are held, longer ones walked") {
  const auto is_held = [](std::int64_t n) {
    return plan_for({centred(stored({n}))}, ir::target::gpu).kernels[0].schedule.resident;
  };
  CHECK(is_held(3000));
  const sn::array<double> wide = sn::random::uniform<double>(16384, {.seed = 3});
  sn::eval(wide);
  const sn::array<double> doubles = wide - sn::mean(wide);
  const ir::plan p = plan_for({doubles}, ir::target::gpu);
  const ir::schedule& s = p.kernels[0].schedule;
  CHECK((!s.resident || s.row_threads * s.vector * s.unroll * s.cluster >= 16384));
}

}  // namespace little_work_test
