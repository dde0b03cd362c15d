#include "tests/fuzz/compare.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {
namespace {

std::string text_of(double x) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string element_text(dtype t, const std::byte* data) {
  const numbers n(t, data, 1);
  if (is_integer(t)) {
    std::int64_t word = 0;
    std::memcpy(&word, data, size_of(t));
    if (is_unsigned(t)) return std::to_string(static_cast<std::uint64_t>(word));
    const int unused = 64 - 8 * static_cast<int>(size_of(t));
    return std::to_string(word << unused >> unused);
  }
  return text_of(n.re[0]) + (n.im.empty() ? "" : " + " + text_of(n.im[0]) + " i");
}

bool same_part(double expected, double got, double error) {
  if (std::isnan(expected) && std::isnan(got)) return true;
  if (expected == got) return error > 0 || std::signbit(expected) == std::signbit(got);
  return std::abs(expected - got) <= 2 * error;
}

}  // namespace

std::optional<std::string> difference(const estimate& expected, const ir::tensor& got) {
  const ir::tensor& e = expected.value;
  if (e.type != got.type || e.shape != got.shape) return "another type or shape";
  if (e.data == got.data) return std::nullopt;
  const auto n = static_cast<std::size_t>(ir::size_of(e.shape));
  const std::size_t width = size_of(e.type);
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte *a = e.data.data() + i * width, *b = got.data.data() + i * width;
    if (std::memcmp(a, b, width) == 0) continue;
    const double error = expected.error.empty() ? 0 : expected.error[i];
    if (!(error < anything)) continue;
    if (is_inexact(e.type)) {
      const numbers x(e.type, a, 1), y(e.type, b, 1);
      if (same_part(x.re[0], y.re[0], error) &&
          (x.im.empty() || same_part(x.im[0], y.im[0], error))) {
        continue;
      }
    }
    return "element " + std::to_string(i) + " of " + std::to_string(n) + " is " +
           element_text(e.type, b) + ", expected " + element_text(e.type, a) + " to " +
           text_of(error);
  }
  return std::nullopt;
}

std::vector<bool> reproducible(const ir::graph& g) {
  std::vector<bool> same;
  for (const ir::node& n : g.nodes) {
    const bool exact = n.routine == "sort" || n.routine == "select" || ir::is_barrier(n);
    bool s = n.kind != ir::node_kind::call || exact;
    if (n.kind == ir::node_kind::reduce) s = !is_inexact(n.type);
    for (ir::node_id i : n.inputs) s = s && same[static_cast<std::size_t>(i)];
    same.push_back(s);
  }
  std::vector<bool> out;
  for (ir::node_id o : g.outputs) out.push_back(same[static_cast<std::size_t>(o)]);
  return out;
}

}  // namespace sinter::fuzz
