// length: the printer and the parser, which mirror each other
// Text of kernels. A softmax:
//
//   kernel softmax
//   target gpu, kept 1, reduced 1
//   schedule vector 4 unroll 2 threads 128 row_threads 128 lanes reduced rows 1
//   in0 = input float32 [any, one]
//   out0 = output float32 [any, one]
//   s0 = scalar float32
//   v0 = each load float32 in0
//   v1 = scalar float32 s0
//   v2 = each multiply float32 v0 v1
//   v3 = reduce maximum float32 v2
//   ...
//   v9 = each store float32 out0 v8  @main.cpp:17
//
// A store that combines says how: `store by add float32 out0 v3 none v4`.
// A loop's body stands before the kernel's, its values numbered apart:
//
//   loop0 = carries [float32] givens [float32, int64]
//   v0 = carry float32 0
//   v1 = carry int64 1
//   v2 = given int64 1
//   v3 = less int64 v1 v2
//   v4 = given float32 0
//   v5 = multiply float32 v0 v4
//   while v3 next v5
//   v0 = load float32 in0
//   v1 = scalar float32 s0
//   v2 = scalar int64 s1
//   v3 = pack bool none v0 v1
//   v4 = pack bool v3 v2
//   v5 = loop bool loop0 v4
//   v6 = pick float32 0 v5
//
// Kernels that share a launch follow the shared one: `kernel both`, `shares 256 threads`, then the
// texts of its parts.
//
// A gather lists its index and its condition: `gather float32 in0 v3 v4`, `... in0 none v4`.
// `each` marks inner values. A result type other than the op's own is written (`cast float32 ->
// int8`), so is the imaginary part of an element (`in0 im`). An unravelled access: `[any] unravel
// 2`. An input that is not reached by whole vectors: `[any, one] shifted`, the same where all begin
// one element after an aligned place: `[any, one] shifted by 1`; `[one, any] turned`. One that
// moves as another does: `[any, one] like in0`.
#include "ir/kernel.hpp"

#include <algorithm>
#include <utility>

#include "ir/text.hpp"

namespace sinter::ir {
namespace {

using detail::cat;
using detail::scanner;

constexpr std::string_view target_names[] = {"cpu", "gpu"};
constexpr std::string_view step_names[] = {"zero", "one", "any"};
constexpr std::string_view role_names[] = {"input", "output", "index", "state"};
constexpr std::string_view role_prefixes[] = {"in", "out", "ix", "state"};
constexpr std::string_view lane_names[] = {"kept", "reduced"};
constexpr std::string_view reach_names[] = {"whole", "shifted", "turned"};

/// Instructions that are not computations, by their names.
struct kind_row {
  inst_kind kind;
  std::string_view name;
};
constexpr kind_row kinds[] = {
    {inst_kind::load, "load"},       {inst_kind::index, "index"},
    {inst_kind::scalar, "scalar"},   {inst_kind::constant, "constant"},
    {inst_kind::random, "random"},   {inst_kind::reduce, "reduce"},
    {inst_kind::scan, "scan"},       {inst_kind::store, "store"},
    {inst_kind::gather, "gather"},   {inst_kind::pack, "pack"},
    {inst_kind::loop, "loop"},       {inst_kind::pick, "pick"},
    {inst_kind::carry, "carry"},     {inst_kind::given, "given"},
};

/// Does an op of the table follow?
bool has_op(const inst& i) {
  return i.kind == inst_kind::compute || i.kind == inst_kind::reduce ||
         i.kind == inst_kind::scan || (i.kind == inst_kind::store && i.code != op::cast);
}

bool has_operand(inst_kind k) {
  return k == inst_kind::load || k == inst_kind::gather || k == inst_kind::index ||
         k == inst_kind::store;
}

/// Does the number of a carry or of a given follow?
bool has_number(inst_kind k) {
  return k == inst_kind::pick || k == inst_kind::carry || k == inst_kind::given;
}

dtype usual_result(const inst& i) {
  if (i.kind == inst_kind::reduce) return i.arg ? dtype::int64 : i.type;
  return i.kind == inst_kind::compute ? result_type(i.code, i.type) : i.type;
}

class printer {
 public:
  printer(const kernel& k, bool with_names) : k_(k), with_names_(with_names), places_(k.notes) {}

  std::string run() {
    std::string out = head() + schedule_text();
    for (std::size_t i = 0; i < k_.operands.size(); ++i) out += operand_text(static_cast<int>(i));
    for (std::size_t i = 0; i < k_.scalars.size(); ++i) {
      out += cat("s", i, " = scalar ", name(k_.scalars[i]), "\n");
    }
    for (std::size_t i = 0; i < k_.loops.size(); ++i) out += loop_text(i);
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      out += cat("v", i, " = ", inst_text(k_.body[i]));
      if (with_names_) out += places_.reference(k_.body[i].note);
      out += "\n";
    }
    return with_names_ ? out + places_.trailer() : out;
  }

 private:
  std::string head() const {
    const std::string_view target = target_names[static_cast<int>(k_.schedule.target)];
    return cat(with_names_ ? cat("kernel ", k_.name, "\n") : "", "target ", target, ", kept ",
               k_.kept, ", reduced ", k_.reduced, "\n");
  }

  std::string schedule_text() const {
    const schedule& s = k_.schedule;
    std::string out = cat("schedule vector ", s.vector, " unroll ", s.unroll);
    if (s.threads) out += cat(" threads ", s.threads);
    if (s.crowd) out += cat(" crowd ", s.crowd);
    if (s.row_threads) out += cat(" row_threads ", s.row_threads);
    out += cat(" lanes ", lane_names[static_cast<int>(s.lanes)]);
    if (s.split) out += " split";
    if (s.resident) out += " resident";
    if (s.filled) out += cat(" filled ", s.filled);
    if (s.cluster > 1) out += cat(" cluster ", s.cluster);
    if (s.packs) out += " packs";
    if (s.tile) out += cat(" tile ", s.tile);
    if (s.tile_rows || s.tile_columns) {
      out += cat(" tile_rows ", s.tile_rows, " tile_columns ", s.tile_columns);
    }
    if (s.turn_vector > 1) out += cat(" turn_vector ", s.turn_vector);
    if (s.lead >= 0) out += cat(" lead ", s.lead);
    if (s.early >= 0) out += cat(" early ", s.early);
    return cat(out, " rows ", s.rows, "\n");
  }

  std::string operand_text(int which) const {
    const operand& o = k_.operands[static_cast<std::size_t>(which)];
    std::string steps;
    for (step s : o.access.steps) {
      steps += cat(steps.empty() ? "" : ", ", step_names[static_cast<int>(s)]);
    }
    return cat(name_of(k_, which), " = ", role_names[static_cast<int>(o.role)], " ", name(o.type),
               " [", steps, "]", o.access.unravel ? cat(" unravel ", o.access.unravel) : "",
               o.reach == reach::whole ? "" : cat(" ", reach_names[static_cast<int>(o.reach)]),
               o.beyond ? cat(" by ", o.beyond) : "",
               o.like >= 0 ? cat(" like ", name_of(k_, o.like)) : "",
               "\n");
  }

  static std::string types_text(const std::vector<dtype>& types) {
    std::string out;
    for (dtype t : types) out += cat(out.empty() ? "" : ", ", name(t));
    return cat("[", out, "]");
  }

  std::string loop_text(std::size_t which) const {
    const loop_code& l = k_.loops[which];
    std::string out = cat("loop", which, " = carries ", types_text(l.carries), " givens ",
                          types_text(l.givens), "\n");
    for (std::size_t i = 0; i < l.body.size(); ++i) {
      out += cat("v", i, " = ", inst_text(l.body[i]), "\n");
    }
    out += cat("while v", l.condition, " next");
    for (std::size_t k = 0; k < l.next.size(); ++k) out += cat(k ? ", v" : " v", l.next[k]);
    return out + "\n";
  }

  std::string inst_text(const inst& i) const {
    std::string out = i.inner ? "each " : "";
    for (const kind_row& row : kinds) {
      if (row.kind == i.kind) out += cat(row.name, " ");
    }
    if (i.kind == inst_kind::reduce && i.arg) out += "arg ";
    if (i.kind == inst_kind::store && i.code != op::cast) out += "by ";
    if (has_op(i)) out += cat(name(i.code), " ");
    out += name(i.type);
    if (i.result != usual_result(i)) out += cat(" -> ", name(i.result));
    if (has_operand(i.kind)) out += cat(" ", operand_reference(i));
    if (i.kind == inst_kind::scalar) out += cat(" s", i.which);
    if (i.kind == inst_kind::loop) out += cat(" loop", i.which);
    if (has_number(i.kind)) out += cat(" ", i.which);
    if (i.kind == inst_kind::constant) {
      const std::uint64_t bits[2] = {i.bits, 0};
      out += cat(" ", detail::value_text(i.type, bits));
    }
    int last = 3;
    while (last > 0 && i.args[last - 1] == -1) --last;
    for (int k = 0; k < last; ++k) {
      out += i.args[k] < 0 ? std::string(" none") : cat(" v", i.args[k]);
    }
    return out;
  }

  std::string operand_reference(const inst& i) const {
    const bool known = i.which >= 0 && static_cast<std::size_t>(i.which) < k_.operands.size();
    return cat(known ? name_of(k_, i.which) : cat("op", i.which), i.part ? " im" : "");
  }

  const kernel& k_;
  bool with_names_;
  detail::places places_;
};

class parser {
 public:
  explicit parser(std::string_view text) : in_(text) {}

  kernel run() {
    in_.next_line();
    in_.expect("kernel");
    k_.name = in_.word();
    in_.end_line();
    ranks();
    schedule_line();
    while (operand_line()) {
    }
    while (in_.take_numbered("s")) {
      in_.expect("=");
      in_.expect("scalar");
      k_.scalars.push_back(detail::parse_type(in_));
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
    k_.schedule.target = static_cast<target>(detail::parse_name(in_, target_names, "target"));
    in_.expect(",");
    in_.expect("kept");
    k_.kept = small();
    in_.expect(",");
    in_.expect("reduced");
    k_.reduced = small();
    in_.end_line();
  }

  void schedule_line() {
    schedule& s = k_.schedule;
    in_.expect("schedule");
    while (!in_.at_end_of_line()) {
      if (in_.take("vector")) s.vector = small();
      else if (in_.take("unroll")) s.unroll = small();
      else if (in_.take("threads")) s.threads = small();
      else if (in_.take("crowd"))
        s.crowd = small();
      else if (in_.take("row_threads")) s.row_threads = small();
      else if (in_.take("lanes")) {
        s.lanes = static_cast<lane_axis>(detail::parse_name(in_, lane_names, "kept or reduced"));
      } else if (in_.take("split")) s.split = true;
      else if (in_.take("resident")) s.resident = true;
      else if (in_.take("filled")) s.filled = small();
      else if (in_.take("cluster"))
        s.cluster = small();
      else if (in_.take("packs")) s.packs = true;
      else if (in_.take("tile")) s.tile = in_.integer();
      else if (in_.take("tile_rows"))
        s.tile_rows = small();
      else if (in_.take("tile_columns"))
        s.tile_columns = small();
      else if (in_.take("turn_vector"))
        s.turn_vector = small();
      else if (in_.take("lead"))
        s.lead = small();
      else if (in_.take("early"))
        s.early = small();
      else if (in_.take("rows")) s.rows = small();
      else in_.fail("part of a schedule expected");
    }
    in_.end_line();
  }

  /// Takes the name of an operand of some role; gives the role.
  std::optional<operand_role> operand_name(int& number) {
    for (int r = 0; r < 4; ++r) {
      if (const auto n = in_.take_numbered(role_prefixes[r])) {
        number = *n;
        return static_cast<operand_role>(r);
      }
    }
    return std::nullopt;
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
    o.role = static_cast<operand_role>(detail::parse_name(in_, role_names, "role"));
    if (o.role != *role) before.fail("a name of another role");
    o.type = detail::parse_type(in_);
    in_.expect("[");
    if (!in_.take("]")) {
      do o.access.steps.push_back(
             static_cast<step>(detail::parse_name(in_, step_names, "zero, one or any")));
      while (in_.take(","));
      in_.expect("]");
    }
    if (in_.take("unravel")) o.access.unravel = small();
    if (in_.take("shifted")) {
      o.reach = reach::shifted;
      if (in_.take("by")) o.beyond = small();
    } else if (in_.take("turned")) {
      o.reach = reach::turned;
    }
    if (in_.take("like")) {
      int other = 0;
      const auto of = operand_name(other);
      if (!of || static_cast<std::size_t>(other) >= numbers_[static_cast<int>(*of)].size()) {
        in_.fail("an operand before this one expected");
      }
      o.like = numbers_[static_cast<int>(*of)][static_cast<std::size_t>(other)];
    }
    in_.end_line();
    k_.operands.push_back(std::move(o));
    return true;
  }

  std::vector<dtype> types() {
    std::vector<dtype> list;
    in_.expect("[");
    if (in_.take("]")) return list;
    do list.push_back(detail::parse_type(in_));
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
      i.code = detail::parse_op(in_);
    }
    i.type = detail::parse_type(in_);
    i.result = in_.take("->") ? detail::parse_type(in_) : usual_result(i);
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
      detail::parse_value(in_, i.type, bits);
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
  std::vector<std::int32_t> numbers_[4];  // by role: the operand behind each name
  detail::place_reader places_;
};

}  // namespace

std::string print(const kernel& k) {
  if (k.parts.empty()) return printer(k, true).run();
  std::string out = cat("kernel ", k.name, "\nshares ", k.schedule.threads, " threads\n");
  for (const kernel& p : k.parts) out += print(p);
  return out;
}

std::string key_of(const kernel& k) {
  if (k.parts.empty()) return printer(k, false).run();
  std::string out = cat("shares ", k.schedule.threads, " threads\n");
  for (const kernel& p : k.parts) out += key_of(p);
  return out;
}

kernel parse_kernel(std::string_view text) {
  scanner in(text);
  in.next_line();
  in.expect("kernel");
  kernel k;
  k.name = in.word();
  in.end_line();
  if (!in.take("shares")) return parser(text).run();
  k.schedule.target = target::gpu;
  k.schedule.threads = static_cast<int>(in.integer());
  constexpr std::string_view head = "\nkernel ";
  for (std::size_t at = text.find(head); at != text.npos;) {
    const std::size_t next = text.find(head, at + 1);
    k.parts.push_back(parse_kernel(text.substr(at + 1, next == text.npos ? next : next - at)));
    at = next;
  }
  return k;
}

}  // namespace sinter::ir
