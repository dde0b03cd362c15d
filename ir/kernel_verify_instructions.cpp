// What an instruction may take as arguments, and what its result is.
#include <algorithm>

#include "ir/formula.hpp"
#include "ir/kernel_verifier.hpp"
#include "ir/verify.hpp"

namespace sinter::ir::detail {

const inst& kernel_verifier::argument(const inst& i, int k) const {
  return (*body_)[static_cast<std::size_t>(i.args[k])];
}

int kernel_verifier::argument_count(const inst& i) {
  switch (i.kind) {
    case inst_kind::compute: return info(i.code).arity;
    case inst_kind::random:
    case inst_kind::gather: return 2;
    case inst_kind::reduce:
    case inst_kind::scan:
    case inst_kind::pick:
    case inst_kind::store: return 1;
    default: return 0;
  }
}

void kernel_verifier::argument_rules(const inst& i) const {
  for (int k = 0; k < 3; ++k) {
    const std::int32_t a = i.args[k];
    const bool given = a >= 0 && static_cast<std::size_t>(a) < at_;
    const bool optional = i.kind == inst_kind::gather || i.kind == inst_kind::loop ? k < 2
                          : i.kind == inst_kind::store                             ? k > 0
                                                       : i.kind == inst_kind::pack;
    require(k < argument_count(i) || optional ? given || (optional && a == -1) : a == -1,
            "arguments",
            "too few or too many arguments, or one that is no instruction before this one");
    require(!given || argument(i, k).kind != inst_kind::store, "arguments",
            "a store has no value");
    if (given) list_rules(i, k);
  }
}

void kernel_verifier::inst_rules(const inst& i) const {
  argument_rules(i);
  require(!is_complex(i.type) && !is_complex(i.result), "complex",
          "parts of complex numbers are values of their own");
  require(i.note >= -1 && i.note < static_cast<std::int32_t>(k_.notes.size()), "note",
          "the note is not in the list");
  switch (i.kind) {
    case inst_kind::load: return array_rules(i, operand_role::input, i.result);
    case inst_kind::gather: return gather_rules(i);
    case inst_kind::store:
      require(argument(i, 0).result == i.type, "store-type", "the value has another type");
      require(i.code == op::cast || i.args[1] >= 0 || i.args[2] >= 0, "combine",
              "a value is combined at an index or by a flag");
      if (i.args[2] >= 0) scatter_rules(i);
      else if (i.args[1] >= 0) flag_rules(i);
      return array_rules(i, operand_role::output, i.type);
    case inst_kind::index: return index_rules(i);
    case inst_kind::scalar:
      require(i.which >= 0 && static_cast<std::size_t>(i.which) < k_.scalars.size() &&
                  k_.scalars[static_cast<std::size_t>(i.which)] == i.result,
              "scalar", "no such scalar, or of another type");
      return;
    case inst_kind::constant: return require(i.type == i.result, "constant", "two types");
    case inst_kind::compute: return compute_rules(i);
    case inst_kind::random: return random_rules(i);
    case inst_kind::reduce: return reduce_rules(i);
    case inst_kind::scan: return scan_rules(i);
    case inst_kind::loop: return loop_rules(i);
    case inst_kind::pick: return pick_rules(i);
    case inst_kind::pack: return;
    case inst_kind::carry:
    case inst_kind::given: return place_rules(i);
  }
}

const operand* kernel_verifier::operand_of(const inst& i) const {
  const bool known = i.which >= 0 && static_cast<std::size_t>(i.which) < k_.operands.size();
  return known ? &k_.operands[static_cast<std::size_t>(i.which)] : nullptr;
}

void kernel_verifier::array_rules(const inst& i, operand_role role, dtype type) const {
  const operand* o = operand_of(i);
  // A loop reads what its rounds write.
  const bool table = loop_ && i.kind == inst_kind::gather && o && o->role == operand_role::output;
  require(o && (o->role == role || o->role == operand_role::tile || table), "operand",
          "no such operand, or of another role");
  require(real_of(o->type) == type, "operand-type", "the operand has another type");
  require(i.part == 0 || (i.part == 1 && is_complex(o->type)), "part",
          "only a complex element has an imaginary part");
}

void kernel_verifier::gather_rules(const inst& i) const {
  array_rules(i, operand_role::input, i.result);
  require(i.args[0] >= 0 || i.args[1] >= 0, "gather", "a load without index and condition");
  require(i.args[0] < 0 || argument(i, 0).result == dtype::int64, "gather-index",
          "an index is int64");
  require(i.args[1] < 0 || is_bool(argument(i, 1).result), "gather-condition",
          "a condition is bool");
  for (const inst& x : k_.body) {  // also if the gather itself is in a loop
    require(x.kind != inst_kind::load || x.which != i.which, "gather-operand",
            "an operand is loaded and gathered from");
  }
}

void kernel_verifier::flag_rules(const inst& i) const {
  const operand* o = operand_of(i);
  require(is_bool(argument(i, 1).result), "flag", "a condition is bool");
  require(is_integer(i.type), "flag", "a flag is an integer");
  require(i.code == op::cast || (i.code == op::maximum && i.type == dtype::uint64), "flag",
          "a flag is one value or the greatest of uint64s");
  require(o && o->access.unravel == 0 &&
              std::all_of(o->access.steps.begin(), o->access.steps.end(),
                          [](step s) { return s == step::zero; }),
          "flag", "a conditional store has one place");
}

void kernel_verifier::scatter_rules(const inst& i) const {
  require(argument(i, 2).result == dtype::int64, "scatter-index", "an index is int64");
  require(i.args[1] < 0 || is_bool(argument(i, 1).result), "scatter-condition",
          "a condition is bool");
  require(i.code == op::cast ||
              (info(i.code).arity == 2 && accepts(i.code, i.type) && !is_half(i.type) &&
               !is_bool(i.type) && result_type(i.code, i.type) == i.type),
          "combine-op", "the op cannot combine values of this type");
  for (const inst& x : k_.body) {
    require(x.kind != inst_kind::store || x.which != i.which || x.args[2] >= 0,
            "scatter-operand", "an operand is stored and scattered to");
  }
}

void kernel_verifier::index_rules(const inst& i) const {
  const operand* o = operand_of(i);
  require(o && o->role == operand_role::index, "operand", "no such operand, or of another role");
  require(i.result == dtype::int64, "index-type", "an index is int64");
}

void kernel_verifier::compute_rules(const inst& i) const {
  const bool conversion = i.code == op::cast || i.code == op::bitcast;
  require(conversion || !is_half(i.type), "half", "half types are converted, never computed in");
  require(is_primitive(i.code, i.type), "primitive",
          "the op has no meaning for the type, or is written out by a formula");
  for (int k = 0; k < info(i.code).arity; ++k) {
    const dtype wanted = conversion ? i.type : argument_type(i.code, i.type, k);
    require(argument(i, k).result == wanted, "argument-type", "an argument has another type");
  }
  if (i.code == op::cast) return;
  require(i.code == op::bitcast ? size_of(i.type) == size_of(i.result)
                                : i.result == result_type(i.code, i.type),
          "result", "another result type than the table says");
}

void kernel_verifier::random_rules(const inst& i) const {
  require(i.result == dtype::uint32 || i.result == dtype::uint64, "random",
          "random bits are uint32 or uint64");
  require(argument(i, 0).result == dtype::int64 && argument(i, 1).result == dtype::uint64,
          "random", "the counter is int64, the key uint64");
}

void kernel_verifier::reduce_rules(const inst& i) const {
  require(k_.reduced > 0, "reduce", "the kernel has no reduced axes");
  require(argument(i, 0).result == i.type, "argument-type", "the argument has another type");
  require(is_reduction(i.code, i.type), "reduce-op",
          "the op cannot combine values of this type");
  require(!i.arg || i.code == op::maximum || i.code == op::minimum, "reduce-arg",
          "only maximum and minimum have a position");
  require(i.result == (i.arg ? dtype::int64 : i.type), "result",
          "a reduction keeps its type, a position is int64");
}

void kernel_verifier::scan_rules(const inst& i) const {
  require(k_.reduced == 1, "scan", "a scan runs along the one reduced axis");
  require(argument(i, 0).result == i.type && i.result == i.type, "argument-type",
          "the argument or the result has another type");
  require(is_reduction(i.code, i.type), "scan-op",
          "the op cannot combine values of this type");
}

}  // namespace sinter::ir::detail
