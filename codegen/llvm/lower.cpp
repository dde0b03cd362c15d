// From the words of the op table's `llvm` column to instructions.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <llvm/IR/Intrinsics.h>

#include "codegen/compiler.hpp"
#include "codegen/llvm/coder.hpp"
#include "ir/formula.hpp"

namespace sinter::codegen::cpu {
namespace {

using llvm::CmpInst;
using llvm::Instruction;
using operands = coder::operands;

struct request {
  std::string_view name;  // the second word
  int code;               // of the row below
  dtype type;
  operands args;
  std::optional<ir::op> formula;  // used if the machine has fma
};

std::optional<ir::op> row_of(std::string_view name) {
  for (int i = 0; i < ir::op_count; ++i) {
    if (ir::name(static_cast<ir::op>(i)) == name) return static_cast<ir::op>(i);
  }
  return std::nullopt;
}

Value* binary(coder& c, const request& r) {
  return c.b.CreateBinOp(static_cast<Instruction::BinaryOps>(r.code), r.args[0], r.args[1]);
}

Value* negate(coder& c, const request& r) {
  return is_real(r.type) ? c.b.CreateFNeg(r.args[0]) : c.b.CreateNeg(r.args[0]);
}

Value* invert(coder& c, const request& r) { return c.b.CreateNot(r.args[0]); }

Value* select(coder& c, const request& r) {
  return c.b.CreateSelect(r.args[0], r.args[1], r.args[2]);
}

Value* shift_right(coder& c, const request& r) {
  return is_signed(r.type) ? c.b.CreateAShr(r.args[0], r.args[1])
                           : c.b.CreateLShr(r.args[0], r.args[1]);
}

struct predicate {
  std::string_view name;
  CmpInst::Predicate real, with_sign, without_sign;
};

constexpr predicate predicates[] = {
    {"oeq", CmpInst::FCMP_OEQ, {}, {}},
    {"une", CmpInst::FCMP_UNE, {}, {}},
    {"olt", CmpInst::FCMP_OLT, {}, {}},
    {"ole", CmpInst::FCMP_OLE, {}, {}},
    {"ogt", CmpInst::FCMP_OGT, {}, {}},
    {"oge", CmpInst::FCMP_OGE, {}, {}},
    {"eq", {}, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
    {"ne", {}, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
    {"lt", {}, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
    {"le", {}, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
    {"gt", {}, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
    {"ge", {}, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
};

Value* compare(coder& c, const request& r) {
  for (const predicate& p : predicates) {
    if (p.name != r.name) continue;
    const auto which = is_real(r.type) ? p.real : is_signed(r.type) ? p.with_sign : p.without_sign;
    return c.b.CreateCmp(which, r.args[0], r.args[1]);
  }
  throw compile_error("[llvm] no comparison '" + std::string(r.name) + "'");
}

Value* intrinsic(coder& c, const request& r) {
  const std::string name = "llvm." + std::string(r.name);
  const llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
  if (!id) throw compile_error("[llvm] no intrinsic '" + name + "'");
  return c.b.CreateIntrinsic(id, {r.args[0]->getType()},
                             llvm::ArrayRef<Value*>(r.args.data(), r.args.size()));
}

Value* sleef(coder& c, const request& r) {
  if (r.formula) return c.call_formula(*r.formula, r.type, r.args);
  return c.call_sleef(r.name, r.type, r.args);
}
Value* angle(coder& c, const request& r) {
  return c.call_periodic(r.name, r.formula, r.type, r.args[0]);
}
Value* libm(coder& c, const request& r) { return c.call_libm(r.name, r.type, r.args); }
Value* quotient(coder& c, const request& r) { return c.quotient(r.args[0], r.args[1], r.type); }
Value* floor_quotient(coder& c, const request& r) {
  return c.floor_quotient(r.args[0], r.args[1], r.type);
}
Value* modulus(coder& c, const request& r) { return c.modulus(r.args[0], r.args[1], r.type); }
Value* maximum(coder& c, const request& r) {
  return c.extremum(ir::op::maximum, r.args[0], r.args[1]);
}
Value* minimum(coder& c, const request& r) {
  return c.extremum(ir::op::minimum, r.args[0], r.args[1]);
}
// x86's maximum: if an operand is NaN, the result is the second one.
Value* larger(coder& c, const request& r) {
  return c.b.CreateSelect(c.b.CreateFCmpOLT(r.args[0], r.args[1]), r.args[1], r.args[0]);
}
Value* smaller(coder& c, const request& r) {
  return c.b.CreateSelect(c.b.CreateFCmpOLT(r.args[1], r.args[0]), r.args[1], r.args[0]);
}
Value* scaled(coder& c, const request& r) {
  return c.scaled(r.args[0], r.args[1], *row_of(r.name), r.type);
}
Value* power(coder& c, const request& r) { return c.power(r.args[0], r.args[1], r.type); }

struct token {
  std::string_view word;
  Value* (*write)(coder&, const request&);
  int code = 0;
};

constexpr token tokens[] = {
    {"fadd", binary, Instruction::FAdd},
    {"fsub", binary, Instruction::FSub},
    {"fmul", binary, Instruction::FMul},
    {"fdiv", binary, Instruction::FDiv},
    {"add", binary, Instruction::Add},
    {"sub", binary, Instruction::Sub},
    {"mul", binary, Instruction::Mul},
    {"and", binary, Instruction::And},
    {"or", binary, Instruction::Or},
    {"xor", binary, Instruction::Xor},
    {"shl", binary, Instruction::Shl},
    {"shr", shift_right},
    {"fneg", negate},
    {"neg", negate},
    {"not", invert},
    {"select", select},
    {"fcmp", compare},
    {"icmp", compare},
    {"intrinsic", intrinsic},
    {"sleef", sleef},
    {"angle", angle},
    {"libm", libm},
    {"quotient", quotient},
    {"floor_quotient", floor_quotient},
    {"modulus", modulus},
    {"power", power},
    {"maximum", maximum},
    {"minimum", minimum},
    {"larger", larger},
    {"smaller", smaller},
    {"scaled", scaled},
};

constexpr std::string_view columns[] = {
#define SINTER_OP(name, arity, domain, result, traits, identity, cost, expand, complex, cuda, \
                  llvm_column, ...)                                                           \
  llvm_column,
#include "ir/ops.def"
#undef SINTER_OP
};

struct lowering {
  const token* how = nullptr;
  std::string_view name;
  std::optional<ir::op> formula;
};

lowering find(ir::op code, dtype type) {
  const std::string_view words = ir::alternative_of(columns[static_cast<int>(code)], type);
  const std::size_t space = words.find(' '), other = words.find(" or ");
  for (const token& t : tokens) {
    if (t.word != words.substr(0, space)) continue;
    lowering found{&t, {}, {}};
    if (space != std::string_view::npos) found.name = words.substr(0, other).substr(space + 1);
    if (other != std::string_view::npos) found.formula = row_of(words.substr(other + 4));
    return found;
  }
  throw compile_error("[llvm] no instruction for " + std::string(ir::name(code)) + " of " +
                      std::string(name(type)));
}

// If a body has more functions, they are called, not inlined: inlined, the eight of doubles of
// Black and Scholes ran no faster, and took five times as long to compile.
constexpr std::ptrdiff_t most_in_place = 2;

std::ptrdiff_t formulas_in(const std::vector<ir::inst>& body) {
  return std::ranges::count_if(body, [](const ir::inst& i) {
    return i.kind == ir::inst_kind::compute && i.code != ir::op::cast &&
           i.code != ir::op::bitcast && find(i.code, i.type).formula;
  });
}

}  // namespace

void coder::expect(const ir::kernel& k) {
  std::ptrdiff_t count = formulas_in(k.body);
  for (const ir::loop_code& l : k.loops) count += formulas_in(l.body);
  in_place_ = count <= most_in_place;
}

Value* coder::apply(ir::op code, dtype type, dtype result, operands args) {
  if (code == ir::op::cast) return cast(args[0], type, result);
  if (code == ir::op::bitcast) return bitcast(args[0], type, result);
  int lanes = 1;
  for (Value* v : args) lanes = std::max(lanes, lanes_of(v));
  llvm::SmallVector<Value*, 3> wide;
  for (Value* v : args) wide.push_back(spread(v, lanes));
  const lowering l = find(code, type);
  const operands all(wide.data(), wide.size());
  return l.how->write(*this, {l.name, l.how->code, type, all,
                              machine().fma ? l.formula : std::nullopt});
}

}  // namespace sinter::codegen::cpu
