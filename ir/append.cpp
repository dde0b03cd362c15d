#include "ir/append.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/formula.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

bool is_nan(dtype type, const scalar_value& v) {
  if (type == dtype::float64) return std::isnan(value_of<double>(v));
  return is_real(type) && std::isnan(value_of<float>(convert(v, type, dtype::float32)));
}

/// The value of a computation on constants. None for NaN, whose bits differ between devices.
std::optional<std::uint64_t> folded(const std::vector<inst>& body, const inst& i) {
  if (i.kind != inst_kind::compute || detail::is_approximate(i)) return std::nullopt;
  scalar_value args[3];
  for (int k = 0; k < info(i.code).arity; ++k) {
    const inst& a = body[static_cast<std::size_t>(i.args[k])];
    if (a.kind != inst_kind::constant) return std::nullopt;
    args[k].bits[0] = a.bits;
  }
  scalar_value v = args[0];
  if (i.code == op::cast) v = convert(args[0], i.type, i.result);
  else if (i.code != op::bitcast) v = apply(i.code, i.type, args);
  if (is_nan(i.result, v)) return std::nullopt;
  return v.bits[0];
}

/// The most selective fields come first: each new instruction of a long body is compared with many.
bool same_value(const inst& a, const inst& b) {
  return a.args[0] == b.args[0] && a.args[1] == b.args[1] && a.args[2] == b.args[2] &&
         a.which == b.which && a.bits == b.bits && a.kind == b.kind && a.code == b.code &&
         a.type == b.type && a.result == b.result && a.part == b.part && a.arg == b.arg;
}

}  // namespace

std::int32_t append(std::vector<inst>& body, const inst& i) {
  if (i.kind == inst_kind::compute && i.code == op::where) {
    const inst& condition = body[static_cast<std::size_t>(i.args[0])];
    if (condition.kind == inst_kind::constant) return i.args[condition.bits ? 1 : 2];
  }
  if (const auto bits = folded(body, i)) return emit_constant(body, i.result, *bits);
  // Far enough back for the longest formulas; a bound keeps long bodies linear.
  constexpr std::size_t window = 512;
  const std::size_t first = body.size() > window ? body.size() - window : 0;
  if (i.kind != inst_kind::store) {
    for (std::size_t k = body.size(); k-- > first;) {
      if (same_value(body[k], i)) return static_cast<std::int32_t>(k);
    }
  }
  body.push_back(i);
  return static_cast<std::int32_t>(body.size()) - 1;
}

std::int32_t emit_constant(std::vector<inst>& body, dtype type, std::uint64_t bits) {
  return append(body,
                {.kind = inst_kind::constant, .type = type, .result = type, .bits = bits});
}

std::int32_t emit_cast(std::vector<inst>& body, std::int32_t value, dtype to) {
  const dtype from = body[static_cast<std::size_t>(value)].result;
  if (from == to) return value;
  inst i{.code = op::cast, .type = from, .result = to};
  i.args[0] = value;
  return append(body, i);
}

void detail::drop_unused(std::vector<inst>& body, std::size_t start,
                         std::span<std::int32_t> results) {
  std::vector<std::int32_t> places(body.size() - start, -1);
  const auto place = [&](std::int32_t& v) -> std::int32_t* {
    return v < static_cast<std::int32_t>(start) ? nullptr
                                                : &places[static_cast<std::size_t>(v) - start];
  };
  for (std::int32_t& r : results) {
    if (std::int32_t* p = place(r)) *p = 0;
  }
  for (std::size_t k = body.size(); k-- > start;) {
    if (places[k - start] < 0) continue;
    for (std::int32_t& a : body[k].args) {
      if (std::int32_t* p = place(a)) *p = 0;
    }
  }
  std::size_t kept = start;
  for (std::size_t k = start; k < body.size(); ++k) {
    if (places[k - start] < 0) continue;
    places[k - start] = static_cast<std::int32_t>(kept);
    inst i = body[k];
    for (std::int32_t& a : i.args) {
      if (const std::int32_t* p = place(a)) a = *p;
    }
    body[kept++] = i;
  }
  body.resize(kept);
  for (std::int32_t& r : results) {
    if (const std::int32_t* p = place(r)) r = *p;
  }
}

}  // namespace sinter::ir
