// length: the walk, the key and the graph of it read the same fields in the same order
#include "engine/snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "engine/checks.hpp"
#include "engine/report.hpp"
#include "ir/passes/explode.hpp"

namespace sinter::detail {

namespace {

/// Equal scalars share a parameter, as far as the first so many go: comparing is quadratic.
constexpr int compared_scalars = 64;

bool ready(const node& n) {
  return n.buffer != nullptr;
}

/// Lists the pending nodes under the roots, inputs first, without recursion: a node is marked on
/// the way in, and its inputs, pushed above it, are left before it.
class walker {
 public:
  explicit walker(snapshot& s) : s_(s) {}

  void run(std::span<const any_array> roots) {
    for (const any_array& r : roots) late_.push_back(r.get());
    for (std::size_t i = 0; i < late_.size(); ++i) from(late_[i]);
  }

  /// The statuses of checks among the nodes: they are stored, whoever holds them.
  const std::vector<node*>& statuses() const { return statuses_; }

 private:
  void from(node* root) {
    std::vector<std::pair<node*, bool>> todo{{root, false}};
    while (!todo.empty()) {
      const auto [n, leaving] = todo.back();
      todo.pop_back();
      if (leaving) {
        s_.pending.push_back(n);
        continue;
      }
      if (n->unchecked.load(std::memory_order_acquire)) checks(*n);
      if (ready(*n) || n->mark.seen) continue;
      n->mark.seen = true;
      todo.push_back({n, true});
      if (n->kind == ir::node_kind::call || n->kind == ir::node_kind::compress) results(*n);
      for (std::size_t i = n->inputs.size(); i-- > 0;) {
        ++n->inputs[i].get()->mark.within;
        todo.push_back({n->inputs[i].get(), false});
      }
    }
  }

  /// What a call gives is computed once: all of it that somebody holds is stored with the rest.
  void results(node& call) {
    for (any_array& r : results_of(call)) {
      ++r.get()->mark.within;  // our own handle is nobody outside, and goes
      ++r.get()->mark.released;
      late_.push_back(r.get());
      s_.held.push_back(std::move(r));
    }
  }

  void checks(const node& n) {
    s_.checked = true;
    for (const auto& c : n.checks) {
      node* status = c->status.get();
      if (c->good || !status || ready(*status)) continue;
      late_.push_back(status);
      statuses_.push_back(status);
    }
  }

  snapshot& s_;
  std::vector<node*> late_, statuses_;
};

void clear_marks(const snapshot& s) {
  for (node* n : s.pending) n->mark = {};
  for (node* n : s.sources) n->mark = {};
}

/// Writes words to the key.
class key_writer {
 public:
  explicit key_writer(std::string& key) : key_(key) {}
  void word(std::uint64_t w) { key_.append(reinterpret_cast<const char*>(&w), sizeof w); }
  void text(std::string_view s) {
    word(s.size());
    key_.append(s);
  }
  void list(std::span<const std::int64_t> v) {
    word(v.size());
    for (auto x : v) word(static_cast<std::uint64_t>(x));
  }

 private:
  std::string& key_;
};

class keyer {
 public:
  explicit keyer(snapshot& s) : s_(s), out_(s.key) {}

  void run() {
    for (node* n : s_.pending) add(n);
    out_.word(s_.outputs.size());
    for (node* o : s_.outputs) out_.word(static_cast<std::uint64_t>(o->mark.id));
  }

 private:
  std::int32_t source(node* n) {
    if (n->mark.id >= 0) return n->mark.id;
    n->mark.id = next_++;
    s_.sources.push_back(n);
    out_.word(0x50ull << 56 | static_cast<std::uint64_t>(n->type) << 8 |
              (reinterpret_cast<std::uintptr_t>(n->buffer->data()) % 64 == 0 ? 1 : 0));
    out_.list(n->shape);
    return n->mark.id;
  }

  void add(node* n) {
    inline_vector<std::int32_t, 8> inputs;
    for (const any_array& x : n->inputs) {
      node* in = x.get();
      inputs.push_back(ready(*in) ? source(in) : in->mark.id);
    }
    n->mark.id = next_++;
    out_.word(static_cast<std::uint64_t>(n->kind) << 8 | static_cast<std::uint64_t>(n->type));
    out_.list(n->shape);
    for (std::int32_t i : inputs) out_.word(static_cast<std::uint64_t>(i));
    switch (n->kind) {
      case ir::node_kind::map:
        map(*n);
        break;
      case ir::node_kind::scalar:
        scalar(n->scalars[0], n->type);
        break;
      case ir::node_kind::random:
        s_.scalars.push_back(n->scalars[0]);
        break;
      case ir::node_kind::gather:
        if (n->inputs.size() == 3) s_.gathers.push_back(n);
        [[fallthrough]];
      case ir::node_kind::view:
      case ir::node_kind::pad:
      case ir::node_kind::update:
        out_.word(static_cast<std::uint64_t>(n->details->map.offset));
        out_.list(n->details->map.strides);
        break;
      case ir::node_kind::reduce:
      case ir::node_kind::scan:
        reduce(n->details->reduction);
        break;
      case ir::node_kind::call:
        out_.text(n->details->routine);
        out_.list(n->details->attributes);
        break;
      case ir::node_kind::result:
        out_.word(n->details->output);
        break;
      case ir::node_kind::source:
      case ir::node_kind::compress:
      case ir::node_kind::iota:
        break;
    }
  }

  void map(const node& n) {
    out_.word(n.program.hash);
    out_.word(n.program.code.size());
    const std::size_t arrays = n.inputs.size();
    for (std::size_t i = 0; i < n.scalars.size(); ++i) {
      scalar(n.scalars[i], n.program.inputs[arrays + i]);
    }
    for (const ir::instruction& i : n.program.code) {
      const std::size_t e = static_cast<std::size_t>(i.args[1]);
      if (i.code != ir::op::pow || e >= arrays + n.scalars.size()) continue;
      const scalar_word* exponent = e < arrays ? known(*n.inputs[e].get()) : &n.scalars[e - arrays];
      if (!exponent) continue;
      out_.word(
          static_cast<std::uint64_t>(ir::exponent_class(n.program.inputs[e], exponent->bits[0])));
    }
  }

  /// The value of a node that the plan will see as a scalar.
  static const scalar_word* known(const node& n) {
    return n.kind == ir::node_kind::scalar && !ready(n) ? &n.scalars[0] : nullptr;
  }

  /// Values stay out of the key; which of them are equal does not.
  void scalar(const scalar_word& w, dtype t) {
    std::uint64_t same = s_.scalars.size();
    types_.resize(s_.scalars.size(), dtype::bool_);  // random seeds are nobody's equals
    for (std::size_t i = 0; i < s_.scalars.size() && i < compared_scalars; ++i) {
      if (types_[i] == t && std::memcmp(&s_.scalars[i], &w, sizeof w) == 0) {
        same = i;
        break;
      }
    }
    s_.scalars.push_back(w);
    types_.push_back(t);
    out_.word(0x5ull << 56 | same);
  }

  void reduce(const ir::reduction& r) {
    out_.word(static_cast<std::uint64_t>(r.code) << 1 | (r.arg ? 1 : 0));
    for (int a : r.axes) out_.word(static_cast<std::uint64_t>(a));
  }

  snapshot& s_;
  key_writer out_;
  std::int32_t next_ = 0;
  std::vector<dtype> types_;  // of the scalars
};

/// Libraries' results and updates are stored anyway.
bool kept_at_once(ir::node_kind k) {
  return k == ir::node_kind::call || k == ir::node_kind::result || k == ir::node_kind::update;
}

/// Nodes that a kernel only passed through before and that somebody outside still holds are stored
/// this time. What only other nodes hold (the bits behind a random number, the squares behind a
/// variance) is not: it goes when the node that a handle holds is stored.
void add_passed(snapshot& s, std::span<const any_array> roots, const walker& walk) {
  const auto add = [&](node* n) {
    if (!n->mark.output) s.outputs.push_back(n);
    n->mark.output = true;
  };
  for (const any_array& r : roots) {
    if (!ready(*r.get())) add(r.get());
  }
  for (node* n : walk.statuses()) add(n);
  for (node* n : s.pending) {
    const bool held = n->references.load() > n->mark.within;
    const bool worth = n->kind != ir::node_kind::view && n->kind != ir::node_kind::pad &&
                       n->kind != ir::node_kind::scalar && n->kind != ir::node_kind::iota &&
                       n->kind != ir::node_kind::source;
    if (n->mark.output || !held || !worth) continue;
    if (n->passed || kept_at_once(n->kind)) add(n);
    n->passed = true;
  }
}

/// Counts the edges into each node from nodes that will let go of it. What a library or an update
/// gave, and a node that stays will need, is kept: it is stored anyway, and dear.
void count_released(snapshot& s) {
  for (std::size_t i = s.pending.size(); i-- > 0;) {
    node* n = s.pending[i];
    bool goes = n->mark.output || n->references.load() == n->mark.released;
    if (!goes && kept_at_once(n->kind)) {
      n->mark.output = goes = true;
      s.outputs.push_back(n);
    }
    if (!goes) continue;
    for (const any_array& in : n->inputs) ++in.get()->mark.released;
  }
}

}  // namespace

snapshot take_snapshot(std::span<const any_array> roots) {
  snapshot s;
  walker walk(s);
  walk.run(roots);
  add_passed(s, roots, walk);
  count_released(s);
  keyer(s).run();
  for (const node* n : s.sources) {
    s.may_donate.push_back(n->references.load() == n->mark.released && n->buffer.use_count() == 1);
  }
  clear_marks(s);
  return s;
}

namespace {

class graph_builder {
 public:
  explicit graph_builder(const snapshot& s) : s_(s) {}

  ir::graph run() {
    for (const node* n : s_.pending) ids_[n] = add(*n);
    for (const node* o : s_.outputs) g_.outputs.push_back(ids_.at(o));
    return std::move(g_);
  }

 private:
  std::int32_t origin(const node& n) {
    if (n.where.line() == 0) return -1;
    std::string text = text_of(n.where);
    for (std::size_t i = 0; i < g_.origins.size(); ++i) {
      if (g_.origins[i] == text) return static_cast<std::int32_t>(i);
    }
    g_.origins.push_back(std::move(text));
    return static_cast<std::int32_t>(g_.origins.size()) - 1;
  }

  ir::node_id input(const any_array& x) {
    const node* n = x.get();
    const auto it = ids_.find(n);
    if (it != ids_.end()) return it->second;
    ir::node s;
    s.kind = ir::node_kind::source;
    s.type = n->type;
    s.shape.assign(n->shape.begin(), n->shape.end());
    return ids_[n] = g_.add(std::move(s));
  }

  ir::node_id add(const node& n) {
    ir::node x;
    x.kind = n.kind;
    x.type = n.type;
    x.shape.assign(n.shape.begin(), n.shape.end());
    x.origin = origin(n);
    for (const any_array& a : n.inputs) x.inputs.push_back(input(a));
    switch (n.kind) {
      case ir::node_kind::map:
        return map(n, std::move(x));
      case ir::node_kind::scalar:
        return scalar(n.scalars[0], n.type);
      case ir::node_kind::random:
        ++ordinal_;
        x.value[0] = n.scalars[0].bits[0];
        break;
      case ir::node_kind::gather:
        if (n.inputs.size() == 3) x.value[0] = static_cast<std::uint64_t>(checks_++);
        [[fallthrough]];
      case ir::node_kind::view:
      case ir::node_kind::pad:
      case ir::node_kind::update:
        x.map = n.details->map;
        break;
      case ir::node_kind::reduce:
      case ir::node_kind::scan:
        x.reduction = n.details->reduction;
        break;
      case ir::node_kind::call:
        x.routine = n.details->routine;
        x.attributes = n.details->attributes;
        break;
      case ir::node_kind::result:
        x.value[0] = n.details->output;
        break;
      case ir::node_kind::source:
      case ir::node_kind::compress:
      case ir::node_kind::iota:
        break;
    }
    return g_.add(std::move(x));
  }

  ir::node_id map(const node& n, ir::node x) {
    for (ir::node_id& i : x.inputs) i = spread(i, x);
    const std::size_t arrays = n.inputs.size();
    for (std::size_t i = 0; i < n.scalars.size(); ++i) {
      x.inputs.push_back(scalar(n.scalars[i], n.program.inputs[arrays + i]));
    }
    x.program.inputs.assign(n.program.inputs.begin(), n.program.inputs.end());
    x.program.code.assign(n.program.code.begin(), n.program.code.end());
    return g_.add(std::move(x));
  }

  /// A node a scalar, equal ones sharing what follows from the first of them.
  ir::node_id scalar(const scalar_word& w, dtype t) {
    ir::node s;
    s.kind = ir::node_kind::scalar;
    s.type = t;
    s.value[0] = w.bits[0];
    s.value[1] = w.bits[1];
    const ir::node_id id = g_.add(std::move(s));
    for (ir::node_id k : scalars_) {
      if (g_[k].type == t && g_[k].value[0] == w.bits[0] && g_[k].value[1] == w.bits[1]) {
        ++ordinal_;
        return k;
      }
    }
    if (ordinal_++ < compared_scalars) scalars_.push_back(id);
    return id;
  }

  /// The broadcast of an input to the shape of its reader.
  ir::node_id spread(ir::node_id i, const ir::node& reader) {
    const ir::shape_t& from = g_[i].shape;
    if (from == reader.shape || from.empty()) return i;
    ir::node v;
    v.kind = ir::node_kind::view;
    v.type = g_[i].type;
    v.shape = reader.shape;
    v.origin = reader.origin;
    v.inputs = {i};
    const auto strides = dense_strides(from);
    const std::size_t extra = reader.shape.size() - from.size();
    for (std::size_t d = 0; d < reader.shape.size(); ++d) {
      v.map.strides.push_back(d < extra || from[d - extra] == 1 ? 0 : strides[d - extra]);
    }
    return g_.add(std::move(v));
  }

  const snapshot& s_;
  ir::graph g_;
  std::unordered_map<const node*, ir::node_id> ids_;
  std::vector<ir::node_id> scalars_;  // the first of each value
  int ordinal_ = 0, checks_ = 0;
};

}  // namespace

ir::graph graph_of(const snapshot& s) {
  return graph_builder(s).run();
}

}  // namespace sinter::detail
