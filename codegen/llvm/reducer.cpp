#include "codegen/llvm/reducer.hpp"

#include <algorithm>

#include "ir/kept_values.hpp"

namespace sinter::codegen::cpu {
namespace {

using kind = ir::inst_kind;

/// Lanes that a scan combines among themselves.
constexpr int eight = 8;

/// The elements of a row that are kept between walks, 512 KB of floats: half of an L2 cache
/// (softmax of 32 rows of 131,072 floats 930 us with half as many, 850 with these; two cores of a
/// Zen 4). A whole number of blocks, so that sums are split where they are without.
constexpr int kept_elements = 1 << 17;

bool is_sum_of_floats(const ir::inst& i) { return i.code == ir::op::add && is_real(i.type); }

}  // namespace

reducer::reducer(coder& c, flow& loops, body& b)
    : c_(c), loops_(loops), body_(b), kernel_(b.kernel()), phases_(ir::phases_of(kernel_)),
      across_lanes_(b.lane_level() == level::inner_point) {
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const ir::inst& n = kernel_.body[i];
    chained_ |= kernel_.schedule.split && n.kind == kind::scan;
    const bool walks = n.kind == kind::reduce || (n.kind == kind::store && n.inner);
    if (walks) last_phase_ = std::max(last_phase_, phases_[i]);
  }
  kept_ = ir::kept_values(kernel_);
  for (int i : kept_) {
    const int which = static_cast<int>(kept_places_.size());
    kept_places_.push_back(body_.row_memory(i, which, kept_elements));
  }
}

void reducer::write(Value* begin, Value* end, int copies) {
  for (int phase = 0; phase <= last_phase_; ++phase) write_phase(phase, begin, end, copies);
}

/// Inner stores wait for the last phase: until then an earlier walk may still read their
/// destination as an input.
void reducer::write_phase(int phase, Value* begin, Value* end, int copies) {
  phase_ = phase;
  accumulators_.clear();
  stores_.clear();
  Value* const first = c_.b.CreateSelect(c_.b.CreateICmpSLT(begin, end), begin, c_.integer(0));
  std::vector<int> reductions;
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const ir::inst& n = kernel_.body[i];
    const int number = static_cast<int>(i);
    if (n.kind == kind::reduce && phases_[i] == phase) reductions.push_back(number);
    if (n.kind == kind::store && n.inner && phase == last_phase_) stores_.push_back(number);
  }
  if (reductions.empty() && stores_.empty()) return;
  if (body_.abreast() > 1) return write_rows(reductions, begin, end, first);
  for (int i : reductions) {
    accumulators_.push_back(make(i, across_lanes_ ? kernel_.schedule.unroll : copies, first));
  }
  unsettled_ = loops_.make(c_.b.getInt64Ty(), "unsettled");
  unsettled_.set(c_.b, c_.integer(0));
  carries_ = make_carries(phase, across_lanes_ ? 1 : copies);
  walk(begin, end, copies);
  body_.resume(level::point);
  for (const accumulator& a : accumulators_) finish(a, copies);
}

void reducer::walk(Value* begin, Value* end, int copies) {
  const std::vector<Value*> extents = body_.extents(kernel_.kept, kernel_.reduced);
  loops_.walk(extents, begin, end, "r", [&](std::span<Value* const> coordinates, Value* length) {
    body_.enter(level::inner_run, coordinates);
    run_.assign(coordinates.begin(), coordinates.end());
    if (across_lanes_) walk_lanes(length);
    else walk_rows(length, copies);
  });
}

/// Does the walk only compute whether any element, or all, are true, and store or keep nothing?
bool reducer::only_asks() const {
  const auto asks = [&](const accumulator& a) {
    const ir::inst& i = kernel_.body[at(a.instruction)];
    const bool asked = i.code == ir::op::logical_or || i.code == ir::op::logical_and;
    return asked && is_bool(i.type) && !i.arg;
  };
  return last_phase_ == 0 && stores_.empty() && carries_.empty() && !accumulators_.empty() &&
         std::all_of(accumulators_.begin(), accumulators_.end(), asks);
}

/// Are all of these answers known? Lanes that are rows have one each.
Value* reducer::answered() {
  Value* all = c_.b.getTrue();
  for (const accumulator& a : accumulators_) {
    const auto here = [&](const variable& v) -> Value* {
      const bool any = kernel_.body[at(a.instruction)].code == ir::op::logical_or;
      Value* const lanes = any ? v.get(c_.b) : c_.b.CreateNot(v.get(c_.b));
      if (!lanes->getType()->isVectorTy()) return lanes;
      return across_lanes_ ? c_.b.CreateOrReduce(lanes) : c_.b.CreateAndReduce(lanes);
    };
    Value* row = here(a.values[0]);
    for (std::size_t n = 1; n < a.values.size(); ++n) {
      Value* const next = here(a.values[n]);
      row = across_lanes_ ? c_.b.CreateOr(row, next) : c_.b.CreateAnd(row, next);
    }
    all = c_.b.CreateAnd(all, row);
  }
  return all;
}

/// Walks [begin, end). Sums of floats are settled every so often, to keep chains of additions
/// short. Tests for any or all are made as often, which costs nothing and may save the rest of the
/// walk.
void reducer::walk_in_blocks(Value* begin, Value* end, Value* step,
                             const std::function<void(Value* j)>& element) {
  const bool sums = sums_floats();
  if (!sums && !only_asks()) return loops_.count(begin, end, step, "j", element);
  Value* const block = c_.times(step, c_.integer(chain_length));
  loops_.count(begin, end, block, "block", [&](Value* first) {
    Value* const next = c_.b.CreateAdd(first, block);
    Value* const last = c_.b.CreateSelect(c_.b.CreateICmpSLT(next, end), next, end);
    if (!sums) {
      return loops_.when(c_.b.CreateNot(answered()), "asking",
                         [&] { loops_.count(first, last, step, "j", element); });
    }
    loops_.count(first, last, step, "j", element);
    settle_after(c_.b.CreateSub(last, first), step);
  });
}

/// Walks the front of the row, whose values are kept, then the rest.
void reducer::walk_lanes(Value* length) {
  std::vector<int> made, used;
  std::vector<Value*> made_places, used_places;
  for (std::size_t n = 0; n < kept_.size(); ++n) {
    const int from = phases_[at(kept_[n])];
    if (from > phase_) continue;
    (from == phase_ ? made : used).push_back(kept_[n]);
    (from == phase_ ? made_places : used_places).push_back(kept_places_[n]);
  }
  Value* const zero = c_.integer(0);
  if (made.empty() && used.empty()) return walk_lanes(zero, length);
  if (kernel_.schedule.abreast > 0) {
    body_.keep(made, made_places, used, used_places);
    walk_lanes(zero, length);
    return body_.keep({}, {}, {}, {});
  }
  Value* const most = c_.integer(kept_elements);
  Value* const front = c_.b.CreateSelect(c_.b.CreateICmpSLT(length, most), length, most);
  body_.keep(made, made_places, used, used_places);
  walk_lanes(zero, front);
  body_.keep({}, {}, {}, {});
  walk_lanes(front, length);
}

/// Lanes along the reduced range, in pieces within which conditions do not change.
void reducer::walk_lanes(Value* begin, Value* length) {
  if (!kernel_.schedule.pieces) return walk_part(begin, length);
  const auto behind = [&](Value* distance) { return c_.b.CreateAdd(begin, distance); };
  const auto end = [&](Value* first) {
    return c_.b.CreateSub(body_.end_of_piece(behind(first), length), begin);
  };
  loops_.cut(c_.b.CreateSub(length, begin), "piece", end, [&](Value* first, Value* last) {
    Value* const here = behind(first);
    body_.enter(level::inner_piece, {&here, 1});
    walk_part(here, behind(last));
  });
}

/// Several accumulators side by side, then a masked tail.
void reducer::walk_part(Value* begin, Value* length) {
  const int lanes = body_.lanes(), unroll = kernel_.schedule.unroll;
  Value* const stride = c_.integer(lanes * unroll);
  Value* const part = c_.b.CreateSub(length, begin);
  Value* const whole = c_.b.CreateSub(length, c_.b.CreateURem(part, stride));
  walk_in_blocks(begin, whole, stride, [&](Value* j) {
    position_ = j;
    body_.enter(level::inner_point, {&j, 1});
    body_.set_lanes(unroll);
    write_element(unroll, false);
  });
  loops_.count(whole, length, c_.integer(lanes), "j.end", [&](Value* j) {
    position_ = j;
    body_.enter(level::inner_point, {&j, 1});
    Value* const left = c_.b.CreateSub(length, j);
    Value* const full = c_.integer(lanes);
    body_.set_lanes(1, c_.b.CreateSelect(c_.b.CreateICmpSLT(left, full), left, full));
    write_element(1, true);
  });
  // The tail is all in the first accumulator: one step per vector.
  Value* const ends = c_.b.CreateSDiv(
      c_.b.CreateAdd(c_.b.CreateSub(length, whole), c_.integer(lanes - 1)), c_.integer(lanes));
  if (sums_floats()) settle_after(c_.times(ends, stride), stride);
}

/// Lanes along the rows: one element of each row at a time.
void reducer::walk_rows(Value* length, int copies) {
  walk_in_blocks(c_.integer(0), length, c_.integer(1), [&](Value* j) {
    position_ = j;
    body_.enter(level::inner_point, {&j, 1});
    write_element(copies, false);
  });
}

void reducer::write_element(int copies, bool masked) {
  for (int copy = 0; copy < copies; ++copy) {
    for (const carry& c : carries_) advance(c, copy);
    for (const accumulator& a : accumulators_) add(a, copy, masked);
    body_.store(stores_, copy, false);
  }
}

reducer::accumulator reducer::make(int instruction, int copies, Value* first) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const int lanes = body_.lanes();
  accumulator a{instruction, {}, {}, {}, {}};
  for (int n = 0; n < copies; ++n) {
    a.values.push_back(loops_.make(c_.type(i.type, lanes), ir::name(i.code).data()));
    a.values.back().set(c_.b, c_.spread(c_.identity(i.code, i.type), lanes));
    // A chain of additions along a row abreast of others is too short to need settling.
    if (is_sum_of_floats(i) && kernel_.schedule.abreast == 0) {
      for (auto* list : {&a.totals, &a.lost}) {
        list->push_back(loops_.make(c_.type(i.type, lanes), "total"));
        list->back().set(c_.b, c_.spread(c_.identity(i.code, i.type), lanes));
      }
    }
    if (!i.arg) continue;
    // Correct if nothing beats the identity: then all elements equal it, or there are none.
    a.indices.push_back(loops_.make(coder::with_lanes(number_type(), lanes), "which"));
    a.indices.back().set(c_.b, c_.spread(c_.b.CreateTrunc(first, number_type()), lanes));
  }
  return a;
}

void reducer::add(const accumulator& a, int copy, bool masked) {
  const ir::inst& i = kernel_.body[at(a.instruction)];
  Value* const v = c_.spread(body_.value(i.args[0], copy), body_.lanes());
  Value* const held = a.values[at(copy)].get(c_.b);
  Value* const mask = masked ? body_.mask() : nullptr;
  if (i.arg) {
    Value* take = better(i, v, held);
    if (mask) take = c_.b.CreateAnd(take, mask);
    Value* const before = a.indices[at(copy)].get(c_.b);
    a.values[at(copy)].set(c_.b, c_.b.CreateSelect(take, v, held));
    a.indices[at(copy)].set(c_.b, c_.b.CreateSelect(take, element_index(copy), before));
    return;
  }
  Value* const sum = c_.combine(i.code, i.type, held, v);
  a.values[at(copy)].set(c_.b, mask ? c_.b.CreateSelect(mask, sum, held) : sum);
}

/// The scans that a phase needs start again: values of an earlier walk are gone.
std::vector<reducer::carry> reducer::make_carries(int phase, int copies) {
  std::vector<bool> needed(kernel_.body.size());
  for (const accumulator& a : accumulators_) needed[at(a.instruction)] = true;
  for (int s : stores_) needed[at(s)] = true;
  for (std::size_t i = needed.size(); i-- > 0;) {
    if (!needed[i] || (kernel_.body[i].kind == kind::reduce && phases_[i] < phase)) continue;
    for (std::int32_t a : kernel_.body[i].args) {
      if (a >= 0) needed[at(a)] = true;
    }
  }
  std::vector<carry> carries;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const ir::inst& n = kernel_.body[i];
    if (!needed[i] || n.kind != kind::scan) continue;
    carry c{static_cast<int>(i), {}};
    const int lanes = across_lanes_ ? 1 : body_.lanes();
    for (int copy = 0; copy < copies; ++copy) {
      c.values.push_back(loops_.make(c_.type(n.type, lanes), "carry"));
      c.values.back().set(c_.b, c_.spread(c_.neutral(n.code, n.type), lanes));
    }
    carries.push_back(std::move(c));
  }
  return carries;
}

void reducer::advance(const carry& s, int copy) {
  const ir::inst& i = kernel_.body[at(s.instruction)];
  Value* const v = c_.spread(body_.value(i.args[0], copy), body_.lanes());
  const variable& carried = s.values[at(across_lanes_ ? 0 : copy)];
  if (across_lanes_) {
    Value* sums = along_lanes(i, v, carried);
    if (s.front.slot) {
      sums = c_.combine(i.code, i.type, c_.spread(s.front.get(c_.b), lanes_of(sums)), sums);
    }
    return body_.define(s.instruction, copy, sums);
  }
  Value* const sum = c_.combine(i.code, i.type, carried.get(c_.b), v);
  carried.set(c_.b, sum);
  body_.define(s.instruction, copy, sum);
}

/// Combines each element with all before it in its eight (Sklansky, IRE Trans. EC-9, 1960), then
/// with the carry: groups of eight whatever the vectors are, so that a fused scan has the same bits
/// as a separate one.
Value* reducer::along_lanes(const ir::inst& i, Value* lanes, const variable& carried) {
  const int count = lanes_of(lanes);
  for (int s = 1; s < eight; s *= 2) {
    llvm::SmallVector<int, 64> left, mix;
    for (int l = 0; l < count; ++l) {
      left.push_back(l & s ? (l & ~(2 * s - 1)) + s - 1 : l);
      mix.push_back(l & s ? count + l : l);
    }
    Value* const before = c_.b.CreateShuffleVector(lanes, left);
    Value* const both = c_.combine(i.code, i.type, before, lanes);
    lanes = c_.b.CreateShuffleVector(lanes, both, mix);
  }
  std::vector<Value*> before;
  Value* held = carried.get(c_.b);
  for (int l = eight - 1; l < count; l += eight) {
    before.push_back(c_.spread(held, eight));
    held = c_.combine(i.code, i.type, held, c_.lane(lanes, l));
  }
  carried.set(c_.b, held);
  return c_.combine(i.code, i.type, before.size() > 1 ? c_.join(before) : before[0], lanes);
}

/// The row-major number, among the reduced axes, of the lanes' elements.
Value* reducer::element_index(int copy) {
  Value* first = c_.b.CreateAdd(first_index(), position_);
  if (!across_lanes_) return c_.spread(first, body_.lanes());
  first = c_.b.CreateAdd(first, c_.integer(copy * body_.lanes()));
  first = c_.b.CreateTrunc(first, number_type());
  const unsigned bits = number_type()->getIntegerBitWidth();
  return c_.b.CreateAdd(c_.spread(first, body_.lanes()), c_.iota(bits, body_.lanes()));
}

Value* reducer::first_index() {
  Value* index = run_[0];
  for (int d = 1; d < kernel_.reduced; ++d) {
    Value* const extent = body_.slot(ir::slot_kind::extent, -1, kernel_.kept + d);
    index = c_.b.CreateAdd(c_.b.CreateMul(index, extent), run_[at(d)]);
  }
  return index;
}

/// A fixed tree: over the vectors in flight, then over halves of the lanes. So the bits depend on
/// the row alone, not on the thread that computes it.
void reducer::finish(const accumulator& a, int copies) {
  const ir::inst& i = kernel_.body[at(a.instruction)];
  settle(a);
  if (!across_lanes_) {
    for (int n = 0; n < copies; ++n) {
      body_.define(a.instruction, n, i.arg ? a.indices[at(n)].get(c_.b) : sum_of(a, at(n)));
    }
    return;
  }
  std::vector<partial> parts;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    parts.push_back({sum_of(a, n), i.arg ? a.indices[n].get(c_.b) : nullptr});
  }
  while (parts.size() > 1) {
    std::vector<partial> next;
    for (std::size_t n = 0; n + 1 < parts.size(); n += 2) {
      next.push_back(merge(i, parts[n], parts[n + 1]));
    }
    if (parts.size() % 2) next.push_back(parts.back());
    parts = std::move(next);
  }
  partial row = parts[0];
  for (int half = body_.lanes() / 2; half > 0; half /= 2) {
    const auto cut = [&](Value* v, int first) { return v ? c_.slice(v, first, half) : nullptr; };
    row = merge(i, {cut(row.value, 0), cut(row.index, 0)},
                {cut(row.value, half), cut(row.index, half)});
  }
  body_.define(a.instruction, 0, i.arg ? whole_number(row.index) : row.value);
}

}  // namespace sinter::codegen::cpu
