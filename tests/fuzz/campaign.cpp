#include "tests/fuzz/campaign.hpp"

#include <chrono>
#include <fstream>

#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/operations.hpp"
#include "tests/fuzz/shrink.hpp"

namespace sinter::fuzz {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

choices choices_of(std::uint64_t seed, std::int64_t number) {
  random_bits mix(seed);
  return choices(mix.next() + 0x2545f4914f6cdd1dull * static_cast<std::uint64_t>(number));
}

class campaign {
 public:
  campaign(executor& e, const campaign_options& o) : executor_(e), options_(o) {}

  campaign_report run() {
    const double begin = now();
    for (std::int64_t i = 0; i < options_.graphs && !report_.first_failure; ++i) {
      report_.seconds = now() - begin;
      if (report_.seconds > options_.seconds) break;
      one(options_.first + i);
    }
    report_.seconds = now() - begin;
    return std::move(report_);
  }

 private:
  void one(std::int64_t number) {
    choices c = choices_of(options_.seed, number);
    const trial t = options_.operations ? operation_at(number) : generator(c).run();
    remember(t);
    ++report_.graphs;
    report_.nodes += static_cast<std::int64_t>(t.graph.nodes.size());
    const double begin = now();
    const auto f = check(t);
    if (now() - begin > report_.slowest_seconds) {
      report_.slowest = number;
      report_.slowest_seconds = now() - begin;
    }
    if (f) shrink(number, t, c.taken(), *f);
  }

  /// Every operation once, then all of them with other values.
  trial operation_at(std::int64_t number) const {
    const auto n = static_cast<std::int64_t>(operations().size());
    return trial_of(operations()[static_cast<std::size_t>(number % n)],
                    options_.seed + static_cast<std::uint64_t>(number / n));
  }

  void remember(const trial& t) const {
    if (options_.last_graph.empty()) return;
    std::ofstream file(options_.last_graph, std::ios::trunc);
    file << print(t);
  }

  std::optional<failure> check(const trial& t) {
    try {
      ir::verify(t.graph);
    } catch (const std::exception& e) {
      return failure{way::interpreted, std::string("the generator is wrong: ") + e.what()};
    }
    if (options_.interpreted) {
      const auto f = executor_.check(t, {way::interpreted, way::interpreted_unfused,
                                         way::gpu_interpreted, way::gpu_interpreted_unfused});
      if (f) return f;
    }
    if (compiling_ > options_.compiled_share * report_.seconds) return std::nullopt;
    std::vector<way> ways;
    if (options_.simulated) ways.push_back(way::gpu_simulated);
    if (options_.compiled) {
      ways.insert(ways.end(), {way::compiled, way::compiled_unfused, way::recorded, way::vmapped});
    }
    if (options_.cuda && executor_.available(way::cuda)) {
      ways.insert(ways.end(),
                  {way::cuda, way::cuda_unfused, way::cuda_recorded, way::cuda_vmapped});
    }
    if (ways.empty()) return std::nullopt;
    const double begin = now();
    const auto f = executor_.check(t, ways);
    compiling_ += now() - begin;
    if (++report_.compiled_graphs % 100 == 0) executor_.forget();
    return f;
  }

  void shrink(std::int64_t number, const trial& t, const tape& taken, const failure& f) {
    const fails still = [&](const trial& x) {
      remember(x);
      const auto again = check_one(x, f.how);
      return again && again->how == f.how;
    };
    finding found{number, f, t, t};
    if (still(t)) {
      if (!options_.operations) {
        found.small = shrink_tape(taken, still, options_.shrink_seconds / 2);
      }
      found.small = shrink_graph(found.small, still, options_.shrink_seconds / 2);
      if (const auto last = check_one(found.small, f.how)) found.wrong = *last;
    }
    report_.first_failure = std::move(found);
  }

  /// A way that is compared with another one needs that one too.
  std::optional<failure> check_one(const trial& t, way how) {
    switch (how) {
      case way::interpreted_unfused:
      case way::gpu_interpreted_unfused:
      case way::compiled_unfused:
      case way::cuda_unfused:
        return executor_.check(t, {static_cast<way>(static_cast<int>(how) - 1), how});
      default: return executor_.check(t, {how});
    }
  }

  executor& executor_;
  const campaign_options& options_;
  campaign_report report_;
  double compiling_ = 0;
};

}  // namespace

trial make_trial(std::uint64_t seed, std::int64_t number) {
  choices c = choices_of(seed, number);
  return generator(c).run();
}

campaign_report run_campaign(executor& e, const campaign_options& o) {
  return campaign(e, o).run();
}

std::string text_of(const finding& f, std::uint64_t seed) {
  return "# seed " + std::to_string(seed) + " graph " + std::to_string(f.number) + ", " +
         std::string(name(f.wrong.how)) + ": " + f.wrong.what + "\n" + print(f.small);
}

}  // namespace sinter::fuzz
