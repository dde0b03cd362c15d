#pragma once
// The walk behind lower(): from group to group, with the plan as far as it has come. Which kernels
// a group becomes, how they are launched and what is said of them stand in files of their own.

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
  /// Scalars are slots, arrays are buffers.
  void call_inputs(const node& x, plan_step& s) const;
  /// Does any of them have elements?
  bool call_outputs(const group& g, plan_step& s) const;
  void kernels(std::int32_t id);
  /// Shares an axis of a CPU's map, if that pays. True: it looked, and nothing is to be shared.
  void take_axes_apart(body& b, group& g) const;
  bool share_first(body& b, group& g) const;
  /// The kernel of a group whose rows are not cut. `shared`: no axis is to be shared any more.
  void whole_rows(const body& b, shaped s, const group& g, bool shared);
  /// Do the values of a scatter come one after the other?
  bool walks_alone(const group& g) const;
  /// The most places of an array that the kernel combines values at; none where it does not, or
  /// where an array begins elsewhere than its places.
  std::optional<extent> places_of(const body& b, const shaped& s) const;
  /// A scan of long rows: one kernel that passes on what its chunks come to, through words that
  /// another one clears.
  void chain(body b, const group& g);
  void clear(body_operand words, extent count);
  /// Few rows, or few columns, would leave most of the machine idle.
  bool worth_splitting(const group& g, const shaped& s);
  bool computes_long(const shaped& s, extent length) const;
  /// Are a chunk's results all it takes to go on? Not for positions, nor where a row is walked
  /// again.
  static bool splittable(const kernel& k);
  /// The second kernel of a split reduction: rows of partial results. `parts`: the kept axes as the
  /// first one had them, and how many parts there are; `at`: where these are.
  void combine(std::int32_t id, const shape_t& parts, const index_map& at);
  /// An update starts from its base: in place if that dies here, else from a copy.
  void copies(const group& g);

  // ---- one kernel, perhaps in several launches (lower_launches.cpp)
  void emit(const body& b, shaped s, const group& g);
  /// Launches of fewer elements than the limit: pieces of the first axis whose steps are small
  /// enough, for each step of the axes before it. Pieces hold whole tiles, so that vectors stay
  /// aligned.
  void cut(const body& b, const shaped& s, std::int32_t kernel, std::size_t axis,
           const donor_list& donors);
  void step(const body& b, const shaped& s, std::int32_t kernel, const donor_list& donors);
  slot_value fill(const slot& v, const body& b, const shaped& s) const;
  slot_value pointer(const body_operand& x, const index_expr& at) const;
  slot_value scalar(const std::pair<node_id, int>& part) const;
  /// Which operands an output of a map may take the memory of: those read only where it is written.
  /// An update may also read its base where no part of it is written.
  donor_list donors_of(const body& b, const shaped& s) const;
  /// Whoever else read the base of a scatter in its kernel might find it written already.
  void donate_base(const body& b, node_id written, donor_list& to) const;
  /// Are these outputs in one buffer?
  static bool writes_with(const body& b, std::size_t o, std::size_t out);
  bool only_there(const body& b, const shaped& s, node_id buffer, std::size_t out) const;
  /// Does an input never reach an element that any of these writes?
  static bool meets_none(const body& b, const shaped& s, std::size_t in, std::size_t out);
  /// Is the buffer read when the output has been written already? Another output's operands, and
  /// the mask of a check, may be loaded behind the first store.
  static bool read_later(const body& b, node_id buffer, std::size_t out);

  // ---- what people read (lower_reports.cpp)
  void name(kernel& k, const body& b) const;
  /// The kernel's own list of the statements it comes from.
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
