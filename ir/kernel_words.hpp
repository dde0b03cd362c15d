#pragma once
// Text of kernels. A softmax:
//
//   kernel softmax
//   target gpu, kept 1, reduced 1
//   schedule vector 4 unroll 2 threads 128 row_threads 128 lanes reduced rows 1
//   in0 = input float32 [any, one]
//   out0 = output float32 [any, one]
//   s0 = scalar float32
//   v0 = each load float32 in0
//   v1 = scalar float32 s0
//   v2 = each multiply float32 v0 v1
//   v3 = reduce maximum float32 v2
//   ...
//   v9 = each store float32 out0 v8  @main.cpp:17
//
// A store that combines names the op: `store by add float32 out0 v3 none v4`.
// A loop's body precedes the kernel's, its values numbered separately:
//
//   loop0 = carries [float32] givens [float32, int64]
//   v0 = carry float32 0
//   v1 = carry int64 1
//   v2 = given int64 1
//   v3 = less int64 v1 v2
//   v4 = given float32 0
//   v5 = multiply float32 v0 v4
//   while v3 next v5
//   v0 = load float32 in0
//   v1 = scalar float32 s0
//   v2 = scalar int64 s1
//   v3 = pack bool none v0 v1
//   v4 = pack bool v3 v2
//   v5 = loop bool loop0 v4
//   v6 = pick float32 0 v5
//
// Kernels that share a launch follow the shared one: `kernel both`, `shares 256 threads`, then the
// texts of its parts; those of rounds likewise `repeats 512 threads 8 blocks tests [1]`. A stack:
// `kernel sweeps`, `stacks 256 threads box [32, 64]`, its tiles (`tile0 = float32 before [1, 1]
// after [1, 1]`), then the texts of its parts; these say after the schedule how far they are
// computed: `beyond before [1, 1] after [1, 1]`, or `... around`, and an operand in a tile is `at0
// = tile float32 [zero, zero] 0 shift [0, -1]`.
//
// A gather lists its index and its condition: `gather float32 in0 v3 v4`, `... in0 none v4`. `each`
// marks inner values. A result type other than the op's own is written (`cast float32 -> int8`), so
// is the imaginary part of an element (`in0 im`). An unravelled access: `[any] unravel 2`. An input
// not accessed by whole vectors: `[any, one] shifted`, if all begin one element after an aligned
// address: `[any, one] shifted by 1`; `[one, any] turned`. One that moves as another does: `[any,
// one] like in0`. Interleaved operands, three elements in all: `[any] apart 3`, and those after it
// `[any] apart 3 turn 1 of in0`.
//
// The words are here because the printer and the parser both need them.

#include <string_view>

#include "ir/kernel.hpp"

namespace sinter::ir::detail {

inline constexpr std::string_view target_names[] = {"cpu", "gpu"};
inline constexpr std::string_view step_names[] = {"zero", "one", "any"};
inline constexpr std::string_view role_names[] = {"input", "output", "index", "state", "tile"};
inline constexpr std::string_view role_prefixes[] = {"in", "out", "ix", "state", "at"};
inline constexpr std::string_view lane_names[] = {"kept", "reduced"};
inline constexpr std::string_view reach_names[] = {"whole", "shifted", "aligned", "turned",
                                                  "staged", "picked",  "backwards", "strips"};

/// Instructions that are not computations, by their names.
struct kind_row {
  inst_kind kind;
  std::string_view name;
};
inline constexpr kind_row kinds[] = {
    {inst_kind::load, "load"},       {inst_kind::index, "index"},
    {inst_kind::scalar, "scalar"},   {inst_kind::constant, "constant"},
    {inst_kind::random, "random"},   {inst_kind::reduce, "reduce"},
    {inst_kind::scan, "scan"},       {inst_kind::store, "store"},
    {inst_kind::gather, "gather"},   {inst_kind::pack, "pack"},
    {inst_kind::loop, "loop"},       {inst_kind::pick, "pick"},
    {inst_kind::carry, "carry"},     {inst_kind::given, "given"},
};

/// Is it followed by an op of the table?
inline bool has_op(const inst& i) {
  return i.kind == inst_kind::compute || i.kind == inst_kind::reduce ||
         i.kind == inst_kind::scan || (i.kind == inst_kind::store && i.code != op::cast);
}

inline bool has_operand(inst_kind k) {
  return k == inst_kind::load || k == inst_kind::gather || k == inst_kind::index ||
         k == inst_kind::store;
}

/// Is it followed by the number of a carry or of a given?
inline bool has_number(inst_kind k) {
  return k == inst_kind::pick || k == inst_kind::carry || k == inst_kind::given;
}

inline dtype usual_result(const inst& i) {
  if (i.kind == inst_kind::reduce) return i.arg ? dtype::int64 : i.type;
  return i.kind == inst_kind::compute ? result_type(i.code, i.type) : i.type;
}

}  // namespace sinter::ir::detail
