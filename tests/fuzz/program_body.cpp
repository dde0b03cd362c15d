#include "tests/fuzz/program_body.hpp"

namespace sinter::fuzz {
namespace {

constexpr const char* names[] = {"add",  "subtract", "multiply", "minimum", "maximum", "lesser",
                                 "part", "fori",     "while",    "cond",    "flip",    "cummax",
                                 "sort", "roll",     "max",      "take",    "search",  "isin",
                                 "scan", "median"};
/// Operations with bodies of their own are numbered from the first of these to the second; those
/// that read neighbours follow.
constexpr int first_loop = 7, first_wide = 10, all_codes = static_cast<int>(std::size(names));

/// In [0, 1), or [0, 7), so that nothing grows without bound.
template <class T> array<T> part(const array<T>& x) {
  return remainder(x, std::integral<T> ? 7 : 1);
}

template <class T> struct runner {
  using values = array<T>;
  const body::operation& o;
  const values& c;  // read by bodies in addition to what they carry

  const body& inside(std::size_t k = 0) const { return o.inside[k % o.inside.size()]; }

  values fori(const values& x) const {
    const auto round = [&](const auto& k, const values& v) -> values {
      return part<T>(run_body<T>(inside(), v, c) + astype<T>(k));
    };
    return fori_loop(0, o.rounds, round, x);
  }

  /// Runs each element until it is large; with a body that reads neighbours, until all are.
  values as_long(const values& x) const {
    const T limit = std::integral<T> ? T(3) : T(0.5);
    const auto round = [&](const values& v, const array<int>& k) {
      return std::tuple(values(part<T>(run_body<T>(inside(), v, c))), array<int>(k + 1));
    };
    if (!inside().elementwise) {
      const auto goes_on = [&](const values& v, const array<int>& k) {
        return any(v < limit) && k < o.rounds;
      };
      return std::get<0>(while_loop(goes_on, round, std::tuple(x, asarray(0))));
    }
    const auto goes_on = [&](const values& v, const array<int>& k) {
      return v < limit && k < o.rounds;
    };
    return std::get<0>(while_loop(goes_on, round, std::tuple(x, zeros<int>(x.shape()))));
  }

  values either(const values& a, const values& b) const {
    const array<bool> pred = min(a) < max(b);
    return cond(
        pred, [&](const values& v) { return run_body<T>(inside(0), v, c); },
        [&](const values& v) { return run_body<T>(inside(1), v, c); }, a);
  }

  /// Along the first axis.
  values scanned(const values& x) const {
    const auto step = [&](const values& carry, const values& row) {
      const values next = part<T>(run_body<T>(inside(), carry, row) + row);
      return std::pair(next, next);
    };
    return scan(step, values(c(0)), x).second;
  }

  values wide(const values& a, const values& b) const {
    switch (o.code) {
      case 10: return flip(a, {-1});
      case 11: return cummax(a, {.axis = -1});
      case 12: return sort(a);
      case 13: return roll(a, {1 + o.rounds}, {-1});
      case 14: return a * T(0) + max(b, {.axis = -1, .keepdims = true});
      case 15: {
        const auto n = a.shape().back();
        const array<std::int64_t> i = remainder(astype<std::int64_t>(part<T>(b) * 50), n);
        return take_along_axis(a, i, -1);
      }
      case 16: return astype<T>(searchsorted(sort(ravel(a)), b));
      case 17: return astype<T>(isin(a, b(sinter::ellipsis, slice(0, 2))));
      case 18: return scanned(a);
      default: return a * T(0) + astype<T>(median(b, {.axis = -1, .keepdims = true}));
    }
  }

  values run(const values& a, const values& b) const {
    switch (o.code) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return minimum(a, b);
      case 4: return maximum(a, b);
      case 5: return where(a < b, a, minimum(b, T(3)));
      case 6: return part<T>(a);
      case 7: return fori(a);
      case 8: return as_long(a);
      case 9: return either(a, b);
      default: return wide(a, b);
    }
  }
};

}  // namespace

body draw_body(choices& c, bool elementwise, int depth) {
  body b;
  b.elementwise = elementwise;
  const std::uint32_t count = 1 + c.below(4);
  for (std::uint32_t k = 0; k < count; ++k) {
    body::operation o;
    o.code = static_cast<int>(c.below(static_cast<std::uint32_t>(elementwise ? first_wide
                                                                             : all_codes)));
    const bool has_body = (o.code >= first_loop && o.code < first_wide) || o.code == 18;
    if (has_body && depth == 0) o.code = 5;
    if (elementwise && o.code == 9) o.code = 4;  // its condition depends on all elements
    o.a = c.below(k + 2);
    o.b = c.below(k + 2);
    o.rounds = static_cast<int>(c.below(4));
    for (int i = 0; has_body && depth > 0 && i < (o.code == 9 ? 2 : 1); ++i) {
      // A scan's step sees one row, without the last axis that some operations need.
      o.inside.push_back(draw_body(c, elementwise || o.code == 18 || c.chance(60), depth - 1));
    }
    b.code.push_back(std::move(o));
  }
  return b;
}

template <body_type T>
array<T> run_body(const body& b, const array<T>& carried, const array<T>& constant) {
  std::vector<array<T>> values{carried, constant};
  for (const body::operation& o : b.code) {
    const runner<T> r{o, constant};
    values.push_back(part<T>(r.run(values[o.a], values[o.b])));
  }
  return values.back();
}

template array<std::int64_t> run_body(const body&, const array<std::int64_t>&,
                                      const array<std::int64_t>&);
template array<float> run_body(const body&, const array<float>&, const array<float>&);
template array<double> run_body(const body&, const array<double>&, const array<double>&);

std::string text_of(const body& b) {
  std::string text = "{";
  for (const body::operation& o : b.code) {
    text += std::string(text.size() > 1 ? "; " : "") + names[o.code] + " " + std::to_string(o.a) +
            " " + std::to_string(o.b);
    if (o.rounds) text += " x" + std::to_string(o.rounds);
    for (const body& i : o.inside) text += " " + text_of(i);
  }
  return text + "}";
}

}  // namespace sinter::fuzz
