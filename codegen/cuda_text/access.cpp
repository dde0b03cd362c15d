#include "codegen/cuda_text/access.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

void add_term(std::string& sum, const std::string& term) {
  if (!sum.empty()) sum += " + ";
  sum += term;
}

/// Is the text a name or a number, so that a variable would make nothing clearer?
bool is_atom(const std::string& text) {
  return text.find(' ') == std::string::npos;
}

std::string base(const std::string& pointer, const std::string& offset) {
  return offset.empty() ? pointer : cat(pointer, " + ", offset);
}

}  // namespace

std::string frame::lane_in_range() const {
  if (!first.empty()) return cat("k >= ", first);
  if (partial && vector > 1) return cat("k < ", left);
  return guarded() ? cat(left, " > 0") : "";
}

access_writer::access_writer(const ir::kernel& k, writer& out)
    : kernel_(k),
      out_(out),
      coordinates_(static_cast<std::size_t>(k.kept + k.reduced)),
      states_(k.operands.size()) {
  for (std::size_t i = 0; i < k.operands.size(); ++i) {
    names_.push_back(ir::name_of(k, static_cast<int>(i)));
  }
}

void access_writer::coordinates(const std::string& linear, int first, int last) {
  std::string rest = linear;
  for (int axis = last - 1; axis > first; --axis) {
    const std::string quotient = axis == first + 1 ? cat("c", first) : cat("q", axis);
    out_.line("const unsigned ", quotient, " = sinter_divide(", rest, ", d", axis, ");");
    out_.line("const unsigned c", axis, " = ", rest, " - ", quotient, " * (unsigned)n", axis, ";");
    coordinates_[static_cast<std::size_t>(axis)] = cat("c", axis);
    rest = quotient;
  }
  coordinates_[static_cast<std::size_t>(first)] = rest;
}

void access_writer::add_step(std::string& text, int which, int axis, const std::string& c) const {
  const ir::step step = operand(which).access.steps[static_cast<std::size_t>(axis)];
  if (step == ir::step::one) add_term(text, c);
  if (step == ir::step::any) add_term(text, cat(c, " * ", name(model(which)), "_s", axis));
}

std::string access_writer::sum(int which, int first, int last) const {
  const ir::operand& o = operand(which);
  std::string text = first > 0 ? at(which).row : "";
  if (first == 0 && (o.access.unravel > 0 || o.role == ir::operand_role::index)) {
    text = cat(name(which), "_start");
  }
  for (int axis = first; axis < last; ++axis) {
    add_step(text, which, axis, coordinates_[static_cast<std::size_t>(axis)]);
  }
  return text;
}

std::string access_writer::row_of(int which) const {
  return base(name(which), sum(which, 0, kernel_.kept - 1));
}

void access_writer::rows(const operand_list& operands) {
  std::map<int, int> firsts;
  for (int which : operands) {
    if (!at(which).array.empty()) continue;
    const auto [alike, is_first] = firsts.try_emplace(model(which), which);
    if (!is_first) {
      at(which).row = at(alike->second).row;
      continue;
    }
    std::string& row = at(which).row = sum(which, 0, kernel_.kept);
    if (is_atom(row)) continue;
    out_.line("const long long ", name(which), "_row = ", row, ";");
    row = cat(name(which), "_row");
  }
}

void access_writer::offsets(const operand_list& operands, int first, int last) {
  std::map<int, int> firsts;  // of equal operands, the first: its offset serves all
  for (int which : operands) {
    if (!at(which).stride.empty()) continue;
    if (is_picked(which)) {
      if (kernel_.schedule.row_lanes > 0) pick_rows(which);
      continue;
    }
    const auto [alike, is_first] = firsts.try_emplace(model(which), which);
    if (!is_first) {
      at(which).offset = at(alike->second).offset;
      continue;
    }
    std::string& offset = at(which).offset = sum(which, first, last);
    const bool counts = operand(which).role == ir::operand_role::index;
    if (kernel_.schedule.flat && !counts && !offset.empty()) offset = "i";  // one run of elements
    // the lanes of an index are added to its offset in 64 bits, so that has to be a variable
    if (is_atom(offset) && !counts) continue;
    out_.line("const long long ", name(which), "_at = ", offset, ";");
    offset = cat(name(which), "_at");
  }
}

void access_writer::redirect(int which, std::string offset, std::string stride) {
  at(which).offset = std::move(offset);
  at(which).stride = std::move(stride);
}

std::string access_writer::stride(const frame& f, int which) const {
  if (!at(which).stride.empty()) return at(which).stride;
  switch (operand(which).access.steps[static_cast<std::size_t>(f.axis)]) {
    case ir::step::zero:
      return "0";
    case ir::step::one:
      return "1";
    case ir::step::any:
      break;
  }
  return cat(name(which), "_s", f.axis);
}

bool access_writer::is_scalar(const frame& f, int which) const {
  if (f.vector == 1) return true;
  const bool input = operand(which).role == ir::operand_role::input;
  return input && !is_picked(which) && stride(f, which) == "0";
}

/// Does the assignment store the output itself, without a register? Not a complex one: its parts
/// are stored together.
bool access_writer::is_direct(const frame& f, int which) const {
  const ir::operand& o = operand(which);
  return o.role == ir::operand_role::output && f.vector == 1 && f.unroll == 1 && !f.guarded() &&
         !is_complex(o.type);
}

std::string access_writer::element(const frame& f, int which, std::string_view lane) const {
  if (is_picked(which)) return picked(which);
  std::string position = at(which).offset;
  const std::string distance = stride(f, which);
  if (!lane.empty() && distance != "0") {
    add_term(position, distance == "1" ? std::string(lane) : cat(lane, " * ", distance));
  }
  if (position.empty()) position = "0";
  const int rank = operand(which).access.unravel;
  if (rank == 0 || !at(which).stride.empty()) return position;
  const bool narrow = operand(which).access.narrow;
  std::string call = cat("sinter_unravel_", rank, "(", position);
  for (int axis = 1; axis < rank; ++axis) call += cat(", ", name(which), "_u", axis);
  for (int axis = 1; axis < rank && narrow; ++axis) call += cat(", ", name(which), "_w", axis);
  for (int axis = 0; axis < rank; ++axis) call += cat(", ", name(which), "_v", axis);
  return call + ")";
}

std::string access_writer::vector_of(const frame& f, int which) const {
  return cat(name(which), f.unroll > 1 ? "_v[u]" : "_v");
}

std::string access_writer::lane(const frame& f, int which) const {
  if (!at(which).place.empty()) return at(which).place;
  if (is_direct(f, which)) return cat(array(which), "[", element(f, which, ""), "]");
  return vector_of(f, which) + (is_scalar(f, which) ? "" : "[k]");
}

std::string access_writer::index(const frame& f, int which) const {
  const std::string value = element(f, which, f.vector > 1 ? "k" : "");
  return is_atom(value) ? value : cat("(", value, ")");
}

bool access_writer::is_consecutive(const frame& f, int which) const {
  return operand(which).access.unravel == 0 && !is_picked(which) && stride(f, which) == "1";
}

std::string access_writer::declaration(const frame& f, int which) const {
  std::string text = cat(storage_type(operand(which).type), " ", name(which), "_v");
  if (f.unroll > 1) text += cat("[", f.unroll, "]");
  if (!is_scalar(f, which)) text += cat("[", f.vector, "]");
  return text;
}

void access_writer::registers(const frame& f, const operand_list& operands) {
  find_runs(f, operands);
  for (int which : operands) {
    if (is_direct(f, which) || at(which).run >= 0) continue;
    const bool input = operand(which).role == ir::operand_role::input;
    // arithmetic runs on empty vectors too, though nothing reads its results: initialise them
    const bool fill = input && f.empty && (!f.partial || is_scalar(f, which));
    out_.line(declaration(f, which), fill ? " = {};" : ";");
  }
}

void access_writer::each_lane(const frame& f, bool whole, const std::string& statement) {
  const auto loop = out_.lanes("k", f.vector);
  out_.line(whole ? "" : cat("if (k < ", f.left, ") "), statement);
}

void access_writer::load_vector(const frame& f, int which, bool whole) {
  whole |= !f.guarded() && !is_shifted(which);
  if (at(which).run >= 0) return load_run(f, which, whole);
  if (whole && takes_turns(f, which)) return load_turns(f, which);
  const std::string to = vector_of(f, which), from = address(which);
  if (is_scalar(f, which)) {
    const std::string guard = whole ? "" : cat("if (", f.left, " > 0) ");
    return out_.line(guard, to, " = ", array(which), "[", element(f, which, ""), "];");
  }
  if (is_picked(which)) return load_picked(f, which, whole);
  if (operand(which).access.unravel > 0) {
    if (!whole) out_.line("sinter_clear(", to, ");");
    return each_lane(f, whole, cat(to, "[k] = ", array(which), "[", element(f, which, "k"), "];"));
  }
  const std::string distance = stride(f, which),
                    rest = whole ? "" : cat(", ", f.guarded() ? f.left : std::to_string(f.vector));
  const std::string_view suffix = whole ? "(" : "_part(";
  if (whole && is_shifted(which) && reads_lanes(which)) {
    return out_.line("sinter_gather(", to, ", ", from, ", 1);");
  }
  if (whole && is_shifted(which)) {
    const int beyond = operand(which).beyond;
    const std::string how = beyond ? cat("_by<", beyond, ">(") : "(";
    return out_.line("sinter_load_shifted", how, to, ", ", from, ");");
  }
  if (distance == "1") return out_.line("sinter_load", suffix, to, ", ", from, rest, ");");
  out_.line("sinter_gather", suffix, to, ", ", from, ", ", distance, rest, ");");
}

void access_writer::store_vector(const frame& f, int which, bool whole) {
  if (whole && takes_turns(f, which)) return store_turns(f, which);
  const std::string from = vector_of(f, which), to = address(which);
  if (f.vector == 1) {
    return out_.line(array(which), "[", element(f, which, ""), "] = ", from, ";");
  }
  if (operand(which).access.unravel > 0 && at(which).stride.empty()) {
    return each_lane(f, whole,
                     cat(array(which), "[", element(f, which, "k"), "] = ", from, "[k];"));
  }
  const std::string distance = stride(f, which), rest = whole ? "" : cat(", ", f.left);
  const std::string_view suffix = whole ? "(" : "_part(";
  const ir::schedule& how = kernel_.schedule;
  if (distance == "1" && whole && kernel_.reduced > 0 && (how.elastic || how.lead >= 0)) {
    return out_.line("sinter_store_whole(", to, ", ", from, ");");
  }
  if (distance == "1") return out_.line("sinter_store", suffix, to, ", ", from, rest, ");");
  out_.line("sinter_scatter", suffix, to, ", ", distance, ", ", from, rest, ");");
}

void access_writer::load(const frame& f, const operand_list& operands) {
  operand_list rest;
  for (int which : operands) {
    const bool plain = is_scalar(f, which) && !f.empty;
    if (!plain) {
      rest.push_back(which);
    } else if (f.unroll > 1) {
      load_vector(f, which, true);
    } else {
      out_.line("const ", declaration(f, which), " = ", array(which), "[", element(f, which, ""),
                "];");
    }
  }
  if (f.unroll == 1) registers(f, rest);
  fill(f, rest);
}

std::string access_writer::surrounded(const frame& f) const {
  const std::string& c = coordinates_[static_cast<std::size_t>(f.axis)];
  const std::string enough = f.guarded() ? cat(f.left, " >= ", f.vector, " && ") : "";
  return cat(enough, c, " >= ", f.vector - 1, " && (unsigned)n", f.axis, " - ", c,
             " >= ", 2 * f.vector - 1);
}

/// One branch for all operands, so that no load waits for another's.
void access_writer::inside(frame& f, const operand_list& operands) {
  const auto shifted = [this](int which) { return is_shifted(which); };
  f.inside.clear();
  if (f.vector == 1 || std::none_of(operands.begin(), operands.end(), shifted)) return;
  out_.line("const bool inside = ", surrounded(f), ";");
  f.inside = "inside";
}

void access_writer::fill(const frame& f, const operand_list& operands) {
  if (operands.empty()) return;
  if (!f.first.empty()) return fill_first(f, operands);
  if (!f.inside.empty()) {
    {
      const auto whole = out_.block("if (", f.inside, ")");
      for (int which : operands) load_vector(f, which, true);
    }
    const auto part = out_.otherwise("else");
    for (int which : operands) load_vector(f, which, false);
    return;
  }
  if (!f.guarded()) {
    for (int which : operands) load_vector(f, which, true);
    return;
  }
  {
    const auto whole = out_.block("if (", f.left, f.partial ? cat(" >= ", f.vector) : " > 0", ")");
    for (int which : operands) load_vector(f, which, true);
  }
  if (!f.partial) return;
  const auto part = out_.otherwise("else");
  for (int which : operands) load_vector(f, which, false);
}

void access_writer::store(const frame& f, const operand_list& operands) {
  if (operands.empty()) return;
  if (!f.first.empty()) return store_first(f, operands);
  if (!f.guarded()) {
    for (int which : operands) {
      if (!is_direct(f, which)) store_vector(f, which, true);
    }
    return;
  }
  {
    const auto whole = out_.block("if (", f.left, f.partial ? cat(" >= ", f.vector) : " > 0", ")");
    for (int which : operands) store_vector(f, which, true);
  }
  if (!f.partial) return;
  const auto part = out_.otherwise("else");
  for (int which : operands) store_vector(f, which, false);
}

namespace {

/// Narrow variants overload the name: they take the divisors as well.
void write_unravel_function(int rank, bool narrow, writer& out) {
  const std::string_view number = narrow ? "unsigned" : "long long";
  std::string parameters = "long long q", result = "q0 * v0";
  for (int axis = 1; axis < rank; ++axis) parameters += cat(", long long u", axis);
  for (int axis = 1; axis < rank && narrow; ++axis) {
    parameters += cat(", unsigned long long w", axis);
  }
  for (int axis = 0; axis < rank; ++axis) parameters += cat(", long long v", axis);
  out.blank();
  out.line("// the offset of an element, given its row-major number");
  const auto body = out.block("__device__ __forceinline__ long long sinter_unravel_", rank, "(",
                              parameters, ")");
  out.line("const ", number, " q", rank - 1, " = (", number, ")q;");
  for (int axis = rank - 1; axis > 0; --axis) {
    const std::string divided = narrow ? cat("sinter_divide(q", axis, ", w", axis, ")")
                                       : cat("sinter_over(q", axis, ", u", axis, ")");
    const std::string_view extent = narrow ? "(unsigned)u" : "u";
    out.line("const ", number, " q", axis - 1, " = ", divided, ";");
    result += cat(" + (q", axis, " - q", axis - 1, " * ", extent, axis, ") * v", axis);
  }
  out.line("return ", result, ";");
}

}  // namespace

void write_unravel_functions(const ir::kernel& k, writer& out) {
  std::set<std::pair<int, bool>> kinds;
  for (const ir::operand& o : k.operands) {
    if (o.access.unravel > 0) kinds.emplace(o.access.unravel, o.access.narrow);
  }
  for (const auto& [rank, narrow] : kinds) write_unravel_function(rank, narrow, out);
}

std::string product_of_extents(int first, int last) {
  std::string text = cat("n", first);
  for (int axis = first + 1; axis < last; ++axis) text += cat(" * n", axis);
  return last == first + 1 ? text : cat("(", text, ")");
}

}  // namespace sinter::codegen::cuda_text
