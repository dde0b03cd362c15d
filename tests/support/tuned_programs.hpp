#pragma once
// Programs whose kernels cover every kind of schedule with neighbours (ir/passes/neighbours.hpp),
// over numbers whose sums reveal the order of addition.

#include <mutex>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "engine/evaluation/session.hpp"
#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"

namespace sinter::tests {

struct tuned_program {
  std::string name;
  any_array root;
};

template <class T = float>
array<T> uneven(std::vector<std::int64_t> shape, std::uint64_t seed = 1) {
  array<T> x = astype<T>(random::normal<float>(shape, {.seed = seed}));
  eval(x);
  return x;
}

inline std::vector<tuned_program> tuned_maps() {
  const auto x = uneven({10007}), y = uneven({10007}, 2), square = uneven({97, 70});
  const auto halves = uneven<float16>({4099});
  const auto words = array<std::int16_t>(astype<std::int16_t>(uneven({64, 128}) * 100.0f));
  const array<std::int64_t> places = (arange<std::int64_t>(5000) * 7) % 10007;
  eval(words, places);
  const array<float> long_one =
      sin(x) * exp(-y) + cos(x * y) / (1.0f + abs(y)) + tanh(x) * atan2(x, y) + log1p(abs(x));
  return {
      {"a flat map", array<float>(x * y + 0.5f)},
      {"a long map", long_one},
      {"a map of halves", array<float16>(halves * halves + halves)},
      {"rows that begin anywhere", array<float>(square(slice(1, 90), slice(3, 64)) * 2.0f)},
      {"a stencil", array<float>(x(slice(1, 10007)) - x(slice(0, 10006)))},
      {"a transpose", array<float>(transpose(square) + 1.0f)},
      {"a transpose of words", array<std::int16_t>(transpose(words) + std::int16_t{3})},
      {"drawn numbers", random::normal<float>({9001}, {.seed = 5})},
      {"a look-up", array<float>(x(places) * 2.0f)},
  };
}

/// Gravity-like sums: a walk along points with three coordinates.
inline array<float> pulls() {
  const auto from = uneven({1200, 3}), to = uneven({1101, 3}, 2), mass = uneven({1101}, 3);
  const array<float> d = to(newaxis, _, _) - from(_, newaxis, _);
  const array<float> r2 = sum(d * d, 2) + 0.01f;
  return sum(d * (mass / (r2 * sqrt(r2)))(_, _, newaxis), 1);
}

inline std::vector<tuned_program> tuned_reductions() {
  const auto wide = uneven({9, 3000}), some = uneven({70, 300}), tall = uneven({3001, 36});
  const auto narrow = uneven({501, 7}), vector = uneven({90011});
  const auto rows = uneven({33, 1024}), longer = uneven({7, 9000});
  const auto halves = uneven<bfloat16>({19, 777});
  const auto softmax = [](const auto& x) {
    const auto e = exp(x - max(x, {.axis = 1, .keepdims = true}));
    return e / sum(e, {.axis = 1, .keepdims = true});
  };
  const array<float> centred = rows - mean(rows, {.axis = 1, .keepdims = true});
  return {
      {"sums of wide rows", array<float>(sum(wide, {.axis = 1}))},
      {"sums of rows", array<float>(sum(some * some, {.axis = 1}))},
      {"sums of short rows", array<float>(sum(narrow, {.axis = 1}))},
      {"sums of columns", array<float>(sum(tall, {.axis = 0}))},
      {"deviations of columns", array<float>(stddev(tall, {.axis = 0}))},
      {"a sum of all", array<float>(sum(vector))},
      {"places of rows' maxima", argmax(some, {.axis = 1})},
      {"softmax", array<float>(softmax(rows))},
      {"softmax of longer rows", array<float>(softmax(longer))},
      {"softmax of halves", array<bfloat16>(softmax(halves))},
      {"pulls", pulls()},
      {"layernorm", array<float>(centred / stddev(rows, {.axis = 1, .keepdims = true}))},
  };
}

inline std::vector<tuned_program> tuned_scans() {
  const auto rows = uneven({9, 700}), columns = uneven({400, 21}), one = uneven({70001});
  return {
      {"running sums of rows", array<float>(cumsum(rows, {.axis = 1}))},
      {"running sums of columns", array<float>(cumsum(columns, {.axis = 0}))},
      {"running sums of one row", array<float>(cumsum(one, {.axis = 0}))},
  };
}

/// A program's graph and plan for a machine. Sources are never donated, so it can run again.
struct planned_program {
  detail::snapshot snap;
  ir::plan plan;

  planned_program(const tuned_program& p, const ir::machine& m) {
    const std::scoped_lock lock(detail::the_session().evaluation);
    detail::take_snapshot({&p.root, 1}, snap);
    snap.may_donate.assign(snap.sources.size(), 0);
    ir::trace trace;
    const std::string text = ir::print(detail::graph_of(snap, trace));
    const ir::trace::pause unseen;
    plan = ir::make_plan(ir::parse_graph(text), m);
  }
};

}  // namespace sinter::tests
