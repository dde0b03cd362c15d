#include "codegen/cuda_text/stage.hpp"

#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Odd, so that rows begin at different banks.
int pitch(const ir::kernel& k) { return k.schedule.staged | 1; }

operand_list staged(const ir::kernel& k, ir::operand_role role) {
  operand_list all;
  for (int o = 0; o < static_cast<int>(k.operands.size()); ++o) {
    const ir::operand& x = k.operands[static_cast<std::size_t>(o)];
    if (x.reach == ir::reach::staged && x.role == role) all.push_back(o);
  }
  return all;
}

/// The input whose array an output reuses row by row, after each thread has read its own; -1: none.
int donor(const ir::kernel& k, int output) {
  const operand_list inputs = staged(k, ir::operand_role::input),
                     outputs = staged(k, ir::operand_role::output);
  for (std::size_t i = 0; i < inputs.size() && i < outputs.size(); ++i) {
    const auto type = [&](int o) { return k.operands[static_cast<std::size_t>(o)].type; };
    if (outputs[i] == output && type(inputs[i]) == type(output)) return inputs[i];
  }
  return -1;
}

std::string array(const ir::kernel& k, int which) {
  const int from = donor(k, which);
  return "staged_" + ir::name_of(k, from < 0 ? which : from);
}

/// Calls f(place in shared memory) for each element e of the block's run.
template <class F> void each_element(const ir::kernel& k, writer& out, F f) {
  const int n = k.schedule.staged;
  const auto loop = out.lanes("u", 0, n);
  out.line("const unsigned e = u * ", k.schedule.threads, " + threadIdx.x;");
  const std::string place = pitch(k) == n ? "e" : cat("e / ", n, " * ", pitch(k), " + e % ", n);
  f(cat("[", place, "]"));
}

}  // namespace

void write_staged_inputs(const ir::kernel& k, const std::string& live, access_writer& accesses,
                         writer& out) {
  const int n = k.schedule.staged, threads = k.schedule.threads;
  const operand_list inputs = staged(k, ir::operand_role::input),
                     outputs = staged(k, ir::operand_role::output);
  out.line("const long long run = (long long)blockIdx.x * ", threads * n, ";");
  out.line("const unsigned held = (unsigned)(n0 * ", n, " - run < ", threads * n, " ? n0 * ", n,
           " - run : ", threads * n, ");");
  for (const operand_list* list : {&inputs, &outputs}) {
    for (int o : *list) {
      if (donor(k, o) < 0) {
        out.line("__shared__ ", storage_type(k.operands[static_cast<std::size_t>(o)].type), " ",
                 array(k, o), "[", threads * pitch(k), "];");
      }
      accesses.stage(o, array(k, o), "own");
    }
  }
  for (int o : inputs) {
    each_element(k, out, [&](const std::string& place) {
      out.line("if (e < held) ", array(k, o), place, " = ", ir::name_of(k, o), "[run + e];");
    });
  }
  if (!inputs.empty()) out.line("__syncthreads();");
  out.line("const unsigned own = (", live, " ? threadIdx.x : 0) * ", pitch(k), ";");
}

void write_staged_outputs(const ir::kernel& k, writer& out) {
  const operand_list outputs = staged(k, ir::operand_role::output);
  if (outputs.empty()) return;
  out.line("__syncthreads();");
  for (int o : outputs) {
    each_element(k, out, [&](const std::string& place) {
      out.line("if (e < held) ", ir::name_of(k, o), "[run + e] = ", array(k, o), place, ";");
    });
  }
}

}  // namespace sinter::codegen::cuda_text
