#include "tests/fuzz/trial.hpp"

#include <algorithm>
#include <sstream>

#include "ir/error.hpp"

namespace sinter::fuzz {
namespace {

constexpr std::string_view fill_names[] = {"ones", "ascending", "small", "edges", "bits"};

struct knob {
  std::string_view name;
  std::int64_t (*get)(const ir::machine&);
  void (*set)(ir::machine&, std::int64_t);
};
#define SINTER_KNOB(field)                                         \
  {#field, [](const ir::machine& m) { return static_cast<std::int64_t>(m.field); }, \
   [](ir::machine& m, std::int64_t v) { m.field = static_cast<decltype(m.field)>(v); }}
constexpr knob knobs[] = {SINTER_KNOB(units), SINTER_KNOB(vector_bytes), SINTER_KNOB(split_length),
                          SINTER_KNOB(split_grain), SINTER_KNOB(launch_limit),
                          SINTER_KNOB(half_side), SINTER_KNOB(cluster), SINTER_KNOB(sorted_sums),
                          SINTER_KNOB(share_limit), SINTER_KNOB(stack_limit),
                          SINTER_KNOB(stack_points), SINTER_KNOB(stack_held),
                          SINTER_KNOB(arithmetic)};
#undef SINTER_KNOB

void read_machine(std::istream& in, ir::machine& m) {
  std::string name;
  std::int64_t value = 0;
  while (in >> name >> value) {
    const auto k = std::ranges::find(knobs, name, &knob::name);
    if (k == std::end(knobs)) throw ir::syntax_error("no such fact of a machine: " + name);
    k->set(m, value);
  }
}

void read_source(std::istream& in, std::vector<contents>& sources) {
  std::size_t number = 0;
  std::string what;
  contents c;
  in >> number >> what >> c.seed;
  const auto* const name = std::ranges::find(fill_names, what);
  if (!in || name == std::end(fill_names) || number > 1000) {
    throw ir::syntax_error("'# source NUMBER FILL SEED' expected");
  }
  c.what = static_cast<fill>(name - std::begin(fill_names));
  sources.resize(std::max(sources.size(), number + 1), {fill::edges, number});
  sources[number] = c;
}

}  // namespace

std::string print(const trial& t) {
  std::string out = "# machine";
  for (const knob& k : knobs) {
    out += " " + std::string(k.name) + " " + std::to_string(k.get(t.machine));
  }
  out += "\n";
  for (std::size_t i = 0; i < t.sources.size(); ++i) {
    out += "# source " + std::to_string(i) + " " +
           std::string(fill_names[static_cast<std::size_t>(t.sources[i].what)]) + " " +
           std::to_string(t.sources[i].seed) + "\n";
  }
  return out + ir::print(t.graph);
}

trial parse_trial(std::string_view text) {
  trial t;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark, what;
    words >> mark >> what;
    if (mark != "#") continue;
    if (what == "machine") read_machine(words, t.machine);
    if (what == "source") read_source(words, t.sources);
  }
  t.graph = ir::parse_graph(text);
  const auto sources = std::ranges::count(t.graph.nodes, ir::node_kind::source, &ir::node::kind);
  for (auto i = t.sources.size(); i < static_cast<std::size_t>(sources); ++i) {
    t.sources.push_back({fill::edges, i});
  }
  t.sources.resize(static_cast<std::size_t>(sources));
  return t;
}

}  // namespace sinter::fuzz
