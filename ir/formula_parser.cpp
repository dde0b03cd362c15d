#include "ir/formula_parser.hpp"

#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "ir/cat.hpp"
#include "ir/error.hpp"

namespace sinter::ir::detail {
namespace {

constexpr std::string_view operand_names[] = {"a",  "b",  "c",  "ar", "ai",
                                              "br", "bi", "cr", "ci"};
constexpr std::string_view constant_names[] = {"inf",      "nan",   "tiny",  "normal", "huge",
                                               "all_ones", "width", "ebias", "digits"};

struct operator_row {
  std::string_view text;
  op code;
};

// By precedence, loosest first; `<=` precedes `<`, because the first match is taken.
constexpr operator_row or_level[] = {{"||", op::logical_or}};
constexpr operator_row and_level[] = {{"&&", op::logical_and}};
constexpr operator_row equality_level[] = {{"==", op::equal}, {"!=", op::not_equal}};
constexpr operator_row order_level[] = {{"<=", op::less_equal},
                                        {"<", op::less},
                                        {">=", op::greater_equal},
                                        {">", op::greater}};
constexpr operator_row bit_level[] = {{"&", op::bitwise_and}};
constexpr operator_row sum_level[] = {{"+", op::add}, {"-", op::subtract}};
constexpr operator_row product_level[] = {{"*", op::multiply}, {"/", op::divide}};
constexpr std::span<const operator_row> levels[] = {
    or_level, and_level, equality_level, order_level, bit_level, sum_level, product_level};

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Range, class Projection>
std::optional<int> find_name(const Range& names, std::string_view name, Projection projection) {
  int i = 0;
  for (const auto& candidate : names) {
    if (projection(candidate) == name) return i;
    ++i;
  }
  return std::nullopt;
}

class formula_text_parser {
 public:
  formula_text_parser(std::string_view text, std::string_view owner) : text_(text), owner_(owner) {}

  formula run() {
    while (assignment()) {
    }
    out_.results.push_back(expression());
    if (take(",")) out_.results.push_back(expression());
    if (!rest().empty()) fail("end of formula expected");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw syntax_error(cat("formula of ", owner_, ", column ", at_ + 1, ": ", what));
  }

  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(cat("'", token, "' expected"));
  }
  /// Takes an operator, but not the first half of a longer one.
  bool take_operator(std::string_view token) {
    const std::string_view r = rest();
    if (token == "&" && r.starts_with("&&")) return false;
    return take(token);
  }

  std::string_view name() {
    const std::string_view r = rest();
    std::size_t n = 0;
    while (n < r.size() && (is_letter(r[n]) || (n > 0 && is_digit(r[n])))) ++n;
    at_ += n;
    return r.substr(0, n);
  }

  int add(term t) {
    out_.terms.push_back(std::move(t));
    return static_cast<int>(out_.terms.size()) - 1;
  }
  int call(op code, std::vector<int> args) {
    if (args.size() != info(code).arity) fail("wrong number of operands");
    return add({.kind = term_kind::call, .code = code, .name = {}, .args = std::move(args)});
  }

  bool assignment() {
    const std::size_t start = at_;
    const std::string_view n = name();
    if (n.empty() || !rest().starts_with("=") || rest().starts_with("==")) {
      at_ = start;
      return false;
    }
    const auto itself = [](std::string_view s) { return s; };
    if (find_name(operand_names, n, itself) || find_name(constant_names, n, itself)) {
      fail(cat("'", n, "' cannot be assigned"));
    }
    expect("=");
    out_.locals.push_back(expression());
    local_names_.push_back(n);
    expect(";");
    return true;
  }

  int expression(std::size_t level = 0) {
    if (level == std::size(levels)) return unary();
    int left = expression(level + 1);
    for (bool again = true; again;) {
      again = false;
      for (const operator_row& row : levels[level]) {
        if (!take_operator(row.text)) continue;
        const int right = expression(level + 1);
        left = call(row.code, {left, right});
        again = true;
        break;
      }
    }
    return left;
  }

  int unary() {
    if (take("-")) return call(op::negative, {unary()});
    if (take("!")) return call(op::logical_not, {unary()});
    if (take("(")) {
      const int inside = expression();
      expect(")");
      return inside;
    }
    const std::string_view r = rest();
    if (!r.empty() && (is_digit(r[0]) || r[0] == '.')) return number();
    const std::string_view n = name();
    if (n.empty()) fail("operand expected");
    return rest().starts_with("(") ? function(n) : variable(n);
  }

  int number() {
    const std::string_view r = rest();
    const bool hex = r.starts_with("0x");
    const char* first = r.data() + (hex ? 2 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(
        first, r.data() + r.size(), value,
        hex ? std::chars_format::hex : std::chars_format::general);
    if (error != std::errc()) fail("bad number");
    at_ += static_cast<std::size_t>(end - r.data());
    return add({.kind = term_kind::number, .number = value, .name = {}, .args = {}});
  }

  int variable(std::string_view n) {
    const auto itself = [](std::string_view s) { return s; };
    if (auto i = find_name(local_names_, n, itself)) {
      return add({.kind = term_kind::local, .index = *i, .name = {}, .args = {}});
    }
    if (auto i = find_name(operand_names, n, itself)) {
      return add({.kind = term_kind::operand, .index = *i, .name = {}, .args = {}});
    }
    if (find_name(constant_names, n, itself)) {
      return add({.kind = term_kind::constant, .name = std::string(n), .args = {}});
    }
    fail(cat("unknown name '", n, "'"));
  }

  std::vector<int> arguments() {
    std::vector<int> args;
    expect("(");
    do args.push_back(expression());
    while (take(","));
    expect(")");
    return args;
  }

  int function(std::string_view n) {
    term t{.name = {}, .args = arguments()};
    const std::size_t count = t.args.size();
    if (n == "poly" || n == "fpoly" || n == "pick") {
      t.kind = n == "poly"    ? term_kind::poly
               : n == "fpoly" ? term_kind::fpoly
                              : term_kind::pick;
      if (n == "pick" ? count != 2 : count < 2) fail("wrong number of operands");
      return add(std::move(t));
    }
    const auto op_name = [](const op_info& row) { return row.name; };
    if (auto i = find_name(op_table, n, op_name); i && *i < op_count) {
      return call(static_cast<op>(*i), std::move(t.args));
    }
    if (count != 1) fail("wrong number of operands");
    const auto type_name = [](const dtype_info& row) { return row.name; };
    if (n == "as_int" || n == "as_float") {
      t.kind = n == "as_int" ? term_kind::as_int : term_kind::as_float;
    } else if (n == "T" || n == "I") {
      t.kind = term_kind::convert;
      t.target = n == "T" ? convert_target::formula_type : convert_target::integer_type;
    } else if (auto i = find_name(dtype_table, n, type_name)) {
      t.kind = term_kind::convert;
      t.type = static_cast<dtype>(*i);
    } else {
      fail(cat("unknown function '", n, "'"));
    }
    return add(std::move(t));
  }

  std::string_view text_, owner_;
  std::size_t at_ = 0;
  std::vector<std::string_view> local_names_;
  formula out_;
};

}  // namespace

formula parse_formula(std::string_view text, std::string_view owner) {
  return formula_text_parser(text, owner).run();
}

}  // namespace sinter::ir::detail
