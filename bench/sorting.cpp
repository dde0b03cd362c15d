// Sorting against hand-written code, in the same run.
//
//   sorting [--device cpu|cuda] [--json FILE] [--quick]
//
// On a CPU "by hand" is std::sort (std::stable_sort for positions) of each row of a copy. On every
// device it is also the library's own call on existing keys: the difference is the cost of
// converting numbers to keys and back.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "engine/nodes/node.hpp"
#include "runtime/sorter.hpp"

namespace sn = sinter;
namespace rt = sinter::runtime;

namespace {

/// Rows of random floats, and memory for the results of a sort.
class bench_case {
 public:
  bench_case(std::int64_t rows, std::int64_t length) : rows_(rows), length_(length) {
    x_ = sn::random::normal<float>({rows, length}, {.seed = 1});
    sn::eval(x_);
    device_ = x_.get()->device;
    numbers_ = x_.to_host();
    const auto bytes = static_cast<std::size_t>(rows * length) * 4;
    for (auto& s : space_) s = device_->allocate(bytes);
  }

  void compare(bool positions, double budget, const bench::options& o, bench::report& out) {
    std::vector<std::function<void()>> ways = {[&] { ours(positions); },
                                               [&] { library(positions); }};
    if (device_->id().kind == rt::device_kind::cpu) ways.push_back([&] { by_hand(positions); });
    const auto times = bench::seconds_of(ways, budget);
    const double rate = static_cast<double>(rows_ * length_) / times[0];
    const char* name = positions ? "argsort" : "sort";
    std::printf("%-8s %9lld x %-9lld %10.3f %10.3f %10.3f %12.1f\n", name,
                static_cast<long long>(rows_), static_cast<long long>(length_), times[0] * 1e3,
                times[1] * 1e3, ways.size() > 2 ? times[2] * 1e3 : 0.0, rate * 1e-6);
    std::fflush(stdout);
    bench::record r("sorting");
    r.text("device", o.device).text("name", name);
    r.number("rows", static_cast<double>(rows_)).number("length", static_cast<double>(length_));
    r.number("seconds", times[0]).number("library_seconds", times[1]);
    if (ways.size() > 2) r.number("by_hand_seconds", times[2]);
    out.add(r);
  }

 private:
  void ours(bool positions) {
    if (positions)
      sn::eval(sn::argsort(x_));
    else
      sn::eval(sn::sort(x_));
  }

  /// The floats' bits as keys: a different order, but the same amount of work.
  void library(bool positions) {
    rt::sort_call c;
    c.rows = rows_;
    c.length = length_;
    c.keys = x_.get()->buffer->data();
    c.sorted = positions ? nullptr : space_[0]->data();
    c.positions = positions ? space_[1]->data() : nullptr;
    device_->sorting().sort(c);
  }

  void by_hand(bool positions) {
    std::vector<float> copy = numbers_;
    std::vector<std::int64_t> places(positions ? copy.size() : 0);
    for (std::int64_t row = 0; row < rows_; ++row) {
      float* first = copy.data() + row * length_;
      if (!positions) {
        std::sort(first, first + length_);
        continue;
      }
      const auto begin = places.begin() + row * length_;
      std::iota(begin, begin + length_, std::int64_t{0});
      std::stable_sort(begin, begin + length_,
                       [&](std::int64_t a, std::int64_t b) { return first[a] < first[b]; });
    }
  }

  std::int64_t rows_, length_;
  sn::array<float> x_;
  std::vector<float> numbers_;
  rt::device* device_ = nullptr;
  std::shared_ptr<rt::buffer> space_[2];
};

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  const bool gpu = sn::current_device().what == sn::device::kind::cuda;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {1, 1000}, {1, 10000}, {1, 1000000}, {100000, 10}, {1000, 1000}, {1000, 10000}};
  if (!o.quick) sizes.push_back({1, gpu ? 100000000 : 10000000});
  std::printf("%s, floats\n%-8s %9s   %-9s %10s %10s %10s %12s\n", o.device.c_str(), "", "rows",
              "length", "ms", "library", "by hand", "million/s");
  for (const auto& [rows, length] : sizes) {
    bench_case sample(rows, length);
    for (const bool positions : {false, true}) {
      sample.compare(positions, o.quick ? 0.1 : 1, o, out);
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }
