// All ways to walk rows, columns, inner axes and two axes at once, at many lengths, compared with a
// flat map of as many bytes.
//
//   axes [--device cpu|cuda] [--json FILE] [--quick]

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"

namespace sn = sinter;

namespace {

using index = std::int64_t;
using list = std::vector<index>;

struct program {
  std::string name;
  std::function<void()> run;
  double bytes;  // at least: each array once
};

template <class T> class walks {
 public:
  using array = sn::array<T>;

  /// Walks along `axes` of an array of that shape.
  walks(list shape, list axes) : axes_(std::move(axes)) {
    // Small enough that sums of squares stay finite: dividing by infinity takes longer.
    const double most = sizeof(T) == 2 ? 0.1 : 3;
    x_ = sn::astype<T>(
        sn::random::uniform<float>(sn::int_list(shape), {.seed = 7, .low = 0, .high = most}));
    sn::eval(x_);
    all_ = static_cast<double>(x_.size());
    rows_ = all_;
    for (const index a : axes_) rows_ /= static_cast<double>(x_.shape(a));
  }

  std::vector<program> programs() const {
    const sn::reduction_options along{.axis = axes_}, kept{.axis = axes_, .keepdims = true};
    const array x = x_;
    const double in = sizeof(T) * all_, out = sizeof(T) * rows_;
    std::vector<program> p = {
        {"sum", [=] { sn::eval(array(sn::sum(x, along))); }, in + out},
        {"max", [=] { sn::eval(array(sn::max(x, along))); }, in + out},
        {"stddev", [=, a = axes_] { sn::eval(array(sn::stddev(x, {.axis = a}))); }, in + out},
        {"logsumexp", [=] { log_sum(x, kept); }, in + out},
        {"softmax", [=] { softmax(x, kept); }, 2 * in},
        {"standardised", [=, a = axes_] { standardised(x, a); }, 2 * in},
        {"unit", [=] { sn::eval(array(x / sn::sqrt(sn::sum(x * x, kept)))); }, 2 * in},
    };
    if (axes_.size() > 1) return p;
    const index axis = axes_[0];
    p.push_back({"argmax", [=] { sn::eval(sn::array<index>(sn::argmax(x, {.axis = axis}))); },
                 in + 8 * rows_});
    p.push_back({"cumsum", [=] { sn::eval(array(sn::cumsum(x, {.axis = axis}))); }, 2 * in});
    return p;
  }

  std::function<void()> flat() const {
    return [x = x_] { sn::eval(array(x * T(2))); };
  }
  double flat_bytes() const { return 2 * sizeof(T) * all_; }

 private:
  static void log_sum(const array& x, const sn::reduction_options& kept) {
    sn::eval([&] {
      const array m = sn::max(x, kept);
      return array(sn::log(sn::sum(sn::exp(x - m), kept)) + m);
    }());
  }
  static void softmax(const array& x, const sn::reduction_options& kept) {
    sn::eval([&] {
      const array e = sn::exp(x - sn::max(x, kept));
      return array(e / sn::sum(e, kept));
    }());
  }
  static void standardised(const array& x, const list& axes) {
    const auto mean = sn::mean(x, {.axis = axes, .keepdims = true});
    const auto var = sn::var(x, {.axis = axes, .keepdims = true});
    sn::eval(array((x - mean) / sn::sqrt(var + T(1e-3))));
  }

  array x_;
  list axes_;
  double all_, rows_;
};

template <class T>
void compare(const std::string& type, list shape, const list& axes, const bench::options& o,
             bench::report& out) {
  std::string where = type + " (";
  for (const index d : shape) where += (where.back() == '(' ? "" : ", ") + std::to_string(d);
  where += ") along";
  for (const index a : axes) where += " " + std::to_string(a);
  const walks<T> w(std::move(shape), axes);
  const std::vector<program> programs = w.programs();
  std::vector<std::function<void()>> turns = {w.flat()};
  for (const program& p : programs) turns.push_back(p.run);
  const std::vector<double> seconds = bench::seconds_of(turns, o.quick ? 0.01 : 0.05);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const double of_flat = programs[i].bytes / seconds[i + 1] * seconds[0] / w.flat_bytes();
    const std::string name = programs[i].name + " " + where;
    std::printf("%-60s %10.1f us  %6.2f of the flat map's speed\n", name.c_str(),
                seconds[i + 1] * 1e6, of_flat);
    out.add(bench::record("axes")
                .text("device", o.device)
                .text("name", name)
                .number("seconds", seconds[i + 1])
                .number("of_flat", of_flat));
  }
  std::fflush(stdout);
}

template <class T>
void every_axis(const std::string& type, const bench::options& o, bench::report& out) {
  const index all = (o.device == "cpu" ? 1 << 22 : 1 << 26) * 4 / static_cast<index>(sizeof(T));
  const list lengths = o.quick ? list{3, 33, 1000}
                               : list{3, 10, 33, 50, 64, 100, 257, 300, 1000, 1025, 3000, 10000};
  for (const index n : lengths) compare<T>(type, {all / n, n}, {1}, o, out);
  for (const index n : lengths) compare<T>(type, {all / n, n}, {0}, o, out);
  const std::vector<list> between = {{3, 49}, {64, 49}, {128, 64}, {512, 7}};
  for (const list& s : between) {
    compare<T>(type, {all / (s[0] * s[1]), s[0], s[1]}, {1}, o, out);
    compare<T>(type, {all / (s[0] * s[1]), s[0], s[1]}, {0, 2}, o, out);
  }
}

int run(const bench::options& o) {
  const auto scope = sn::use(sn::device(o.device));
  bench::report out(o);
  every_axis<float>("float32", o, out);
  every_axis<double>("float64", o, out);
  every_axis<sn::float16>("float16", o, out);
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }
