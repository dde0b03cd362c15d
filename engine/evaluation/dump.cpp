#include "engine/evaluation/dump.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

constexpr std::array<std::string_view, 9> known = {"graph", "fusion", "kernel", "cuda", "llvm",
                                                   "ptx",   "asm",    "sass",   "all"};

std::string from_environment(const char* name) {
  const char* v = std::getenv(name);
  return v ? v : "";
}

}  // namespace

dump_settings::dump_settings() {
  const std::string stages = from_environment("SINTER_DUMP");
  if (!stages.empty()) set(stages, from_environment("SINTER_DUMP_DIR"), {});
}

void dump_settings::set(std::string_view stages, std::string_view folder, location where) {
  std::string list = ",";
  std::stringstream in{std::string(stages)};
  for (std::string word; std::getline(in, word, ',');) {
    if (word.empty()) continue;
    bool ok = false;
    for (auto k : known) ok = ok || k == word;
    if (!ok) {
      fail<value_error>(
          error_code::bad_argument, "dump",
          "unknown stage '" + word +
              "'; the stages are graph, fusion, kernel, cuda, llvm, ptx, asm, sass, all",
          where);
    }
    list += word + ",";
  }
  const std::scoped_lock lock(mutex_);
  stages_ = list;
  folder_ = folder;
  any_ = list.size() > 1;
}

bool dump_settings::wants(std::string_view stage) const {
  const std::scoped_lock lock(mutex_);
  return stages_.find("," + std::string(stage) + ",") != std::string::npos ||
         stages_.find(",all,") != std::string::npos;
}

codegen::stage_request dump_settings::request(ir::target t) const {
  if (!any_) return {};
  if (t == ir::target::gpu) return {wants("cuda"), wants("ptx"), wants("sass")};
  return {wants("llvm"), wants("asm"), false};
}

void dump_settings::emit(std::string_view stage, std::string_view name, std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (folder_.empty()) {
    std::fprintf(stderr, "---- %.*s: %.*s\n%.*s\n", static_cast<int>(stage.size()), stage.data(),
                 static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()),
                 text.data());
    return;
  }
  std::ostringstream path;
  path << folder_ << '/' << std::setw(4) << std::setfill('0') << count_++ << '_' << name << '.'
       << stage;
  std::ofstream(path.str()) << text;
}

}  // namespace sinter::detail
