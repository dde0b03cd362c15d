#include "codegen/nvrtc/compiler.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <string_view>

#include "codegen/cuda_text/emit.hpp"
#include "codegen/nvrtc/disassembler.hpp"

namespace sinter::codegen {
namespace {

/// Options that fix the bits a kernel computes, then one that spares NVRTC declarations that text
/// without headers does not use.
std::vector<std::string> options_for(const std::string& architecture, std::pair<int, int> version) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture,
                                      "--std=c++17",
                                      "--fmad=false",
                                      "--ftz=false",
                                      "--prec-div=true",
                                      "--prec-sqrt=true",
                                      "-default-device"};
  if (version >= std::pair{12, 4}) options.push_back("--minimal");
  return options;
}

/// The lines that the log complains about: "kernel.cu(12): error: ...".
std::set<std::size_t> lines_in(std::string_view log) {
  constexpr std::string_view place = "kernel.cu(";
  std::set<std::size_t> lines;
  for (auto at = log.find(place); at != log.npos; at = log.find(place, at + 1)) {
    std::size_t line = 0;
    const char* digits = log.data() + at + place.size();
    std::from_chars(digits, log.data() + log.size(), line);
    if (line > 0) lines.insert(line);
  }
  return lines;
}

/// The text around these lines, numbered.
std::string excerpt(std::string_view text, const std::set<std::size_t>& lines) {
  constexpr std::size_t around = 2;
  std::string result;
  std::size_t number = 1;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    const auto near = lines.lower_bound(number > around ? number - around : 1);
    if (near != lines.end() && *near <= number + around) {
      std::string label = std::to_string(number);
      label.insert(0, label.size() < 5 ? 5 - label.size() : 0, ' ');
      result += label + " | " + std::string(text.substr(0, end + 1));
    }
    text.remove_prefix(end + 1);
    ++number;
  }
  return result;
}

}  // namespace

nvrtc_compiler::nvrtc_compiler(const std::string& architecture)
    : library_(nvrtc_library::open()), options_(options_for(architecture, library_->version())) {}

std::string nvrtc_compiler::fingerprint() const {
  const auto [major, minor] = library_->version();
  std::string text = "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
  for (const std::string& o : options_) text += " " + o;
  return text;
}

std::vector<std::byte> nvrtc_compiler::compile_text(const std::string& text,
                                                    nvrtc_library::image_kind kind) const {
  auto built = library_->build(text, options_, kind);
  if (!built.image.empty()) return std::move(built.image);
  throw compile_error(fingerprint() + "\n" + built.log + "\n" + excerpt(text, lines_in(built.log)));
}

compiled nvrtc_compiler::compile(const ir::kernel& k, stage_request wanted) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string text = emit_cuda(k);
  const std::chrono::duration<double> own = std::chrono::steady_clock::now() - start;
  compiled result{"kernel", compile_text(text, nvrtc_library::image_kind::cubin), {}, own.count()};
  if (wanted.source) result.stages.emplace_back("cuda", text);
  if (wanted.assembly) {
    const auto ptx = compile_text(text, nvrtc_library::image_kind::ptx);
    const auto* characters = reinterpret_cast<const char*>(ptx.data());
    // NVRTC's text ends with the zero of a C string
    result.stages.emplace_back("ptx", std::string(characters, ptx.size() - 1));
  }
  if (wanted.machine) {
    std::string sass = disassemble(result.image);
    if (!sass.empty()) result.stages.emplace_back("sass", std::move(sass));
  }
  return result;
}

}  // namespace sinter::codegen
