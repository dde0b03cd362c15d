// Dumps: the printed stages of a plan, and CUDA text without a GPU.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <stdlib.h>
#include <unistd.h>

#include <sinter/sinter.hpp>

#include "engine/evaluation/nominal_gpu.hpp"
#include "engine/evaluation/session.hpp"
#include "tests/catch.hpp"
#include "tests/unit/cuda_text/module.hpp"

namespace dump_test {

namespace sn = sinter;

namespace {

/// Dumps to its own folder during its lifetime.
class dumped {
 public:
  explicit dumped(const std::string& stages) {
    std::string pattern = (std::filesystem::temp_directory_path() / "sinter-dump-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    sn::dump(stages, folder_.string());
  }
  ~dumped() {
    sn::dump("");
    std::filesystem::remove_all(folder_);
  }
  dumped(const dumped&) = delete;
  dumped& operator=(const dumped&) = delete;

  /// The texts of a stage, in order of printing.
  std::vector<std::string> texts(const std::string& stage) const {
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) {
      if (each.path().extension() == "." + stage) files.push_back(each.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> all;
    for (const auto& path : files) {
      std::ifstream in(path);
      all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
  }

 private:
  std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

/// The stderr output of `work`.
template <class Work> std::string stderr_of(Work&& work) {
  std::FILE* const file = std::tmpfile();
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  work();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

sn::array<float> numbers(std::int64_t n) {
  const sn::array<float> x = sn::arange<float>(n) * 0.125f;
  sn::eval(x);
  return x;
}

void compute(const sn::array<float>& x) {
  sn::eval(x);
}

/// A graph that becomes one kernel.
sn::ir::graph exp_of_square() {
  return sn::ir::parse_graph(R"(%0 = source float32 [1000]
%1 = map float32 [1000] (%0) { v1 = multiply float32 v0 v0; v2 = exp float32 v1 }
return %1
)");
}

}  // namespace

TEST_CASE("on the CPU a dump of CUDA text shows what a GPU would run", "[engine]") {
  const auto scope = sn::use("cpu");
  const auto x = numbers(1000);
  const dumped files("cuda,ptx");
  const auto y = (x * x + 3).to_host();
  CHECK(y[8] == 4.f);
  const auto cuda = files.texts("cuda"), ptx = files.texts("ptx");
  REQUIRE(cuda.size() == 1);
  CHECK(contains(cuda[0], "extern \"C\" __global__"));
  CHECK(cuda[0].starts_with("// sm_90: "));
  CHECK(files.texts("llvm").empty());
  const auto toolkit = sn::tests::open_cuda(false);
  if (!toolkit.compiler) {
    WARN("not compiled: " << toolkit.problem);
    CHECK(cuda[0].starts_with("// sm_90: not compiled\n"));
    return;
  }
  CHECK(contains(cuda[0], " bytes of machine code, not run\n"));
  REQUIRE(ptx.size() == 1);
  CHECK(contains(ptx[0], ".target sm_90"));
}

TEST_CASE("a kernel is dumped once, and again after a new dump", "[engine]") {
  const auto scope = sn::use("cpu");
  const dumped files("cuda,kernel");
  for (const std::int64_t n : {1000, 2000, 3000}) compute(sn::sqrt(numbers(n) + 7));
  const auto roots = [&] {
    std::size_t count = 0;
    for (const auto& text : files.texts("cuda")) count += contains(text, "sqrtf(");
    return count;
  };
  CHECK(roots() == 1);
  const dumped later("cuda,kernel");
  compute(sn::sqrt(numbers(1000) + 7));
  std::size_t again = 0, kernels = 0;
  for (const auto& text : later.texts("cuda")) again += contains(text, "sqrtf(");
  for (const auto& text : later.texts("kernel")) kernels += contains(text, "sqrt");
  CHECK(again == 1);
  CHECK(kernels == 1);
}

TEST_CASE("stages that are not asked for are not dumped", "[engine]") {
  const auto scope = sn::use("cpu");
  const dumped files("graph");
  compute(sn::cos(numbers(1000)));
  CHECK(!files.texts("graph").empty());
  CHECK(files.texts("cuda").empty());
  CHECK(files.texts("kernel").empty());
}

TEST_CASE("an unfused dump shows a kernel an op", "[engine]") {
  const auto scope = sn::use("cpu");
  const auto x = numbers(1000);
  const dumped files("cuda");
  sn::fusion(false);
  compute(sn::exp(x * 3));
  sn::fusion(true);
  CHECK(files.texts("cuda").size() == 2);
}

TEST_CASE("CUDA text that does not compile is dumped, and one line says why", "[engine]") {
  struct broken final : sn::codegen::compiler {
    std::string fingerprint() const override { return "broken"; }
    sn::codegen::compiled compile(const sn::ir::kernel&,
                                  sn::codegen::stage_request) const override {
      throw sn::codegen::compile_error("nvrtc 1.0\nkernel.cu(3): error: no such word\n   3 | x\n");
    }
  };
  const dumped files("cuda");
  sn::detail::dump_settings& dumps = sn::detail::the_session().dumps;
  sn::detail::nominal_gpu gpu(dumps, [](const char*) { return std::make_shared<const broken>(); });
  const std::string said = stderr_of([&] { gpu.show(exp_of_square(), true); });
  CHECK(contains(said, "does not compile: kernel.cu(3): error: no such word\n"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  REQUIRE(files.texts("cuda").size() == 1);
  CHECK(files.texts("cuda")[0].starts_with("// sm_90: not compiled\n"));
}

TEST_CASE("without a toolkit CUDA text is dumped, and one line says why it is not compiled",
          "[engine]") {
  const dumped files("cuda");
  sn::detail::dump_settings& dumps = sn::detail::the_session().dumps;
  sn::detail::nominal_gpu gpu(dumps, [](const char*) -> std::shared_ptr<sn::codegen::compiler> {
    throw sn::codegen::compile_error("libsinter_cuda.so: no such file");
  });
  const std::string said = stderr_of([&] {
    gpu.show(exp_of_square(), true);
    gpu.forget();
    gpu.show(exp_of_square(), true);
  });
  CHECK(said == "sinter: [dump] CUDA text is not compiled: libsinter_cuda.so: no such file\n");
  CHECK(files.texts("cuda").size() == 2);
}

}  // namespace dump_test
