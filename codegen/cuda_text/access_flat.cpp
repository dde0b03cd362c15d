// Flat maps: the lanes of a vector may belong to several rows.
#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {

void access_writer::lane_coordinates(const frame& f) {
  std::string names;
  for (int axis = 0; axis < kernel_.kept; ++axis) {
    names += cat(axis > 0 ? ", c" : "c", axis, "_of[", f.vector, "]");
  }
  out_.line("unsigned ", names, ";");
  for (int axis = 0; axis < kernel_.kept; ++axis) {
    out_.line("c", axis, "_of[0] = ", coordinates_[static_cast<std::size_t>(axis)], ";");
  }
  out_.line("#pragma unroll");
  const auto lanes = out_.block("for (int k = 1; k < ", f.vector, "; ++k)");
  for (int axis = kernel_.kept - 1; axis >= 0; --axis) {
    const bool last = axis == kernel_.kept - 1;
    out_.line("c", axis, "_of[k] = c", axis, "_of[k - 1] + ",
              last ? "1" : cat("(over_", axis + 1, " ? 1 : 0)"), ";");
    if (axis == 0) break;
    out_.line("const bool over_", axis, " = c", axis, "_of[k] == (unsigned)n", axis, ";");
    out_.line("if (over_", axis, ") c", axis, "_of[k] = 0;");
  }
}

void access_writer::next_row(const frame& f) {
  const int last = kernel_.kept - 1;
  const auto c = [this](int axis) { return coordinates_[static_cast<std::size_t>(axis)]; };
  out_.line("const int turn = (int)((unsigned)n", last, " - ", c(last), ");");
  out_.line("const bool ends = turn < ", f.vector, f.guarded() ? cat(" && turn < ", f.left) : "",
            ";");
  for (int axis = last - 1; axis > 0; --axis) {
    const std::string before = axis == last - 1 ? "" : cat("over_", axis + 1, " && ");
    out_.line("const bool over_", axis, " = ", before, c(axis), " + 1 == (unsigned)n", axis, ";");
    const std::string on = axis == last - 1 ? "1" : cat("over_", axis + 1);
    out_.line("const unsigned e", axis, " = over_", axis, " ? 0 : ", c(axis), " + ", on, ";");
  }
  out_.line("const unsigned e0 = ", c(0), " + ", last == 1 ? "1" : "over_1", ";");
}

/// The position of lane k in a picked operand, or the lane's value if that is an index.
std::string access_writer::picked(int which) const {
  const ir::operand& o = operand(which);
  std::string text = o.role == ir::operand_role::index ? cat(name(which), "_start") : "";
  if (kernel_.schedule.row_lanes > 0) {
    text = cat("(k < turn ? ", name(which), "_row : ", name(which), "_next)");
    add_step(text, which, kernel_.kept - 1, "k");
    return text;
  }
  for (int axis = 0; axis < kernel_.kept; ++axis) {
    add_step(text, which, axis, cat("c", axis, "_of[k]"));
  }
  return text.empty() ? "0" : text;
}

/// Declares where lane 0 would be if all lanes were in the current row, and if all were in the
/// next.
void access_writer::pick_rows(int which) {
  const int last = kernel_.kept - 1;
  const bool counts = operand(which).role == ir::operand_role::index;
  std::string next = counts ? cat(name(which), "_start") : "", back;
  for (int axis = 0; axis < last; ++axis) add_step(next, which, axis, cat("e", axis));
  add_step(back, which, last, "turn");
  const std::string row = sum(which, 0, kernel_.kept);
  out_.line("const long long ", name(which), "_row = ", row.empty() ? "0" : row, ";");
  out_.line("const long long ", name(which), "_next = ends ? ", next.empty() ? "0" : next,
            back.empty() ? "" : cat(" - ", back), " : ", name(which), "_row;");
}

void access_writer::load_picked(const frame& f, int which, bool whole) {
  const std::string to = vector_of(f, which), array = name(which);
  const int together = kernel_.schedule.row_lanes;
  const bool same = operand(which).access.steps[static_cast<std::size_t>(f.axis)] == ir::step::zero;
  if (together > 0 && same) {
    const auto pair = out_.block();
    const std::string type(storage_type(operand(which).type));
    out_.line("const ", type, " here = ", array, "[", array, "_row], there = ", array, "[", array,
              "_next];");
    const auto lanes = out_.lanes("k", f.vector);
    const std::string first = together > 1 ? cat("k / ", together, " * ", together) : "k";
    return out_.line(to, "[k] = ", first, " < turn ? here : there;");
  }
  if (!whole) out_.line("sinter_clear(", to, ");");
  if (together <= 1) {
    return each_lane(f, whole, cat(to, "[k] = ", array, "[", picked(which), "];"));
  }
  out_.line("#pragma unroll");
  const auto parts = out_.block("for (int k = 0; k < ", f.vector, "; k += ", together, ")");
  out_.line(whole ? "" : cat("if (k < ", f.left, ") "), "sinter_load_lanes<", together, ">(", to,
            ", k, ", array, " + ", picked(which), ");");
}

}  // namespace sinter::codegen::cuda_text
