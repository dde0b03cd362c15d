#include "engine/files/text_fields.hpp"

namespace sinter::detail {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void text_fields::take(std::size_t count) {
  rest_.remove_prefix(count);
  column_ += static_cast<std::int64_t>(count);
}

bool text_fields::at_comment() const {
  return !rules_.comments.empty() && rest_.starts_with(rules_.comments);
}

bool text_fields::at_end_of_line() const {
  return rest_.empty() || rest_[0] == '\n' || rest_.starts_with("\r\n") || rest_ == "\r" ||
         at_comment();
}

void text_fields::pass_blanks() {
  while (!rest_.empty() && is_blank(rest_[0]) && rest_[0] != rules_.delimiter) take(1);
}

/// Skips to the next line, past a comment.
void text_fields::end_line() {
  const auto end = rest_.find('\n');
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  ++line_;
  column_ = 1;
}

void text_fields::skip_lines(std::int64_t count) {
  for (; count > 0 && !rest_.empty(); --count) end_line();
}

bool text_fields::starts_row() {
  while (!rest_.empty()) {
    pass_blanks();
    if (!at_end_of_line()) return true;
    end_line();
  }
  return false;
}

std::string_view text_fields::plain() {
  std::size_t end = 0;
  const std::string_view all = rest_;
  for (; !rest_.empty() && !at_end_of_line(); ++end) {
    const char c = rest_[0];
    if (rules_.delimiter ? c == rules_.delimiter : is_blank(c)) break;
    take(1);
  }
  return trimmed(all.substr(0, end));
}

std::string_view text_fields::quoted() {
  unquoted_.clear();
  const std::int64_t began = line_;
  take(1);
  for (;; take(1)) {
    if (rest_.empty()) {
      throw "the quote that line " + std::to_string(began) + " opens is not closed";
    }
    if (rest_[0] == '"') {
      take(1);
      if (!rest_.starts_with('"')) break;
    }
    unquoted_ += rest_[0];
    if (rest_[0] != '\n') continue;
    ++line_;
    column_ = 0;
  }
  pass_blanks();
  const bool ends = at_end_of_line() ||
                    (rules_.delimiter ? rest_[0] == rules_.delimiter : true);
  if (!ends) throw std::string("text behind a closing quote");
  return unquoted_;
}

bool text_fields::next(text_field& f) {
  if (!inside_ && !starts_row()) return false;
  pass_blanks();
  f.line = line_;
  f.column = column_;
  f.text = rules_.quotes && rest_.starts_with('"') ? quoted() : plain();
  if (!rules_.delimiter) pass_blanks();
  f.last = at_end_of_line();
  inside_ = !f.last;
  if (f.last) end_line();
  else if (rules_.delimiter) take(1);
  return true;
}

}  // namespace sinter::detail
