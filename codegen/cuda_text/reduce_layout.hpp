#pragma once
// How a reduction is laid out: which threads share what, and which instructions run where.

#include <string>
#include <vector>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// One walk over the reduced axes, and the outer code that comes before it.
struct phase {
  inst_list outer;    // outer instructions that need the results of earlier walks only
  inst_list reduces;  // accumulated in this walk
  inst_list walked;   // inner instructions that they, and inner stores, need
};

/// Some of a thread's vectors, which are in range alike.
struct stretch {
  int first, last;
  frame inner;   // what one step of a walk handles of them
  frame stored;  // the same where results are stored, a vector at a time
};

struct reduce_layout {
  explicit reduce_layout(const ir::kernel&);

  bool scans;    // positions of a row that threads hold are those of a scan (scan.hpp)
  bool chained;  // and a block has a chunk of a row, whose front comes from the blocks before
  bool columns;  // lanes run along a kept axis: a thread owns columns
  int vector, unroll;
  int row_threads;            // of a block, that share a row, or the columns of a vector
  bool elastic;               // there may be fewer of them: see schedule::elastic
  int cluster;                // blocks that share a row
  int groups;                 // of so many threads, in a block
  frame outer;                // what outer values are: of a row, or of `vector` columns
  frame inner;                // what one step of a walk handles
  bool resident;
  int filled;                 // see schedule::filled
  int lead;                   // see schedule::lead
  std::string meet = "__syncthreads();";  // how the threads of a block wait for each other
  std::vector<phase> phases;  // the last one has outer instructions and stores only
  operand_sets outer_operands, inner_operands;
  operand_list kept_inputs, late_inputs;  // of rows in registers: see schedule::resident

  /// Filled vectors and others, if there are both; before them one that may begin before the row.
  std::vector<stretch> stretches() const;
  /// All vectors of a step that is in range as a whole.
  stretch whole_stretch() const;
  bool always_in_range() const { return resident && filled == unroll; }
  int registers() const { return vector * unroll; }
  /// Values that one thread combines a row's elements to: of a row in registers each has its own.
  int accumulators() const { return resident ? registers() : vector; }
  int results() const { return columns ? vector : 1; }

 private:
  void frames(const ir::kernel&);
};

}  // namespace sinter::codegen::cuda_text
