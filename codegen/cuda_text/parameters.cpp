#include "codegen/cuda_text/parameters.hpp"

#include "codegen/cuda_text/spelling.hpp"
#include "codegen/cuda_text/writer.hpp"

namespace sinter::codegen::cuda_text {
namespace {

std::string parameter(const ir::kernel& k, const ir::slot& s) {
  const std::string name = ir::name_of(k, s);
  const ir::kernel& of = s.part < 0 ? k : k.parts[static_cast<std::size_t>(s.part)];
  switch (s.kind) {
    case ir::slot_kind::test: return cat("const unsigned char* ", name);
    case ir::slot_kind::told: return cat("unsigned* ", name);
    case ir::slot_kind::divisor:
    case ir::slot_kind::unravel_divisor:
    case ir::slot_kind::over:
      return cat("unsigned long long ", name);
    case ir::slot_kind::scalar:
      return cat(storage_type(of.scalars[static_cast<std::size_t>(s.which)]), " ", name);
    case ir::slot_kind::pointer: {
      const ir::operand& o = of.operands[static_cast<std::size_t>(s.which)];
      const bool input = o.role == ir::operand_role::input;
      return cat(input ? "const " : "", storage_type(o.type), "* ", name);
    }
    default:
      return cat("long long ", name);
  }
}

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  std::string text, line = "    ";
  for (const std::string& one : words) {
    const std::string word = one + ", ";
    if (line.size() + word.size() > 100) {
      line.back() = '\n';
      text += line;
      line = "    ";
    }
    line += word;
  }
  text += line;
  text.resize(text.size() - 2);
  return text;
}

std::vector<std::string> declarations(const ir::kernel& k, const std::vector<ir::slot>& slots) {
  std::vector<std::string> words;
  for (const ir::slot& s : slots) words.push_back(parameter(k, s));
  return words;
}

std::vector<std::string> names(const ir::kernel& k, const std::vector<ir::slot>& slots) {
  std::vector<std::string> words;
  for (const ir::slot& s : slots) words.push_back(ir::name_of(k, s));
  return words;
}

}  // namespace sinter::codegen::cuda_text
