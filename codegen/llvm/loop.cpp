// Loops at a point: each is a function of its own, for all lanes of a vector together. It runs
// until all lanes have stopped; a lane that has stopped keeps its values. Values that all lanes
// share (the round, its limit, whatever follows from these) are scalars, and if nothing else
// decides, lanes are not tested.

#include <algorithm>
#include <optional>

#include <llvm/IR/Constants.h>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

using kind = ir::inst_kind;

}  // namespace

class loop_builder {
 public:
  loop_builder(body& b, int instruction, int copy)
      : b_(b), c_(b.c_), i_(b.kernel_.body[at(instruction)]), which_(i_.which),
        l_(b.kernel_.loops[at(which_)]), lanes_(b.varies(instruction) ? b.lanes() : 1) {
    for (std::int32_t v : ir::packed(b.kernel_.body, i_.args[0])) {
      inputs_.push_back(b.value(v, copy));
    }
    if (lanes_ > 1) active_ = b.mask_;
    if (i_.args[1] >= 0) {
      Value* const wanted = c_.spread(b.value(i_.args[1], copy), lanes_);
      active_ = active_ ? c_.b.CreateAnd(active_, wanted) : wanted;
    }
    for (const ir::inst& x : l_.body) {
      if (x.kind == kind::gather || x.kind == kind::store) reach(x, copy);
    }
    infer();
  }

  Value* write() {
    std::vector<Value*> args;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const bool wide = k < l_.carries.size() && wide_[k];
      args.push_back(wide ? c_.spread(inputs_[k], lanes_) : inputs_[k]);
    }
    for (const place& p : places_) {
      args.push_back(p.pointer);
      args.push_back(p.offsets);
    }
    if (active_) args.push_back(active_);
    std::vector<llvm::Type*> types, results;
    for (Value* v : args) types.push_back(v->getType());
    for (std::size_t k = 0; k < l_.carries.size(); ++k) results.push_back(type_of(k));
    auto* const result = llvm::StructType::get(c_.b.getContext(), results);
    auto* const type = llvm::FunctionType::get(result, types, false);
    const std::string name = "loop" + std::to_string(which_) + (active_ ? ".masked" : "") +
                             (lanes_ > 1 ? "" : ".one");
    llvm::Function* const f = c_.helper(name, type, [&](llvm::Function* g) { fill(g, result); });
    return c_.b.CreateCall(f, args);
  }

 private:
  struct place {
    int operand;
    Value *pointer, *offsets;
    bool contiguous;
    bool one;  // for all lanes, as far as the operand goes
  };

  llvm::Type* type_of(std::size_t carry) const {
    return c_.type(l_.carries[carry], wide_[carry] ? lanes_ : 1);
  }

  /// Infers which values differ between lanes, up to a fixed point: a carry's next value decides.
  void infer() {
    wide_.assign(l_.carries.size(), 0);
    varies_.assign(l_.body.size(), 0);
    for (std::size_t k = 0; k < wide_.size(); ++k) wide_[k] = lanes_of(inputs_[k]) > 1;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < l_.body.size(); ++i) varies_[i] = differs(l_.body[i]);
      const bool apart = varies_[at(l_.condition)];
      for (std::size_t k = 0; k < wide_.size(); ++k) {
        const char now = wide_[k] || apart || varies_[at(l_.next[k])];
        changed |= now != wide_[k];
        wide_[k] = now;
      }
    }
    apart_ = varies_[at(l_.condition)];
  }

  bool differs(const ir::inst& x) const {
    if (x.kind == kind::given) return lanes_of(inputs_[l_.carries.size() + at(x.which)]) > 1;
    if (x.kind == kind::carry) return at(x.which) < wide_.size() && wide_[at(x.which)];
    if (x.kind == kind::gather && lanes_ > 1 && !place_of(x.which).one) return true;
    return std::any_of(x.args, x.args + 3,
                       [&](std::int32_t a) { return a >= 0 && varies_[at(a)]; });
  }

  void reach(const ir::inst& x, int copy) {
    const auto same = [&](const place& p) { return p.operand == x.which; };
    if (std::any_of(places_.begin(), places_.end(), same)) return;
    ir::inst first = x;
    first.part = 0;
    const ir::operand& o = b_.kernel_.operands[at(x.which)];
    const bool one = x.kind == kind::gather && o.access.unravel == 0 &&
                     b_.step_of_lanes(x.which).kind == ir::step::zero;
    const auto found = b_.places_of(first, -1, -1, one ? 1 : lanes_, copy);
    const bool masks = c_.machine().masks(static_cast<unsigned>(size_of(o.type)));
    const bool contiguous = lanes_ > 1 && o.access.unravel == 0 && !is_complex(o.type) &&
                            b_.step_of_lanes(x.which).kind == ir::step::one &&
                            (!active_ || masks);
    places_.push_back({x.which, found.pointer, found.offsets, contiguous, one});
  }

  // ---- the function

  void fill(llvm::Function* f, llvm::StructType* result) {
    flow loops(c_.b, f);
    take_arguments(f);
    const std::vector<variable> carries = first_carries(loops);
    const variable round = loops.make(c_.b.getInt64Ty(), "round");
    round.set(c_.b, c_.integer(0));
    std::optional<variable> going;
    if (apart_ || (active_ && lanes_ == 1)) {
      going = loops.make(c_.type(dtype::bool_, lanes_), "going");
      going->set(c_.b, active_ ? active_ : c_.spread(c_.b.getTrue(), lanes_));
    }
    llvm::BasicBlock* const head = loops.block("round");
    llvm::BasicBlock* const again = loops.block("again");
    llvm::BasicBlock* const done = loops.block("done");
    c_.b.CreateBr(head);
    c_.b.SetInsertPoint(head);
    state_ = {};
    for (const variable& v : carries) state_.carries.push_back(v.get(c_.b));
    state_.round = round.get(c_.b);
    values_.assign(l_.body.size(), nullptr);
    compute(0, at(l_.condition) + 1);
    Value* const goes = condition(going);
    c_.b.CreateCondBr(lanes_of(goes) > 1 ? c_.b.CreateOrReduce(goes) : goes, again, done);
    c_.b.SetInsertPoint(again);
    compute(at(l_.condition) + 1, l_.body.size());
    for (std::size_t k = 0; k < carries.size(); ++k) {
      Value* next = c_.spread(value(l_.next[k]), wide_[k] ? lanes_ : 1);
      if (apart_) next = c_.b.CreateSelect(goes, next, state_.carries[k]);
      carries[k].set(c_.b, next);
    }
    round.set(c_.b, c_.b.CreateAdd(state_.round, c_.integer(1)));
    c_.b.CreateBr(head);
    done->moveAfter(c_.b.GetInsertBlock());
    c_.b.SetInsertPoint(done);
    return_carries(result);
    loops.promote();
  }

  std::vector<variable> first_carries(flow& loops) {
    std::vector<variable> carries;
    for (std::size_t k = 0; k < l_.carries.size(); ++k) {
      carries.push_back(loops.make(type_of(k), "carry"));
      carries[k].set(c_.b, inputs_[k]);
    }
    return carries;
  }

  void return_carries(llvm::StructType* result) {
    Value* all = llvm::PoisonValue::get(result);
    for (std::size_t k = 0; k < state_.carries.size(); ++k) {
      all = c_.b.CreateInsertValue(all, state_.carries[k], static_cast<unsigned>(k));
    }
    c_.b.CreateRet(all);
  }

  void take_arguments(llvm::Function* f) {
    unsigned n = 0;
    for (Value*& v : inputs_) v = f->getArg(n++);
    for (place& p : places_) {
      p.pointer = f->getArg(n++);
      p.offsets = f->getArg(n++);
    }
    if (active_) active_ = f->getArg(n++);
  }

  /// Computes the lanes that take part in the round; only these store.
  Value* condition(const std::optional<variable>& going) {
    Value* goes = value(l_.condition);
    taking_part_ = active_;
    if (!going) return goes;
    goes = c_.b.CreateAnd(going->get(c_.b), c_.spread(goes, lanes_), "goes");
    going->set(c_.b, goes);
    taking_part_ = lanes_ > 1 ? goes : nullptr;
    return goes;
  }

  Value* value(int i) { return values_[at(i)]; }

  void compute(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const ir::inst& x = l_.body[i];
      switch (x.kind) {
        case kind::carry:
          values_[i] = at(x.which) < l_.carries.size() ? state_.carries[at(x.which)] : state_.round;
          break;
        case kind::given: values_[i] = inputs_[l_.carries.size() + at(x.which)]; break;
        case kind::constant: values_[i] = c_.constant(x.result, x.bits); break;
        case kind::gather: values_[i] = gather(x); break;
        case kind::store: store(x); break;
        default: {
          llvm::SmallVector<Value*, 3> args;
          for (std::int32_t a : x.args) {
            if (a >= 0) args.push_back(value(a));
          }
          values_[i] = c_.apply(x.code, x.type, x.result, args);
        }
      }
    }
  }

  const place& place_of(int operand) const {
    return *std::find_if(places_.begin(), places_.end(),
                         [&](const place& p) { return p.operand == operand; });
  }
  dtype stored(int operand) const { return b_.kernel_.operands[at(operand)].type; }

  Value* offsets(const place& p, const ir::inst& x, Value* index) {
    if (is_complex(stored(x.which))) {
      index = c_.b.CreateAdd(c_.b.CreateShl(index, 1),
                             c_.spread(c_.integer(x.part), lanes_of(index)));
    }
    const int lanes = p.one ? lanes_of(index) : lanes_;
    return c_.b.CreateAdd(c_.spread(p.offsets, lanes), c_.spread(index, lanes));
  }

  Value* gather(const ir::inst& x) {
    const place& p = place_of(x.which);
    llvm::Type* const element = c_.memory_type(stored(x.which));
    const llvm::Align align(element->getScalarSizeInBits() / 8);
    Value* const index = value(x.args[0]);
    if (p.contiguous && lanes_of(index) == 1) {
      llvm::Type* const t = coder::with_lanes(element, lanes_);
      Value* const from = c_.b.CreateGEP(element, p.pointer, index);
      Value* const zero = llvm::Constant::getNullValue(t);
      Value* const v = taking_part_ ? c_.b.CreateMaskedLoad(t, from, align, taking_part_, zero)
                                    : static_cast<Value*>(c_.b.CreateAlignedLoad(t, from, align));
      return c_.from_memory(v, stored(x.which));
    }
    Value* const where = offsets(p, x, index);
    Value* holds = taking_part_;
    if (holds && lanes_of(where) == 1 && lanes_ > 1) holds = c_.b.CreateOrReduce(holds);
    return c_.from_memory(b_.read_where(element, p.pointer, where, holds), stored(x.which));
  }

  void store(const ir::inst& x) {
    const place& p = place_of(x.which);
    Value* const v = c_.to_memory(c_.spread(value(x.args[0]), lanes_), stored(x.which));
    llvm::Type* const element = v->getType()->getScalarType();
    const llvm::Align align(element->getScalarSizeInBits() / 8);
    Value* const index = value(x.args[2]);
    if (p.contiguous && lanes_of(index) == 1) {
      Value* const to = c_.b.CreateGEP(element, p.pointer, index);
      if (taking_part_) c_.b.CreateMaskedStore(v, to, align, taking_part_);
      else c_.b.CreateAlignedStore(v, to, align);
      return;
    }
    b_.write_where(v, p.pointer, offsets(p, x, index), taking_part_);
  }

  struct round_state {
    std::vector<Value*> carries;
    Value* round = nullptr;
  };

  body& b_;
  coder& c_;
  const ir::inst& i_;
  const int which_;
  const ir::loop_code& l_;
  const int lanes_;
  std::vector<Value*> inputs_;  // of the pack; inside the function its arguments
  std::vector<place> places_;
  Value* active_ = nullptr;      // lanes that take part at all, if not all do
  Value* taking_part_ = nullptr;  // in this round
  std::vector<char> wide_, varies_;  // per carry; per instruction
  bool apart_ = false;               // each lane stops by itself
  round_state state_;
  std::vector<Value*> values_;
};

Value* body::loop(int instruction, int copy) {
  return loop_builder(*this, instruction, copy).write();
}

}  // namespace sinter::codegen::cpu
