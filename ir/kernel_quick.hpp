#pragma once
// Quotients and roots that go without their tests (schedule::quick).
//
// Why: an IEEE quotient is some eight instructions and a test with a branch, which no other
// instruction crosses. Where many stand in a row, a thread computes all of them as if every operand
// were of ordinary size, notes the least of what has to be, and asks once: if it was not, it
// computes the vector again, with the tests. Bits are those of the tests' way. 50 operations with
// ten such, 1e8 floats: 709 us with tests, 467 without (H100). What a walk's vector gives is taken
// in after that: forces between 8,000 points 184 us and 132.

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A quotient or a root of floats or doubles?
bool has_quick_form(const inst&);

/// How many of these a kernel computes an element, of what is reduced if it reduces.
int quick_forms(const kernel&);

/// May they go without tests? A map whose elements are computed again by what was loaded and
/// nothing else: no loops, no reads from elsewhere, no stores that act alone. Or a reduction that
/// walks its rows once, by vectors, with such elements.
bool can_be_quick(const kernel&);

/// Are quotients of doubles so many that they are calls of one function, and arrays that are read
/// as many, so that memory hides the calls? A map of 38 and 49 arrays was compiled in 150 ms, so in
/// 110; but 20 quotients of two arrays took 79 us, so 114 (H200).
bool calls_quotients(const kernel&);

}  // namespace sinter::ir
