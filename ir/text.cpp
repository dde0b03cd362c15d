#include "ir/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ir/error.hpp"
#include "ir/reference.hpp"

namespace sinter::ir::detail {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

std::string hex(std::uint64_t word) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), word, 16).ptr;
  return cat("0x", std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

template <class T>
std::string shortest(T value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

/// The text of a value whose type is not complex.
std::string part_text(dtype type, std::uint64_t bits) {
  scalar_value v;
  v.bits[0] = bits;
  if (is_bool(type)) return bits ? "true" : "false";
  if (is_unsigned(type)) return shortest(bits);
  if (is_signed(type)) return shortest(value_of<std::int64_t>(convert(v, type, dtype::int64)));
  if (type == dtype::float64) return shortest(value_of<double>(v));
  return shortest(value_of<float>(convert(v, type, dtype::float32)));
}

std::uint64_t parse_part(scanner& in, dtype type) {
  if (is_bool(type)) {
    constexpr std::string_view names[] = {"false", "true"};
    return static_cast<std::uint64_t>(parse_name(in, names, "true or false"));
  }
  if (is_unsigned(type)) {
    return convert(scalar_of(in.unsigned_integer()), dtype::uint64, type).bits[0];
  }
  if (is_signed(type)) return convert(scalar_of(in.integer()), dtype::int64, type).bits[0];
  return convert(scalar_of(in.real()), dtype::float64, type).bits[0];
}

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool edge_space = c == ' ' && (i == 0 || i + 1 == text.size());
    if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (edge_space) out += "\\s";
    else if (c == '\\' || c == '#') out += std::string("\\") + c;
    else out += c;
  }
  return out.empty() ? "\\e" : out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n') out += '\n';
    else if (c == 'r') out += '\r';
    else if (c == 's') out += ' ';
    else if (c != 'e') out += c;
  }
  return out;
}

/// Reads a number at the start of `rest` and moves `at` past it.
template <class T, class... Base>
T number(std::string_view rest, std::size_t& at, bool& good, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base...);
  good = error == std::errc();
  if (good) at += static_cast<std::size_t>(end - rest.data());
  return value;
}

}  // namespace

// ---- scanner

void scanner::skip_spaces() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

void scanner::fail(const std::string& what) {
  skip_spaces();
  const std::string_view before = text_.substr(0, at_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = at_ - (start == std::string_view::npos ? 0 : start + 1) + 1;
  throw syntax_error(cat(line, ":", column, ": ", what));
}

bool scanner::take(std::string_view token) {
  skip_spaces();
  if (!rest().starts_with(token)) return false;
  const std::string_view after = rest().substr(token.size());
  if (is_word(token.back()) && !after.empty() && is_word(after[0])) return false;
  at_ += token.size();
  return true;
}

void scanner::expect(std::string_view token) {
  if (!take(token)) fail(cat("'", token, "' expected"));
}

std::string_view scanner::word() {
  skip_spaces();
  const std::size_t start = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

std::int64_t scanner::integer() {
  skip_spaces();
  bool good = false;
  const auto value = number<std::int64_t>(rest(), at_, good);
  if (!good) fail("integer expected");
  return value;
}

std::uint64_t scanner::unsigned_integer() {
  skip_spaces();
  bool good = false;
  std::size_t at = at_;
  const bool is_hex = rest().starts_with("0x");
  if (is_hex) at += 2;
  const auto value = number<std::uint64_t>(text_.substr(at), at, good, is_hex ? 16 : 10);
  if (!good) fail("non-negative integer expected");
  at_ = at;
  return value;
}

double scanner::real() {
  skip_spaces();
  bool good = false;
  const auto value = number<double>(rest(), at_, good);
  if (!good) fail("number expected");
  return value;
}

std::optional<std::int32_t> scanner::take_numbered(std::string_view prefix) {
  skip_spaces();
  if (!rest().starts_with(prefix)) return std::nullopt;
  bool good = false;
  std::size_t at = at_ + prefix.size();
  const auto value = number<std::int32_t>(text_.substr(at), at, good);
  if (!good) return std::nullopt;
  at_ = at;
  return value;
}

std::int32_t scanner::numbered(std::string_view prefix) {
  if (const auto n = take_numbered(prefix)) return *n;
  fail(cat("'", prefix, "' and a number expected"));
}

std::string_view scanner::rest_of_line() {
  skip_spaces();
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = end;
  while (line.ends_with(' ') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool scanner::at_end_of_line() {
  skip_spaces();
  return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '#';
}

void scanner::end_line() {
  if (!at_end_of_line()) fail("end of line expected");
  next_line();
}

bool scanner::next_line() {
  while (at_ < text_.size() && at_end_of_line()) {
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
  }
  return at_ < text_.size();
}

// ---- names and values

dtype parse_type(scanner& in) {
  std::vector<std::string_view> names;
  for (const dtype_info& row : dtype_table) names.push_back(row.name);
  return static_cast<dtype>(parse_name(in, names, "type"));
}

op parse_op(scanner& in) {
  std::vector<std::string_view> names;
  for (const op_info& row : op_table) names.push_back(row.name);
  return static_cast<op>(parse_name(in, names, "op"));
}

std::string value_text(dtype type, const std::uint64_t* bits) {
  std::uint64_t parts[2] = {bits[0], 0};
  if (type == dtype::complex64) {
    parts[0] = bits[0] & 0xffffffffu;
    parts[1] = bits[0] >> 32;
  } else if (type == dtype::complex128) {
    parts[1] = bits[1];
  }
  std::string text = part_text(real_of(type), parts[0]);
  if (is_complex(type)) text = cat("(", text, ", ", part_text(real_of(type), parts[1]), ")");
  std::uint64_t again[2] = {};
  scanner check(text);
  parse_value(check, type, again);
  if (std::equal(again, again + 2, bits)) return text;
  return cat("bits ", hex(bits[0]), " ", hex(bits[1]));
}

void parse_value(scanner& in, dtype type, std::uint64_t* bits) {
  bits[0] = bits[1] = 0;
  if (in.take("bits")) {
    bits[0] = in.unsigned_integer();
    bits[1] = in.unsigned_integer();
    return;
  }
  if (!is_complex(type)) {
    bits[0] = parse_part(in, type);
    return;
  }
  in.expect("(");
  const std::uint64_t re = parse_part(in, real_of(type));
  in.expect(",");
  const std::uint64_t im = parse_part(in, real_of(type));
  in.expect(")");
  bits[0] = type == dtype::complex64 ? re | im << 32 : re;
  bits[1] = type == dtype::complex64 ? 0 : im;
}

std::string list_text(const std::vector<std::int64_t>& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) out += cat(i ? ", " : "", list[i]);
  return out + "]";
}

std::vector<std::int64_t> parse_list(scanner& in) {
  std::vector<std::int64_t> list;
  in.expect("[");
  if (in.take("]")) return list;
  do list.push_back(in.integer());
  while (in.take(","));
  in.expect("]");
  return list;
}

// ---- places

std::int32_t places::first_of(const std::string& text) const {
  return static_cast<std::int32_t>(std::find(list_.begin(), list_.end(), text) - list_.begin());
}

std::string places::reference(std::int32_t index) {
  if (index < 0) return "";
  const bool known = static_cast<std::size_t>(index) < list_.size();
  if (!known || first_of(list_[static_cast<std::size_t>(index)]) != index) {
    return cat("  @#", index);
  }
  const std::string& text = list_[static_cast<std::size_t>(index)];
  if (std::find(seen_.begin(), seen_.end(), text) == seen_.end()) seen_.push_back(text);
  return cat("  @", escaped(text));
}

std::string places::trailer() const {
  std::string out;
  if (seen_ == list_) return out;
  for (const std::string& text : list_) out += cat("place ", escaped(text), "\n");
  return out;
}

void place_reader::reference(scanner& in, std::size_t owner) {
  if (const auto index = in.take_numbered("@#")) {
    entries_.push_back({owner, "", *index});
  } else if (in.take("@")) {
    entries_.push_back({owner, unescaped(in.rest_of_line()), -1});
  }
}

void place_reader::listed(scanner& in) {
  list_.push_back(unescaped(in.rest_of_line()));
}

std::vector<std::string> place_reader::resolve(
    std::vector<std::pair<std::size_t, std::int32_t>>& indices) const {
  std::vector<std::string> list = list_;
  for (const entry& e : entries_) {
    if (e.index >= 0) {
      indices.push_back({e.owner, e.index});
      continue;
    }
    auto found = std::find(list.begin(), list.end(), e.text);
    if (found == list.end()) found = list.insert(list.end(), e.text);
    indices.push_back({e.owner, static_cast<std::int32_t>(found - list.begin())});
  }
  return list;
}

}  // namespace sinter::ir::detail
