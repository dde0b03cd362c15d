#pragma once
// Loops of few rounds inside of a function that is recorded, as statements of it.
//
// Why: a loop that is not one kernel is a plan a round, and what runs it can be no part of another
// recording: a function around it is called every time, its body is recorded anew, and the first
// rounds are played one by one. Written out the rounds are in the function's own plan, and all of
// it is replayed: 25 rounds of two kernels took the host 210 us a call, and take 3.5.

#include <sinter/control.hpp>

#include "engine/control/traced_loop.hpp"

namespace sinter::detail {

/// Is a function recorded, and are so many rounds of what a body gave on stand-ins few statements?
bool is_written_out(const traced_loop&, std::int64_t rounds);

/// carry = body(i, carry...) for i from lo on, recorded `rounds` times. REQUIRES: is_written_out.
std::vector<any_array> fori_written_out(std::int64_t lo, std::int64_t rounds, array_function body,
                                        std::vector<any_array> first, location where);

/// {carry, y} = body(carry, slice k of xs) for every slice; what the carries come to, then what the
/// rounds kept, of shape [rounds, ...]. REQUIRES: is_written_out.
std::vector<any_array> scan_written_out(array_function body, std::vector<any_array> first,
                                        const std::vector<any_array>& xs, std::int64_t rounds,
                                        location where);

}  // namespace sinter::detail
