#include "codegen/llvm/stack.hpp"

#include <map>
#include <string>
#include <tuple>

#include "codegen/llvm/flow.hpp"
#include "codegen/llvm/kernel_writer.hpp"
#include "ir/kernel_stack.hpp"
#include "ir/stack_parts.hpp"
#include "ir/text.hpp"

namespace sinter::codegen::cpu {
namespace {

/// More blocks than any box has.
constexpr std::int64_t all_blocks = std::int64_t{1} << 40;

/// Per axis, the points from `first` to before `last`.
struct points {
  llvm::SmallVector<Value*, 4> first, last;
};

/// Arithmetic on coordinates, and the slots of a launch, in the function being emitted.
class place_coder {
 public:
  place_coder(coder& c, const ir::kernel& stack) : c_(c), k_(stack) {
    int at = 0;
    for (const ir::slot& s : ir::slots_of(k_)) places_[{s.part, s.kind, s.which, s.axis}] = at++;
  }

  std::size_t axes() const { return k_.box.size(); }

  Value* given(int part, ir::slot_kind kind, int which, int axis) {
    return word_at(slots_, places_.at({part, kind, which, axis}));
  }
  void set_slots(Value* slots) { slots_ = slots; }

  Value* place_of(Value* words, int n) {
    return c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt64Ty(), words, static_cast<std::uint64_t>(n));
  }
  Value* word_at(Value* words, int n) {
    return c_.b.CreateLoad(c_.b.getInt64Ty(), place_of(words, n));
  }

  Value* smaller(Value* a, Value* b) {
    return c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  }
  Value* larger(Value* a, Value* b) {
    return c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  }
  Value* plus(Value* a, std::int64_t n) { return n == 0 ? a : c_.b.CreateAdd(a, c_.integer(n)); }

  points domain_of(int part) {
    points all;
    for (int a = 0; a < static_cast<int>(axes()); ++a) {
      all.first.push_back(given(part, ir::slot_kind::origin, -1, a));
      Value* const length = given(part, ir::slot_kind::extent, -1, a);
      all.last.push_back(c_.b.CreateAdd(all.first.back(), length));
    }
    return all;
  }

  points within(const points& x, const points& y) {
    points r = x;
    for (std::size_t a = 0; a < axes(); ++a) {
      r.first[a] = larger(x.first[a], y.first[a]);
      r.last[a] = smaller(x.last[a], y.last[a]);
    }
    return r;
  }

  points widened(points x, const ir::margins& m) {
    for (std::size_t a = 0; a < axes(); ++a) {
      x.first[a] = plus(x.first[a], -m.before[a]);
      x.last[a] = plus(x.last[a], m.after[a]);
    }
    return x;
  }

  /// The box of the block that begins at this point.
  points box_from(llvm::SmallVector<Value*, 4> first) {
    points own{std::move(first), {}};
    for (std::size_t a = 0; a < axes(); ++a) own.last.push_back(plus(own.first[a], k_.box[a]));
    return own;
  }

 private:
  coder& c_;
  const ir::kernel& k_;
  std::map<std::tuple<int, ir::slot_kind, int, int>, int> places_;
  Value* slots_ = nullptr;
};

/// Emits the function that runs a plain part over a piece of a box: (slots, box, room), where `box`
/// holds the box's first point, then the piece's first and last.
class part_writer {
 public:
  part_writer(coder& c, const ir::kernel& stack, const ir::plain_part& p, llvm::Function* code)
      : c_(c), k_(stack), p_(p), part_(static_cast<int>(p.part)), code_(code), at_(c, stack) {}

  llvm::Function* write(const std::string& name) {
    llvm::Type* const pointer = c_.b.getPtrTy();
    auto* const type =
        llvm::FunctionType::get(c_.b.getVoidTy(), {pointer, pointer, pointer}, false);
    auto* const f =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, c_.module());
    c_.set_attributes(*f);
    c_.b.SetInsertPoint(llvm::BasicBlock::Create(c_.b.getContext(), "entry", f));
    at_.set_slots(f->getArg(0));
    room_ = f->getArg(2);
    order_ = ir::slots_of(p_.code);
    const auto count = static_cast<std::int64_t>(order_.size());
    words_ = c_.b.CreateAlloca(c_.b.getInt64Ty(), c_.integer(count), "words");
    read_box(f->getArg(1));
    flow loops(c_.b, f);
    loops.when(any(), "some", [&] { call(); });
    c_.b.CreateRetVoid();
    loops.promote();
    return f;
  }

 private:
  void read_box(Value* box) {
    const int axes = static_cast<int>(at_.axes());
    llvm::SmallVector<Value*, 4> corner;
    for (int a = 0; a < axes; ++a) {
      corner.push_back(at_.word_at(box, a));
      here_.first.push_back(at_.word_at(box, axes + a));
      here_.last.push_back(at_.word_at(box, 2 * axes + a));
    }
    own_ = at_.box_from(corner);
    if (!p_.beyond) here_ = at_.within(here_, own_);
  }

  Value* any() {
    Value* some = c_.b.getTrue();
    for (std::size_t a = 0; a < at_.axes(); ++a) {
      some = c_.b.CreateAnd(some, c_.b.CreateICmpSLT(here_.first[a], here_.last[a]));
    }
    return some;
  }

  void call() {
    int at = 0;
    for (const ir::slot& s : order_) c_.b.CreateStore(word(s), at_.place_of(words_, at++));
    c_.b.CreateCall(code_, {words_, c_.integer(0), c_.integer(all_blocks)});
  }

  Value* word(const ir::slot& s) {
    const auto axis = static_cast<std::size_t>(s.axis);
    if (s.kind == ir::slot_kind::extent) {
      return c_.b.CreateSub(here_.last[axis], here_.first[axis]);
    }
    const bool of_operand = s.kind != ir::slot_kind::scalar && s.kind != ir::slot_kind::over;
    if (of_operand && ir::in_tile(k_.parts[p_.part], s.which)) {
      const ir::operand& o = k_.parts[p_.part].operands[static_cast<std::size_t>(s.which)];
      return s.kind == ir::slot_kind::stride ? tile_stride(o, axis) : tile_place(o);
    }
    Value* const known = at_.given(part_, s.kind, s.which, s.axis);
    return ir::moves_with_box(p_.code, s) ? moved(s, known) : known;
  }

  Value* moved(const ir::slot& s, Value* from) {
    const ir::operand& o = p_.code.operands[static_cast<std::size_t>(s.which)];
    Value* elements = c_.integer(0);
    for (std::size_t a = 0; a < at_.axes(); ++a) {
      const int axis = static_cast<int>(a);
      const ir::step how = o.access.steps[a];
      if (how == ir::step::zero) continue;
      Value* const origin = at_.given(part_, ir::slot_kind::origin, -1, axis);
      Value* behind = c_.b.CreateSub(here_.first[a], origin);
      if (how == ir::step::any) {
        behind = c_.b.CreateMul(behind, at_.given(part_, ir::slot_kind::stride, s.which, axis));
      }
      elements = c_.b.CreateAdd(elements, behind);
    }
    if (s.kind != ir::slot_kind::pointer) return c_.b.CreateAdd(from, elements);
    return c_.b.CreateAdd(from, c_.b.CreateMul(elements, size_of_one(o)));
  }

  Value* size_of_one(const ir::operand& o) {
    return c_.integer(static_cast<std::int64_t>(size_of(o.type)));
  }

  Value* tile_stride(const ir::operand& o, std::size_t axis) {
    return c_.integer(ir::tile_strides(k_, static_cast<std::size_t>(o.tile))[axis]);
  }

  Value* tile_place(const ir::operand& o) {
    const auto t = static_cast<std::size_t>(o.tile);
    const std::vector<int> strides = ir::tile_strides(k_, t);
    Value* elements = c_.integer(0);
    for (std::size_t a = 0; a < at_.axes(); ++a) {
      Value* const behind = at_.plus(c_.b.CreateSub(here_.first[a], own_.first[a]),
                                     k_.tiles[t].margins.before[a] + o.shift[a]);
      elements = c_.b.CreateAdd(elements, c_.b.CreateMul(behind, c_.integer(strides[a])));
    }
    Value* const bytes = c_.b.CreateMul(elements, size_of_one(o));
    Value* const place = c_.b.CreateGEP(c_.b.getInt8Ty(), room_,
                                        at_.plus(bytes, ir::room_of(k_).begin[t]));
    return c_.b.CreatePtrToInt(place, c_.b.getInt64Ty());
  }

  coder& c_;
  const ir::kernel& k_;
  const ir::plain_part& p_;
  int part_;
  llvm::Function* code_;
  place_coder at_;
  std::vector<ir::slot> order_;
  Value* words_ = nullptr;  // the part's slots, in that order
  Value* room_ = nullptr;
  points own_, here_;
};

class stack_writer {
 public:
  stack_writer(coder& c, const ir::kernel& k)
      : c_(c), k_(k), parts_(ir::plain_parts(k)), at_(c, k) {}

  void write() {
    write_parts();
    llvm::Function* const f = begin_function(c_, entry_name);
    slots_ = f->getArg(0);
    at_.set_slots(slots_);
    const auto axes = static_cast<std::int64_t>(at_.axes());
    box_ = c_.b.CreateAlloca(c_.b.getInt64Ty(), c_.integer(3 * axes), "box");
    room_ = c_.thread_memory(0, ir::room_of(k_).bytes);
    flow loops(c_.b, f);
    loops_ = &loops;
    loops.count(f->getArg(1), f->getArg(2), c_.integer(1), "box",
                [&](Value* number) { write_box(number); });
    c_.b.CreateRetVoid();
    loops.promote();
  }

 private:
  /// Each has a coder of its own, because the values that one caches belong to the function it
  /// emits.
  void write_parts() {
    std::map<std::string, llvm::Function*> known;
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      llvm::Function*& code = known[ir::key_of(parts_[n].code)];
      if (!code) {
        const std::string name = "part_" + std::to_string(known.size());
        coder own(c_.module(), c_.machine());
        kernel_writer(own, parts_[n].code, name).write();
        code = c_.module().getFunction(name);
      }
      coder own(c_.module(), c_.machine());
      runs_.push_back(part_writer(own, k_, parts_[n], code).write("run_" + std::to_string(n)));
    }
  }

  void write_box(Value* number) {
    llvm::SmallVector<Value*, 4> corner(at_.axes());
    for (std::size_t a = at_.axes(); a-- > 0;) {
      const int axis = static_cast<int>(a);
      Value* const across = at_.given(-1, ir::slot_kind::across, -1, axis);
      Value* const place = a == 0 ? number : c_.b.CreateURem(number, across);
      if (a > 0) number = c_.b.CreateUDiv(number, across);
      corner[a] = c_.b.CreateAdd(at_.given(-1, ir::slot_kind::corner, -1, axis),
                                 c_.b.CreateMul(place, c_.integer(k_.box[a])));
      c_.b.CreateStore(corner[a], at_.place_of(box_, axis));
    }
    const points own = at_.box_from(corner);
    for (std::size_t p = 0; p < k_.parts.size(); ++p) write_part(p, own);
  }

  void write_part(std::size_t p, const points& own) {
    const ir::kernel& part = k_.parts[p];
    const points domain = at_.domain_of(static_cast<int>(p));
    const points all = at_.within(at_.widened(own, part.beyond), domain);
    if (!part.around) return run(p, all);
    // In most boxes the part within covers everything.
    const points hole = at_.domain_of(static_cast<int>(ir::part_within(k_, p)));
    loops_->when(reaches_out_of(all, hole), "around", [&] {
      for (const points& piece : without(all, hole)) run(p, piece);
    });
  }

  Value* reaches_out_of(const points& x, const points& hole) {
    Value* out = c_.b.getFalse();
    for (std::size_t a = 0; a < at_.axes(); ++a) {
      out = c_.b.CreateOr(out, c_.b.CreateICmpSLT(x.first[a], hole.first[a]));
      out = c_.b.CreateOr(out, c_.b.CreateICmpSGT(x.last[a], hole.last[a]));
    }
    return out;
  }

  /// The pieces of a box outside `hole`: per axis what precedes and what follows it, then the rest.
  std::vector<points> without(const points& box, const points& hole) {
    std::vector<points> pieces;
    points rest = box;
    for (std::size_t a = 0; a < at_.axes(); ++a) {
      Value* const from =
          at_.smaller(at_.larger(hole.first[a], rest.first[a]), rest.last[a]);
      Value* const to = at_.smaller(at_.larger(hole.last[a], from), rest.last[a]);
      points before = rest, after = rest;
      before.last[a] = rest.first[a] = from;
      after.first[a] = rest.last[a] = to;
      pieces.push_back(std::move(before));
      pieces.push_back(std::move(after));
    }
    return pieces;
  }

  void run(std::size_t p, const points& piece) {
    const int axes = static_cast<int>(at_.axes());
    for (int a = 0; a < axes; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      c_.b.CreateStore(piece.first[axis], at_.place_of(box_, axes + a));
      c_.b.CreateStore(piece.last[axis], at_.place_of(box_, 2 * axes + a));
    }
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      if (parts_[n].part == p) c_.b.CreateCall(runs_[n], {slots_, box_, room_});
    }
  }

  coder& c_;
  const ir::kernel& k_;
  std::vector<ir::plain_part> parts_;
  std::vector<llvm::Function*> runs_;  // per part
  place_coder at_;
  flow* loops_ = nullptr;
  Value* slots_ = nullptr;
  Value* box_ = nullptr;
  Value* room_ = nullptr;  // memory for the tiles
};

}  // namespace

void write_stack(coder& c, const ir::kernel& k) {
  stack_writer(c, k).write();
}

}  // namespace sinter::codegen::cpu
