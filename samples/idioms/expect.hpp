#pragma once
// What these programs check themselves by: every value beside the one that is known.

#include <cmath>
#include <cstdio>

class expectations {
 public:
  /// Prints both, and remembers whether they agree to `tolerance`.
  void operator()(const char* what, double found, double known, double tolerance = 1e-6) {
    const bool good = std::abs(found - known) <= tolerance;
    std::printf("%-52s %12.6g%s\n", what, found, good ? "" : "   WRONG");
    if (!good) std::printf("%-52s %12.6g\n", "  expected", known);
    all_good_ = all_good_ && good;
  }
  void operator()(const char* what, bool holds) { (*this)(what, holds ? 1 : 0, 1, 0); }

  /// For main to return.
  int result() const { return all_good_ ? 0 : 1; }

 private:
  bool all_good_ = true;
};
