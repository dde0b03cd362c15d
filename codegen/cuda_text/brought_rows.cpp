#include "codegen/cuda_text/brought_rows.hpp"

#include <algorithm>

#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Operands that are interleaved in one array. A row is `apart` elements; the operands have those
/// from the first operand's on.
struct row_array {
  int first;  // the operand whose pointer addresses the block's rows
  int low = 0, high = 0;  // range of its turns
};

const ir::operand& operand(const ir::kernel& k, int which) {
  return k.operands[static_cast<std::size_t>(which)];
}

/// The name of an array's rows in shared memory.
std::string rows_name(const ir::kernel& k, int base) { return ir::name_of(k, base) + "_rows"; }

/// Odd, so that rows begin at different banks.
int pitch(const ir::operand& o) { return o.apart | 1; }

row_array array_of(const ir::kernel& k, int base) {
  row_array a{base};
  for (int o = 0; o < static_cast<int>(k.operands.size()); ++o) {
    const int turn = operand(k, o).turn;
    if (operand(k, o).base != base) continue;
    if (turn < a.low) a.low = turn, a.first = o;
    a.high = std::max(a.high, turn);
  }
  return a;
}

template <class F> void each_array(const ir::kernel& k, ir::operand_role role, F f) {
  for (int o = 0; o < static_cast<int>(k.operands.size()); ++o) {
    const ir::operand& x = operand(k, o);
    if (x.apart > 0 && x.base == o && x.role == role) f(o);
  }
}

/// Arguments of the template and of the call: destination first, then source.
std::string passed(const ir::kernel& k, int base, bool brings) {
  const row_array a = array_of(k, base);
  const int apart = operand(k, base).apart, threads = k.schedule.threads;
  const std::string memory =
                        cat(ir::name_of(k, a.first), " + (long long)first * ", apart),
                    held = rows_name(k, base);
  return cat("<", threads, ", ", apart, ", ", a.high - a.low + 1, ">(", brings ? held : memory,
             ", ", brings ? memory : held, ", rows);");
}

}  // namespace

void write_brought_rows(const ir::kernel& k, access_writer& accesses, writer& out) {
  using ir::operand_role;
  for (const operand_role role : {operand_role::input, operand_role::output}) {
    each_array(k, role, [&](int base) {
      const ir::operand& x = operand(k, base);
      out.line("__shared__ ", storage_type(x.type), " ", rows_name(k, base), "[",
               k.schedule.threads * pitch(x), "];");
    });
  }
  bool any = false;
  each_array(k, operand_role::input, [&](int base) {
    out.line("sinter_bring", passed(k, base, true));
    any = true;
  });
  if (any) out.line("__syncthreads();");
  for (int o = 0; o < static_cast<int>(k.operands.size()); ++o) {
    const ir::operand& x = operand(k, o);
    if (x.apart == 0) continue;
    const int place = x.turn - array_of(k, x.base).low;
    accesses.stage(o, rows_name(k, x.base), "");
    accesses.redirect(o, cat("threadIdx.x * ", pitch(x), " + ", place), "1");
  }
}

void write_rows_back(const ir::kernel& k, writer& out) {
  bool any = false;
  each_array(k, ir::operand_role::output, [&](int base) {
    if (!any) out.line("__syncthreads();");
    any = true;
    out.line("sinter_take", passed(k, base, false));
  });
}

}  // namespace sinter::codegen::cuda_text
