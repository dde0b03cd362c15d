#pragma once
// Unrolls loops of few rounds inside a function that is being recorded.
//
// Why: a loop that is not one kernel is a plan per round, and cannot be part of another recording:
// a function around it is called every time, its body is recorded again, and the first rounds are
// played one by one. Unrolled, the rounds are in the function's own plan, which is replayed as a
// whole: 25 rounds of two kernels took the host 210 us per call, and take 3.5.

#include <sinter/control.hpp>

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// Is a function being recorded, and are this many rounds of the traced body few statements?
bool is_written_out(const traced_loop&, std::int64_t rounds);

/// carry = body(i, carry...) for i from lo on, recorded `rounds` times. REQUIRES: is_written_out.
std::vector<any_array> fori_written_out(std::int64_t lo, std::int64_t rounds, array_function body,
                                        std::vector<any_array> first, location where);

/// {carry, y} = body(carry, slice k of xs) for every slice; the final carries, then what the rounds
/// emitted, of shape [rounds, ...]. REQUIRES: is_written_out.
std::vector<any_array> scan_written_out(array_function body, std::vector<any_array> first,
                                        const std::vector<any_array>& xs, std::int64_t rounds,
                                        location where);

}  // namespace sinter::detail
