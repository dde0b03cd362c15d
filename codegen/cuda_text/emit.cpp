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
  require(s.tile % (std::int64_t{s.threads} * s.turn_vector) == 0,
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
  const bool scans = std::any_of(k.body.begin(), k.body.end(), [](const ir::inst& i) {
    return i.kind == ir::inst_kind::scan;
  });
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

/// One tile of a map that walks several.
void write_walk(const ir::kernel& k, writer& out) {
  cuda_text::write_held_functions(k, out);
  out.blank();
  out.line("__device__ __forceinline__ void walk(const unsigned tile, ",
           cuda_text::held_parameters(k));
  {
    const auto body = out.block(parameters(k), ")");
    cuda_text::write_map(k, "tile", out);
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
    cuda_text::write_tiles(k, out);
  else if (s.held > 0)
    cuda_text::write_held(k, arguments(k), out);
  else if (k.reduced == 0)
    cuda_text::write_map(k, "blockIdx.x", out);
  else
    cuda_text::write_reduction(k, out);
}

/// A function a part, in a namespace of its own.
void write_part(const ir::kernel& part, std::size_t number, writer& out) {
  check(part);
  out.line("namespace part_", number, " {");
  write_functions(part, out);
  out.line("__device__ __forceinline__ void run(const unsigned block,");
  {
    const auto body = out.block(parameters(part), ")");
    cuda_text::write_map(part, "block", out);
  }
  out.line("}");
  out.blank();
}

/// Blocks of one part behind those of another; what a block belongs to follows from its number.
void write_shared(const ir::kernel& k, writer& out) {
  for (std::size_t n = 0; n < k.parts.size(); ++n) write_part(k.parts[n], n, out);
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
    std::vector<std::string> words = cuda_text::names(part, ir::slots_of(part));
    for (std::string& word : words) word = cat("p", n, "_", word);
    out.line("return part_", n, "::run(block,");
    out.line(cuda_text::listed(words), ");");
  }
}

}  // namespace

std::string emit_cuda(const ir::kernel& k) {
  writer out;
  if (ir::is_stack(k))
    cuda_text::write_stack(k, out);
  else if (k.parts.empty())
    write_alone(k, out);
  else
    write_shared(k, out);
  const std::string text = cuda_text::prelude_for(out.text()) + out.text();
  return text.substr(text.find_first_not_of('\n'));
}

}  // namespace sinter::codegen
