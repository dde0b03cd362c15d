// Pieces of a run: where they end, the value of an edge in one, and the loads in one.

#include <algorithm>
#include <array>

#include <llvm/IR/Constants.h>

#include "codegen/llvm/body.hpp"

namespace sinter::codegen::cpu {
namespace {

/// Coordinates nearer to zero than this do not wrap around along any run.
constexpr std::int64_t far_from_wrapping = std::int64_t{1} << 62;

}  // namespace

/// Is its value the same at all points of a piece?
bool body::uniform(int i) const { return kernel_.schedule.pieces && !varies(i); }

/// The value of an edge, or of an operand of one, at the piece's first point.
Value* body::at_piece(int n) {
  const ir::inst& i = kernel_.body[at(n)];
  if (!varies(n) && edge_of_[at(n)] < 0) return value(n, 0);
  if (i.kind == ir::inst_kind::index) {
    return c_.b.CreateAdd(start_of_run(n), coordinates_[at(static_cast<int>(piece_level()))][0]);
  }
  Value* const args[] = {at_piece(i.args[0]), at_piece(i.args[1])};
  return c_.apply(i.code, i.type, i.result, args);
}

/// The same value at the run's first point.
Value* body::start_of_run(int n) {
  const ir::inst& i = kernel_.body[at(n)];
  if (!varies(n)) return value(n, 0);
  if (i.kind == ir::inst_kind::index) return cursor(i.which, run_level(), 0);
  Value* const args[] = {start_of_run(i.args[0]), start_of_run(i.args[1])};
  return c_.apply(i.code, i.type, i.result, args);
}

/// At point `t` both sides are equal. Where the moving side rises, `<` and `>=` change there, `<=`
/// and `>` one point later; where it falls, it is the other way round.
void body::add_changes(const ir::edge& e) {
  const ir::inst& i = kernel_.body[at(e.instruction)];
  Value* const moving = start_of_run(i.args[e.moving]);
  Value* const still = value(i.args[1 - e.moving], 0);
  const auto saturated = [&](llvm::Intrinsic::ID id, Value* a, Value* b) {
    return c_.b.CreateBinaryIntrinsic(id, a, b);
  };
  Value* const t = saturated(llvm::Intrinsic::ssub_sat, e.backward ? moving : still,
                             e.backward ? still : moving);
  const bool equality = i.code == ir::op::equal || i.code == ir::op::not_equal;
  const bool strict = i.code == ir::op::less || i.code == ir::op::greater;
  const bool less = (i.code == ir::op::less || i.code == ir::op::less_equal) == (e.moving == 0);
  const bool there = (less == strict) != e.backward;
  if (equality || there) changes_.push_back(t);
  if (equality || !there) {
    changes_.push_back(saturated(llvm::Intrinsic::sadd_sat, t, c_.integer(1)));
  }
  if (!e.computed) return;
  Value* const risen = c_.b.CreateAdd(moving, c_.integer(far_from_wrapping));
  Value* const wraps = c_.b.CreateICmpSLT(risen, c_.integer(0));
  wraps_ = wraps_ ? c_.b.CreateOr(wraps_, wraps) : wraps;
}

/// A pad's condition and its neighbour's are each other's negation: they change together.
bool body::changes_with_another(std::size_t e) const {
  const auto sides = [&](std::size_t n) {
    const ir::inst& i = kernel_.body[at(edges_[n].instruction)];
    const bool there = i.code == ir::op::less || i.code == ir::op::greater_equal;
    const bool behind = i.code == ir::op::less_equal || i.code == ir::op::greater;
    return std::array{i.args[0], i.args[1], there ? 1 : behind ? 2 : 3};
  };
  for (std::size_t n = 0; n < e; ++n) {
    if (sides(n) == sides(e)) return true;
  }
  return false;
}

Value* body::end_of_piece(Value* first, Value* length) {
  if (changes_.empty()) {
    llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
    place(run_level());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (!changes_with_another(e)) add_changes(edges_[e]);
    }
  }
  Value* end = length;
  for (Value* const change : changes_) {
    Value* const nearer = c_.b.CreateAnd(c_.b.CreateICmpSGT(change, first),
                                         c_.b.CreateICmpSLT(change, end));
    end = c_.b.CreateSelect(nearer, change, end);
  }
  if (wraps_) end = c_.b.CreateSelect(wraps_, c_.b.CreateAdd(first, c_.integer(1)), end);
  return end;
}

/// Zeros, as many as a point reads at once.
Value* body::zeros(llvm::Type* element) {
  const int parts = 2;  // of complex elements
  return zeros(element, parts * lanes() * std::max(kernel_.schedule.unroll, 1));
}

Value* body::zeros(llvm::Type* element, int count) {
  llvm::Type* const all = llvm::ArrayType::get(element, static_cast<std::uint64_t>(count));
  Value*& known = zeros_[all];
  if (!known) known = zero_place(all);
  return known;
}

const body::spot& body::spot_of(int n) {
  std::optional<spot>& known = spots_[at(n)];
  if (!known) {
    llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
    place(piece_level());
    known = find_spot(kernel_.body[at(n)]);
  }
  return *known;
}

body::spot body::find_spot(const ir::inst& i) {
  using kind = ir::inst_kind;
  if (i.kind == kind::load || i.kind == kind::gather) return read_spot(i);
  // Half types are selected as bits, which is what memory holds.
  if (i.kind == kind::compute && i.code == ir::op::bitcast) {
    spot s = spot_of(i.args[0]);
    if (s.element) s.element = c_.memory_type(i.result);
    return s;
  }
  const bool chooses = i.kind == kind::compute && i.code == ir::op::where && uniform(i.args[0]);
  if (!chooses) return {};
  const spot yes = spot_of(i.args[1]), no = spot_of(i.args[2]);
  const auto is_zero = [&](int n) {
    const ir::inst& x = kernel_.body[at(n)];
    return x.kind == kind::constant && x.bits == 0;
  };
  llvm::Type* const element = yes.element ? yes.element : no.element;
  const bool alike = yes.element == no.element && yes.part == no.part;
  if (!element || (yes.element && no.element && !alike)) return {};
  if ((!yes.element && !is_zero(i.args[1])) || (!no.element && !is_zero(i.args[2]))) return {};
  Value* const wanted = value(i.args[0], 0);
  const auto either = [&](Value* a, Value* b) { return c_.b.CreateSelect(wanted, a, b); };
  const auto first = [&](const spot& s) { return s.element ? s.first : zeros(element); };
  const auto moves = [&](const spot& s) { return s.element ? s.moves : c_.integer(0); };
  return {element, either(first(yes), first(no)), either(moves(yes), moves(no)),
          yes.element ? yes.part : no.part};
}

body::spot body::read_spot(const ir::inst& i) {
  const ir::operand& o = kernel_.operands[at(i.which)];
  const bool elsewhere = i.kind == ir::inst_kind::gather && i.args[0] >= 0;
  const int condition = i.kind == ir::inst_kind::gather ? i.args[1] : -1;
  if (elsewhere || o.access.unravel > 0 || lanes() == 1 ||
      step_of_lanes(i.which).kind != ir::step::one || (condition >= 0 && !uniform(condition))) {
    return {};
  }
  const int part = is_complex(o.type) ? i.part : -1;
  llvm::Type* const element = c_.memory_type(o.type);
  Value* const first = cursor(i.which, run_level(), 0);
  if (condition < 0) return {element, first, c_.integer(-1), part};
  Value* const holds = value(condition, 0);
  return {element, c_.b.CreateSelect(holds, first, zeros(element)),
          c_.b.CreateSExt(holds, c_.b.getInt64Ty()), part};
}

/// The value of a choice among adjacent elements, with one load; null if it is none.
Value* body::read_at_spot(int n, int copy) {
  const ir::inst& i = kernel_.body[at(n)];
  const bool can = i.kind == ir::inst_kind::gather ||
                   (i.kind == ir::inst_kind::compute && i.code == ir::op::where);
  if (!kernel_.schedule.pieces || !can || !varies(n)) return nullptr;
  const spot& s = spot_of(n);
  if (!s.element) return nullptr;
  Value* const i0 = coordinates_[at(static_cast<int>(lane_level()))][0];
  const int parts = s.part < 0 ? 1 : 2;
  Value* const steps = c_.times(c_.b.CreateAnd(i0, s.moves), c_.integer(parts));
  Value* const moved = c_.b.CreateGEP(s.element, s.first, steps);
  Value* const p = c_.b.CreateGEP(s.element, moved, c_.integer(copy * lanes() * parts));
  if (s.part < 0) return c_.from_memory(read(s.element, lanes(), p, mask_), i.result);
  Value* const wide = read(s.element, parts * lanes(), p, wide_mask(parts));
  return c_.b.CreateShuffleVector(wide, every_second(s.part, lanes()));
}

}  // namespace sinter::codegen::cpu
