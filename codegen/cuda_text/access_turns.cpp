// Operands that are interleaved in one array: a thread reads and writes its rows as contiguous
// vectors, and separates the operands in registers. One by one, each would touch every line of the
// array.
#include <algorithm>
#include <bit>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

constexpr std::size_t widest_store = 16;  // bytes

/// How much of the 48 KB of shared memory that every kernel may have runs may take.
constexpr std::size_t most_of_runs = 40 << 10;

}  // namespace

void access_writer::write_runs_by_warps(int threads) {
  std::size_t bytes = 0;
  for (int o = 0; o < static_cast<int>(kernel_.operands.size()); ++o) {
    const ir::operand& x = operand(o);
    if (x.role != ir::operand_role::output || x.base != o) continue;
    const int elements = x.apart * kernel_.schedule.vector * threads;
    bytes += static_cast<std::size_t>(elements) * size_of(x.type);
  }
  if (bytes <= most_of_runs && kernel_.schedule.held == 0) threads_ = threads;
}

bool access_writer::takes_turns(const frame& f, int which) const {
  return operand(which).apart > 0 && f.vector > 1;
}

/// The operands that are interleaved with a base, in the order of their turns.
operand_list access_writer::turns_of(int base) const {
  operand_list all;
  for (int o = 0; o < static_cast<int>(kernel_.operands.size()); ++o) {
    if (operand(o).base == base) all.push_back(o);
  }
  std::ranges::sort(all, {}, [&](int o) { return operand(o).turn; });
  return all;
}

/// Is a thread's run an output of more than one access? Then the stores of a warp, whose threads
/// have adjacent runs, would touch each line once per access of a run. (Three rows of 67 million
/// floats joined to points, H200: 76% of a copy, 98% if warps store together; four rows 69%, 99%.)
bool access_writer::goes_by_warps(const frame& f, int base) const {
  const ir::operand& o = operand(base);
  const std::size_t bytes = static_cast<std::size_t>(o.apart * f.vector) * size_of(o.type);
  return threads_ > 0 && o.role == ir::operand_role::output && f.guarded() &&
         bytes > widest_store && bytes % widest_store == 0;
}

/// The vectors of a run: one if its length is a power of two, otherwise one per row.
int access_writer::run_vectors(const frame& f, int base) const {
  if (goes_by_warps(f, base)) return 1;
  const auto apart = static_cast<unsigned>(operand(base).apart);
  return std::has_single_bit(apart * static_cast<unsigned>(f.vector)) ? 1 : operand(base).apart;
}

/// Lane `k` of the operand at this place in the run.
std::string access_writer::turn_of(const frame& f, int base, std::size_t place) const {
  const std::string element = cat("k * ", operand(base).apart, " + ", place);
  if (run_vectors(f, base) == 1) return cat(name(base), "_run[", element, "]");
  return cat(name(base), "_run[(", element, ") / ", f.vector, "][(", element, ") % ", f.vector,
             "]");
}

void access_writer::declare_run(const frame& f, int base) {
  const int vectors = run_vectors(f, base);
  const std::string sides = vectors == 1 ? cat("[", operand(base).apart * f.vector, "]")
                                         : cat("[", vectors, "][", f.vector, "]");
  out_.line(storage_type(operand(base).type), " ", name(base), "_run", sides, ";");
}

void access_writer::load_turns(const frame& f, int base) {
  if (operand(base).base != base) return;  // loaded with the base
  const operand_list all = turns_of(base);
  const std::string from = cat(name(all[0]), " + ", at(base).offset), run = name(base) + "_run";
  declare_run(f, base);
  if (const int vectors = run_vectors(f, base); vectors == 1) {
    out_.line("sinter_load(", run, ", ", from, ");");
  } else {
    const auto each = out_.lanes("c", vectors);
    out_.line("sinter_load(", run, "[c], ", from, " + c * ", f.vector, ");");
  }
  const auto lanes = out_.lanes("k", f.vector);
  for (std::size_t p = 0; p < all.size(); ++p) {
    out_.line(vector_of(f, all[p]), "[k] = ", turn_of(f, base, p), ";");
  }
}

void access_writer::store_turns(const frame& f, int base) {
  if (operand(base).base != base) return;
  const operand_list all = turns_of(base);
  const std::string to = cat(name(all[0]), " + ", at(base).offset), run = name(base) + "_run";
  declare_run(f, base);
  {
    const auto lanes = out_.lanes("k", f.vector);
    for (std::size_t p = 0; p < all.size(); ++p) {
      out_.line(turn_of(f, base, p), " = ", vector_of(f, all[p]), "[k];");
    }
  }
  if (goes_by_warps(f, base)) {
    out_.line("if (", f.left, " >= (", warp, " - (int)threadIdx.x % ", warp, ") * ", f.vector,
              ") sinter_store_runs<", threads_, ">(", to, ", ", run, ");");
    out_.line("else sinter_store(", to, ", ", run, ");");
  } else if (const int vectors = run_vectors(f, base); vectors == 1) {
    out_.line("sinter_store(", to, ", ", run, ");");
  } else {
    const auto each = out_.lanes("c", vectors);
    out_.line("sinter_store(", to, " + c * ", f.vector, ", ", run, "[c]);");
  }
}

}  // namespace sinter::codegen::cuda_text
