#pragma once
// Kernels with loops, as text shared by all code generators.

#include <string>

#include "ir/kernel.hpp"

namespace sinter::tests {

/// Each element grows until it is large or has had 40 rounds. Results: the value, the number of
/// rounds, and two carries that swap on the way. NaN and infinities stop at once.
inline std::string growing(const std::string& head) {
  return head + R"(in0 = input float32 [one]
out0 = output float32 [one]
out1 = output int64 [one]
out2 = output int32 [one]
s0 = scalar float32
loop0 = carries [float32, int64, int32, int32] givens [float32, float32]
v0 = carry float32 0
v1 = carry int64 1
v2 = carry int32 2
v3 = carry int32 3
v4 = carry int64 4
v5 = given float32 0
v6 = abs float32 v0
v7 = less float32 v6 v5
v8 = constant int64 40
v9 = less int64 v4 v8
v10 = logical_and bool v7 v9
v11 = given float32 1
v12 = multiply float32 v0 v11
v13 = constant float32 0.25
v14 = add float32 v12 v13
v15 = constant int64 1
v16 = add int64 v1 v15
while v10 next v14, v16, v3, v2
v0 = load float32 in0
v1 = constant int64 0
v2 = constant int32 5
v3 = constant int32 7
v4 = constant float32 1000000
v5 = scalar float32 s0
v6 = pack bool none v0 v1
v7 = pack bool v6 v2 v3
v8 = pack bool v7 v4 v5
v9 = loop bool loop0 v8
v10 = pick float32 0 v9
v11 = pick int64 1 v9
v12 = pick int32 2 v9
v13 = store float32 out0 v10
v14 = store int64 out1 v11
v15 = store int32 out2 v12
)";
}

/// As many rounds as are passed, with the condition also used as a value.
inline std::string counted_twice(const std::string& head) {
  return head + R"(in0 = input float32 [one]
out0 = output float32 [one]
s0 = scalar int64
loop0 = carries [float32] givens [int64]
v0 = carry float32 0
v1 = carry int64 1
v2 = given int64 0
v3 = less int64 v1 v2
v4 = logical_not bool v3
v5 = cast bool -> float32 v4
v6 = constant float32 0.5
v7 = add float32 v5 v6
v8 = multiply float32 v0 v7
while v3 next v8
v0 = load float32 in0
v1 = scalar int64 s0
v2 = pack bool none v0 v1
v3 = loop bool loop0 v2
v4 = pick float32 0 v3
v5 = store float32 out0 v4
)";
}

/// As many rounds as are passed, for all elements.
inline std::string counted(const std::string& head) {
  return head + R"(in0 = input float32 [one]
out0 = output float32 [one]
s0 = scalar int64
s1 = scalar float32
loop0 = carries [float32] givens [int64, float32]
v0 = carry float32 0
v1 = carry int64 1
v2 = given int64 0
v3 = less int64 v1 v2
v4 = given float32 1
v5 = multiply float32 v4 v0
v6 = constant float32 1
v7 = subtract float32 v6 v0
v8 = multiply float32 v5 v7
while v3 next v8
v0 = load float32 in0
v1 = scalar int64 s0
v2 = scalar float32 s1
v3 = pack bool none v0 v1
v4 = pack bool v3 v2
v5 = loop bool loop0 v4
v6 = pick float32 0 v5
v7 = store float32 out0 v6
)";
}

/// A while loop inside a counted one, as the flat loop made of it: its carries are the outer loop's
/// carries, its round, the round of the inner loop, and that loop's carries.
inline std::string nested(const std::string& head) {
  return head + R"(in0 = input float32 [one]
out0 = output float32 [one]
out1 = output int64 [one]
s0 = scalar int64
loop0 = carries [float32, int64, int64, float32] givens [int64]
v0 = carry float32 0
v1 = carry int64 1
v2 = carry int64 2
v3 = carry float32 3
v4 = constant int64 0
v5 = equal int64 v2 v4
v6 = logical_not bool v5
v7 = given int64 0
v8 = less int64 v1 v7
v9 = logical_or bool v6 v8
v10 = where float32 v5 v0 v3
v11 = abs float32 v10
v12 = constant float32 8
v13 = less float32 v11 v12
v14 = constant float32 1.5
v15 = multiply float32 v11 v14
v16 = constant float32 0.5
v17 = add float32 v15 v16
v18 = where float32 v13 v17 v10
v19 = constant float32 0.125
v20 = multiply float32 v10 v19
v21 = where float32 v13 v0 v20
v22 = constant int64 1
v23 = add int64 v1 v22
v24 = where int64 v13 v1 v23
v25 = add int64 v2 v22
v26 = where int64 v13 v25 v4
while v9 next v21, v24, v26, v18
v0 = load float32 in0
v1 = constant int64 0
v2 = constant float32 0
v3 = scalar int64 s0
v4 = pack bool none v0 v1
v5 = pack bool v4 v1 v2
v6 = pack bool v5 v3
v7 = loop bool loop0 v6
v8 = pick float32 0 v7
v9 = pick int64 1 v7
v10 = store float32 out0 v8
v11 = store int64 out1 v9
)";
}

/// Reads an element per round and accumulates it; element i starts at 7 i, and the last element, of
/// 53, has one round. Loops only where the condition holds.
inline std::string walking(const std::string& head) {
  return head + R"(ix0 = index int64 [one]
in0 = input float32 [any]
in1 = input float32 [one]
out0 = output float32 [any]
out1 = output float32 [one]
loop0 = carries [float32] givens [int64]
v0 = carry float32 0
v1 = carry int64 1
v2 = given int64 0
v3 = less int64 v1 v2
v4 = gather float32 in0 v1
v5 = constant float32 0.5
v6 = multiply float32 v0 v5
v7 = add float32 v6 v4
v8 = store float32 out0 v7 none v1
while v3 next v7
v0 = load float32 in1
v1 = index int64 ix0
v2 = constant int64 52
v3 = equal int64 v1 v2
v4 = constant int64 1
v5 = constant int64 7
v6 = where int64 v3 v4 v5
v7 = constant float32 0
v8 = less_equal float32 v7 v0
v9 = pack bool none v0 v6
v10 = loop bool loop0 v9 v8
v11 = pick float32 0 v10
v12 = store float32 out1 v11
)";
}

/// The sum over rows of a loop's result.
inline std::string in_rows(const std::string& head) {
  return head + R"(in0 = input int32 [any, one]
out0 = output int32 [any, zero]
s0 = scalar int64
loop0 = carries [int32] givens [int64]
v0 = carry int32 0
v1 = carry int64 1
v2 = given int64 0
v3 = less int64 v1 v2
v4 = constant int32 3
v5 = multiply int32 v0 v4
v6 = constant int32 1
v7 = add int32 v5 v6
while v3 next v7
v0 = each load int32 in0
v1 = scalar int64 s0
v2 = each pack bool none v0 v1
v3 = each loop bool loop0 v2
v4 = each pick int32 0 v3
v5 = reduce add int32 v4
v6 = store int32 out0 v5
)";
}

inline ir::kernel loop_kernel(std::string (*text)(const std::string&), const std::string& target,
                              const std::string& schedule, int reduced = 0) {
  return ir::parse_kernel(text("kernel test\ntarget " + target + ", kept 1, reduced " +
                               std::to_string(reduced) + "\nschedule " + schedule + "\n"));
}

}  // namespace sinter::tests
