#include "engine/evaluation/snapshot.hpp"

#include <algorithm>
#include <cstring>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/stored_along.hpp"
#include "engine/evaluation/stored_joins.hpp"
#include "ir/passes/explode.hpp"
#include "ir/product.hpp"

namespace sinter::detail {

namespace {

bool ready(const node& n) {
  return n.buffer != nullptr;
}

/// Lists the pending nodes below the roots, inputs first, without recursion: a node is marked when
/// it is pushed, and its inputs, pushed above it, are popped first.
class walker {
 public:
  explicit walker(snapshot& s) : s_(s) {}

  void run(std::span<const any_array> roots) {
    for (const any_array& r : roots) s_.late.push_back(r.get());
    for (std::size_t i = 0; i < s_.late.size(); ++i) from(s_.late[i]);
  }

 private:
  void from(node* root) {
    auto& todo = s_.todo;
    todo.push_back({root, false});
    while (!todo.empty()) {
      const auto [n, leaving] = todo.back();
      todo.pop_back();
      if (leaving) {
        s_.pending.push_back(n);
        continue;
      }
      if (n->mark.seen) continue;
      if (n->unchecked.load(std::memory_order_acquire)) checks(*n);
      if (ready(*n)) continue;
      n->mark.seen = true;
      todo.push_back({n, true});
      if (n->kind == ir::node_kind::source) s_.placeholder = n;
      const bool several = n->kind == ir::node_kind::call || n->kind == ir::node_kind::compress ||
                           n->kind == ir::node_kind::loop;
      if (several) results(*n);
      for (std::size_t i = n->inputs.size(); i-- > 0;) {
        ++n->inputs[i].get()->mark.within;
        todo.push_back({n->inputs[i].get(), false});
      }
    }
  }

  /// A call computes all its results at once: every result with a handle becomes an output.
  void results(node& call) {
    for (any_array& r : results_of(call)) {
      ++r.get()->mark.within;  // our own handle is temporary, not an outside reference
      ++r.get()->mark.released;
      s_.late.push_back(r.get());
      s_.held.push_back(std::move(r));
    }
  }

  void checks(node& n) {
    s_.checked = true;
    if (ready(n)) {  // once, for any number of readers
      n.mark.seen = true;
      s_.unchecked.push_back(&n);
    }
    for (const auto& c : n.checks) {
      node* status = c->status.get();
      if (c->good || !status || ready(*status)) continue;
      s_.late.push_back(status);
      s_.statuses.push_back(status);
    }
  }

  snapshot& s_;
};

void clear_marks(const snapshot& s) {
  for (node* n : s.pending) n->mark = {};
  for (node* n : s.sources) n->mark = {};
  for (node* n : s.unchecked) n->mark = {};
}

/// Numbers compared linearly; beyond this a map is used.
constexpr std::size_t compared_numbers = 24;

/// Writes words to the key.
class key_writer {
 public:
  explicit key_writer(snapshot& s) : s_(s), key_(s.key) {}
  void word(std::uint64_t w) { key_.push_back(w); }
  void text(std::string_view t) {
    word(t.size());
    for (std::size_t i = 0; i < t.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t w = 0;
      std::memcpy(&w, t.data() + i, std::min(sizeof w, t.size() - i));
      word(w);
    }
  }
  void list(std::span<const std::int64_t> v) {
    word(v.size());
    for (auto x : v) word(static_cast<std::uint64_t>(x));
  }

  /// Plans depend on numbers only through equality: -1, 0 and 1 are written as they are, all others
  /// as the index of the first equal number.
  void number(std::int64_t v) {
    if (v >= -1 && v <= 1) return word(0x60ull << 56 | static_cast<std::uint64_t>(v + 1));
    word(0x61ull << 56 | static_cast<std::uint64_t>(index(v)));
  }
  void numbers(std::span<const std::int64_t> v) {
    word(v.size());
    for (auto x : v) number(x);
  }
  void numbers(const ir::extent_list& v) {
    word(v.size());
    for (auto x : v) number(x.peek());
  }

 private:
  std::size_t index(std::int64_t v) {
    auto& all = s_.numbers;
    if (all.size() < compared_numbers) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == v) return i;
      }
    } else {
      if (s_.places.empty()) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          s_.places[all[i]] = static_cast<std::int32_t>(i);
        }
      }
      const auto [it, fresh] = s_.places.emplace(v, static_cast<std::int32_t>(all.size()));
      if (!fresh) return static_cast<std::size_t>(it->second);
    }
    all.push_back(v);
    return all.size() - 1;
  }

  snapshot& s_;
  key_words& key_;
};

class keyer {
 public:
  explicit keyer(snapshot& s) : s_(s), out_(s), types_(s.scalar_types) {}

  void run() {
    products_ = std::ranges::any_of(
        s_.pending, [](const node* n) { return n->kind == ir::node_kind::call; });
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
    out_.numbers(n->shape);
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
    out_.numbers(n->shape);
    for (std::int32_t i : inputs) out_.word(static_cast<std::uint64_t>(i));
    details(n);
  }

  /// The attributes of a node beyond its kind, shape and inputs.
  void details(node* n) {
    switch (n->kind) {
      case ir::node_kind::map:
        return map(*n);
      case ir::node_kind::scalar:
        return scalar(n->scalars[0], n->type);
      case ir::node_kind::random:
        s_.scalars.push_back(n->scalars[0]);
        break;
      case ir::node_kind::pad:
        return view_along(n->map);
      case ir::node_kind::scatter:
        return scatter(n);
      case ir::node_kind::gather:
        return gather(n);
      case ir::node_kind::view:
      case ir::node_kind::update:
        return view(n->map);
      case ir::node_kind::reduce:
      case ir::node_kind::scan:
        return reduce(n->details->reduction);
      case ir::node_kind::call:
        out_.text(n->details->routine);
        out_.list(n->details->attributes);
        break;
      case ir::node_kind::result:
        return out_.word(n->details->output);
      case ir::node_kind::loop:
        return loop(*n);
      case ir::node_kind::join:
        return join(*n);
      case ir::node_kind::source:
      case ir::node_kind::compress:
      case ir::node_kind::iota:
        break;
    }
  }

  void view(const element_map& m) {
    out_.number(m.offset);
    out_.numbers(m.strides);
  }

  void view_along(const element_map& m) {
    out_.word(static_cast<std::uint64_t>(m.along + 1));
    view(m);
  }

  void scatter(node* n) {
    out_.word(static_cast<std::uint64_t>(n->details->reduction.code) << 9 |
              (n->details->reduction.summed ? 1u << 8 : 0u) | n->inputs.size());
    gather(n);
  }

  void gather(node* n) {
    if (n->inputs.size() > ir::inputs_before_range(n->kind)) s_.gathers.push_back(n);
    view_along(n->map);
  }

  void map(const node& n) {
    out_.word(n.program.hash);
    out_.word(n.program.code.size());
    const std::size_t arrays = n.inputs.size();
    for (std::size_t i = 0; i < n.scalars.size(); ++i)
      scalar(n.scalars[i], n.program.inputs[arrays + i]);
    for (const ir::instruction& i : n.program.code) {
      if (!ir::looks_at_scalar(i.code)) continue;
      for (int k = 1; k < arity(i); ++k) {
        const std::size_t e = static_cast<std::size_t>(i.args[k]);
        if (e >= arrays + n.scalars.size()) continue;
        const scalar_word* word = e < arrays ? known(*n.inputs[e].get()) : &n.scalars[e - arrays];
        if (!word) continue;
        out_.word(static_cast<std::uint64_t>(
            ir::scalar_class(i.code, n.program.inputs[e], word->bits[0])));
      }
    }
  }

  void loop(const node& n) {
    const ir::loop& l = n.details->loop;
    out_.word(n.program.hash);
    out_.word(n.program.code.size() << 32 | static_cast<std::uint64_t>(l.carries));
    out_.word(static_cast<std::uint64_t>(l.condition));
    out_.word(l.results.size());
    for (int r : l.results) out_.word(static_cast<std::uint64_t>(r));
    out_.word(l.maps.size());
    for (std::size_t k = 0; k < l.maps.size(); ++k) {
      out_.number(l.maps[k].offset.peek());
      out_.number(l.along[k].peek());
      out_.word(static_cast<std::uint64_t>(l.by[k]));
      out_.numbers(l.maps[k].strides);
    }
    if (l.tables > 0) tables(l);
  }

  void tables(const ir::loop& l) {
    out_.word(static_cast<std::uint64_t>(l.tables));
    for (const ir::table_read& r : l.reads) {
      out_.word(static_cast<std::uint64_t>(r.table) << 32 | static_cast<std::uint64_t>(r.after));
    }
    for (const ir::table_write& w : l.writes) {
      out_.word(static_cast<std::uint64_t>(w.table) << 32 | static_cast<std::uint64_t>(w.by));
      out_.word(static_cast<std::uint64_t>(w.value));
      out_.number(w.offset.peek());
    }
  }

  void join(const node& n) {
    const node_details& d = *n.details;
    const bool equal = has_equal_pieces(n);
    out_.word(d.axis << 1 | (equal ? 1 : 0));
    if (equal) out_.number(d.pieces[0].end);
    for (const joined_piece& p : d.pieces) {
      view_along(p.map);
      if (&p == &d.pieces.back()) continue;
      if (borders_are_places(n)) out_.number(p.end);
      else scalar({{static_cast<std::uint64_t>(p.end), 0}}, dtype::int64);
    }
  }

  /// The value of a node that the plan will see as a scalar.
  static const scalar_word* known(const node& n) {
    return n.kind == ir::node_kind::scalar && !ready(n) ? &n.scalars[0] : nullptr;
  }

  /// Values stay out of the key, except which of them are equal and, after calls (which may be
  /// products), which are the constants of an activation.
  void scalar(const scalar_word& w, dtype t) {
    std::uint64_t same = s_.scalars.size();
    types_.resize(s_.scalars.size(), dtype::bool_);  // a random seed equals no scalar
    for (std::size_t i = 0; i < s_.scalars.size() && i < compared_scalars; ++i) {
      const scalar_word& other = s_.scalars[i];
      if (other.bits[0] != w.bits[0] || other.bits[1] != w.bits[1] || types_[i] != t) continue;
      same = i;
      break;
    }
    s_.scalars.push_back(w);
    types_.push_back(t);
    const auto constant = products_ ? ir::activation_constant_of(t, w.bits[0])
                                    : ir::activation_constant::other;
    out_.word(0x5ull << 56 | static_cast<std::uint64_t>(constant) << 48 | same);
  }

  void reduce(const ir::reduction& r) {
    out_.word(static_cast<std::uint64_t>(r.code) << 1 | (r.arg ? 1 : 0));
    for (int a : r.axes) out_.word(static_cast<std::uint64_t>(a));
  }

  snapshot& s_;
  key_writer out_;
  std::int32_t next_ = 0;
  bool products_ = false;
  std::vector<dtype>& types_;  // of the scalars
};

}  // namespace

void snapshot::clear() {
  key.clear();
  numbers.clear();
  pending.clear();
  sources.clear();
  scalars.clear();
  outputs.clear();
  held.clear();
  goes_on = checked = outsiders = false;
  placeholder = nullptr;
  gathers.clear();
  may_donate.clear();
  todo.clear();
  late.clear();
  statuses.clear();
  unchecked.clear();
  scalar_types.clear();
  if (!places.empty()) places.clear();
}

bool borders_are_places(const node& join) {
  return join.shape[join.details->axis] <= short_axis;
}

number_place place_of(const snapshot& s, std::int64_t number) {
  if (number >= -1 && number <= 1) return {-1, number};
  const auto it = std::ranges::find(s.numbers, number);
  return {static_cast<std::int32_t>(it - s.numbers.begin()), number};
}

void take_snapshot(std::span<const any_array> roots, snapshot& s) {
  walker(s).run(roots);
  add_passed(s, roots);
  count_released(s);
  keyer(s).run();
  for (const node* n : s.sources) {
    s.may_donate.push_back(n->references.value() == n->mark.released &&
                           n->buffer.use_count() == 1 && !n->buffer->lent());
  }
  clear_marks(s);
}

}  // namespace sinter::detail
