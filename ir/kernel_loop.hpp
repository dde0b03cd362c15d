#pragma once
// Runs a loop of a kernel in the interpreter: a strip of points, round by round.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

/// Points whose values are computed together, instruction by instruction.
inline constexpr std::int64_t strip_length = 256;

/// Values of an instruction at the points of a strip, dense.
struct strip_values {
  alignas(64) std::byte data[strip_length * 8];
};

/// An instruction of kind `compute` at n points.
void run_compute(const inst&, std::byte* to, const void* const* args, std::int64_t n);

class kernel_loop {
 public:
  kernel_loop(const loop_code&, std::int64_t points);

  /// Sets value k of the loop's pack.
  void set(std::size_t k, const std::byte* values);
  void runs_where(const std::byte* condition);

  /// `access`: one gather or store at one point that has not stopped, with its index and value.
  using access = std::function<void(const inst&, const std::byte* index, std::int64_t point,
                                    std::byte* value)>;
  void run(const access&);

  const std::vector<strip_values>& carries() const { return carries_; }

 private:
  void compute(std::size_t i, const access&);
  bool goes_on();

  const loop_code& l_;
  std::int64_t n_;
  std::vector<strip_values> carries_, givens_, values_;
  std::vector<std::byte> active_;
  std::int64_t round_ = 0;
};

}  // namespace sinter::ir::detail
