// Functions from outside: SLEEF's vector functions, glibc's where they are as good and faster, and
// libm's for one lane at a time.

#include <string>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

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

/// What glibc's vector library has too, for eight floats, within 2 ulp of every float there is (its
/// exp, log and tan are not) and in a half to a sixth of the time: ns for eight on an AMD Zen 3.
struct glibc_function {
  std::string_view sleef, symbol;
};
constexpr glibc_function glibc_functions[] = {
    {"erf_u10", "_ZGVdN8v_erff"},      // 1.93 ulp, 5.1 ns for 31.9
    {"erfc_u15", "_ZGVdN8v_erfcf"},    // 1.61 ulp, 9.3 ns for 48.6
    {"tanh_u10", "_ZGVdN8v_tanhf"},    // 1.03 ulp, 9.4 ns for 22.4
    {"expm1_u10", "_ZGVdN8v_expm1f"},  // 1.68 ulp, 6.7 ns for 15.9
    {"log1p_u10", "_ZGVdN8v_log1pf"},  // 1.96 ulp, 5.5 ns for 11.0
    {"sinh_u10", "_ZGVdN8v_sinhf"},    // 1.89 ulp, 3.9 ns for 17.1
};

}  // namespace

Value* coder::call_glibc(std::string_view name, dtype t, operands args) {
  if (!machine_.libmvec || t != dtype::float32) return nullptr;
  for (const glibc_function& f : glibc_functions) {
    if (f.sleef == name) return in_vectors(f.symbol, 8, args);
  }
  return nullptr;
}

/// Always through the widest vector function of the machine, so that the number of lanes never
/// shows in the bits.
Value* coder::plain_sleef(std::string_view name, dtype t, operands args) {
  const int native = machine_.sleef_bits / static_cast<int>(8 * size_of(t));
  return in_vectors(sleef_name(name, t == dtype::float32, native, machine_.sleef), native, args);
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
  // A loop over the lanes in a function of its own: a call for every lane of every vector in flight
  // would be most of the code.
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
