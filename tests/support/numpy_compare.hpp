#pragma once
// Compares arrays with those that NumPy wrote, and reads the arguments of a call.

#include <functional>
#include <map>
#include <string>

#include <sinter/arguments.hpp>
#include <sinter/visit.hpp>

#include "tests/support/numpy_oracle.hpp"

namespace sinter::test {

using arrays = std::vector<any_array>;
/// A function of the library, applied to the inputs of a line.
using oracle_call = std::function<arrays(const arrays&, const oracle_line&)>;

/// f of the array, typed by its dtype; results as a list.
template <class F> arrays typed(const any_array& x, const F& f) {
  return visit(x, [&](const auto& a) -> arrays { return f(a); });
}
template <class T> arrays untyped(const std::vector<T>& x) {
  return {x.begin(), x.end()};
}

std::vector<std::int64_t> integers_of(const std::string& text);
/// The option "axis" (or "axes"): if absent, all; "none" is an empty list.
axis_list axes_of(const oracle_line& line);
dtype type_named(const std::string& text);

/// x(items) for items such as "2|1:5:-1|n|e": integers, slices, newaxis and ellipsis.
any_array indexed(const any_array& x, const std::string& items);

/// The arrays of a folder, each read once. "3.npy@1.0@::2|1:" is a view of one: its axes in that
/// order, then that index; tests/numpy/layouts.py stores arrays like this.
class oracle_arrays {
 public:
  explicit oracle_arrays(std::filesystem::path folder) : folder_(std::move(folder)) {}
  any_array operator[](const std::string& name);
  arrays list(const std::string& names);  // separated by commas

 private:
  std::filesystem::path folder_;
  std::map<std::string, any_array> views_;
};

/// How `got` differs: dtype, shape or elements; "" if it does not. Elements of inexact types may
/// differ by some ulp of themselves or of 1, unless `exact`.
std::string difference(const any_array& got, const any_array& expected, bool exact);

/// Runs every line of <script's folder>/<group>/calls.txt and compares the results of `run`. Lines
/// are evaluated in batches, or one by one if that throws. Fails below `at_least` lines.
void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_call& run);

/// The same with a function per first word of a line; every function must be used.
/// tests/numpy_compared.py reads these tables: a row's name is the public function's, followed,
/// after a colon, by what distinguishes it from other rows of that function.
using oracle_table = std::map<std::string, oracle_call>;
void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_table& rows);

}  // namespace sinter::test
