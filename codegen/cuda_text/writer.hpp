#pragma once
// Lines of text with indentation.

#include <concepts>
#include <string>
#include <string_view>

namespace sinter::codegen::cuda_text {

inline void append(std::string& text, std::string_view part) {
  text += part;
}
inline void append(std::string& text, std::integral auto part) {
  text += std::to_string(part);
}

/// The concatenation of strings and integers.
template <class... parts_t> std::string cat(const parts_t&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

class writer {
 public:
  /// Closes what `block` opened.
  class [[nodiscard]] scope {
   public:
    explicit scope(writer* owner) : owner_(owner) {}
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() {
      if (owner_) owner_->close();
    }

   private:
    writer* owner_;
  };

  template <class... parts_t> void line(const parts_t&... parts) {
    text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    (append(text_, parts), ...);
    text_ += '\n';
  }

  /// `head {`, the lines written while the scope lives, and `}`.
  template <class... parts_t> scope block(const parts_t&... head) {
    if constexpr (sizeof...(head) == 0)
      line("{");
    else
      line(head..., " {");
    ++depth_;
    return scope(this);
  }

  /// `} head {` in place of the `}` of the last closed scope.
  template <class... parts_t> scope otherwise(const parts_t&... head) {
    text_.pop_back();
    append(text_, " ");
    (append(text_, head), ...);
    text_ += " {\n";
    ++depth_;
    return scope(this);
  }

  /// The scope of a loop that runs once: no text.
  static scope once() { return scope(nullptr); }

  /// A loop over [0, count) that the compiler unrolls; no text if it runs once.
  scope lanes(std::string_view variable, int count) {
    if (count == 1) return once();
    line("#pragma unroll");
    return block("for (int ", variable, " = 0; ", variable, " < ", count, "; ++", variable, ")");
  }

  /// A loop over [first, last), unrolled.
  scope lanes(std::string_view variable, int first, int last) {
    line("#pragma unroll");
    return block("for (int ", variable, " = ", first, "; ", variable, " < ", last, "; ++", variable,
                 ")");
  }

  /// A loop over [0, count) that is not unrolled.
  scope each(std::string_view variable, int count) { return each(variable, 0, count); }

  /// A loop over [first, last) that is not unrolled.
  scope each(std::string_view variable, int first, int last) {
    line("#pragma unroll 1");
    return block("for (int ", variable, " = ", first, "; ", variable, " < ", last, "; ++", variable,
                 ")");
  }

  void blank() { text_ += '\n'; }
  const std::string& text() const { return text_; }

 private:
  void close() {
    --depth_;
    line("}");
  }

  std::string text_;
  int depth_ = 0;
};

}  // namespace sinter::codegen::cuda_text
