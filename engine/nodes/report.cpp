#include "engine/nodes/report.hpp"

namespace sinter::detail {

std::string text_of(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string text_of(const location& where) {
  const std::string_view path = where.file_name();
  const auto folder = path.find_last_of('/');
  const auto file = folder == path.npos ? path : path.substr(folder + 1);
  return std::string(file) + ':' + std::to_string(where.line());
}

std::string error_text(std::string_view op, std::string_view message,
                       const location& where) {
  std::string text = "[";
  text.append(op).append("] ").append(message);
  // Members such as shape() take no location.
  if (where.line() != 0) text.append(" (").append(text_of(where)).append(")");
  return text;
}

}  // namespace sinter::detail
