#include <algorithm>
#include <chrono>

#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/shrink.hpp"

namespace sinter::fuzz {
namespace {

using clock = std::chrono::steady_clock;

class tape_shrinker {
 public:
  tape_shrinker(const tape& t, const fails& f, double seconds)
      : fails_(f), end_(clock::now() + std::chrono::duration_cast<clock::duration>(
                                           std::chrono::duration<double>(seconds))) {
    choices c(t);
    best_ = generator(c).run();
    tape_ = t;
  }

  trial run() {
    for (bool better = true; better && clock::now() < end_;) {
      better = drop_steps();
      better = lower_numbers() || better;
    }
    return best_;
  }

 private:
  bool attempt(tape t) {
    if (clock::now() > end_ || t == tape_) return false;
    choices c(std::move(t));
    trial made = generator(c).run();
    if (print(made) == print(best_) || !fails_(made)) return false;
    best_ = std::move(made);
    tape_ = c.taken();
    return true;
  }

  bool drop_steps() {
    bool better = false;
    for (std::size_t count = tape_.steps.size() / 2; count > 0; count /= 2) {
      for (std::size_t first = 1; first + count <= tape_.steps.size();) {
        tape t = tape_;
        const auto at = t.steps.begin() + static_cast<std::ptrdiff_t>(first);
        t.steps.erase(at, at + static_cast<std::ptrdiff_t>(count));
        if (attempt(std::move(t))) better = true;
        else first += 1;
      }
    }
    return better;
  }

  bool lower_numbers() {
    bool better = false;
    for (std::size_t s = 0; s < tape_.steps.size(); ++s) {
      for (std::size_t i = 0; s < tape_.steps.size() && i < tape_.steps[s].size(); ++i) {
        while (lower(s, i)) better = true;
      }
    }
    return better;
  }

  bool lower(std::size_t s, std::size_t i) {
    if (s >= tape_.steps.size() || i >= tape_.steps[s].size()) return false;
    const std::uint32_t now = tape_.steps[s][i];
    for (const std::uint32_t less : {0u, now / 4, now / 2, now - 1}) {
      if (less >= now) continue;
      tape t = tape_;
      t.steps[s][i] = less;
      if (attempt(std::move(t))) return true;
    }
    return false;
  }

  const fails& fails_;
  const clock::time_point end_;
  trial best_;
  tape tape_;
};

}  // namespace

trial shrink_tape(const tape& t, const fails& f, double seconds) {
  return tape_shrinker(t, f, seconds).run();
}

}  // namespace sinter::fuzz
