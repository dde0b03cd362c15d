#pragma once
// Quotients and roots without range checks (schedule::quick).
//
// Why: an IEEE quotient is some eight instructions and a test with a branch, across which nothing
// is scheduled. With many in a row, a thread computes them as if every operand were of ordinary
// size, tracks the extremes, and tests once: if the test fails it recomputes the vector with the
// checks. The bits are those of the checked form. 50 operations with ten such, 1e8 floats: 709 us
// with tests, 467 without (H100). In a walk, a vector's values are accumulated after the test:
// forces between 8,000 points 184 us and 132.

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A quotient or a root of floats or doubles?
bool has_quick_form(const inst&);

/// How many of these a kernel computes per element; if it reduces, per reduced element.
int quick_forms(const kernel&);

/// May they go without tests? In a map whose elements can be recomputed from plain loads: no loops,
/// no gathers, no conditional or indexed stores. Or in a reduction that walks its rows once, by
/// vectors, with such elements.
bool can_be_quick(const kernel&);

/// Are there many quotients of doubles, called as one function, and as many input arrays, so that
/// memory hides the calls? A map of 38 and 49 arrays was compiled in 150 ms, so in 110; but 20
/// quotients of two arrays took 79 us, so 114 (H200).
bool calls_quotients(const kernel&);

}  // namespace sinter::ir
