#pragma once
// What the printers and parsers of both IRs share.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/cat.hpp"
#include "ir/extent.hpp"
#include "ir/ops.hpp"

namespace sinter::ir::detail {

/// Reads a text token by token. Spaces separate tokens; `#` starts a comment that ends the line.
class scanner {
 public:
  explicit scanner(std::string_view text) : text_(text) {}

  /// Throws syntax_error "line:column: what" about the next token.
  [[noreturn]] void fail(const std::string& what);

  /// Takes a punctuation mark, or a word whole.
  bool take(std::string_view token);
  /// Does this token come next? Takes nothing.
  bool peek(std::string_view token) const { return scanner(*this).take(token); }
  void expect(std::string_view token);
  /// Letters, digits, `_` and `.`; empty if the next token is something else.
  std::string_view word();
  std::int64_t integer();
  std::uint64_t unsigned_integer();
  double real();
  /// An integer behind a prefix: "%3", "v12".
  std::int32_t numbered(std::string_view prefix);
  std::optional<std::int32_t> take_numbered(std::string_view prefix);
  std::string_view rest_of_line();

  bool at_end_of_line();
  /// Nothing else may stand in this line; goes to the next one that is not empty.
  void end_line();
  /// Goes to the first line that is not empty; false at the end of the text.
  bool next_line();
  bool at_end() const { return at_ == text_.size(); }

 private:
  void skip_spaces();
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Enumerators by their names. The parsers throw syntax_error for an unknown one.
dtype parse_type(scanner&);
/// A row of the op table, cast or bitcast.
op parse_op(scanner&);
template <class Names>
int parse_name(scanner& in, const Names& names, const char* what) {
  scanner before = in;
  const std::string_view word = in.word();
  int i = 0;
  for (std::string_view name : names) {
    if (name == word) return i;
    ++i;
  }
  before.fail(cat(what, " expected"));
}

/// A value: "true", "-3", "0.1", "inf", "(1, -0)"; or "bits 0x... 0x..." where that would lose
/// something.
std::string value_text(dtype type, const std::uint64_t* bits);
void parse_value(scanner&, dtype type, std::uint64_t* bits);

/// "[3, 4]" and back.
std::string list_text(const std::vector<std::int64_t>& list);
inline std::string list_text(const extent_list& list) { return list_text(plain(list)); }
std::vector<std::int64_t> parse_list(scanner&);

/// Source locations: " @main.cpp:17" at the end of a line stands for an index into a list of
/// strings. The list itself is printed only at the end, and only if the lines do not give it in
/// order.
class places {
 public:
  explicit places(const std::vector<std::string>& list) : list_(list) {}
  std::string reference(std::int32_t index);
  std::string trailer() const;

 private:
  std::int32_t first_of(const std::string& text) const;

  const std::vector<std::string>& list_;
  std::vector<std::string> seen_;
};

/// Collects references while parsing, then resolves them.
class place_reader {
 public:
  /// Takes an optional reference at the end of a line; remembers it for `owner`.
  void reference(scanner&, std::size_t owner);
  /// Takes a line of the trailer, after its first word.
  void listed(scanner&);
  /// The list, and the index of every owner that has one.
  std::vector<std::string> resolve(
      std::vector<std::pair<std::size_t, std::int32_t>>& indices) const;

 private:
  struct entry {
    std::size_t owner;
    std::string text;
    std::int32_t index;  // written as @#3, or -1
  };
  std::vector<entry> entries_;
  std::vector<std::string> list_;
};

}  // namespace sinter::ir::detail
