#include "codegen/nvrtc/disassembler.hpp"

#include <cerrno>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ;

namespace sinter::codegen {
namespace {

/// A file that its owner deletes on destruction.
class scratch_file {
 public:
  scratch_file() {
    const char* folder = std::getenv("TMPDIR");
    name_ = std::string(folder && *folder ? folder : "/tmp") + "/sinter_cubin_XXXXXX";
    descriptor_ = mkstemp(name_.data());
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(name_.c_str());
  }

  const std::string& name() const { return name_; }

  bool write_all(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return true;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

std::vector<std::string> programs() {
  std::vector<std::string> list = {"nvdisasm"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root && *root) list.push_back(std::string(root) + "/bin/nvdisasm");
  }
  list.push_back("/usr/local/cuda/bin/nvdisasm");
  return list;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

/// What a program writes to its standard output; empty if it cannot be run or fails.
std::string output_of(const std::string& program, const std::string& argument) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char* arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>("-c"),
                       const_cast<char*>(argument.c_str()), nullptr};
  pid_t child = -1;
  const int status = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = status == 0 ? read_all(ends[0]) : std::string();
  close(ends[0]);
  int result = 0;
  if (status != 0 || waitpid(child, &result, 0) != child || result != 0) return {};
  return text;
}

}  // namespace

std::string disassemble(std::span<const std::byte> cubin) {
  scratch_file file;
  if (!file.write_all(cubin)) return {};
  for (const std::string& program : programs()) {
    std::string text = output_of(program, file.name());
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace sinter::codegen
