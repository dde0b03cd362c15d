#include "codegen/cuda_text/emit.hpp"

#include <algorithm>
#include <bit>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/held.hpp"
#include "codegen/cuda_text/parameters.hpp"
#include "codegen/cuda_text/prelude.hpp"
#include "codegen/cuda_text/quick.hpp"
#include "codegen/cuda_text/writer.hpp"
#include "ir/error.hpp"
#include "ir/kernel_rounds.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::codegen {
namespace {

using cuda_text::cat;
using cuda_text::writer;

std::string parameters(const ir::kernel& k) {
  return cuda_text::listed(cuda_text::declarations(k, ir::slots_of(k)));
}

void require(bool holds, const char* rule) {
  if (!holds) throw ir::verify_error(cat("no CUDA kernel: ", rule));
}

void check_tiles(const ir::kernel& k) {
  const ir::schedule& s = k.schedule;
  require(ir::turns(k) || s.threads % (s.tile_columns / s.vector) == 0,
          "the threads of a tile are no whole rows of vectors");
  require(s.tile % (std::int64_t{s.threads} * s.turn_vector * ir::turned_together(k)) == 0,
          "the turned vectors of a tile are no multiple of its threads");
}

void check(const ir::kernel& k) {
  const ir::schedule& s = k.schedule;
  const auto power_of_two = [](int n) {
    return n > 0 && std::has_single_bit(static_cast<unsigned>(n));
  };
  require(s.target == ir::target::gpu, "the schedule is not a GPU's");
  require(s.threads > 0 && s.threads <= 1024 && s.unroll > 0,
          "threads and unroll are out of range");
  require(power_of_two(s.vector), "the vector is no power of two");
  if (s.tile_rows > 0) check_tiles(k);
  if (k.reduced == 0) {
    const std::int64_t one = std::int64_t{s.threads} * s.vector * s.unroll;
    return require(s.held > 0 ? s.tile % one == 0 : s.tile == one,
                   "the tile is not threads * vector * unroll");
  }
  require(s.threads % 32 == 0, "the threads of a reduction are no whole warps");
  require(power_of_two(s.unroll) || s.lanes == ir::lane_axis::reduced,
          "the vectors of columns in flight are no power of two");
  require((s.resident && s.row_threads == s.threads) ||
              (power_of_two(s.row_threads) && s.threads % s.row_threads == 0),
          "the threads of a row are no power of two that divides the block's, nor all of them");
  const int lanes = s.lanes == ir::lane_axis::kept ? s.vector : 1;
  require(!s.resident || (s.lanes == ir::lane_axis::reduced && !s.split),
          "resident rows are whole and have lanes along reduced axes");
  const bool scans = ir::scan_count(k) > 0;
  if (scans && s.split) {
    require(s.row_threads == s.threads, "a chunk of a scan is no block's own");
  } else if (scans) {
    const int parts = s.lanes == ir::lane_axis::kept ? s.row_threads
                      : s.row_threads > 32           ? s.unroll * s.row_threads / 32
                                                     : 1;
    require(parts <= 32, "a warp cannot bring together what the threads of a row scanned");
    require(!s.resident, "rows of a scan are not resident");
  }
  require(s.cluster == 1 || (s.row_threads == s.threads && !s.split && !scans),
          "the blocks of a cluster share what is no whole row");
  require(s.rows == s.threads / s.row_threads * lanes, "the rows are not what the threads cover");
}

void write_functions(const ir::kernel& k, writer& out) {
  cuda_text::write_unravel_functions(k, out);
  cuda_text::write_combiners(k, out);
  cuda_text::write_meetings(k, out);
  cuda_text::write_chain_functions(k, out);
  cuda_text::write_careful_function(k, out);
  out.blank();
}

std::string arguments(const ir::kernel& k) {
  return cuda_text::listed(cuda_text::names(k, ir::slots_of(k)));
}

/// The function for one tile of a map whose blocks walk several.
void write_walk(const ir::kernel& k, writer& out) {
  cuda_text::write_held_functions(k, out);
  out.blank();
  out.line("__device__ __forceinline__ void walk(const unsigned tile, ",
           cuda_text::held_parameters(k));
  {
    const auto body = out.block(parameters(k), ")");
    cuda_text::write_map(k, "tile", "threadIdx.x", out);
  }
  out.blank();
}

void write_alone(const ir::kernel& k, writer& out) {
  check(k);
  write_functions(k, out);
  const ir::schedule& s = k.schedule;
  if (s.held > 0) write_walk(k, out);
  out.line("extern \"C\" __global__ void ",
           s.cluster > 1 ? cat("__cluster_dims__(", s.cluster, ") ") : "", "__launch_bounds__(",
           s.threads, s.crowd > 0 ? cat(", ", s.crowd) : std::string(), ") kernel(");
  const auto body = out.block(parameters(k), ")");
  out.line("sinter_wait();");
  if (k.schedule.tile_rows > 0)
    cuda_text::write_tiles(k, "blockIdx.x", "threadIdx.x", out);
  else if (s.held > 0)
    cuda_text::write_held(k, arguments(k), out);
  else if (k.reduced == 0)
    cuda_text::write_map(k, "blockIdx.x", "threadIdx.x", out);
  else
    cuda_text::write_reduction(k, "blockIdx.x", "__syncthreads();", out);
}

/// One function per part, in a namespace of its own. `meet`: the barrier of a reduction's threads;
/// a map's function takes its thread number.
void write_part(const ir::kernel& part, std::size_t number, const std::string& meet, writer& out) {
  check(part);
  out.line("namespace part_", number, " {");
  write_functions(part, out);
  const bool map = part.reduced == 0;
  out.line("__device__ __forceinline__ void run(const unsigned block,",
           map ? " const unsigned thread," : "");
  {
    const auto body = out.block(parameters(part), ")");
    if (!map)
      cuda_text::write_reduction(part, "block", meet, out);
    else if (part.schedule.tile_rows > 0)
      cuda_text::write_tiles(part, "block", "thread", out);
    else
      cuda_text::write_map(part, "block", "thread", out);
  }
  out.line("}");
  out.blank();
}

/// The arguments with which part `n` is called.
std::string arguments_of_part(const ir::kernel& k, std::size_t n) {
  std::vector<std::string> words = cuda_text::names(k.parts[n], ir::slots_of(k.parts[n]));
  for (std::string& word : words) word = cat("p", n, "_", word);
  return cuda_text::listed(words);
}

/// The blocks of each part follow those of the part before; a block's number tells which it belongs
/// to.
void write_shared(const ir::kernel& k, writer& out) {
  for (std::size_t n = 0; n < k.parts.size(); ++n) write_part(k.parts[n], n, {}, out);
  out.line("extern \"C\" __global__ void __launch_bounds__(", k.schedule.threads, ") kernel(");
  const auto body = out.block(parameters(k), ")");
  out.line("sinter_wait();");
  out.line("unsigned block = blockIdx.x;");
  for (std::size_t n = 0; n < k.parts.size(); ++n) {
    const ir::kernel& part = k.parts[n];
    const int threads = part.schedule.threads;
    if (n > 0) out.line("block -= (unsigned)p", n - 1, "_blocks;");
    const auto mine = out.block("if (block < (unsigned)p", n, "_blocks)");
    if (threads < k.schedule.threads) out.line("if (threadIdx.x >= ", threads, ") return;");
    out.line("return part_", n, "::run(block, threadIdx.x,");
    out.line(arguments_of_part(k, n), ");");
  }
}

/// The first part that is the same kernel: its function serves both.
std::size_t function_of(const ir::kernel& k, std::size_t n) {
  const std::string key = ir::key_of(k.parts[n]);
  const auto same = [&](const ir::kernel& p) { return ir::key_of(p) == key; };
  return static_cast<std::size_t>(std::ranges::find_if(k.parts, same) - k.parts.begin());
}

/// The barrier of the threads that share a row of the part.
std::string meet_in(const ir::kernel& k, const ir::kernel& part) {
  const int threads = part.schedule.threads;
  return threads < k.schedule.threads ? cat("sinter_meet(", threads, ");") : "__syncthreads();";
}

/// Distributes all blocks and threads of the part among those of the kernel.
void write_turns(const ir::kernel& k, std::size_t n, writer& out) {
  const ir::kernel& part = k.parts[n];
  const int threads = part.schedule.threads, blocks = k.schedule.cluster;
  const std::string count = cat("(unsigned)p", n, "_blocks");
  const std::string run = cat("part_", function_of(k, n), "::run(");
  if (part.reduced == 0) {
    const int all = k.schedule.threads * blocks;
    const auto turns = out.block("for (unsigned at = own; at < ", count, " * ", threads,
                                 "; at += ", all, ")");
    out.line(run, "at / ", threads, ", at % ", threads, ",");
    return out.line(arguments_of_part(k, n), ");");
  }
  const auto some = threads < k.schedule.threads ? out.block("if (threadIdx.x < ", threads, ")")
                                                 : writer::once();
  const auto turns = out.block("for (unsigned block = blockIdx.x; block < ", count, "; block += ",
                               blocks, ")");
  out.line("if (block != blockIdx.x) ", meet_in(k, part));
  out.line(run, "block,");
  out.line(arguments_of_part(k, n), ");");
}

/// See ir/kernel_rounds.hpp.
void write_rounds(const ir::kernel& k, writer& out) {
  for (std::size_t n = 0; n < k.parts.size(); ++n) {
    if (function_of(k, n) == n) write_part(k.parts[n], n, meet_in(k, k.parts[n]), out);
  }
  const int threads = k.schedule.threads, blocks = k.schedule.cluster;
  const std::string_view meet = blocks > 1 ? "sinter_cluster_meet();" : "__syncthreads();";
  const std::string cluster = blocks > 1 ? cat("__cluster_dims__(", blocks, ") ") : "";
  out.line("extern \"C\" __global__ void ", cluster, "__launch_bounds__(", threads, ") kernel(");
  const auto body = out.block(parameters(k), ")");
  out.line("sinter_wait();");
  out.line("const unsigned own = blockIdx.x * ", threads, " + threadIdx.x;");
  if (!k.tests.empty()) out.line("unsigned passed = 0;");
  {
    out.line("#pragma unroll 1");
    const auto loop = out.block("for (long long left = rounds; left > 0; --left)");
    std::size_t test = 0;
    for (std::size_t n = 0; n < k.parts.size(); ++n) {
      out.line("// ", k.parts[n].name);
      write_turns(k, n, out);
      out.line(meet);
      if (test == k.tests.size() || k.tests[test] != static_cast<int>(n)) continue;
      // Nothing may write the byte again before all threads have read it.
      out.line("const bool goes_on_", test, " = *(const volatile unsigned char*)test", test,
               " != 0;");
      out.line(meet);
      out.line("if (!goes_on_", test, ") break;");
      out.line("++passed;");
      ++test;
    }
  }
  if (!k.tests.empty()) out.line("if (own == 0) *(volatile unsigned*)told = passed;");
}

}  // namespace

std::string emit_cuda(const ir::kernel& k) {
  writer out;
  if (ir::is_stack(k))
    cuda_text::write_stack(k, out);
  else if (ir::is_rounds(k))
    write_rounds(k, out);
  else if (k.parts.empty())
    write_alone(k, out);
  else
    write_shared(k, out);
  const std::string text = cuda_text::prelude_for(out.text()) + out.text();
  return text.substr(text.find_first_not_of('\n'));
}

}  // namespace sinter::codegen
