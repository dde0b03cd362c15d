// Which short axes of a body are unrolled: share_axis and deal_axis.

#include <algorithm>

#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {

namespace {

/// Sharing an axis must leave at most so much of the work, in percent, and save at least so much: a
/// kernel that waits for memory has time to compute. Sharing a second one, along which lanes could
/// go as well, must leave less: little but the stores of joins.
constexpr std::int64_t most_left = 75, most_left_by_two = 40, least_saved = 32;

/// The short axes of which two are tried together, counted from the last. A state of 14 axes of 2
/// has 91 pairs, for each of which the whole body was written: a plan of 8 s.
constexpr std::size_t most_paired = 4;

/// The most places of an axis that is dealt out, and the fewest points of the axis that lanes then
/// go along, and elements: each number of places is a kernel.
constexpr std::int64_t most_dealt_places = 8, least_lanes = 32, least_dealt = 1 << 13;

/// Elements that are worth a kernel for each number of places. `x * rsqrt(g)(_, newaxis, newaxis)`
/// of 2 x 16 x 8 x 8 was unrolled 64 times, and compiled for 1.1 s.
constexpr std::int64_t least_written = 1 << 11;

/// The fewest bytes of a row that is read as a vector.
constexpr std::int64_t least_row_bytes = 16;

/// In one array, are the places along `axis` adjacent, followed by those along `lanes`, and in
/// another one those along `lanes` adjacent?
bool is_interleaved(const body& b, const shape_t& domain, std::size_t axis, std::size_t lanes) {
  bool within = false, apart = false;
  for (const body_operand& o : b.operands) {
    const bool array = o.role == operand_role::input || o.role == operand_role::output;
    if (!array || o.gathered || !o.at.affine()) continue;
    const extent along = o.at.stride(axis), step = o.at.stride(lanes);
    const bool back = o.role == operand_role::input && step == extent(0) - domain[axis];
    within = within || (along == 1 && (step == domain[axis] || back));
    apart = apart || (along != 1 && along != 0 && (step == 1 || step == extent(-1)));
  }
  return within && apart;
}

/// Are outputs of few bytes stored with adjacent places along `axis`, and some input not read so?
/// Then a separate store writes one element.
bool is_pixels(const body& b, const shape_t& domain, std::size_t axis, std::size_t lanes) {
  bool stores = false, reads_otherwise = false;
  for (const body_operand& o : b.operands) {
    const bool input = o.role == operand_role::input;
    if ((!input && o.role != operand_role::output) || !o.at.affine()) continue;
    const bool alike = o.at.stride(axis) == 1 && o.at.stride(lanes) == domain[axis];
    if (input) reads_otherwise = reads_otherwise || !alike;
    else stores = stores || (alike && size_of(o.type) <= 2);
  }
  return stores && reads_otherwise;
}

/// Per instruction: does its value differ along the axis?
std::vector<bool> along(const body& b, std::size_t axis) {
  return differing(b.code, [&](std::size_t o) { return b.operands[o].at.stride(axis) != 0; });
}

/// Are rows gathered that are contiguous along the axis, and stored in order? Lanes along it share
/// the index too, and memory is written in order: two million rows of 16 floats out of half a
/// million took 410 us unrolled, 90 along them (H100; JAX 108), 40,000 of 5,000 210 and 110 (two
/// cores of an EPYC).
bool picks_rows(const body& b, std::size_t axis, const extent& length) {
  const auto wide = [&](const body_operand& o) {
    return o.at.affine() && o.at.stride(axis) == 1 &&
           length * static_cast<std::int64_t>(size_of(o.type)) >= least_row_bytes;
  };
  const auto stores = [&](const body_operand& o) {
    return o.role == operand_role::output && !o.gathered && wide(o);
  };
  if (std::ranges::none_of(b.operands, stores)) return false;
  const std::vector<bool> apart = along(b, axis);
  return std::ranges::any_of(b.code, [&](const inst& i) {
    return i.kind == inst_kind::gather && i.args[0] >= 0 &&
           wide(b.operands[static_cast<std::size_t>(i.which)]) &&
           !apart[static_cast<std::size_t>(i.args[0])];
  });
}

/// Do its reductions give the same result in any order?
bool in_any_order(const body& b) {
  return std::ranges::all_of(b.code, [](const inst& i) {
    if (i.kind != inst_kind::reduce) return true;
    const bool rounds = is_inexact(i.type) && (i.code == op::add || i.code == op::multiply);
    return !i.arg && !rounds;
  });
}

/// Do all operands walk this axis and an adjacent one as one, so that it is not short?
bool is_part_of_longer(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
                       std::size_t axis) {
  const auto merges = [&](std::size_t first) {
    if (reduced[first] != reduced[first + 1]) return false;
    if (domain[first] * domain[first + 1] <= most_shared_places) return false;
    return std::ranges::all_of(b.operands, [&](const body_operand& o) {
      return o.at.affine() && o.at.stride(first) == o.at.stride(first + 1) * domain[first + 1];
    });
  };
  return (axis > 0 && merges(axis - 1)) || (axis + 1 < domain.size() && merges(axis));
}

bool is_short(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
              std::size_t axis) {
  return domain[axis] >= 2 && domain[axis] <= most_shared_places &&
         !is_part_of_longer(b, domain, reduced, axis);
}

/// The last short ones among the first `axes`, ascending.
std::vector<std::size_t> last_short(const body& b, const shape_t& domain,
                                    const std::vector<bool>& reduced, std::size_t axes) {
  std::vector<std::size_t> out;
  for (std::size_t axis = axes; axis-- > 0 && out.size() < most_paired;) {
    if (is_short(b, domain, reduced, axis)) out.insert(out.begin(), axis);
  }
  return out;
}

/// The cost of one place of a body, without what all places share. A CPU's lanes go along the last
/// axis: a value that does not differ along it, if it is long, is computed once per row.
std::int64_t cost_of_place(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
                           target on) {
  const std::size_t last = domain.size() - 1;
  const bool by_row = on == target::cpu && (domain[last] > most_shared_places ||
                                            is_part_of_longer(b, domain, reduced, last));
  std::vector<bool> moves(b.code.size());
  for (std::size_t axis = by_row ? last : 0; axis <= last; ++axis) {
    const std::vector<bool> here = along(b, axis);
    for (std::size_t i = 0; i < here.size(); ++i) moves[i] = moves[i] || here[i];
  }
  std::int64_t still = 0;
  for (std::size_t i = 0; i < b.code.size(); ++i) {
    const bool computes = b.code[i].kind == inst_kind::compute;
    if (computes && !moves[i]) still += info(b.code[i].code).cost;
  }
  return cost_of(b) - still;
}

/// The body with all places of the axes, if that leaves at most `left` percent of the work.
std::optional<unrolled> shared(const body& b, const shape_t& domain,
                               const std::vector<bool>& reduced,
                               std::span<const std::size_t> axes, std::int64_t left,
                               target on) {
  std::int64_t places = 1;
  const auto walked = std::ranges::count_if(axes, [&](std::size_t a) { return reduced[a]; });
  if (walked > 0 && (std::ranges::count(reduced, true) > walked || !in_any_order(b))) return {};
  for (const std::size_t axis : axes) {
    if (!is_short(b, domain, reduced, axis)) return {};
    places *= domain[axis];
  }
  const std::int64_t alone = cost_of_place(b, domain, reduced, on), before = alone * places;
  if (places > most_shared_places || before - alone < least_saved) return {};
  auto u = unroll_axes(b, domain, reduced, axes);
  if (u && (100 * u->cost > left * before || before - u->cost < least_saved)) return {};
  return u;
}

bool is_conditional_read(const inst& i) {
  return i.kind == inst_kind::gather && i.args[0] < 0 && i.args[1] >= 0;
}

/// Do the conditions of most reads along a CPU's last axis only choose which of a join's pieces a
/// place is of? Written out each place has its own, and no more reads are left with a condition
/// than there were. Eight images, each rolled along two axes, stacked along a last axis: 9.4 ms by
/// lanes along it, 0.45 written out (480 x 640 floats, two cores of an EPYC).
std::optional<unrolled> share_joined_rows(const body& b, const shape_t& domain,
                                          const std::vector<bool>& reduced) {
  const std::size_t last = domain.size() - 1;
  auto u = shared(b, domain, reduced, {&last, 1}, most_left, target::cpu);
  if (!u) return std::nullopt;
  const auto before = std::ranges::count_if(b.code, is_conditional_read);
  const auto after = std::ranges::count_if(u->whole.code, is_conditional_read);
  return after <= before ? std::move(u) : std::nullopt;
}

}  // namespace

std::optional<unrolled> share_axis(const body& b, const shape_t& domain,
                                   const std::vector<bool>& reduced, target on) {
  if (size_of(domain) < least_written) return std::nullopt;
  const bool along = on == target::cpu && !reduced.back() && reads_under_conditions(b) &&
                     domain.back() >= least_walked_row;
  if (along) {
    if (auto u = share_joined_rows(b, domain, reduced)) return u;
  }
  const std::size_t axes = domain.size() - (along ? 1 : 0);
  for (std::size_t axis = axes; axis-- > 0;) {
    if (picks_rows(b, axis, domain[axis])) continue;
    auto u = shared(b, domain, reduced, {&axis, 1}, most_left, on);
    if (!u) continue;
    for (std::size_t other = u->domain.size(); other-- > 0;) {
      if (picks_rows(u->whole, other, u->domain[other])) continue;
      auto both = shared(u->whole, u->domain, u->reduced, {&other, 1}, most_left_by_two, on);
      if (both) return both;
    }
    return u;
  }
  const std::vector<std::size_t> pairs = last_short(b, domain, reduced, axes);
  for (std::size_t second = 1; second < pairs.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const std::size_t both[] = {pairs[first], pairs[second]};
      if (auto u = shared(b, domain, reduced, both, most_left_by_two, on)) return u;
    }
  }
  return std::nullopt;
}

bool reads_under_conditions(const body& b) {
  return std::ranges::any_of(b.code, is_conditional_read);
}

std::optional<unrolled> part_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced) {
  if (!reads_under_conditions(b)) return std::nullopt;
  for (std::size_t axis = domain.size(); axis-- > 0;) {
    if (!(domain[axis] >= 2 && domain[axis] <= most_shared_places)) continue;
    if (picks_rows(b, axis, domain[axis])) continue;
    auto u = unroll_axes(b, domain, reduced, {&axis, 1});
    if (u && !reads_under_conditions(u->whole)) return u;
  }
  return std::nullopt;
}

std::optional<unrolled> part_sum(const body& b, const shape_t& domain,
                                 const std::vector<bool>& reduced) {
  if (std::ranges::count(reduced, true) < 2 || !reads_under_conditions(b)) return std::nullopt;
  for (std::size_t axis = domain.size(); axis-- > 0;) {
    if (!reduced[axis] || !(domain[axis] >= 2 && domain[axis] <= most_shared_places)) continue;
    const bool stores = std::ranges::any_of(b.operands, [&](const body_operand& o) {
      return o.role == operand_role::output && o.at.stride(axis) != 0;
    });
    if (stores) continue;
    auto u = unroll_axes(b, domain, reduced, {&axis, 1});
    if (u && !reads_under_conditions(u->whole)) return u;
  }
  return std::nullopt;
}

std::optional<unrolled> deal_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced, target on) {
  if (domain.size() < 2 || std::ranges::find(reduced, true) != reduced.end()) return std::nullopt;
  if (size_of(domain) < least_dealt) return std::nullopt;
  for (const std::size_t axis : {domain.size() - 1, domain.size() - 2, domain.size() - 3}) {
    if (axis >= domain.size()) break;
    const std::size_t lanes = domain.size() - (axis + 1 == domain.size() ? 2 : 1);
    if (!(domain[axis] >= 2 && domain[axis] <= most_dealt_places)) continue;
    const bool last = axis + 1 == domain.size();
    const bool dealt = is_interleaved(b, domain, axis, lanes) ||
                       (last && is_pixels(b, domain, axis, lanes));
    if (domain[lanes] < least_lanes || !dealt) continue;
    if (on == target::gpu && picks_rows(b, axis, domain[axis])) continue;
    if (auto u = unroll_axes(b, domain, reduced, {&axis, 1})) return u;
  }
  return std::nullopt;
}

}  // namespace sinter::ir
