#include <algorithm>
#include <chrono>
#include <optional>

#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/shrink.hpp"

namespace sinter::fuzz {
namespace {

using clock = std::chrono::steady_clock;

/// Turns a tape into that of a smaller failing case, or nullopt.
using attempt_of = std::function<std::optional<tape>(const tape&)>;

class tape_shrinker {
 public:
  tape_shrinker(const tape& t, attempt_of f, double seconds)
      : attempt_(std::move(f)),
        end_(clock::now() + std::chrono::duration_cast<clock::duration>(
                                std::chrono::duration<double>(seconds))),
        tape_(t) {}

  tape run() {
    for (bool better = true; better && clock::now() < end_;) {
      better = drop_steps();
      better = lower_numbers() || better;
    }
    return tape_;
  }

 private:
  bool attempt(const tape& t) {
    if (clock::now() > end_ || t == tape_) return false;
    auto smaller = attempt_(t);
    if (smaller) tape_ = std::move(*smaller);
    return smaller.has_value();
  }

  bool drop_steps() {
    bool better = false;
    for (std::size_t count = tape_.steps.size() / 2; count > 0; count /= 2) {
      for (std::size_t first = 1; first + count <= tape_.steps.size();) {
        tape t = tape_;
        const auto at = t.steps.begin() + static_cast<std::ptrdiff_t>(first);
        t.steps.erase(at, at + static_cast<std::ptrdiff_t>(count));
        if (attempt(t)) better = true;
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
      if (attempt(t)) return true;
    }
    return false;
  }

  const attempt_of attempt_;
  const clock::time_point end_;
  tape tape_;
};

}  // namespace

trial shrink_tape(const tape& t, const fails& f, double seconds) {
  choices first(t);
  trial best = generator(first).run();
  const auto attempt = [&](const tape& smaller) -> std::optional<tape> {
    choices c(smaller);
    trial made = generator(c).run();
    if (print(made) == print(best) || !f(made)) return std::nullopt;
    best = std::move(made);
    return c.taken();
  };
  tape_shrinker(t, attempt, seconds).run();
  return best;
}

tape shrink_steps(const tape& t, const std::function<bool(const tape&)>& f, double seconds) {
  const auto attempt = [&](const tape& smaller) {
    return f(smaller) ? std::optional(smaller) : std::nullopt;
  };
  return tape_shrinker(t, attempt, seconds).run();
}

}  // namespace sinter::fuzz
