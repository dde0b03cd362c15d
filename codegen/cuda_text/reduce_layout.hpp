#pragma once
// The layout of a reduction: which threads share what, and which instructions run where.

#include <string>
#include <vector>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// One walk over the reduced axes, and the outer code before it.
struct phase {
  inst_list outer;    // outer instructions that need results of earlier walks only
  inst_list reduces;  // accumulated in this walk
  inst_list walked;   // inner instructions that they, and inner stores, need
};

/// Vectors of a thread with the same range conditions.
struct stretch {
  int first, last;
  frame inner;   // what one step of a walk handles of them
  frame stored;  // the same for storing results, one vector at a time
};

struct reduce_layout {
  explicit reduce_layout(const ir::kernel&);

  bool scans;    // threads hold positions of a row in scan order (scan.hpp)
  bool chained;  // and a block has one chunk of a row, whose prefix comes from the blocks before
  bool columns;  // lanes run along a kept axis: a thread owns columns
  int vector, unroll;
  int row_threads;            // threads of a block that share a row, or the columns of a vector
  bool elastic;               // row_threads is a maximum: see schedule::elastic
  int cluster;                // blocks that share a row
  int groups;                 // groups of row_threads threads in a block
  frame outer;                // the frame of outer values: a row, or `vector` columns
  frame inner;                // what one step of a walk handles
  bool resident;
  int filled;                 // see schedule::filled
  int lead;                   // see schedule::lead
  std::string meet = "__syncthreads();";  // the barrier of a block's threads
  std::vector<phase> phases;  // the last one has outer instructions and stores only
  operand_sets outer_operands, inner_operands;
  operand_list kept_inputs, late_inputs;  // of resident rows: see schedule::resident

  /// Filled vectors and the others, if there are both; before them one that may begin before the
  /// row.
  std::vector<stretch> stretches() const;
  /// All vectors of a step that is wholly in range.
  stretch whole_stretch() const;
  bool always_in_range() const { return resident && filled == unroll; }
  int registers() const { return vector * unroll; }
  /// Accumulators of one thread: in resident rows each element has its own.
  int accumulators() const { return resident ? registers() : vector; }
  int results() const { return columns ? vector : 1; }

 private:
  void frames(const ir::kernel&);
};

}  // namespace sinter::codegen::cuda_text
