// The parser of kernels; kernel_words.hpp shows what it reads.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/cat.hpp"
#include "ir/kernel_words.hpp"
#include "ir/text.hpp"

namespace sinter::ir {

namespace detail {
namespace {

std::vector<int> parse_numbers(scanner& in) {
  std::vector<int> list;
  in.expect("[");
  if (in.take("]")) return list;
  do list.push_back(static_cast<int>(in.integer()));
  while (in.take(","));
  in.expect("]");
  return list;
}

margins parse_margins(scanner& in) {
  margins m;
  in.expect("before");
  m.before = parse_numbers(in);
  in.expect("after");
  m.after = parse_numbers(in);
  return m;
}

/// A word of a schedule, and the part that it sets: to the number behind it, or a flag to true.
template <class T> struct schedule_word {
  std::string_view word;
  T schedule::*part;
};

constexpr schedule_word<int> schedule_numbers[] = {
    {"vector", &schedule::vector},
    {"unroll", &schedule::unroll},
    {"threads", &schedule::threads},
    {"crowd", &schedule::crowd},
    {"row_threads", &schedule::row_threads},
    {"filled", &schedule::filled},
    {"cluster", &schedule::cluster},
    {"ahead", &schedule::ahead},
    {"staged", &schedule::staged},
    {"abreast", &schedule::abreast},
    {"whole_row", &schedule::whole_row},
    {"tile_rows", &schedule::tile_rows},
    {"tile_columns", &schedule::tile_columns},
    {"planes", &schedule::planes},
    {"row_lanes", &schedule::row_lanes},
    {"turn_vector", &schedule::turn_vector},
    {"lead", &schedule::lead},
    {"early", &schedule::early},
    {"rows", &schedule::rows},
};
constexpr schedule_word<std::int64_t> schedule_counts[] = {
    {"tile", &schedule::tile},
    {"held", &schedule::held},
};
constexpr schedule_word<bool> schedule_flags[] = {
    {"split", &schedule::split}, {"resident", &schedule::resident}, {"elastic", &schedule::elastic},
    {"packs", &schedule::packs}, {"pieces", &schedule::pieces},     {"quick", &schedule::quick},
    {"flat", &schedule::flat},
};

class kernel_parser {
 public:
  explicit kernel_parser(std::string_view text) : in_(text) {}

  kernel run() {
    in_.next_line();
    in_.expect("kernel");
    k_.name = in_.word();
    in_.end_line();
    ranks();
    schedule_line();
    if (in_.take("beyond")) {
      k_.beyond = parse_margins(in_);
      k_.around = in_.take("around");
      in_.end_line();
    }
    while (operand_line()) {
    }
    while (in_.take_numbered("s")) {
      in_.expect("=");
      in_.expect("scalar");
      k_.scalars.push_back(parse_type(in_));
      in_.end_line();
    }
    while (const auto n = in_.take_numbered("loop")) loop_lines(*n);
    while (!in_.at_end() && !in_.take("place")) inst_line();
    if (!in_.at_end()) {
      do {
        places_.listed(in_);
        in_.end_line();
      } while (in_.take("place"));
    }
    if (!in_.at_end()) in_.fail("end of text expected");
    resolve();
    return std::move(k_);
  }

 private:
  int small() { return static_cast<int>(in_.integer()); }

  void ranks() {
    in_.expect("target");
    k_.schedule.target = static_cast<target>(parse_name(in_, target_names, "target"));
    in_.expect(",");
    in_.expect("kept");
    k_.kept = small();
    in_.expect(",");
    in_.expect("reduced");
    k_.reduced = small();
    in_.end_line();
  }

  /// Takes one of these words; returns the part of the schedule that it names, null if none comes
  /// next.
  template <class T, std::size_t N> T* part_of_schedule(const schedule_word<T> (&words)[N]) {
    for (const auto& [word, part] : words) {
      if (in_.take(word)) return &(k_.schedule.*part);
    }
    return nullptr;
  }

  void schedule_line() {
    in_.expect("schedule");
    while (!in_.at_end_of_line()) {
      if (int* const number = part_of_schedule(schedule_numbers)) {
        *number = small();
      } else if (std::int64_t* const count = part_of_schedule(schedule_counts)) {
        *count = in_.integer();
      } else if (bool* const flag = part_of_schedule(schedule_flags)) {
        *flag = true;
      } else if (in_.take("lanes")) {
        k_.schedule.lanes = static_cast<lane_axis>(parse_name(in_, lane_names, "kept or reduced"));
      } else {
        in_.fail("part of a schedule expected");
      }
    }
    in_.end_line();
  }

  /// Takes the name of an operand of any role; returns the role.
  std::optional<operand_role> operand_name(int& number) {
    for (int r = 0; r < 5; ++r) {
      if (const auto n = in_.take_numbered(role_prefixes[r])) {
        number = *n;
        return static_cast<operand_role>(r);
      }
    }
    return std::nullopt;
  }

  std::int32_t earlier_operand() {
    int other = 0;
    const auto role = operand_name(other);
    if (!role || static_cast<std::size_t>(other) >= numbers_[static_cast<int>(*role)].size()) {
      in_.fail("an operand before this one expected");
    }
    return numbers_[static_cast<int>(*role)][static_cast<std::size_t>(other)];
  }

  /// Parses how an operand is reached, after its access.
  void how_reached(operand& o) {
    if (in_.take("shifted")) {
      o.reach = reach::shifted;
      if (in_.take("by")) o.beyond = small();
    } else if (in_.take("aligned")) {
      o.reach = reach::aligned;
    } else if (in_.take("turned")) {
      o.reach = reach::turned;
    } else if (in_.take("staged")) {
      o.reach = reach::staged;
    } else if (in_.take("picked")) {
      o.reach = reach::picked;
    } else if (in_.take("backwards")) {
      o.reach = reach::backwards;
    } else if (in_.take("strips")) {
      o.reach = reach::strips;
    }
    if (in_.take("like")) o.like = earlier_operand();
    if (in_.take("apart")) {
      o.apart = small();
      o.base = static_cast<int>(k_.operands.size());
    }
    if (!in_.take("turn")) return;
    o.turn = small();
    in_.expect("of");
    o.base = earlier_operand();
  }

  bool operand_line() {
    int number = 0;
    scanner before = in_;
    const auto role = operand_name(number);
    if (!role) return false;
    auto& numbers = numbers_[static_cast<int>(*role)];
    if (static_cast<std::size_t>(number) != numbers.size()) before.fail("operands stand in order");
    numbers.push_back(static_cast<std::int32_t>(k_.operands.size()));
    in_.expect("=");
    operand o;
    o.role = static_cast<operand_role>(parse_name(in_, role_names, "role"));
    if (o.role != *role) before.fail("a name of another role");
    o.type = parse_type(in_);
    in_.expect("[");
    if (!in_.take("]")) {
      do o.access.steps.push_back(
             static_cast<step>(parse_name(in_, step_names, "zero, one or any")));
      while (in_.take(","));
      in_.expect("]");
    }
    if (in_.take("unravel")) o.access.unravel = small();
    o.access.narrow = in_.take("narrow");
    how_reached(o);
    if (o.role == operand_role::tile) {
      o.tile = small();
      in_.expect("shift");
      o.shift = parse_numbers(in_);
    }
    in_.end_line();
    k_.operands.push_back(std::move(o));
    return true;
  }

  std::vector<dtype> types() {
    std::vector<dtype> list;
    in_.expect("[");
    if (in_.take("]")) return list;
    do list.push_back(parse_type(in_));
    while (in_.take(","));
    in_.expect("]");
    return list;
  }

  void loop_lines(std::int32_t number) {
    if (static_cast<std::size_t>(number) != k_.loops.size()) in_.fail("loops stand in order");
    loop_code l;
    in_.expect("=");
    in_.expect("carries");
    l.carries = types();
    in_.expect("givens");
    l.givens = types();
    in_.end_line();
    while (!in_.take("while")) {
      l.body.push_back(instruction(l.body.size()));
      in_.end_line();
    }
    l.condition = in_.numbered("v");
    in_.expect("next");
    if (!in_.at_end_of_line()) {
      do l.next.push_back(in_.numbered("v"));
      while (in_.take(","));
    }
    in_.end_line();
    k_.loops.push_back(std::move(l));
  }

  void inst_line() {
    const inst i = instruction(k_.body.size());
    places_.reference(in_, k_.body.size());
    in_.end_line();
    k_.body.push_back(i);
  }

  inst instruction(std::size_t number) {
    scanner before = in_;
    if (static_cast<std::size_t>(in_.numbered("v")) != number) {
      before.fail(cat("v", number, " expected"));
    }
    in_.expect("=");
    inst i;
    i.inner = in_.take("each");
    for (const kind_row& row : kinds) {
      if (in_.take(row.name)) i.kind = row.kind;
      if (i.kind != inst_kind::compute) break;
    }
    i.arg = i.kind == inst_kind::reduce && in_.take("arg");
    if (has_op(i) || (i.kind == inst_kind::store && in_.take("by"))) {
      i.code = parse_op(in_);
    }
    i.type = parse_type(in_);
    i.result = in_.take("->") ? parse_type(in_) : usual_result(i);
    inst_details(i);
    for (int k = 0; k < 3; ++k) {
      if (in_.take("none")) continue;
      if (const auto v = in_.take_numbered("v")) i.args[k] = *v;
    }
    return i;
  }

  void inst_details(inst& i) {
    if (has_operand(i.kind)) {
      scanner before = in_;
      int number = 0;
      const auto role = operand_name(number);
      if (!role) before.fail("operand expected");
      const auto& numbers = numbers_[static_cast<int>(*role)];
      if (static_cast<std::size_t>(number) >= numbers.size()) before.fail("no such operand");
      i.which = numbers[static_cast<std::size_t>(number)];
      if (in_.take("im")) i.part = 1;
    }
    if (i.kind == inst_kind::scalar) i.which = in_.numbered("s");
    if (i.kind == inst_kind::loop) i.which = in_.numbered("loop");
    if (has_number(i.kind)) i.which = static_cast<std::int32_t>(in_.integer());
    if (i.kind == inst_kind::constant) {
      std::uint64_t bits[2];
      parse_value(in_, i.type, bits);
      i.bits = bits[0];
    }
  }

  void resolve() {
    std::vector<std::pair<std::size_t, std::int32_t>> notes;
    k_.notes = places_.resolve(notes);
    for (const auto& [index, note] : notes) k_.body[index].note = note;
  }

  scanner in_;
  kernel k_;
  std::vector<std::int32_t> numbers_[5];  // per role: the operand for each name
  place_reader places_;
};

/// Parses what precedes the parts of a stack.
void parse_stack(scanner& in, kernel& k) {
  k.schedule.threads = static_cast<int>(in.integer());
  in.expect("threads");
  in.expect("box");
  k.box = parse_numbers(in);
  in.end_line();
  while (in.take_numbered("tile")) {
    in.expect("=");
    const dtype type = parse_type(in);
    k.tiles.push_back({type, parse_margins(in)});
    in.end_line();
  }
}

/// Parses what precedes the parts of rounds.
void parse_rounds(scanner& in, kernel& k) {
  k.schedule.threads = static_cast<int>(in.integer());
  in.expect("threads");
  k.schedule.cluster = static_cast<int>(in.integer());
  in.expect("blocks");
  in.expect("tests");
  k.tests = parse_numbers(in);
}

}  // namespace
}  // namespace detail

kernel parse_kernel(std::string_view text) {
  detail::scanner in(text);
  in.next_line();
  in.expect("kernel");
  kernel k;
  k.name = in.word();
  in.end_line();
  const bool stack = in.take("stacks");
  k.rounds = !stack && in.take("repeats");
  if (!stack && !k.rounds && !in.take("shares")) return detail::kernel_parser(text).run();
  k.schedule.target = target::gpu;
  if (stack) detail::parse_stack(in, k);
  else if (k.rounds) detail::parse_rounds(in, k);
  else k.schedule.threads = static_cast<int>(in.integer());
  constexpr std::string_view head = "\nkernel ";
  for (std::size_t at = text.find(head); at != text.npos;) {
    const std::size_t next = text.find(head, at + 1);
    k.parts.push_back(parse_kernel(text.substr(at + 1, next == text.npos ? next : next - at)));
    at = next;
  }
  if (stack && !k.parts.empty()) k.schedule.target = k.parts[0].schedule.target;
  return k;
}

}  // namespace sinter::ir
