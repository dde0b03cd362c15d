// Every row of the op table: the emitted formula, run as a kernel, against its reference.
#include <algorithm>

#include "ir/formula.hpp"
#include "launcher.hpp"
#include "tests/catch.hpp"
#include "values.hpp"

namespace ops_test {

using namespace ir_tests;
using ir::op;

namespace {

/// One op as a kernel over one axis: one input per operand, then the output.
ir::kernel kernel_of(op code, dtype type) {
  ir::kernel k;
  k.name = "op";
  k.schedule.tile = 1000;
  std::int32_t args[6] = {-1, -1, -1, -1, -1, -1};
  for (int i = 0; i < ir::info(code).arity; ++i) {
    const dtype t = ir::argument_type(code, type, i);
    k.operands.push_back({ir::operand_role::input, t, {{ir::step::one}, 0}});
    for (std::uint8_t part = 0; part < (is_complex(t) ? 2 : 1); ++part) {
      args[2 * i + part] = ir::append(k.body, {.kind = ir::inst_kind::load,
                                               .type = real_of(t),
                                               .result = real_of(t),
                                               .which = i,
                                               .part = part});
    }
  }
  const auto [re, im] = ir::emit_complex(k.body, code, type, args);
  const dtype result = ir::result_type(code, type);
  const auto out = static_cast<std::int32_t>(k.operands.size());
  k.operands.push_back({ir::operand_role::output, result, {{ir::step::one}, 0}});
  for (std::uint8_t part = 0; part < (is_complex(result) ? 2 : 1); ++part) {
    ir::inst store{.kind = ir::inst_kind::store,
                   .type = real_of(result),
                   .result = real_of(result),
                   .which = out,
                   .part = part};
    store.args[0] = part ? im : re;
    k.body.push_back(store);
  }
  return k;
}

std::vector<scalar_value> thinned(std::vector<scalar_value> v, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  if (v.size() <= n) return v;
  std::shuffle(v.begin(), v.end(), random);
  v.resize(n);
  return v;
}

/// Edge values of an operand; few, so that all combinations can be tried.
std::vector<scalar_value> candidates(op code, dtype type, int operand) {
  const dtype t = ir::argument_type(code, type, operand);
  const int arity = ir::info(code).arity;
  if (!is_complex(t)) {
    return thinned(edges_of(t), arity == 3 ? 30 : 1000, static_cast<unsigned>(operand));
  }
  const std::size_t n = arity == 1 ? 1000 : 10;
  std::vector<scalar_value> parts = thinned(edges_of(real_of(t)), n, 5), out;
  for (double x : {0.0, -0.0, 1.0, double(INFINITY), -double(INFINITY)}) {
    parts.push_back(ir::convert(scalar_of(x), dtype::float64, real_of(t)));
  }
  for (const scalar_value& re : parts) {
    for (const scalar_value& im : parts) out.push_back(complex_of(t, re, im));
  }
  return thinned(out, arity == 1 ? 1000000 : 150, static_cast<unsigned>(operand));
}

/// All combinations of the candidates, one array per operand.
std::vector<std::vector<scalar_value>> combinations(op code, dtype type) {
  std::vector<std::vector<scalar_value>> all;
  std::size_t n = 1;
  std::vector<std::vector<scalar_value>> each;
  for (int i = 0; i < ir::info(code).arity; ++i) {
    each.push_back(candidates(code, type, i));
    n *= each.back().size();
  }
  std::size_t repeat = n;
  for (const auto& values : each) {
    repeat /= values.size();
    std::vector<scalar_value> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = values[i / repeat % values.size()];
    all.push_back(std::move(column));
  }
  return all;
}

std::vector<std::byte> packed(const std::vector<scalar_value>& values, dtype t) {
  std::vector<std::byte> out(values.size() * size_of(t));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(out.data() + i * size_of(t), values[i].bits, size_of(t));
  }
  return out;
}

scalar_value element(const std::vector<std::byte>& data, dtype t, std::size_t i) {
  scalar_value v;
  std::memcpy(v.bits, data.data() + i * size_of(t), size_of(t));
  return v;
}

/// Runs the kernel of an op on columns of operands.
std::vector<std::byte> run(const ir::kernel& k, op code, dtype type,
                           const std::vector<std::vector<scalar_value>>& columns) {
  const std::size_t n = columns[0].size();
  std::vector<std::vector<std::byte>> data;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    data.push_back(packed(columns[i], ir::argument_type(code, type, static_cast<int>(i))));
  }
  std::vector<std::byte> out(n * size_of(ir::result_type(code, type)));
  launch_values v{.extents = {static_cast<std::int64_t>(n)}};
  for (auto& d : data) v.operands.push_back({d.data()});
  v.operands.push_back({out.data()});
  launch(k, v);
  return out;
}

std::string describe(op code, dtype type, const std::vector<std::vector<scalar_value>>& columns,
                     std::size_t i) {
  std::string out = std::string(ir::name(code)) + " " + std::string(name(type)) + " of";
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const dtype t = ir::argument_type(code, type, static_cast<int>(k));
    for (const scalar_value& p : parts_of(t, columns[k][i])) {
      out += ' ';
      out += std::to_string(as_double(real_of(t), p));
    }
  }
  return out;
}

void check_exact(op code, dtype type) {
  const ir::kernel k = kernel_of(code, type);
  REQUIRE_NOTHROW(ir::verify(k));
  const auto columns = combinations(code, type);
  const dtype result = ir::result_type(code, type);
  const auto out = run(k, code, type, columns);
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    scalar_value args[3];
    for (std::size_t c = 0; c < columns.size(); ++c) args[c] = columns[c][i];
    const auto want = parts_of(result, ir::apply(code, type, args));
    const auto got = parts_of(result, element(out, result, i));
    for (std::size_t p = 0; p < want.size(); ++p) {
      if (same(real_of(result), got[p], want[p])) continue;
      FAIL(describe(code, type, columns, i) << " is " << as_double(real_of(result), got[p])
                                            << ", not " << as_double(real_of(result), want[p]));
    }
  }
}

/// For ops made of approximate ones, whose error is relative to the largest part.
void check_close(op code, dtype type, double epsilons) {
  const ir::kernel k = kernel_of(code, type);
  REQUIRE_NOTHROW(ir::verify(k));
  const auto columns = combinations(code, type);
  const dtype result = ir::result_type(code, type), part = real_of(result);
  const double epsilon = (part == dtype::float32 ? 0x1p-23 : 0x1p-52) * epsilons;
  const double least = part == dtype::float32 ? 0x1p-140 : 0x1p-1060;
  const auto out = run(k, code, type, columns);
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    scalar_value args[3];
    bool moderate = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      args[c] = columns[c][i];
      const dtype t = ir::argument_type(code, type, static_cast<int>(c));
      for (const scalar_value& p : parts_of(t, args[c])) {
        const double x = std::abs(as_double(real_of(t), p));
        moderate &= x < 50 && (x > 1e-3 || x == 0);
      }
    }
    if (is_complex(type) && !moderate) continue;
    double scale = 0, error = 0;
    const auto want = parts_of(result, ir::apply(code, type, args));
    const auto got = parts_of(result, element(out, result, i));
    for (std::size_t p = 0; p < want.size(); ++p) {
      const double w = as_double(part, want[p]), g = as_double(part, got[p]);
      if (std::isfinite(w)) scale = std::max(scale, std::abs(w));
      if (w == g || (std::isnan(w) && std::isnan(g))) continue;
      error = std::max(error, std::abs(w - g));
    }
    if (!(error <= epsilon * scale + least)) {
      FAIL(describe(code, type, columns, i) << ": off by " << error << " of " << scale);
    }
  }
}

template <class F>
void for_each_row(F f) {
  for (int o = 0; o < ir::op_count; ++o) {
    for (int t = 0; t < dtype_count; ++t) {
      const auto code = static_cast<op>(o);
      const auto type = static_cast<dtype>(t);
      if (!is_half(type) && ir::accepts(code, type)) f(code, type);
    }
  }
}

}  // namespace

TEST_CASE("Exact ops are the same bits by formula and by reference") {
  for_each_row([](op code, dtype type) {
    if (ir::is_exact(code, type)) check_exact(code, type);
  });
}

TEST_CASE("Approximate ops are close to their references") {
  for_each_row([](op code, dtype type) {
    if (!ir::is_exact(code, type) && code != op::pow) check_close(code, type, 8);
  });
  // The error of a complex power grows with the exponent times the logarithm.
  check_close(op::pow, dtype::float32, 2);
  check_close(op::pow, dtype::float64, 2);
  check_close(op::pow, dtype::complex64, 1000);
  check_close(op::pow, dtype::complex128, 1000);
}

TEST_CASE("Every op has a way to be computed on every type it accepts") {
  for_each_row([](op code, dtype type) {
    INFO(ir::name(code) << " " << name(type));
    CHECK(ir::strip_of(code, type) != nullptr);
    const ir::kernel k = kernel_of(code, type);
    for (const ir::inst& i : k.body) {
      if (i.kind == ir::inst_kind::compute) CHECK(ir::is_primitive(i.code, i.type));
    }
    if (is_complex(type)) CHECK_FALSE(ir::is_primitive(code, type));
  });
}

TEST_CASE("Commutative and idempotent ops are what they claim") {
  for_each_row([](op code, dtype type) {
    if (ir::info(code).arity != 2 || is_complex(type)) return;
    for (const scalar_value& a : edges_of(type)) {
      const scalar_value twice[] = {a, a};
      if (ir::info(code).traits & ir::idempotent) {
        CHECK(same(type, ir::apply(code, type, twice), a));
      }
      if (!(ir::info(code).traits & ir::commutative)) continue;
      for (const scalar_value& b : edges_of(type)) {
        const scalar_value ab[] = {a, b}, ba[] = {b, a};
        const dtype r = ir::result_type(code, type);
        const double x = as_double(r, ir::apply(code, type, ab));
        const double y = as_double(r, ir::apply(code, type, ba));
        // Zeros of both signs are equal, so maximum and minimum may give either.
        if (!(x == y || (std::isnan(x) && std::isnan(y)))) FAIL(ir::name(code) << " " << x << y);
      }
    }
  });
}

TEST_CASE("Identities leave values alone") {
  for_each_row([](op code, dtype type) {
    if (ir::info(code).identity == ir::op_identity::none || is_complex(type)) return;
    const scalar_value identity = ir::identity_of(code, type);
    for (const scalar_value& a : edges_of(type)) {
      const scalar_value args[] = {identity, a};
      const scalar_value got = ir::apply(code, type, args);
      INFO(ir::name(code) << " " << name(type));
      const bool zero = is_real(type) && as_double(type, a) == 0;
      CHECK((zero || same(type, got, a)));
    }
  });
}

}  // namespace ops_test
