// Loops at a point, and their results.
#include <algorithm>

#include "ir/graph_verifier.hpp"
#include "ir/loop_tables.hpp"

namespace sinter::ir::detail {
namespace {

bool is_place(dtype t) { return t == dtype::int32 || t == dtype::int64; }

/// Is the index of every slice known where the code reads the slice?
bool slices_in_order(const node& n) {
  const std::vector<int>& by = n.loop.by;
  const auto inputs = static_cast<int>(n.program.inputs.size());
  const int first = inputs - static_cast<int>(by.size());
  const auto is_slice = [&](int v) { return v >= first && v < inputs; };
  for (int v = first; v < inputs; ++v) {
    const int place = by[static_cast<std::size_t>(v - first)];
    if (is_slice(place) && place >= v) return false;
  }
  const auto known = [&](int v) {  // the value whose definition makes v known
    while (is_slice(v)) v = by[static_cast<std::size_t>(v - first)];
    return v;
  };
  for (std::size_t i = 0; i < n.program.code.size(); ++i) {
    const instruction& x = n.program.code[i];
    for (int k = 0; k < arity(x); ++k) {
      if (known(x.args[k]) >= inputs + static_cast<int>(i)) return false;
    }
  }
  return true;
}

/// Does the condition of a loop read a slice?
bool condition_reads_slices(const node& n) {
  const std::size_t inputs = n.program.inputs.size(), first = inputs - n.loop.by.size();
  std::vector<char> wanted(inputs + n.program.code.size());
  wanted[static_cast<std::size_t>(n.loop.condition)] = 1;
  for (std::size_t v = wanted.size(); v-- > inputs;) {
    const instruction& x = n.program.code[v - inputs];
    for (int k = 0; wanted[v] && k < arity(x); ++k) wanted[static_cast<std::size_t>(x.args[k])] = 1;
  }
  const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(first);
  return std::count(begin, wanted.begin() + static_cast<std::ptrdiff_t>(inputs), 1) > 0;
}

}  // namespace

/// A round reads a table's elements before it overwrites them.
void graph_verifier::table_rules(const node& n) const {
  const loop& l = n.loop;
  const program_view view{n.program.inputs, n.program.code, 0};
  const auto writes = static_cast<int>(l.writes.size());
  const int values = static_cast<int>(n.program.inputs.size() + n.program.code.size());
  require(l.tables == 0 || n.shape.empty(), "loop-tables", "only a loop of rank 0 has tables");
  const auto type = [&](int table) {
    require(table >= 0 && table < l.tables, "loop-tables", "there is no such table");
    return input(n, n.inputs.size() - static_cast<std::size_t>(l.tables - table)).type;
  };
  const std::vector<int> before = writes_before(n);
  const std::size_t first = n.program.inputs.size() - l.reads.size();
  for (std::size_t k = 0; k < l.reads.size(); ++k) {
    require(type(l.reads[k].table) == n.program.inputs[first + k] && l.reads[k].after >= 0 &&
                l.reads[k].after <= writes && before[first + k] == l.reads[k].after,
            "loop-tables", "a table is read when it has been written over");
  }
  for (int k = 0; k < writes; ++k) {
    const table_write& w = l.writes[static_cast<std::size_t>(k)];
    const bool there = w.by >= 0 && w.by < values && w.value >= 0 && w.value < values;
    require(there && is_place(view.value_type(w.by)) && view.value_type(w.value) == type(w.table),
            "loop-tables", "a table is written at an integer, of its type");
    require(before[static_cast<std::size_t>(w.by)] <= k &&
                before[static_cast<std::size_t>(w.value)] <= k,
            "loop-tables", "what is written follows from what is read later");
  }
}

void graph_verifier::loop_rules(const node& n) const {
  const program& p = n.program;
  loop_input_rules(n);
  for (std::size_t i = 0; i < p.code.size(); ++i) instruction_rules(p, i);
  const program_view view{p.inputs, p.code, 0};
  const int values = static_cast<int>(p.inputs.size() + p.code.size());
  for (int k : n.loop.by) {
    require(k >= 0 && k < values && is_place(view.value_type(k)), "loop-slices",
            "a slice is chosen by a value of 32 or 64 bits");
  }
  require(slices_in_order(n), "loop-slices", "a slice is read before its place is known");
  const int condition = n.loop.condition;
  require(condition >= 0 && condition < values && is_bool(view.value_type(condition)),
          "loop-condition", "the condition is no bool of the program");
  require(!condition_reads_slices(n), "loop-condition", "the condition reads a slice");
  table_rules(n);
  next_value_rules(n);
}

void graph_verifier::loop_input_rules(const node& n) const {
  const program& p = n.program;
  const loop& l = n.loop;
  const std::size_t inputs = p.inputs.size() - 1, slices = l.maps.size();
  require(l.carries >= 0 && static_cast<std::size_t>(l.carries) + slices <= inputs &&
              l.tables >= 0 && l.reads.size() <= slices &&
              n.inputs.size() + l.reads.size() == inputs + static_cast<std::size_t>(l.tables) &&
              l.along.size() == slices && l.by.size() == slices,
          "loop-inputs", "the program takes another number of inputs");
  require(p.inputs[static_cast<std::size_t>(l.carries)] == dtype::int64, "loop-round",
          "the number of the round is int64");
  for (std::size_t k = 0; k + l.reads.size() < inputs; ++k) {
    const node& in = input(n, k);
    require(in.type == p.inputs[place_in_program(l, k)], "loop-types",
            "an input has another type in the program");
    const bool slice = k + slices >= inputs;
    require(slice || in.shape.empty() || in.shape == n.shape, "loop-shapes",
            "an input has neither the node's shape nor rank 0");
  }
  for (const index_map& m : l.maps) {
    require(m.strides.size() == n.shape.size(), "strides", "one stride an axis is wanted");
  }
}

void graph_verifier::next_value_rules(const node& n) const {
  const program& p = n.program;
  const loop& l = n.loop;
  const program_view view{p.inputs, p.code, 0};
  const int values = static_cast<int>(p.inputs.size() + p.code.size());
  require(l.results.size() >= static_cast<std::size_t>(l.carries) &&
              (!l.results.empty() || l.tables > 0),
          "loop-results", "a carry has no next value");
  for (std::size_t k = 0; k < l.results.size(); ++k) {
    const int v = l.results[k];
    require(v >= 0 && v < values, "loop-results", "a result is no value of the program");
    if (k >= static_cast<std::size_t>(l.carries)) continue;
    require(view.value_type(v) == p.inputs[k], "loop-carry", "a carry becomes another type");
  }
}

void graph_verifier::loop_result_rules(const node& n) {
  const node& from = input(n, 0);
  const auto k = static_cast<std::size_t>(n.value[0]), results = from.loop.results.size();
  const auto tables = static_cast<std::size_t>(from.loop.tables);
  require(k < results + tables, "result", "the loop has no such output");
  if (k >= results) {
    const node& table = g_[from.inputs[from.inputs.size() - tables + (k - results)]];
    require(n.type == table.type && n.shape == table.shape, "result-type",
            "a table comes to another type or shape");
    require(results_.insert({n.inputs[0], n.value[0]}).second, "result-twice",
            "this output has a node already");
    return;
  }
  const program_view view{from.program.inputs, from.program.code, 0};
  require(n.type == view.value_type(from.loop.results[k]), "result-type",
          "the output has another type");
  const bool emitted = k >= static_cast<std::size_t>(from.loop.carries);
  const shape_t inner{n.shape.begin() + (emitted && !n.shape.empty() ? 1 : 0), n.shape.end()};
  require(inner == from.shape && (!emitted || !n.shape.empty()), "result-shape",
          "the output has another shape");
  require(results_.insert({n.inputs[0], n.value[0]}).second, "result-twice",
          "this output has a node already");
}

}  // namespace sinter::ir::detail
