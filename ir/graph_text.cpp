// Text of graphs, one node per line:
//
//   %0 = source float32 [1000, 1000]
//   %1 = scalar float32 [] 0.5
//   %2 = map float32 [1000, 1000] (%0, %1) { v2 = multiply float32 v0 v1; v3 = exp float32 v2 }
//   %3 = view float32 [1000] (%2) offset 5 strides [1000]
//   %4 = reduce float32 [1000] (%2) add over [1]
//   %5 = reduce int64 [1000] (%2) arg maximum over [1]
//   %6 = random uint32 [1000] seed 42
//   %7 = iota int64 [1000]
//   %8 = update float32 [1000] (%4, %3) strides [1]
//   %9 = call float32 [1000, 1000] (%0, %2) matmul  @main.cpp:17
//   %10 = call int32 [] (%9) qr [0, 1]
//   %11 = result float32 [1000, 1000] (%10) 1
//   %12 = gather float32 [1000] (%0, %7) strides [0]
//   %13 = pad float32 [1002] (%3, %14) offset -1 strides [1] along 0
//   %14 = loop float32 [1000] (%0, %1) carries 1 { v3 = less int64 v1 v2; ... } while v3 next v4
//   %15 = result float32 [1000] (%14) 0
//   %16 = scatter float32 [1000] (%4, %7, %3) add strides [0]
//   return %8, %11
//
// In a loop's program v0 ... are the carries, followed by the round. An input of which each round
// reads a slice is listed after `next`: `slice along 1000 offset 0 strides [1]`.
// An op's own result type is omitted; another one (casts) is written: `v4 = cast float32 -> int32
// v3`.
#include "ir/graph.hpp"

#include <algorithm>
#include <utility>

#include "ir/error.hpp"
#include "ir/text.hpp"

namespace sinter::ir {
namespace {

using detail::cat;
using detail::scanner;

std::string instruction_text(const instruction& i, int value) {
  std::string out = cat("v", value, " = ", name(i.code), " ", name(i.type));
  if (i.result != result_type(i.code, i.type)) out += cat(" -> ", name(i.result));
  int last = 3;
  while (last > 0 && i.args[last - 1] == -1) --last;
  for (int k = 0; k < last; ++k) out += cat(" v", i.args[k]);
  return out;
}

std::string program_text(const program& p) {
  std::string out = " {";
  int value = static_cast<int>(p.inputs.size());
  for (const instruction& i : p.code) {
    out += cat(&i == p.code.data() ? " " : "; ", instruction_text(i, value++));
  }
  return out + " }";
}

std::string axes_text(const reduction& r) {
  return detail::list_text(std::vector<std::int64_t>(r.axes.begin(), r.axes.end()));
}

std::string map_text(const index_map& m) {
  std::string out;
  if (m.offset != 0) out += cat(" offset ", m.offset);
  out += cat(" strides ", detail::list_text(m.strides));
  return m.along < 0 ? out : cat(out, " along ", m.along);
}

std::string_view combine_text(op code) { return code == op::cast ? "put" : name(code); }

class printer {
 public:
  explicit printer(const graph& g) : g_(g), places_(g.origins) {}

  std::string run() {
    std::string out;
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      const node& n = g_.nodes[i];
      out += cat("%", i, " = ", node_text(n), places_.reference(n.origin), "\n");
    }
    out += "return";
    for (std::size_t i = 0; i < g_.outputs.size(); ++i) {
      out += cat(i ? ", %" : " %", g_.outputs[i]);
    }
    return cat(out, "\n", places_.trailer());
  }

 private:
  std::string node_text(const node& n) const {
    std::string out = cat(name(n.kind), " ", name(n.type), " ", detail::list_text(n.shape));
    if (!n.inputs.empty() && n.kind != node_kind::scalar) out += cat(" (", inputs_text(n), ")");
    switch (n.kind) {
      case node_kind::scalar:
        return cat(out, n.baked ? " baked " : " ", detail::value_text(n.type, n.value));
      case node_kind::map: return out + program_text(n.program);
      case node_kind::loop: return out + loop_text(n);
      case node_kind::gather:
        return cat(out, map_text(n.map), n.inputs.size() >= 3 ? cat(" check ", n.value[0]) : "");
      case node_kind::scatter:
        return cat(out, n.reduction.summed ? " sums " : " ", combine_text(n.reduction.code),
                   map_text(n.map),
                   n.inputs.size() >= 5 ? cat(" check ", n.value[0]) : "");
      case node_kind::view:
      case node_kind::pad:
      case node_kind::update: return out + map_text(n.map);
      case node_kind::reduce:
      case node_kind::scan:
        return cat(out, n.reduction.arg ? " arg " : " ", name(n.reduction.code), " over ",
                   axes_text(n.reduction));
      case node_kind::random: return cat(out, " seed ", n.value[0]);
      case node_kind::call:
        out += cat(" ", n.routine);
        return n.attributes.empty() ? out : cat(out, " ", detail::list_text(n.attributes));
      case node_kind::result:
        return cat(out, " ", n.value[0]);
      case node_kind::source:
      case node_kind::compress:
      case node_kind::join:
      case node_kind::iota: break;
    }
    return out;
  }

  static std::string loop_text(const node& n) {
    std::string out = cat(" carries ", n.loop.carries);
    if (n.loop.tables > 0) out += cat(" tables ", n.loop.tables);
    for (const table_read& r : n.loop.reads) out += cat(" read t", r.table);
    out += cat(program_text(n.program), " while v", n.loop.condition, " next");
    for (std::size_t k = 0; k < n.loop.results.size(); ++k) {
      out += cat(k ? ", v" : " v", n.loop.results[k]);
    }
    for (std::size_t k = 0; k < n.loop.maps.size(); ++k) {
      out += cat(" slice along ", n.loop.along[k]);
      if (n.loop.by[k] != n.loop.carries) out += cat(" by v", n.loop.by[k]);
      out += map_text(n.loop.maps[k]);
      const std::size_t first = sliced_inputs(n.loop);
      if (k >= first) out += cat(" after ", n.loop.reads[k - first].after);
    }
    for (const table_write& w : n.loop.writes) {
      out += cat(" write t", w.table, " offset ", w.offset, " by v", w.by, " = v", w.value);
    }
    return out;
  }

  /// A type is printed if the program's differs from the node's: such a graph is invalid.
  std::string inputs_text(const node& n) const {
    std::string out;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      const node_id id = n.inputs[k];
      out += cat(k ? ", %" : "%", id);
      const std::size_t at = n.kind == node_kind::loop ? place_in_program(n.loop, k) : k;
      const bool typed = n.kind == node_kind::map || n.kind == node_kind::loop;
      if (!typed || at >= n.program.inputs.size()) continue;
      const bool known = id >= 0 && static_cast<std::size_t>(id) < g_.nodes.size();
      const dtype t = n.program.inputs[at];
      if (!known || g_[id].type != t) out += cat(" as ", name(t));
    }
    return out;
  }

  const graph& g_;
  detail::places places_;
};

class graph_parser {
 public:
  explicit graph_parser(std::string_view text) : in_(text) {}

  graph run() {
    in_.next_line();
    while (!in_.take("return")) parse_node();
    if (!in_.at_end_of_line()) {
      do g_.outputs.push_back(in_.numbered("%"));
      while (in_.take(","));
    }
    in_.end_line();
    for (; in_.take("place"); in_.end_line()) places_.listed(in_);
    if (!in_.at_end()) in_.fail("end of text expected");
    std::vector<std::pair<std::size_t, std::int32_t>> origins;
    g_.origins = places_.resolve(origins);
    for (const auto& [node, origin] : origins) g_.nodes[node].origin = origin;
    return std::move(g_);
  }

 private:
  void parse_node() {
    scanner before = in_;
    const std::int32_t id = in_.numbered("%");
    if (static_cast<std::size_t>(id) != g_.nodes.size()) {
      before.fail(cat("%", g_.nodes.size(), " expected: nodes stand in order"));
    }
    in_.expect("=");
    node n;
    n.kind = static_cast<node_kind>(detail::parse_name(in_, node_kind_names, "kind of node"));
    n.type = detail::parse_type(in_);
    n.shape = extents();
    if (n.kind != node_kind::scalar && in_.take("(")) inputs(n);
    details(n);
    places_.reference(in_, g_.nodes.size());
    in_.end_line();
    g_.nodes.push_back(std::move(n));
  }

  shape_t extents() {
    const auto list = detail::parse_list(in_);
    return {list.begin(), list.end()};
  }

  void inputs(node& n) {
    do {
      scanner before = in_;
      const node_id id = in_.numbered("%");
      if (id < 0 || static_cast<std::size_t>(id) >= g_.nodes.size()) {
        before.fail(cat("%", id, " is not a node above this one"));
      }
      n.inputs.push_back(id);
      const dtype t = in_.take("as") ? detail::parse_type(in_) : g_[id].type;
      const bool typed = n.kind == node_kind::map || n.kind == node_kind::loop;
      if (typed) n.program.inputs.push_back(t);
    } while (in_.take(","));
    in_.expect(")");
  }

  void details(node& n) {
    switch (n.kind) {
      case node_kind::scalar:
        n.baked = in_.take("baked");
        return detail::parse_value(in_, n.type, n.value);
      case node_kind::map: return code(n.program);
      case node_kind::loop: return loop(n);
      case node_kind::scatter:
        n.reduction.summed = in_.take("sums");
        n.reduction.code = in_.take("put") ? op::cast : detail::parse_op(in_);
        [[fallthrough]];
      case node_kind::view:
      case node_kind::gather:
      case node_kind::pad:
      case node_kind::update:
        n.map = map();
        if ((n.kind == node_kind::gather || n.kind == node_kind::scatter) && in_.take("check")) {
          n.value[0] = in_.unsigned_integer();
        }
        return;
      case node_kind::reduce:
      case node_kind::scan: return reduce(n.reduction);
      case node_kind::random:
        in_.expect("seed");
        n.value[0] = in_.unsigned_integer();
        return;
      case node_kind::call:
        n.routine = in_.word();
        if (!in_.at_end_of_line() && in_.peek("[")) n.attributes = detail::parse_list(in_);
        return;
      case node_kind::result:
        n.value[0] = in_.unsigned_integer();
        return;
      case node_kind::source:
      case node_kind::compress:
      case node_kind::join:
      case node_kind::iota: return;
    }
  }

  void reduce(reduction& r) {
    r.arg = in_.take("arg");
    r.code = detail::parse_op(in_);
    in_.expect("over");
    const auto axes = detail::parse_list(in_);
    r.axes.assign(axes.begin(), axes.end());
  }

  index_map map() {
    index_map m;
    if (in_.take("offset")) m.offset = in_.integer();
    in_.expect("strides");
    m.strides = extents();
    if (in_.take("along")) m.along = static_cast<int>(in_.integer());
    return m;
  }

  void loop(node& n) {
    in_.expect("carries");
    scanner before = in_;
    n.loop.carries = static_cast<int>(in_.integer());
    auto& types = n.program.inputs;
    if (n.loop.carries < 0 || static_cast<std::size_t>(n.loop.carries) > types.size()) {
      before.fail("more carries than inputs");
    }
    types.insert(types.begin() + n.loop.carries, dtype::int64);
    tables(n);
    code(n.program);
    in_.expect("while");
    n.loop.condition = in_.numbered("v");
    in_.expect("next");
    do n.loop.results.push_back(in_.numbered("v"));
    while (in_.take(","));
    std::size_t reads = 0;
    while (in_.take("slice")) {
      in_.expect("along");
      n.loop.along.push_back(in_.integer());
      n.loop.by.push_back(in_.take("by") ? in_.numbered("v") : n.loop.carries);
      n.loop.maps.push_back(map());
      if (!in_.take("after")) continue;
      if (reads == n.loop.reads.size()) in_.fail("no table's slice");
      n.loop.reads[reads++].after = static_cast<int>(in_.integer());
    }
    while (in_.take("write")) {
      table_write w;
      w.table = in_.numbered("t");
      in_.expect("offset");
      w.offset = in_.integer();
      in_.expect("by");
      w.by = in_.numbered("v");
      in_.expect("=");
      w.value = in_.numbered("v");
      n.loop.writes.push_back(w);
    }
  }

  /// Tables are not inputs of the program; the elements read from them are.
  void tables(node& n) {
    auto& types = n.program.inputs;
    std::vector<dtype> of;
    if (in_.take("tables")) n.loop.tables = static_cast<int>(in_.integer());
    for (int k = 0; k < n.loop.tables && !types.empty(); ++k) {
      of.insert(of.begin(), types.back());
      types.pop_back();
    }
    while (in_.take("read")) {
      const auto table = static_cast<std::size_t>(in_.numbered("t"));
      if (table >= of.size()) in_.fail("no such table");
      n.loop.reads.push_back({static_cast<int>(table), 0});
      types.push_back(of[table]);
    }
  }

  void code(program& p) {
    in_.expect("{");
    while (!in_.take("}")) {
      const auto value = static_cast<std::int32_t>(p.inputs.size() + p.code.size());
      scanner before = in_;
      if (in_.numbered("v") != value) before.fail(cat("v", value, " expected"));
      in_.expect("=");
      instruction i{.code = detail::parse_op(in_), .type = detail::parse_type(in_), .result = {}};
      i.result = in_.take("->") ? detail::parse_type(in_) : result_type(i.code, i.type);
      for (int k = 0; k < 3; ++k) {
        if (const auto v = in_.take_numbered("v")) i.args[k] = static_cast<std::int16_t>(*v);
      }
      p.code.push_back(i);
      if (!in_.take(";")) {
        in_.expect("}");
        return;
      }
    }
  }

  scanner in_;
  graph g_;
  detail::place_reader places_;
};

}  // namespace

std::string print(const graph& g) { return printer(g).run(); }

graph parse_graph(std::string_view text) { return graph_parser(text).run(); }

}  // namespace sinter::ir
