#pragma once
// Compares emitted CUDA with the interpreter.

#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

template <dtype D> bool agree(const std::byte* a, const std::byte* b, double tolerance) {
  element_of<D> x, y;
  std::memcpy(static_cast<void*>(&x), a, sizeof x);
  std::memcpy(static_cast<void*>(&y), b, sizeof y);
  if (std::memcmp(a, b, sizeof x) == 0) return true;
  if constexpr (is_real(D)) {
    const auto u = static_cast<double>(x), v = static_cast<double>(y);
    if (std::isnan(u) || std::isnan(v)) return std::isnan(u) && std::isnan(v);
    return std::abs(u - v) <= tolerance * std::max(std::abs(u), std::abs(v));
  }
  return false;
}

inline bool agree(dtype t, const std::byte* a, const std::byte* b, double tolerance) {
  switch (t) {
    case dtype::float16:
      return agree<dtype::float16>(a, b, tolerance);
    case dtype::bfloat16:
      return agree<dtype::bfloat16>(a, b, tolerance);
    case dtype::float32:
      return agree<dtype::float32>(a, b, tolerance);
    case dtype::float64:
      return agree<dtype::float64>(a, b, tolerance);
    default:
      return std::memcmp(a, b, size_of(t)) == 0;
  }
}

/// The bytes of an element, highest first.
inline std::string hexadecimal(const std::byte* at, std::size_t size) {
  std::ostringstream text;
  text << std::hex;
  for (std::size_t i = size; i-- > 0;) {
    text << (static_cast<int>(at[i]) < 16 ? "0" : "") << static_cast<int>(at[i]);
  }
  return text.str();
}

/// Describes the first element in which two outputs differ; empty if they agree.
inline std::string difference(const trial& t, const std::vector<region>& expected,
                              const std::vector<region>& got) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (t.k.operands[i].role == ir::operand_role::state) continue;
    const dtype type = real_of(t.k.operands[i].type);
    const std::size_t size = size_of(type);
    for (std::size_t at = 0; at + size <= expected[i].size(); at += size) {
      const std::byte *want = expected[i].data() + at, *have = got[i].data() + at;
      if (agree(type, want, have, t.tolerance)) continue;
      return t.name + ": " + ir::name_of(t.k, static_cast<int>(i)) + "[" +
             std::to_string(at / size) + "] (" + std::string(name(type)) + ") is " +
             hexadecimal(have, size) + ", not " + hexadecimal(want, size);
    }
  }
  return {};
}

/// Builds all kernels at once and runs each with every order of threads. Returns a message for each
/// that differs from the interpreter, followed by its text.
inline std::vector<std::string> failures(const std::vector<trial>& trials) {
  host_kernels kernels;
  for (const trial& t : trials) kernels.add(t.k);
  kernels.build();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const prepared data(trials[i]);
    const auto expected = data.memory_after([&](const std::uint64_t* slots, std::int64_t blocks) {
      ir::run_kernel(trials[i].k, slots, 0, blocks);
    });
    const ir::kernel& k = trials[i].k;
    const bool cooperative = k.reduced > 0 || ir::turns(k) || ir::brings_rows(k);
    for (const auto order :
         {thread_order::ascending, thread_order::descending, thread_order::odd_first}) {
      if (!cooperative && order != thread_order::ascending) continue;
      const int number = static_cast<int>(i);
      const auto got =
          data.memory_after_donation([&](const std::uint64_t* slots, std::int64_t blocks) {
            kernels.run(number, slots, blocks, order);
          });
      const std::string line = difference(trials[i], expected, got);
      if (line.empty()) continue;
      lines.push_back(line + "\n" + kernels.text(number));
      break;
    }
  }
  return lines;
}

inline void check(const std::vector<trial>& trials) {
  const std::vector<std::string> lines = failures(trials);
  for (const std::string& line : lines) UNSCOPED_INFO(line);
  CHECK(lines.empty());
}

}  // namespace sinter::tests
