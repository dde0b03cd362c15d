#pragma once
// A row of the results: the measurements of a workload at a size in one mode.

#include <optional>

#include "bench/suite/measure.hpp"
#include "bench/suite/options.hpp"

namespace suite {

/// The session's activity since `before`.
sn::statistics since(const sn::statistics& before);

/// The work of the plan that computed x, as counted by the planner.
struct planned {
  double kernels = 0;  // plus library calls, and copies of arrays that a slice is assigned to
  double bytes = 0;    // of the kernels
};

/// Nullopt if several plans computed x, or none.
std::optional<planned> plan_of(const sn::any_array& x);

/// Built field by field.
class row {
 public:
  row(const workload& w, const size& at, const std::string& peer);
  void first(double seconds, const sn::statistics& s);
  void counted(const sn::statistics& s, std::optional<planned> p);
  void judged(double error);
  void peaked(double over_live);
  void took(const timing& t, const sn::statistics& s);
  void failed(const std::string& why);
  void print() const;
  const bench::record& record() const { return record_; }
  bool wrong() const { return ok_ && !*ok_; }

 private:
  const workload& w_;
  const size& at_;
  std::string peer_;
  bench::record record_;
  timing timing_;
  double first_ = 0, kernels_ = 0;
  std::optional<bool> ok_;
};

}  // namespace suite
