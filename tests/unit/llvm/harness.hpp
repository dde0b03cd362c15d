#pragma once
// Kernels for tests: built, laid out in memory, run by compiled code and by the
// interpreter.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "codegen/compiler.hpp"
#include "ir/formula.hpp"
#include "ir/kernel.hpp"
#include "runtime/object_loader.hpp"

namespace llvm_tests {

using namespace sinter;

/// The module's entry points, opened once; null in builds without the LLVM module.
struct module_doors {
  std::unique_ptr<codegen::compiler> compiler;
  /// Compilers for lesser CPUs whose code this one can run.
  std::vector<std::unique_ptr<codegen::compiler>> others;
  std::unique_ptr<runtime::object_loader> loader;
};
const module_doors* doors();

constexpr auto zero = ir::step::zero, one = ir::step::one, any = ir::step::any;

/// Builds a kernel statement by statement.
class builder {
 public:
  explicit builder(int kept, int reduced = 0);

  ir::kernel k;

  int operand(ir::operand_role, dtype, std::vector<ir::step>, int unravel = 0);
  int input(dtype t, std::vector<ir::step> s, int unravel = 0) {
    return operand(ir::operand_role::input, t, std::move(s), unravel);
  }
  int output(dtype t, std::vector<ir::step> s, int unravel = 0) {
    return operand(ir::operand_role::output, t, std::move(s), unravel);
  }
  int index(std::vector<ir::step> s) {
    return operand(ir::operand_role::index, dtype::int64, std::move(s));
  }

  std::int32_t load(int operand, int part = 0);
  std::int32_t number(int operand);  // of an index
  std::int32_t scalar(dtype);
  std::int32_t constant(dtype t, std::uint64_t bits) { return ir::emit_constant(k.body, t, bits); }
  std::int32_t op(ir::op, dtype, std::int32_t a, std::int32_t b = -1, std::int32_t c = -1);
  std::int32_t cast(std::int32_t v, dtype to);
  std::int32_t random(std::int32_t counter, std::int32_t key, dtype);
  std::int32_t reduce(ir::op, std::int32_t v, bool arg = false);
  void store(int operand, std::int32_t v, int part = 0);

 private:
  ir::inst& add(ir::inst_kind, dtype type, dtype result);
};

/// The memory layout of an operand.
struct layout {
  std::vector<std::int64_t> strides;  // by domain axis, read where the step is `any`
  std::vector<std::int64_t> extents;  // to unravel over
  std::vector<std::int64_t> steps;    // of the unravelled axes
  std::int64_t start = 0;
};

enum class fill : std::uint8_t { edges, small, positive };

struct problem {
  ir::kernel k;
  std::vector<std::int64_t> extents;
  std::vector<layout> layouts;              // by operand; missing ones are dense
  std::vector<std::uint64_t> scalars = {};  // bits
  std::int64_t splits = 1;
  fill contents = fill::edges;
  double tolerance = 0;  // relative; 0: the same bits
  unsigned seed = 1;
  int in_place = -1;  // an input whose memory output 0 takes
};

/// Runs both ways, the compiled code in ranges of blocks like threads; fails the test at the first
/// difference, or if memory outside the outputs was written.
void check(const problem&);

/// An operand's elements, with spare ones on both sides.
struct memory {
  std::vector<std::byte> bytes;
  std::size_t origin = 0;  // offset of the element that the pointer refers to
};

/// Completes the layouts and the levels of the kernel's values.
problem complete(problem);
std::vector<memory> memories_of(const problem&);
std::vector<std::uint64_t> slots_in(const problem&, std::vector<memory>&);

/// Test elements: special values of the type, then random ones.
void fill_elements(std::span<std::byte>, dtype, fill, std::mt19937_64&);

/// Row-major strides.
std::vector<std::int64_t> dense(const std::vector<std::int64_t>& extents);

/// The text of a kernel, for failure messages.
std::string describe(const problem&);

}  // namespace llvm_tests
