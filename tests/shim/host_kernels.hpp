#pragma once
// Emitted CUDA, compiled by the host compiler and run on the CPU.
//
// Many kernels share one translation unit, each in its own namespace.
// UndefinedBehaviorSanitizer is always on; the other sanitizers if the tests are built with
// them.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "codegen/cuda_text/emit.hpp"
#include "codegen/cuda_text/prelude.hpp"
#include "ir/interpreter.hpp"
#include "tests/shim/grid_simulator.hpp"

namespace sinter::tests {

class host_kernels {
 public:
  host_kernels() = default;
  host_kernels(const host_kernels&) = delete;
  host_kernels& operator=(const host_kernels&) = delete;
  ~host_kernels() {
    if (library_) dlclose(library_);
  }

  /// Adds a kernel to the batch; returns its number for `run`.
  int add(const ir::kernel& k) {
    const int number = static_cast<int>(kernels_.size());
    kernels_.push_back(k);
    texts_.push_back(codegen::emit_cuda(k));
    return number;
  }

  const std::string& text(int number) const { return texts_[static_cast<std::size_t>(number)]; }

  /// Compiles and opens the batch. Throws std::runtime_error with the compiler's messages.
  void build() {
    const folder place;
    const std::string source = place.path / "kernels.cpp", object = place.path / "kernels.so",
                      log = place.path / "log";
    std::ofstream(source) << batch();
    std::string command = SINTER_HOST_CXX;
    for (const std::string& word : {options(), std::string("-o"), object, source}) {
      command += ' ';
      command += word;
    }
    command += " 2> " + log;
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command + "\n" + read(log));
    library_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error(dlerror());
    const auto bind = reinterpret_cast<void (*)(cuda_machine*)>(symbol("bind"));
    bind(grid_.machine());
  }

  void run(int number, const std::uint64_t* slots, std::int64_t blocks,
           thread_order order = thread_order::ascending) {
    const ir::kernel& k = kernels_[static_cast<std::size_t>(number)];
    const int threads = ir::thread_count(k, slots);
    const bool rows = std::ranges::any_of(k.operands, [](const auto& o) { return o.apart > 0; });
    const bool cooperative = k.reduced > 0 || ir::turns(k) || rows || k.schedule.held > 0 ||
                             !k.box.empty() || k.rounds;
    const auto entry = reinterpret_cast<void (*)(const std::uint64_t*)>(
        symbol("launch_" + std::to_string(number)));
    if (k.schedule.cluster > 1) {
      return run_clusters(number, blocks, threads, order, [&] { entry(slots); });
    }
    for (std::int64_t b = 0; b < blocks; ++b) {
      const auto block = static_cast<unsigned>(b);
      if (cooperative)
        grid_.run(block, threads, order, [&] { entry(slots); });
      else
        grid_.run_independent(block, threads, [&] { entry(slots); });
    }
  }

 private:
  void run_clusters(int number, std::int64_t blocks, int threads, thread_order order,
                    const std::function<void()>& body) {
    const int cluster = kernels_[static_cast<std::size_t>(number)].schedule.cluster;
    const auto bounds = reinterpret_cast<void (*)(char**, char**)>(
        symbol("shared_" + std::to_string(number)));
    shared_memory shared;
    bounds(&shared.begin, &shared.end);
    for (std::int64_t b = 0; b < blocks; b += cluster) {
      grid_.run_cluster(static_cast<unsigned>(b), cluster, threads, order, shared, body);
    }
  }

  /// Puts the shared memory of a cluster's blocks into one section, to be swapped as a whole.
  static std::string with_section(const std::string& text, const std::string& number) {
    const std::string section = "memory_" + number;
    return "#undef __shared__\n#define __shared__ static __attribute__((section(\"" + section +
           "\")))\n" + text + "#undef __shared__\n#define __shared__ static\n" +
           "extern \"C\" char __start_" + section + "[], __stop_" + section + "[];\n" +
           "extern \"C\" void shared_" + number + "(char** begin, char** end) {\n" +
           "  *begin = __start_" + section + ";\n  *end = __stop_" + section + ";\n}\n";
  }

  struct folder {
    std::filesystem::path path;
    folder() {
      std::string name = std::filesystem::temp_directory_path() / "sinter_kernels_XXXXXX";
      if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name);
      path = name;
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };

  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  static std::string options() {
    std::string text =
        "-std=c++17 -O0 -g1 -shared -fPIC -w -ffp-contract=off -fno-strict-aliasing "
        "-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all -I" SINTER_SOURCE_DIR;
#if defined(__SANITIZE_ADDRESS__)
    text += " -fsanitize=address";
#endif
#if defined(__SANITIZE_THREAD__)
    text += " -fsanitize=thread";
#endif
    return text;
  }

  /// The text without the primitives, which the shim provides.
  static std::string portable(std::string text) {
    for (const auto& piece : codegen::cuda_text::prelude_pieces()) {
      const auto at = piece.primitive ? text.find(piece.text.substr(1)) : std::string::npos;
      if (at != std::string::npos) text.erase(at, piece.text.size() - 1);
    }
    return text;
  }

  std::string batch() const {
    std::string all = "#include \"tests/shim/cuda_on_host.hpp\"\n";
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::string number = std::to_string(i);
      // a name of C linkage is one function, in any namespace
      std::string text = "#define kernel kernel_" + number + "\nnamespace scope_" + number;
      text += " {\n" + portable(texts_[i]) + "}\n#undef kernel\n";
      all += kernels_[i].schedule.cluster > 1 ? with_section(text, number) : text;
      all += "extern \"C\" void launch_" + number + "(const unsigned long long* slots) {\n";
      all += "  cuda_on_host::call(scope_" + number + "::kernel_" + number + ", slots);\n}\n";
    }
    return all +
           "extern \"C\" void bind(cuda_on_host::machine* m) { cuda_on_host::current = m; }\n";
  }

  void* symbol(const std::string& name) const {
    void* found = dlsym(library_, name.c_str());
    if (!found) throw std::runtime_error(dlerror());
    return found;
  }

  std::vector<ir::kernel> kernels_;
  std::vector<std::string> texts_;
  void* library_ = nullptr;
  grid_simulator grid_;
};

}  // namespace sinter::tests
