#pragma once
// A GPU's schedule, in words.

#include <string>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace passes_tests {

/// The schedule of a plan's only kernel, and how each operand is accessed.
inline std::string schedule_of(const std::string& text) {
  const ir::plan p = plan_of(text, gpu());
  REQUIRE(p.kernels.size() == 1);
  const ir::kernel& k = p.kernels[0];
  const ir::schedule& s = k.schedule;
  std::string out = "vector " + std::to_string(s.vector) + (s.flat ? " flat" : "");
  if (s.row_lanes > 0) out += " by " + std::to_string(s.row_lanes);
  if (s.tile_rows > 0) {
    out += ", " + std::to_string(s.tile_rows) + " x " + std::to_string(s.tile_columns);
    if (s.lead >= 0) out += " led by " + ir::name_of(k, s.lead);
    if (s.early >= 0) out += " early by " + std::to_string(s.early);
    if (s.planes > 1) out += ", " + std::to_string(s.planes) + " planes";
  }
  for (std::size_t o = 0; o < k.operands.size(); ++o) {
    if (k.operands[o].reach == ir::reach::whole) continue;
    out += ", " + ir::name_of(k, static_cast<int>(o));
    const ir::operand& x = k.operands[o];
    const bool turned = x.reach == ir::reach::turned;
    out += turned ? " turned" : x.reach == ir::reach::picked ? " picked" : " shifted";
    const int by = turned ? s.turn_vector : x.beyond;
    if (by > 0) out += " by " + std::to_string(by);
  }
  return out;
}

}  // namespace passes_tests
