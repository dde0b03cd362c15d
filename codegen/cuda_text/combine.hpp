#pragma once
// Accumulators, and how the threads of a row combine theirs.

#include <string>

#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/writer.hpp"

namespace sinter::codegen::cuda_text {

class combine_writer {
 public:
  combine_writer(const ir::kernel& k, const reduce_layout& l, body_writer& b, writer& out)
      : kernel_(k), layout_(l), body_(b), out_(out) {}

  /// Declares the barriers at which the blocks of a cluster exchange the results of reductions.
  void begin_cluster();
  /// Declares the accumulators of a reduction.
  void begin(int reduce);
  /// Emitted before and after the lanes of a vector are accumulated.
  void begin_vector(int reduce);
  void end_vector(int reduce);
  /// Accumulates the current value, inside the loops over vectors and lanes.
  void accumulate(int reduce, const frame&);
  /// Folds the accumulators of all threads of the row into the result.
  void finish(int reduce);

 private:
  std::string type(int reduce) const;
  std::string combined(int reduce, const std::string& a, const std::string& b) const;
  std::string neutral(int reduce) const;
  std::string counted(const frame&, const std::string& value, const std::string& neutral) const;
  /// Does each accumulator take just one value, and so is that value?
  bool takes_one(int reduce) const { return layout_.resident && !body_.inst(reduce).arg; }
  bool merges_lanes(int reduce) const;
  bool widens(int reduce) const;
  int narrow_addend(int reduce) const;
  int accumulators(int reduce) const { return merges_lanes(reduce) ? 1 : layout_.accumulators(); }
  void add_lanes(int reduce);
  void fold(int reduce);
  bool either_first(int reduce) const;
  int words(int reduce) const;
  void across_threads(int reduce, const std::string& value, int first, int end);
  void across_warp(int reduce, const std::string& value, int threads);
  void across_block(int reduce, const std::string& value);
  void across_cluster(int reduce, const std::string& value);
  void across_walkers(int reduce, const std::string& value);

  const ir::kernel& kernel_;
  const reduce_layout& layout_;
  body_writer& body_;
  writer& out_;
  int met_ = 0;  // reductions combined across the blocks of the cluster
};

}  // namespace sinter::codegen::cuda_text
