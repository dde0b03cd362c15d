#include "engine/evaluation/nominal_gpu.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

#include "codegen/cuda_text/emit.hpp"
#include "ir/passes/pipeline.hpp"

namespace sinter::detail {

namespace {

constexpr const char* architecture = "sm_90";

/// The first error line of a compiler's log.
std::string first_error(std::string_view log) {
  const std::size_t at = log.find("error");
  const std::size_t start = at == log.npos ? 0 : log.rfind('\n', at) + 1;  // npos + 1 is 0
  return std::string(log.substr(start, log.find('\n', start) - start));
}

void complain(const std::string& about, std::string_view log) {
  std::fprintf(stderr, "sinter: [dump] %s: %s\n", about.c_str(), first_error(log).c_str());
}

}  // namespace

ir::machine nominal_machine() {
  ir::machine m;
  m.target = ir::target::gpu;
  m.units = 132;
  m.cluster = 8;
  m.share_limit = 1 << 18;
  m.stack_limit = 4;
  m.int8_products = true;
  m.vector_bytes = 16;
  m.bandwidth = 4.3e12;
  m.arithmetic = 2.0 * 132 * 128 * 1.98e9;
  m.launch = 3e-6;
  m.cache = 50 << 20;
  return m;
}

const codegen::compiler* nominal_gpu::compiler() {
  if (!asked_) {
    asked_ = true;
    try {
      compiler_ = make_(architecture);
    } catch (const std::exception& e) {
      complain("CUDA text is not compiled", e.what());
    }
  }
  return compiler_.get();
}

void nominal_gpu::show(const ir::graph& g, bool fuse) {
  try {
    ir::machine m = nominal_machine();
    m.fuse = fuse;
    for (const ir::kernel& k : ir::make_plan(g, m).kernels) {
      if (shown_.insert(ir::key_of(k)).second) show(k);
    }
  } catch (const std::exception& e) {
    complain("no plan for a GPU", e.what());
  }
}

void nominal_gpu::show(const ir::kernel& k) {
  const std::string text = codegen::emit_cuda(k);
  codegen::stage_request wanted = dumps_.request(ir::target::gpu);
  wanted.source = false;  // kept even if it does not compile
  std::string note = "not compiled";
  codegen::compiled made;
  if (const codegen::compiler* c = compiler()) {
    try {
      made = c->compile(k, wanted);
      note = std::to_string(made.image.size()) + " bytes of machine code, not run";
    } catch (const std::exception& e) {
      complain(std::string(architecture) + ": " + k.name + " does not compile", e.what());
    }
  }
  if (dumps_.wants("cuda")) {
    dumps_.emit("cuda", k.name, std::string("// ") + architecture + ": " + note + "\n" + text);
  }
  for (const auto& [stage, words] : made.stages) dumps_.emit(stage, k.name, words);
}

}  // namespace sinter::detail
