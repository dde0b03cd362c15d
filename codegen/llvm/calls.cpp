// External functions: SLEEF's vector functions, glibc's where they are as good and faster, and
// libm's for one lane at a time. And the op table's formulas.

#include <algorithm>
#include <string>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

// A formula of at most this many instructions is inlined: a call loads its constants every time and
// spills every register around it. One thread of an EPYC, ns per element: float sums of
// exponentials 0.45 called, 0.30 inlined.
constexpr std::size_t largest_in_place = 56;

llvm::FunctionType* signature(Value* like, std::size_t arity) {
  llvm::Type* const t = like->getType();
  return llvm::FunctionType::get(t, std::vector<llvm::Type*>(arity, t), false);
}

/// exp_u10 -> Sleef_expf16_u10avx512f
std::string sleef_name(std::string_view name, bool single, int lanes, const std::string& suffix) {
  const std::size_t bar = name.find('_');
  return "Sleef_" + std::string(name.substr(0, bar)) + (single ? "f" : "d") +
         std::to_string(lanes) + std::string(name.substr(bar)) + suffix;
}

}  // namespace

/// glibc's vector library computes erfc of eight floats within 1.61 ulp for every float, in 9.3 ns
/// against SLEEF's 48.6 (AMD Zen 3).
Value* coder::call_glibc(std::string_view name, dtype t, operands args) {
  if (!machine_.libmvec || t != dtype::float32 || name != "erfc_u15") return nullptr;
  return in_vectors("_ZGVdN8v_erfcf", 8, args);
}

/// Always through the widest vector function of the machine, so that the bits never depend on the
/// number of lanes.
Value* coder::plain_sleef(std::string_view name, dtype t, operands args) {
  const int native = machine_.sleef_bits / static_cast<int>(8 * size_of(t));
  return in_vectors(sleef_name(name, t == dtype::float32, native, machine_.sleef), native, args);
}

Value* coder::call_formula(ir::op code, dtype t, operands args) {
  const formula from = formula_of(code, t, args.size());
  if (in_place_ && lanes_of(args[0]) > 1 && from.body.size() <= largest_in_place) {
    return write_out(from, args);
  }
  const std::string label = std::string(ir::name(code)) + '.' + std::string(name(t)) + ".x" +
                            std::to_string(lanes_of(args[0]));
  const auto write = [&](llvm::Function* f) {
    llvm::SmallVector<Value*, 3> given;
    for (llvm::Argument& a : f->args()) given.push_back(&a);
    b.CreateRet(write_out(from, given));
  };
  llvm::Function* const f = helper(label, signature(args[0], args.size()), write);
  return b.CreateCall(f, {args.data(), args.size()});
}

Value* coder::scaled(Value* x, Value* k, ir::op row, dtype t) {
  struct instruction {
    int bits;
    llvm::Intrinsic::ID of_floats, of_doubles;
    bool there;
  };
  using namespace llvm::Intrinsic;
  const instruction all[] = {
      {512, x86_avx512_mask_scalef_ps_512, x86_avx512_mask_scalef_pd_512, machine_.avx512f},
      {256, x86_avx512_mask_scalef_ps_256, x86_avx512_mask_scalef_pd_256, machine_.avx512bw},
      {128, x86_avx512_mask_scalef_ps_128, x86_avx512_mask_scalef_pd_128, machine_.avx512bw}};
  const int lanes = lanes_of(x);
  for (const instruction& i : all) {
    if (!i.there || lanes * static_cast<int>(8 * size_of(t)) != i.bits) continue;
    Value* const every = llvm::ConstantInt::getAllOnesValue(b.getIntNTy(
        static_cast<unsigned>(std::max(lanes, 8))));
    llvm::SmallVector<Value*, 5> args{x, k, x, every};
    if (i.bits == 512) args.push_back(b.getInt32(4));  // with the current rounding mode
    return b.CreateIntrinsic(t == dtype::float32 ? i.of_floats : i.of_doubles, {}, args);
  }
  Value* const both[] = {x, k};
  return write_out(formula_of(row, t, 2), both);
}

Value* coder::in_vectors(std::string_view symbol, int native, operands args) {
  const int lanes = lanes_of(args[0]);
  llvm::SmallVector<Value*, 8> parts;
  for (int first = 0; first < lanes; first += native) {
    llvm::SmallVector<Value*, 2> part;
    for (Value* a : args) part.push_back(slice(a, first, native));
    parts.push_back(b.CreateCall(external(symbol, signature(part[0], args.size())), part));
  }
  Value* const all = join({parts.data(), parts.size()});
  return slice(all, 0, lanes);
}

Value* coder::plain_libm(std::string_view name, dtype t, operands args) {
  const std::string symbol = std::string(name) + (t == dtype::float32 ? "f" : "");
  const int lanes = lanes_of(args[0]);
  Value* const scalar = llvm::PoisonValue::get(type(t));
  const llvm::FunctionCallee callee = external(symbol, signature(scalar, args.size()));
  if (lanes == 1) return b.CreateCall(callee, {args.data(), args.size()});
  // A loop over the lanes in a function of its own: inlined, the calls for every lane of every
  // vector in flight would be most of the code.
  llvm::Function* const each =
      helper(symbol + ".x" + std::to_string(lanes), signature(args[0], args.size()),
             [&](llvm::Function* f) {
               flow loops(b, f);
               variable result = loops.make(args[0]->getType(), "result");
               result.set(b, llvm::PoisonValue::get(args[0]->getType()));
               loops.count(integer(0), integer(lanes), integer(1), "lane", [&](Value* i) {
                 llvm::SmallVector<Value*, 2> one;
                 for (llvm::Argument& a : f->args()) one.push_back(b.CreateExtractElement(&a, i));
                 Value* const y = b.CreateCall(callee, one);
                 result.set(b, b.CreateInsertElement(result.get(b), y, i));
               });
               b.CreateRet(result.get(b));
               loops.promote();
             });
  return b.CreateCall(each, {args.data(), args.size()});
}

}  // namespace sinter::codegen::cpu
