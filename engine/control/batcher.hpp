#pragma once
// Records a function that was recorded on stand-ins for one slice again for all slices at once:
// node by node, with one more leading axis.

#include <map>

#include <sinter/control.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

class batcher {
 public:
  batcher(std::int64_t count, location where)
      : count_(count), where_(where), outside_(tracing_now()) {}

  /// The array a stand-in stands for, for all slices: [count, ...its shape].
  void is(const any_array& stand_in, any_array all);
  /// Visits x before others that share nodes with it are requested.
  void look_at(const any_array& x) { region_.add(x); }
  bool depends(const any_array& x);
  /// x for all slices.
  any_array all_of(const any_array& x);

  location where() const { return where_; }
  /// The tracing state around the mapped function.
  const tracing_state& outside() const { return outside_; }
  /// The same for a function called from elsewhere.
  batcher from_here() const;

 private:
  using extents = std::vector<std::int64_t>;

  [[noreturn]] void refuse(std::string_view what) const;
  any_array known(const any_array& x) const;
  any_array batch(const any_array& x);
  any_array beside(const any_array& x, shape_view shape);
  any_array filled(const any_array& x, shape_view shape);
  any_array base(const any_array& x) const { return region_.depends(x) ? known(x) : x; }
  element_map into(const any_array& x, const element_map& m) const;

  any_array one(const any_array& x);
  any_array gather(const node& n, const std::vector<any_array>& in, shape_view shape);
  any_array join(const node& n, const std::vector<any_array>& in, shape_view shape);
  any_array scatter(const node& n, const std::vector<any_array>& in);
  any_array result(const any_array& x);
  std::vector<any_array> merged(const std::string& routine, const std::vector<any_array>& in);
  void nothing(const any_array& x);
  void call(const any_array& x);
  void loop(const any_array& x);
  void checks(const any_array& from, const any_array& to);

  const std::int64_t count_;
  const location where_;
  tracing_state outside_;
  region region_;
  std::unordered_map<const node*, any_array> all_;
  std::vector<any_array> stand_ins_;
  std::unordered_map<const node*, std::map<std::uint64_t, any_array>> outputs_;  // of calls, loops
  std::unordered_map<const check*, std::shared_ptr<check>> checks_;
};

/// The axis moved to another position; a view.
any_array with_axis_at(const any_array& x, std::size_t from, std::size_t to, location where);

/// Throws value_error if a function over slices draws numbers without an explicit seed.
void refuse_draw_over_slices();

// Loops that run round by round, for all slices together: the results of `fori_loop`, `while_loop`
// and `scan` (<sinter/control.hpp>), as stand-ins that `b` knows.

struct loop_bounds {
  any_array lo, hi;
};
std::vector<any_array> fori_over_slices(batcher& b, const loop_bounds&, array_function body,
                                        const std::vector<any_array>& first, location where);
std::vector<any_array> while_over_slices(batcher& b, array_function condition, array_function body,
                                         const std::vector<any_array>& first, location where);
std::vector<any_array> scan_over_slices(batcher& b, array_function body,
                                        const std::vector<any_array>& first,
                                        const std::vector<any_array>& xs, std::int64_t rounds,
                                        location where);

}  // namespace sinter::detail
