#include "codegen/cuda_text/body.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "codegen/cuda_text/loop.hpp"
#include "codegen/cuda_text/spelling.hpp"
#include "ir/formula.hpp"
#include "ir/kernel_quick.hpp"

namespace sinter::codegen::cuda_text {

body_writer::body_writer(const ir::kernel& k, writer& out, std::string prefix)
    : kernel_(k),
      out_(out),
      prefix_(std::move(prefix)),
      places_(k.body.size()),
      kept_(k.body.size()),
      calls_quotients_(ir::calls_quotients(k)) {
  for (int i = 0; i < static_cast<int>(k.body.size()); ++i) {
    const ir::inst& at = inst(i);
    values_.push_back(at.kind == ir::inst_kind::constant ? literal(at.result, at.bits) : label(i));
    if (at.kind == ir::inst_kind::scalar) bind(i, cat("s", at.which));
  }
}

std::string body_writer::label(int i) const {
  const ir::inst& at = inst(i);
  const std::string_view name = at.kind == ir::inst_kind::gather   ? "gather"
                                : at.kind == ir::inst_kind::random ? "random"
                                : at.kind == ir::inst_kind::pick   ? "loop"
                                                                   : ir::name(at.code);
  return cat(name, "_", prefix_, i);
}

void body_writer::bind(int i, const std::string& place) {
  const ir::inst& at = inst(i);
  std::string& value = values_[static_cast<std::size_t>(i)] = place;
  if (at.kind != ir::inst_kind::load && at.kind != ir::inst_kind::scalar) return;
  if (is_bool(at.result)) value = cat("(", place, " != 0)");
  if (at.kind == ir::inst_kind::load && is_part(i)) value += at.part == 0 ? ".re" : ".im";
}

void body_writer::keep(int i, int lanes) {
  kept_[static_cast<std::size_t>(i)] = true;
  out_.line(value_type(inst(i).result), " ", label(i), "[", lanes, "];");
  values_[static_cast<std::size_t>(i)] = label(i) + "[k]";
}

void body_writer::withdraw_supplies(const inst_list& kept) {
  std::erase_if(supplied_, [&](auto& supply) {
    if (std::ranges::find(kept, supply.first) != kept.end()) return false;
    rename(supply.first, std::move(supply.second));
    return true;
  });
}

std::string body_writer::position_of(int i) const {
  const int index = inst(i).args[0];
  const std::string& position = place(i).position;
  if (index < 0) return position;
  return position == "0" ? value(index) : cat(position, " + ", value(index));
}

std::string body_writer::condition_of(int i) const {
  const int condition = inst(i).args[1];
  const std::string& in_range = place(i).in_range;
  if (condition < 0) return in_range;
  return cat(in_range, in_range.empty() ? "" : " && ", value(condition));
}

std::string body_writer::gathered(int i) const {
  const ir::inst& at = inst(i);
  if (const auto row = together_.find(i); row != together_.end()) {
    const auto column = std::ranges::find(row->second, i) - row->second.begin();
    const std::string element = cat("row_", prefix_, row->second[0], "[", column, "]");
    return is_bool(at.result) ? cat("(", element, " != 0)") : element;
  }
  std::string element = cat(place(i).array, "[", position_of(i), "]");
  if (is_part(i)) element += at.part == 0 ? ".re" : ".im";
  if (is_bool(at.result)) element = cat("(", element, " != 0)");
  const std::string condition = condition_of(i);
  if (condition.empty()) return element;
  return cat(condition, " ? ", element, " : ", literal(at.result, 0));
}

void body_writer::read_together(const inst_list& gathers) {
  for (int i : gathers) together_[i] = gathers;
}

void body_writer::load_together(const inst_list& gathers) {
  const int first = gathers[0];
  if (!loaded_.insert(first).second) return;
  const std::string condition = condition_of(first), row = cat("row_", prefix_, first);
  const dtype type = kernel_.operands[static_cast<std::size_t>(inst(first).which)].type;
  remark(first);
  out_.line(storage_type(type), " ", row, "[", gathers.size(), "]",
            condition.empty() ? ";" : " = {};");
  out_.line(condition.empty() ? "" : cat("if (", condition, ") "), "sinter_load_row(", row, ", ",
            place(first).array, " + ", position_of(first), ");");
}

bool body_writer::stands_beside_and(const ir::inst& i) const {
  const auto joins = [](const ir::inst& x, ir::op logical, ir::op bitwise) {
    const bool computes = x.kind == ir::inst_kind::compute && is_bool(x.type);
    return computes && (x.code == logical || x.code == bitwise);
  };
  if (!joins(i, ir::op::logical_or, ir::op::bitwise_or)) return false;
  return std::ranges::any_of(kernel_.body, [&](const ir::inst& x) {
    return joins(x, ir::op::logical_and, ir::op::bitwise_and) &&
           std::minmax(x.args[0], x.args[1]) == std::minmax(i.args[0], i.args[1]);
  });
}

bool body_writer::shifts_by_scalar(const ir::inst& i) const {
  return i.kind == ir::inst_kind::compute && i.code == ir::op::shift_left &&
         size_of(i.type) == 4 && inst(i.args[1]).kind == ir::inst_kind::scalar;
}

std::string body_writer::computed(int i, std::string& remark) const {
  const ir::inst& at = inst(i);
  if (at.kind == ir::inst_kind::gather) return gathered(i);
  if (at.kind == ir::inst_kind::pick) return loop_carry(at.args[0], at.which);
  std::vector<std::string> args;
  for (int a : arguments_of(at)) {
    args.push_back(value(a));
    if (inst(a).kind != ir::inst_kind::constant) continue;
    const std::string number = decimal(inst(a).result, inst(a).bits);
    if (!number.empty()) remark += cat(remark.empty() ? "  // " : ", ", number);
  }
  if (!tests_.empty() && ir::has_quick_form(at)) return quick(i, args);
  if (const auto by = reciprocals_.find(i); by != reciprocals_.end()) {
    return cat("sinter_ratio(", args[0], ", ", args[1], ", ", by->second, ")");
  }
  if (const int by = ir::dividing_scalar(kernel_, at); by >= 0) {
    if (at.code == ir::op::divide) {
      return cat("sinter_ratio(", args[0], ", ", args[1], ", ", inverse_of(at.type, by), ")");
    }
    const bool spares = size_of(at.type) == 8 && ir::scan_count(kernel_) > 0;
    return cat("sinter_", ir::name(at.code), spares ? "_by<true>(" : "_by(", args[0], ", ", args[1],
               ", over_s", by, ")");
  }
  const bool divides = at.kind == ir::inst_kind::compute && at.code == ir::op::divide;
  if (calls_quotients_ && divides && at.type == dtype::float64) {
    return cat("sinter_divided(", args[0], ", ", args[1], ")");
  }
  if (stands_beside_and(at)) return cat("sinter_either(", args[0], ", ", args[1], ")");
  if (shifts_by_scalar(at)) {
    return cat("(", value_type(at.type), ")((unsigned)", args[0], " * sinter_power_of_two(",
               args[1], "))");
  }
  if (at.kind != ir::inst_kind::random) return expression(at, args);
  const std::string_view width = size_of(at.result) == 8 ? "64" : "32";
  return cat("sinter_random", width, "(", args[0], ", ", args[1], ")");
}

/// Emits the reciprocal that quotients by the same divisor share.
void body_writer::write_inverse(int i) {
  const ir::inst& at = inst(i);
  const bool divides = at.code == ir::op::divide && ir::dividing_scalar(kernel_, at) < 0;
  if (tests_.empty() || !ir::has_quick_form(at) || !divides) return;
  const auto by = static_cast<std::size_t>(at.args[1]);
  std::string& name = inverses_[at.args[1]];
  if (!name.empty()) return;
  name = cat("over_", prefix_, at.args[1]);
  out_.line("const ", value_type(at.type), " ", name, " = sinter_quick_inverse(",
            value(at.args[1]), ", ", positive_[by] ? lowest_seen : least_seen, ");");
}

void body_writer::leave_tests_out(bool leaves) {
  tests_ = leaves ? ir::quick_tests(kernel_) : std::vector<ir::quick_test>();
  positive_ = leaves ? ir::never_negative(kernel_) : std::vector<bool>();
}

std::string body_writer::quick(int n, const std::vector<std::string>& args) const {
  const ir::inst& i = inst(n);
  const bool whole = tests_[static_cast<std::size_t>(n)] == ir::quick_test::size;
  const std::string_view seen = whole ? least_seen : lowest_seen;
  if (i.code == ir::op::sqrt) return cat("sinter_quick_root(", args[0], ", ", seen, ")");
  const int by = ir::dividing_scalar(kernel_, i);
  const ir::inst& dividend = inst(i.args[0]);
  const bool difference =
      dividend.kind == ir::inst_kind::compute && dividend.code == ir::op::subtract;
  const std::string_view form = by >= 0 ? "_by(" : difference ? "_of_difference(" : "(";
  return cat("sinter_quick_ratio", form, args[0], ", ", args[1], ", ",
             by < 0 ? inverses_.at(i.args[1]) : inverse_of(i.type, by), ", ", seen, ")");
}

void body_writer::remark(int i) {
  const int note = inst(i).note;
  if (note != note_ && note >= 0) out_.line("// ", kernel_.notes[static_cast<std::size_t>(note)]);
  if (note >= 0) note_ = note;
}

void body_writer::statement(int i, const std::string& text) {
  remark(i);
  out_.line(text);
}

void body_writer::statements(const inst_list& list, const std::function<void(int)>& store) {
  section();
  inverses_.clear();
  loaded_.clear();
  for (int i : list) {
    const ir::inst& at = inst(i);
    if (store && at.kind == ir::inst_kind::store) store(i);
    if (!is_statement(at)) continue;
    if (supplied_.contains(i)) continue;
    if (at.kind == ir::inst_kind::loop) {
      remark(i);
      write_loop(kernel_, *this, i, out_);
      continue;
    }
    const bool kept = kept_[static_cast<std::size_t>(i)];
    write_inverse(i);
    if (const auto row = together_.find(i); row != together_.end()) load_together(row->second);
    std::string remark;
    const std::string right = computed(i, remark);
    const std::string type = kept ? "" : cat("const ", value_type(at.result), " ");
    statement(i, cat(type, value(i), " = ", right, ";", remark));
  }
}

std::string inverse_of(dtype type, int scalar) {
  return cat(type == dtype::float64 ? "sinter_wide_inverse_of" : "sinter_inverse_of", "(s", scalar,
             ", over_s", scalar, ")");
}

std::string combiner_name(ir::op code) {
  return cat("sinter_", ir::name(code));
}

std::string meeting_name(ir::op code) {
  return cat("sinter_", ir::name(code), "_to");
}

void write_combiner(ir::op code, dtype type, writer& out) {
  ir::kernel scratch;
  for (int i = 0; i < 2; ++i) {
    ir::inst operand;
    operand.kind = ir::inst_kind::scalar;
    operand.result = operand.type = type;
    operand.which = i;
    scratch.body.push_back(operand);
  }
  const std::int32_t args[] = {0, 1};
  const int result = ir::emit(scratch.body, code, type, args);
  body_writer body(scratch, out);
  inst_list all;
  for (int i = 0; i < static_cast<int>(scratch.body.size()); ++i) all.push_back(i);
  const std::string_view t = value_type(type);
  out.blank();
  const auto function = out.block("__device__ __forceinline__ ", t, " ", combiner_name(code), "(",
                                  t, " a, ", t, " b)");
  body.rename(0, "a");
  body.rename(1, "b");
  body.statements(all);
  out.line("return ", body.value(result), ";");
}

namespace {

/// The hardware's atomic: the type its function takes, and its name; empty if there is none.
std::pair<std::string_view, std::string_view> hardware_atomic(ir::op code, dtype t) {
  if (!is_integer(t) || size_of(t) < 4) return {};
  const bool wide = size_of(t) == 8;
  const std::string_view plain = wide ? "unsigned long long" : "unsigned";
  if (code == ir::op::add) return {plain, "atomicAdd"};
  const std::string_view own = is_signed(t) ? (wide ? "long long" : "int") : plain;
  if (code == ir::op::maximum) return {own, "atomicMax"};
  if (code == ir::op::minimum) return {own, "atomicMin"};
  return {};
}

/// The prelude's functions that build extrema of floats from atomics of integers.
std::string_view extreme_of_floats(ir::op code, dtype t) {
  if (t != dtype::float32 && t != dtype::float64) return {};
  if (code == ir::op::maximum) return "sinter_raise";
  if (code == ir::op::minimum) return "sinter_lower";
  return {};
}

void write_meeting(ir::op code, dtype t, writer& out) {
  const auto [type, function] = hardware_atomic(code, t);
  const std::string_view extreme = extreme_of_floats(code, t);
  const bool by_hardware = !function.empty() || !extreme.empty();
  if (!by_hardware) write_combiner(code, t, out);
  out.blank();
  const auto body = out.block("__device__ __forceinline__ void ", meeting_name(code), "(",
                              storage_type(t), "* place, ", value_type(t), " value)");
  if (!extreme.empty()) return out.line(extreme, "(place, value);");
  if (by_hardware) return out.line(function, "((", type, "*)place, (", type, ")value);");
  const std::string_view words[] = {"unsigned char", "unsigned short", "unsigned",
                                    "unsigned long long"};
  const std::string_view word = words[std::countr_zero(size_of(t))];
  out.line(word, " before = *(volatile ", word, "*)place;");
  const auto loop = out.block("while (true)");
  out.line("const ", word, " after = sinter_bits<", word, ">((", storage_type(t), ")",
           combiner_name(code), "(sinter_bits<", storage_type(t), ">(before), value));");
  out.line("if (after == before) return;");
  out.line("const ", word, " found = sinter_exchange((", word, "*)place, before, after);");
  out.line("if (found == before) return;");
  out.line("before = found;");
}

}  // namespace

void write_meetings(const ir::kernel& k, writer& out) {
  std::set<std::pair<ir::op, dtype>> written;
  for (const ir::inst& i : k.body) {
    if (i.kind != ir::inst_kind::store || i.code == ir::op::cast) continue;
    if (written.insert({i.code, i.type}).second) write_meeting(i.code, i.type, out);
  }
}

}  // namespace sinter::codegen::cuda_text
