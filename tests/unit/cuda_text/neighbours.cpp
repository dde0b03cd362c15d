// Neighbours of the schedules that the passes choose: the emitted CUDA gives the same bits.

#include <cstring>
#include <map>

#include "engine/evaluation/nominal_gpu.hpp"
#include "ir/interpreter.hpp"
#include "ir/passes/neighbours.hpp"
#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/support/tuned_programs.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace neighbours_test {

using namespace sinter;
using namespace sinter::tests;

namespace {

class host_run {
 public:
  explicit host_run(const planned_program& p) : p_(p) {
    for (const ir::plan_buffer& b : p.plan.buffers) {
      memory_.emplace_back(static_cast<std::size_t>(b.count) * size_of(b.type));
      std::memset(memory_.back().data(), 0, memory_.back().size());
      if (b.what != ir::plan_buffer::role::source) continue;
      const auto& source = *p.snap.sources[static_cast<std::size_t>(b.index)]->buffer;
      std::memcpy(memory_.back().data(), source.data(), memory_.back().size());
    }
  }

  /// Runs all steps; `number_of(kernel)` is the kernel's index in the batch, `change` replaces the
  /// planned schedule.
  template <class F> std::vector<region> outputs(host_kernels& kernels, F number_of,
                                                 std::size_t changed, const ir::kernel& change) {
    for (const ir::plan_step& s : p_.plan.steps) {
      REQUIRE(s.what == ir::plan_step::kind::kernel);
      const auto which = static_cast<std::size_t>(s.kernel);
      const ir::kernel& own = p_.plan.kernels[which];
      std::vector<std::uint64_t> slots;
      for (const ir::slot_value& v : s.slots) slots.push_back(slot(v));
      const std::int64_t mine = ir::block_count(own, slots.data());
      std::int64_t blocks = s.blocks;
      if (which == changed) {
        const std::int64_t theirs = ir::block_count(change, slots.data());
        REQUIRE((mine == blocks || mine == theirs));
        if (mine == blocks) blocks = theirs;
      }
      kernels.run(number_of(which), slots.data(), blocks);
    }
    std::vector<region> out;
    for (const std::int32_t o : p_.plan.outputs) out.push_back(at(o));
    return out;
  }

 private:
  const region& at(std::int32_t b) const {
    const ir::plan_buffer& x = p_.plan.buffers[static_cast<std::size_t>(b)];
    return x.shares >= 0 ? at(x.shares) : memory_[static_cast<std::size_t>(b)];
  }
  std::uint64_t slot(const ir::slot_value& v) const {
    if (v.what == ir::slot_value::from::constant) return v.bits;
    if (v.what == ir::slot_value::from::pointer) {
      return reinterpret_cast<std::uintptr_t>(at(v.index).data()) + v.bits;
    }
    const std::uint64_t word =
        p_.snap.scalars[static_cast<std::size_t>(v.index)].bits[v.word] >> v.shift;
    return v.narrow ? word & 0xffffffffu : word;
  }

  const planned_program& p_;
  std::vector<region> memory_;
};

bool same(const std::vector<region>& a, const std::vector<region>& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) {
    equal = a[i].size() == b[i].size() && std::memcmp(a[i].data(), b[i].data(), a[i].size()) == 0;
  }
  return equal;
}

/// Compares every kernel of the programs with each of its neighbours; returns their number.
int compare(std::vector<tuned_program> (*written)()) {
  const auto cpu = use("cpu");
  const std::vector<tuned_program> programs = written();
  std::vector<std::unique_ptr<planned_program>> planned;
  std::vector<std::vector<std::vector<ir::neighbour>>> found;  // by program and kernel
  std::vector<std::vector<int>> first;                         // index of a kernel in the batch
  host_kernels kernels;
  int count = 0;
  for (const tuned_program& p : programs) {
    planned.push_back(std::make_unique<planned_program>(p, detail::nominal_machine()));
    found.emplace_back();
    first.emplace_back();
    for (ir::kernel k : planned.back()->plan.kernels) {
      first.back().push_back(kernels.add(k));
      found.back().push_back(ir::neighbours(k));
      for (const ir::neighbour& n : found.back().back()) {
        k.schedule = n.schedule;
        kernels.add(k);
        ++count;
      }
    }
  }
  kernels.build();
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const auto own = [&](std::size_t k) { return first[p][k]; };
    const auto expected = host_run(*planned[p]).outputs(kernels, own, ~std::size_t{0}, {});
    for (std::size_t k = 0; k < found[p].size(); ++k) {
      for (std::size_t n = 0; n < found[p][k].size(); ++n) {
        ir::kernel changed = planned[p]->plan.kernels[k];
        changed.schedule = found[p][k][n].schedule;
        const auto number = [&](std::size_t i) {
          return i == k ? first[p][k] + 1 + static_cast<int>(n) : first[p][i];
        };
        INFO(programs[p].name << ", kernel " << k << " with " << found[p][k][n].name);
        CHECK(same(host_run(*planned[p]).outputs(kernels, number, k, changed), expected));
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("another tree gives other bits: they would be seen", "[cuda_text]") {
  const auto cpu = use("cpu");
  const array<float> sums = sum(uneven({9, 3000}), {.axis = 1});
  ir::machine narrow = detail::nominal_machine();
  narrow.vector_bytes = 4;
  const planned_program p({"sums", sums}, detail::nominal_machine());
  const planned_program other({"sums one by one", sums}, narrow);
  REQUIRE(p.plan.kernels.size() == 1);
  REQUIRE(other.plan.kernels.size() == 1);
  REQUIRE(other.plan.kernels[0].schedule.vector < p.plan.kernels[0].schedule.vector);
  host_kernels kernels;
  kernels.add(p.plan.kernels[0]);
  kernels.add(other.plan.kernels[0]);
  kernels.build();
  const auto run = [&](const planned_program& x, int number) {
    return host_run(x).outputs(
        kernels, [&](std::size_t) { return number; }, ~std::size_t{0}, {});
  };
  CHECK(same(run(p, 0), run(p, 0)));
  CHECK_FALSE(same(run(p, 0), run(other, 1)));
}

namespace {

/// The results of a GPU plan's text.
template <class T> std::vector<T> by_text(const planned_program& p) {
  host_kernels kernels;
  for (const ir::kernel& k : p.plan.kernels) kernels.add(k);
  kernels.build();
  const auto itself = [](std::size_t k) { return static_cast<int>(k); };
  const std::vector<region> out = host_run(p).outputs(kernels, itself, ~std::size_t{0}, {});
  std::vector<T> values(out[0].size() / sizeof(T));
  std::memcpy(values.data(), out[0].data(), out[0].size());
  return values;
}

/// Operands of walks that are `apart` elements from each other.
int walked_apart(const planned_program& p, int apart) {
  int turns = 0;
  for (const ir::kernel& k : p.plan.kernels) {
    for (const ir::operand& o : k.operands) turns += k.reduced > 0 && o.apart == apart;
  }
  return turns;
}

/// Sums of masses weighted by their distance to each point.
array<float> kernel_sums(std::int64_t points, std::int64_t coordinates) {
  const array<float> x = uneven({points, coordinates}), mass = uneven({points}, 2);
  const array<float> far = sum(square(x(_, newaxis) - x), {.axis = 2});
  return sum(mass / (1 + far), {.axis = 1});
}

void check_near(const std::vector<float>& values, const std::vector<float>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(std::abs(values[i] - expected[i]) <= 2e-4f * (1 + std::abs(expected[i])));
  }
}

/// A filter along rows.
template <class T> array<T> filtered(std::int64_t rows, std::int64_t width, std::int64_t taps) {
  const array<T> x = astype<T>(uneven({rows, width}) * 50);
  array<T> y = zeros<T>({rows, width - taps + 1});
  for (std::int64_t j = 0; j < taps; ++j) {
    y = y + static_cast<T>(j + 1) * x(_, slice(j, width - taps + 1 + j));
  }
  return y;
}

}  // namespace

TEST_CASE("a walk reads the coordinates of points as they lie", "[cuda_text]") {
  const auto cpu = use("cpu");
  const array<float> root = pulls();
  const planned_program p({"pulls", root}, detail::nominal_machine());
  CHECK(walked_apart(p, 3) == 3);
  const std::vector<float> values = by_text<float>(p);
  check_near(values, root.to_host());
}

TEST_CASE("points of seven coordinates and of eight, fewer at a time", "[cuda_text]") {
  const auto cpu = use("cpu");
  for (const int coordinates : {7, 8}) {
    const array<float> root = kernel_sums(1201, coordinates);
    const planned_program p({"kernel sums", root}, detail::nominal_machine());
    CHECK(walked_apart(p, coordinates) == coordinates);
    const std::vector<float> values = by_text<float>(p);  // an evaluation releases its sources
    check_near(values, root.to_host());
  }
}

TEMPLATE_TEST_CASE("the taps of a filter are lanes of one run", "[cuda_text]", float, double,
                   std::uint8_t, std::int16_t) {
  const auto cpu = use("cpu");
  // Rows aligned to vectors, rows with varying alignment, and a single row.
  for (const auto& [rows, width, taps] :
       {std::tuple(5, 1016, 9), std::tuple(5, 1015, 9), std::tuple(1, 2000, 7),
        std::tuple(3, 523, 17)}) {
    const array<TestType> root = filtered<TestType>(rows, width, taps);
    const planned_program p({"filter", root}, detail::nominal_machine());
    REQUIRE(p.plan.kernels.size() == 1);
    const std::string text = codegen::emit_cuda(p.plan.kernels[0]);
    INFO(rows << " x " << width << ", " << taps);
    CHECK(text.find("_run[") != std::string::npos);
    const std::vector<TestType> values = by_text<TestType>(p);
    CHECK(values == root.to_host());
  }
}

TEST_CASE("neighbours of maps give the same bits", "[cuda_text]") {
  CHECK(compare(tuned_maps) >= 30);
}
TEST_CASE("neighbours of reductions give the same bits", "[cuda_text]") {
  CHECK(compare(tuned_reductions) >= 40);
}
TEST_CASE("neighbours of scans give the same bits", "[cuda_text]") {
  CHECK(compare(tuned_scans) >= 6);
}

}  // namespace neighbours_test
