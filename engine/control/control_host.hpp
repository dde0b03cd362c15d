#pragma once
// Loops that are not one kernel: the body is recorded in the first round and then replayed.

#include <sinter/control.hpp>

namespace sinter::detail {

/// Throws dtype_error or shape_error, naming both, unless a round returns the types and shapes it
/// was given.
void keep_carries(std::string_view op, std::span<const any_array> first,
                  std::span<const any_array> next, location where);

/// Throws shape_error unless y, emitted by a round of a scan, matches what the first round emitted.
void keep_emitted(const any_array& first, const any_array& y, location where);

/// A select, also of half types. The shapes broadcast.
any_array chosen(const any_array& pred, const any_array& yes, const any_array& no, location where);

/// carry = body(i, carry...) `count` times, i from `lo` on; `at_once` rounds at a time.
std::vector<any_array> fori_by_rounds(const any_array& lo, const any_array& count,
                                      array_function body, std::vector<any_array> first,
                                      std::int64_t at_once, location where);
/// Reads one value per round. Throws shape_error unless the condition has rank 0.
std::vector<any_array> while_by_rounds(array_function condition, array_function body,
                                       std::vector<any_array> first, location where);
/// `like`: the outputs of a round, as far as it could be traced.
std::vector<any_array> scan_by_rounds(array_function body, std::vector<any_array> first,
                                      const std::vector<any_array>& xs, std::int64_t rounds,
                                      const std::vector<any_array>& like, location where);

}  // namespace sinter::detail
