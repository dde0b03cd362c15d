#pragma once
// Splits text into rows of fields.

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::detail {

struct text_field {
  std::string_view text;  // without quotes and surrounding spaces; valid until the next one
  std::int64_t line = 1, column = 1;  // where it begins, from 1
  bool last = false;      // of its row
};

/// Fields in sequence, in constant memory.
class text_fields {
 public:
  struct rules {
    char delimiter = 0;  // 0: any spaces and tabs
    std::string_view comments;
    bool quotes = false;
  };

  text_fields(std::string_view text, rules r) : rest_(text), rules_(r) {}
  void skip_lines(std::int64_t count);
  /// False at the end. Rows without a field are skipped. Throws std::string for a quote that is not
  /// closed, or is followed by text.
  bool next(text_field&);
  std::int64_t line() const { return line_; }

 private:
  bool starts_row();
  bool at_end_of_line() const;
  bool at_comment() const;
  void pass_blanks();
  void end_line();
  void take(std::size_t count);
  std::string_view plain();
  std::string_view quoted();

  std::string_view rest_;
  rules rules_;
  std::int64_t line_ = 1, column_ = 1;
  bool inside_ = false;  // a row
  std::string unquoted_;
};

}  // namespace sinter::detail
