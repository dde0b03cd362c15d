// The number of bins of a histogram by a rule. The rules are NumPy's, with the sources that
// numpy.histogram_bin_edges names: each derives a width from a few numbers, which are computed on
// the device and read one after another.

#include <cmath>

#include <sinter/quantiles.hpp>
#include <sinter/statistics.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/indexing/select.hpp"
#include "engine/sorting/search.hpp"
#include "engine/sorting/sorted.hpp"
#include "engine/statistics/histogram.hpp"

namespace sinter::detail {
namespace {

/// Elements, and the statistics requested so far.
struct sample {
  any_array x;                   // one dimension, double, finite, not empty
  std::pair<double, double> in;  // the ends of the histogram
  double first, last;            // the least and the greatest element
  std::string_view op;
  location where;

  double count() const { return static_cast<double>(x.size()); }
  double spread() const { return last - first; }
  double known(const any_array& scalar) const {
    double value = 0;
    read(scalar, &value, where, "histogram");
    return value;
  }
  double deviation() const { return known(stddev(x, {}, where)); }
};

double sqrt_width(const sample& s) {
  return s.spread() / std::sqrt(s.count());
}
double sturges_width(const sample& s) {
  return s.spread() / (std::log2(s.count()) + 1);
}
double rice_width(const sample& s) {
  return s.spread() / (2 * std::pow(s.count(), 1.0 / 3));
}
double scott_width(const sample& s) {
  constexpr double root_of_pi = 1.7724538509055159;
  return std::pow(24 * root_of_pi / s.count(), 1.0 / 3) * s.deviation();
}
double fd_width(const sample& s) {
  const any_array q = quantiles(s.x, {0.25, 0.75}, false, {}, 1, false, s.op, s.where);
  double quarters[2] = {};
  read(q, quarters, s.where, "histogram");
  return 2 * (quarters[1] - quarters[0]) * std::pow(s.count(), -1.0 / 3);
}
double automatic_width(const sample& s) {
  return std::min(std::max(fd_width(s), sqrt_width(s) / 2), sturges_width(s));
}

double doane_width(const sample& s) {
  const double n = s.count();
  if (n <= 2) return 0;
  const double sigma = s.deviation();
  if (!(sigma > 0)) return 0;
  const term away{(term{s.x, s.where} - term{mean(s.x, {}, s.where), s.where}).x, s.where};
  const term part = away / sigma;
  const double skewness = s.known(mean((part * part * part).x, {}, s.where));
  const double unit = std::sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
  return s.spread() / (1 + std::log2(n) + std::log2(1 + std::abs(skewness) / unit));
}

/// The number of elements below each edge, for every number of bins up to `most`, concatenated.
std::vector<std::int64_t> elements_before(const sample& s, std::int64_t most) {
  std::vector<double> edges;
  for (std::int64_t bins = 1; bins <= most; ++bins) {
    const double step = (s.in.second - s.in.first) / static_cast<double>(bins);
    for (std::int64_t i = 1; i < bins; ++i)
      edges.push_back(static_cast<double>(i) * step + s.in.first);
  }
  const extents shape{static_cast<std::int64_t>(edges.size())};
  const any_array sorted = sort_values(s.x, false, false, s.where);
  const any_array inner = from_host(edges.data(), dtype::float64, shape, s.where);
  std::vector<std::int64_t> places(edges.size());
  read(places_in(sorted, inner, false, s.where), places.data(), s.where, "histogram");
  return places;
}

/// The number of bins with the least estimated loss (leave-one-out).
double stone_width(const sample& s) {
  const double n = s.count();
  if (n <= 1 || s.spread() == 0) return 0;
  const auto most = std::max<std::int64_t>(100, static_cast<std::int64_t>(std::sqrt(n)));
  const std::vector<std::int64_t> before = elements_before(s, most);
  double best = 0, least = std::numeric_limits<double>::infinity();
  auto place = before.begin();
  for (std::int64_t bins = 1; bins <= most; ++bins) {
    double squares = 0, done = 0;
    const auto add = [&](double until) {
      const double part = (until - done) / n;
      squares += part * part;
      done = until;
    };
    for (std::int64_t i = 1; i < bins; ++i) add(static_cast<double>(*place++));
    add(n);
    const double width = s.spread() / static_cast<double>(bins);
    const double loss = (2 - (n + 1) * squares) / width;
    if (loss < least) least = loss, best = width;
  }
  return best;
}

using width_rule = double (*)(const sample&);
constexpr width_rule widths[] = {automatic_width, doane_width, fd_width,    rice_width,
                                 scott_width,     sqrt_width,  stone_width, sturges_width};

/// NumPy's correction of equal ends.
std::pair<double, double> apart(double first, double last) {
  const double half = first == last ? 0.5 : 0;
  return {first - half, last + half};
}

any_array within(const any_array& x, const std::pair<double, double>& range, std::string_view op,
                 location where) {
  const term t{x, where}, first = number(range.first, dtype::float64, where),
                          last = number(range.second, dtype::float64, where);
  return choose_by(x, (first <= t && t <= last).x, op, where);
}

/// The elements that are counted, and the ends. Evaluates.
sample counted(const any_array& x, const bin_range& range, std::string_view op, location where) {
  const any_array all = make_cast(flattened(x, where), dtype::float64, where);
  sample s{all, {}, 0, 0, op, where};
  if (range) {
    s.in = apart(range->first, range->second);
    s.x = within(all, s.in, op, where);
  }
  if (s.x.size() == 0) return s;
  const any_array ends[] = {make_reduce(s.x, ir::op::minimum, false, {0}, where),
                            make_reduce(s.x, ir::op::maximum, false, {0}, where)};
  evaluate(ends, op, where);
  s.first = s.known(ends[0]), s.last = s.known(ends[1]);
  if (!std::isfinite(s.spread())) {
    fail<value_error>(error_code::bad_argument, op,
                      "the least and the greatest element are not finite: give a range", where);
  }
  if (!range) s.in = apart(s.first, s.last);
  return s;
}

}  // namespace

std::int64_t bins_by_rule(const any_array& x, bin_rule rule, const bin_range& range,
                          std::string_view op, location where) {
  require_range(range, op, where);
  const sample s = counted(x, range, op, where);
  if (s.x.size() == 0) return 1;
  const double width = widths[static_cast<std::size_t>(rule)](s);
  if (!(width > 0)) return 1;
  const double least = is_integer(x.dtype()) ? std::max(width, 1.0) : width;
  const double bins = std::ceil((s.in.second - s.in.first) / least);
  if (bins < static_cast<double>(std::int64_t{1} << 58)) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(bins));
  }
  fail<value_error>(error_code::bad_argument, op,
                    "the rule wants bins that are too many to count: give their number", where);
}

}  // namespace sinter::detail
