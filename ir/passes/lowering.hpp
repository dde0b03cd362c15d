#pragma once
// The walk behind lower(): from group to group, with the plan built so far. Launches
// (lower_launches.cpp) and reports (lower_reports.cpp) are implemented in files of their own.

#include <map>
#include <optional>
#include <utility>

#include "ir/passes/lower.hpp"
#include "ir/passes/shape.hpp"

namespace sinter::ir {

class lowering {
 public:
  lowering(const graph& g, const fusion& f, const machine& m);
  std::optional<plan> run();

 private:
  using donor_list = decltype(plan_step::donors);

  // ---- buffers
  std::int32_t buffer(plan_buffer::role what, dtype type, extent count);
  void root_buffer(node_id r);
  void status(node_id n);
  void outputs();

  // ---- the steps of a group
  void call(const group& g);
  /// Scalars become slots, arrays become buffers.
  void call_inputs(const node& x, plan_step& s) const;
  /// Does any output of the call have elements? If not, there is no step.
  bool call_outputs(const group& g, plan_step& s) const;
  void kernels(std::int32_t id);
  /// Splits axes at reshape borders, then unrolls a short reduced axis along which a join chooses.
  void take_axes_apart(body& b, group& g) const;
  /// Unrolls a short axis of a CPU map, if that pays. True: it tried, and no axis is worth it.
  bool share_first(body& b, group& g) const;
  /// The kernel of a group whose rows are not split. `shared`: share_first has already tried.
  void whole_rows(const body& b, shaped s, const group& g, bool shared);
  /// Does one thread combine the values of a scatter?
  bool walks_alone(const group& g) const;
  /// The largest number of elements of an array at which the kernel combines values; none if it
  /// combines nothing, or if an array begins elsewhere than its operand.
  std::optional<extent> places_of(const body& b, const shaped& s) const;
  /// A chained scan of long rows: one kernel whose blocks pass on the totals of their chunks
  /// through words that another kernel clears.
  void chain(body b, const group& g);
  void clear(body_operand words, extent count);
  /// Would few rows, or few columns, leave most of the machine idle?
  bool worth_splitting(const group& g, const shaped& s);
  bool computes_long(const shaped& s, extent length) const;
  /// Do the results of a chunk suffice to continue? Not for positions, nor if a row is walked
  /// again.
  static bool splittable(const kernel& k);
  /// The second kernel of a split reduction: rows of partial results. `parts`: the kept axes in the
  /// order of the first kernel, then the number of splits; `at`: where the partial results lie.
  void combine(std::int32_t id, const shape_t& parts, const index_map& at);
  /// An update starts from its base: in place if the base dies here, else from a copy.
  void copies(const group& g);

  // ---- one kernel, possibly in several launches (lower_launches.cpp)
  void emit(const body& b, shaped s, const group& g);
  /// Launches below the element limit: cuts the first axis whose steps are small enough, once for
  /// each step of the axes before it. Pieces are whole tiles, so that vectors stay aligned.
  void cut(const body& b, const shaped& s, std::int32_t kernel, std::size_t axis,
           const donor_list& donors);
  void step(const body& b, const shaped& s, std::int32_t kernel, const donor_list& donors);
  slot_value fill(const slot& v, const body& b, const shaped& s) const;
  slot_value pointer(const body_operand& x, const index_expr& at) const;
  slot_value scalar(const std::pair<node_id, int>& part) const;
  /// Which operands' memory an output of a map may take: that of inputs read only at the element
  /// being written. An update may also read its base at elements it never writes.
  donor_list donors_of(const body& b, const shaped& s) const;
  /// The base of a scatter or table, unless another operand of the kernel reads it.
  void donate_base(const body& b, node_id written, donor_list& to) const;
  /// Are these two outputs in one buffer?
  static bool writes_with(const body& b, std::size_t o, std::size_t out);
  bool only_there(const body& b, const shaped& s, node_id buffer, std::size_t out) const;
  /// Does an input never reach an element that any output in the buffer of `out` writes?
  static bool meets_none(const body& b, const shaped& s, std::size_t in, std::size_t out);
  /// Is the buffer read after the output has been written? The operands of another output, and the
  /// mask of a check, may be loaded after the first store.
  static bool read_later(const body& b, node_id buffer, std::size_t out);

  // ---- diagnostics (lower_reports.cpp)
  void name(kernel& k, const body& b) const;
  /// The kernel's own list of the source statements it comes from.
  void keep_notes(kernel& k) const;
  void report(const body& b, const group& g);

  const graph& g_;
  const fusion& f_;
  const machine& m_;
  plan out_;
  bool unsplittable_ = false;  // a row fused for clusters that must be split and cannot be
  std::map<std::pair<node_id, std::int32_t>, std::int32_t> buffer_of_;
  std::map<node_id, std::int32_t> scalar_of_;
};

}  // namespace sinter::ir
