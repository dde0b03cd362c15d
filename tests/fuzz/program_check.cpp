// Runs programs fused and unfused, and checks the graph that is pending at the end.
#include <algorithm>
#include <chrono>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/evaluation/snapshot.hpp"
#include "tests/fuzz/compare.hpp"
#include "tests/fuzz/program.hpp"
#include "tests/fuzz/record.hpp"
#include "tests/fuzz/shrink.hpp"

namespace sinter::fuzz {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point t) {
  return std::chrono::duration<double>(clock::now() - t).count();
}

/// One kernel per op during its lifetime.
class unfused {
 public:
  unfused() { fusion(false); }
  ~unfused() { fusion(true); }
  unfused(const unfused&) = delete;
};

any_array held(detail::node* n) {
  detail::retain(n);
  return any_array::take(n);
}

std::string number_text(std::size_t i) {
  return "%" + std::to_string(i);
}

/// The pending values as a graph of their own, run in every way that needs no GPU.
std::optional<std::string> check_graph(executor& everywhere, const program_result& p) {
  std::vector<any_array> roots;
  for (const any_array& x : p.values) {
    if (x.get()->kind != ir::node_kind::source) roots.push_back(x);
  }
  if (roots.empty()) return std::nullopt;
  detail::snapshot s;
  ir::trace trace;
  trial t;
  std::vector<any_array> given;
  {
    const std::scoped_lock lock(detail::the_session().evaluation);
    detail::take_snapshot(roots, s);
    if (s.outputs.empty()) return std::nullopt;
    // Through its text: extents of a recorded graph refer to its trace.
    t.graph = ir::parse_graph(ir::print(detail::graph_of(s, trace)));
    for (detail::node* n : s.sources) given.push_back(held(n));
  }
  std::vector<ir::tensor> sources;
  try {
    for (const any_array& x : given) sources.push_back(tensor_of(x));
  } catch (const user_error&) {  // a refused value has no result to compare
    return std::nullopt;
  }
  t.sources.resize(sources.size());
  const auto f = everywhere.check(t, sources,
                                  {way::interpreted, way::interpreted_unfused, way::gpu_interpreted,
                                   way::compiled, way::compiled_unfused, way::recorded});
  if (!f) return std::nullopt;
  return std::string(name(f->how)) + ": " + f->what + "\n" + print(t);
}

/// A value, or the error of its check when it is read.
struct outcome {
  ir::tensor value;
  std::string refusal;
};

std::vector<outcome> read_all(const program_result& p, bool together) {
  if (together) detail::evaluate(p.values);
  std::vector<outcome> all;
  for (const any_array& x : p.values) {
    try {
      all.push_back({tensor_of(x), ""});
    } catch (const user_error& e) {
      all.push_back({{}, e.what()});
    }
  }
  return all;
}

std::optional<std::string> difference_of(const outcome& expected, const outcome& got) {
  if (expected.refusal != got.refusal) {
    return "'" + got.refusal + "', where there is '" + expected.refusal + "'";
  }
  if (!got.refusal.empty()) return std::nullopt;
  return difference({expected.value, {}}, got.value);
}

std::optional<std::string> compare(const program_result& p, const std::vector<outcome>& fused,
                                   const std::vector<outcome>& single) {
  if (fused.size() != single.size()) return "another number of values unfused";
  for (std::size_t i = 0; i < fused.size(); ++i) {
    if (const auto d = difference_of(single[i], fused[i])) {
      return number_text(i) + " unlike unfused: " + *d;
    }
  }
  for (const auto& [i, k] : p.same) {
    if (const auto d = difference_of(fused[k], fused[i])) {
      return number_text(i) + " unlike " + number_text(k) + ": " + *d;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_program(executor& everywhere, const tape& t, program_report& r) {
  try {
    choices first(t);
    const program_result p = make_program(first);
    ++r.programs;
    r.steps += static_cast<std::int64_t>(p.steps.size());
    r.refused += std::ranges::count_if(p.steps, [](const auto& s) {
      return s.starts_with("refused");
    });
    r.looped += static_cast<std::int64_t>(p.same.size());
    if (auto wrong = check_graph(everywhere, p)) return wrong;
    const auto fused = read_all(p, t.steps.size() % 2 == 0);
    const unfused scope;
    choices again(t);
    return compare(p, fused, read_all(make_program(again), false));
  } catch (const std::exception& e) {
    return std::string(e.what());
  }
}

namespace {

std::string steps_of(const tape& t) {
  choices c(t);
  std::string text;
  try {
    for (const std::string& s : make_program(c).steps) text += "  " + s + "\n";
  } catch (const std::exception& e) {
    text += std::string("  throws ") + e.what() + "\n";
  }
  return text;
}

}  // namespace

program_report run_programs(executor& everywhere, std::uint64_t seed, std::int64_t first,
                            std::int64_t count, double seconds) {
  program_report r;
  const auto begin = clock::now();
  for (std::int64_t i = first; i < first + count && since(begin) < seconds; ++i) {
    random_bits mix(seed);
    choices c(mix.next() + 0x2545f4914f6cdd1dull * static_cast<std::uint64_t>(i));
    try {
      make_program(c);
    } catch (const std::exception&) {  // the check reports it again
    }
    if (i % 50 == 0) everywhere.forget();
    if (const auto wrong = check_program(everywhere, c.taken(), r)) {
      program_report unused;
      const tape small = shrink_steps(
          c.taken(),
          [&](const tape& t) { return check_program(everywhere, t, unused).has_value(); }, 60);
      r.failed = i;
      r.first_failure = check_program(everywhere, small, unused).value_or(*wrong) + "\n" +
                        steps_of(small);
      break;
    }
  }
  r.seconds = since(begin);
  return r;
}

}  // namespace sinter::fuzz
