#pragma once
// The contests of bench/linalg: a call of sinter's against the same work by hand.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/vendor.hpp"
#include "engine/nodes/node.hpp"
#include "runtime/solver.hpp"

namespace bench {

/// Device memory of an evaluated array.
inline sinter::runtime::buffer& memory_of(const sinter::any_array& x) {
  return *x.get()->buffer;
}

struct contest {
  std::string name;
  std::int64_t n = 0, batch = 1;
  std::function<void()> ours, by_hand;
};

/// `batch` n x n matrices of doubles, and memory for a routine's results.
class factor_contests {
 public:
  factor_contests(std::int64_t n, std::int64_t batch);

  /// Products, factorisations and solutions.
  std::vector<contest> all();
  /// The library's two algorithms for singular values.
  contest ways_to_singular_values();
  /// Who does the work by hand.
  std::string by_hand() const;

 private:
  static const double* doubles(const sinter::array<double>& x) {
    return static_cast<const double*>(memory_of(x).data());
  }
  double* area(std::size_t i) { return static_cast<double*>(space_[i]->data()); }
  double* copied(const sinter::array<double>& x, std::size_t i = 0);
  sinter::runtime::matrices matrices(std::size_t i);
  sinter::runtime::matrices copy(const sinter::array<double>& x, std::size_t i = 0);
  /// area i = from^T, if the vendor has a transposition.
  void turned(const double* from, std::size_t i);
  std::function<void()> either(std::function<void()> vendors, std::function<void()> runtimes) const;

  contest product(const char* name, bool transpose);
  contest cholesky();
  contest lu_factor();
  contest solve();
  contest inv();
  contest qr();
  contest eigh();
  contest svd();

  sinter::runtime::solver& solver() { return device_->factorisations(); }
  std::int32_t* info() { return static_cast<std::int32_t*>(info_->data()); }
  std::int32_t* pivots() { return info() + batch_; }

  std::int64_t n_, batch_;
  sinter::array<double> a_, b_;
  sinter::runtime::device* device_ = nullptr;
  std::shared_ptr<sinter::runtime::buffer> space_[4], info_;
  std::unique_ptr<vendor> vendor_;
  bool calls_vendor_ = false;
};

}  // namespace bench
