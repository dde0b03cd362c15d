#pragma once
// Comparing arrays with those that NumPy wrote, and reading the arguments of a call.

#include <functional>
#include <map>
#include <string>

#include <sinter/arguments.hpp>

#include "tests/support/numpy_oracle.hpp"

namespace sinter::test {

using arrays = std::vector<any_array>;
/// One function of the library on the inputs of a line.
using oracle_call = std::function<arrays(const arrays&, const oracle_line&)>;

std::vector<std::int64_t> integers_of(const std::string& text);
/// The option "axis" (or "axes"): absent is all, "none" an empty list.
axis_list axes_of(const oracle_line& line);

/// What is wrong with `got`: dtype, shape or elements; "" if nothing is. Elements of inexact types
/// may differ by some ulp of themselves or of 1 unless `exact`.
std::string difference(const any_array& got, const any_array& expected, bool exact);

/// Runs every line of <script's folder>/<group>/calls.txt and compares what `run` gives; every
/// second input is a view with other strides. Fails below `at_least` lines.
void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_call& run);

/// The same with a function for each first word of a line.
using oracle_table = std::map<std::string, oracle_call>;
void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_table& rows);

}  // namespace sinter::test
