#include "ir/kernel_rounds.hpp"

#include <algorithm>
#include <cstring>

#include "ir/cat.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

namespace sinter::ir {

namespace {

// Nanoseconds on an H100: a kernel of a graph, a byte that the host polls; a barrier of a cluster's
// blocks, with what they wrote in L2, or of one block's threads; a turn of few instructions.
constexpr double of_a_graph = 900, of_a_look = 8000;
constexpr double meeting_of_blocks = 700, meeting_of_threads = 120;
constexpr double one_turn = 100;

/// GPU instructions per instruction of the IR, and those of a part for which 64 registers suffice.
constexpr std::int64_t for_one = 3, light_part = 300;

/// Threads that an SM executes per cycle; cycles of an instruction that waits for the previous one.
constexpr double threads_a_cycle = 128, cycles_alone = 2.5, cycles_a_nanosecond = 1.7;

/// The time of rounds, as a part of that of single kernels, has to be less than this.
constexpr double worth = 0.85;

bool is_map(const kernel& part) { return part.reduced == 0; }

const void* pointer(std::uint64_t slot) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(slot));
}

}  // namespace

bool can_be_in_rounds(const kernel& k) {
  const schedule& s = k.schedule;
  if (s.target != target::gpu || k.rounds || !k.box.empty()) return false;
  if (!k.parts.empty()) return std::ranges::all_of(k.parts, can_be_in_rounds);
  const bool shares = turns(k) || brings_rows(k) || s.held > 0 || s.staged > 0;
  const bool alone = !shares && s.cluster == 1 && !s.packs && k.loops.empty();
  const bool waits = std::ranges::any_of(
      k.operands, [](const operand& o) { return o.role == operand_role::state; });
  return alone && !waits && s.threads % 32 == 0;
}

kernel with_threads(const kernel& k, int threads) {
  kernel fixed = k;
  if (!k.schedule.elastic) return fixed;
  fixed.schedule.elastic = false;
  fixed.schedule.threads = fixed.schedule.row_threads = threads;
  return fixed;
}

part_of_rounds part_of(const kernel& k, std::int64_t blocks, const std::uint64_t* slots) {
  const schedule& s = k.schedule;
  const auto code = std::ssize(k.body) * for_one;
  if (is_map(k)) return {&k, blocks, code * s.vector * s.unroll * s.planes};
  const auto inner = std::ranges::count(k.body, true, &inst::inner) * for_one;
  std::int64_t length = 1;
  for (int axis = 0; axis < k.reduced; ++axis) {
    length *= static_cast<std::int64_t>(slots[k.kept + axis]);
  }
  const std::int64_t lanes = s.lanes == lane_axis::kept ? s.vector : 1;
  return {&k, blocks, code + inner * lanes * (length / s.row_threads)};
}

std::int64_t turns_in_rounds(const part_of_rounds& p, rounds_shape shape) {
  const auto over = [](std::int64_t n, std::int64_t d) { return (n + d - 1) / d; };
  if (!is_map(*p.code)) return over(p.blocks, shape.blocks);
  return over(p.blocks * p.code->schedule.threads, std::int64_t{shape.threads} * shape.blocks);
}

namespace {

/// Nanoseconds of a round.
double price(std::span<const part_of_rounds> parts, std::size_t tests, rounds_shape shape) {
  const double meeting = shape.blocks > 1 ? meeting_of_blocks : meeting_of_threads;
  double all = meeting * static_cast<double>(tests);
  for (const part_of_rounds& p : parts) {
    const int threads = is_map(*p.code) ? shape.threads : p.code->schedule.threads;
    const double each = std::max(cycles_alone, threads / threads_a_cycle) / cycles_a_nanosecond;
    const double turn = one_turn + each * static_cast<double>(p.instructions);
    all += meeting + turn * static_cast<double>(turns_in_rounds(p, shape));
  }
  return all;
}

/// Enough for every reduction, and for maps as many as their registers allow.
int threads_for(std::span<const part_of_rounds> parts) {
  int threads = 128;
  for (const part_of_rounds& p : parts) {
    const int own = p.code->schedule.threads;
    const bool light = p.instructions <= light_part;
    if (!is_map(*p.code)) {
      threads = std::max(threads, own);
    } else {
      const auto all = static_cast<int>(std::min<std::int64_t>(p.blocks * own, 1024));
      threads = std::max(threads, std::min(all, light ? 1024 : 512));
    }
  }
  return (threads + 127) / 128 * 128;
}

}  // namespace

rounds_shape shape_of_rounds(std::span<const part_of_rounds> parts, std::size_t tests,
                             int most_blocks) {
  rounds_shape best;
  double least = of_a_graph * static_cast<double>(parts.size()) +
                 of_a_look * static_cast<double>(tests);
  least *= worth;
  for (const int blocks : {1, most_blocks}) {
    const rounds_shape shape{threads_for(parts), blocks};
    const double now = price(parts, tests, shape);
    if (now >= least) continue;
    least = now;
    best = shape;
  }
  return best;
}

kernel make_rounds(std::span<const part_of_rounds> parts, std::vector<int> tests,
                   rounds_shape shape) {
  kernel k;
  k.name = detail::cat("rounds_of_", parts[0].code->name);
  k.rounds = true;
  k.tests = std::move(tests);
  k.schedule.target = target::gpu;
  k.schedule.threads = shape.threads;
  k.schedule.cluster = shape.blocks;
  for (const part_of_rounds& p : parts) k.parts.push_back(*p.code);
  return k;
}

void verify_rounds(const kernel& k) {
  const std::string where = detail::cat("kernel ", k.name);
  int last = -1;
  for (const kernel& p : k.parts) {
    verify(p);
    detail::require(p.parts.empty() && can_be_in_rounds(p) && !p.schedule.elastic, "rounds-parts",
                    where, "has a part whose blocks wait for others, a shared or elastic one");
    const bool fits = is_map(p) || p.schedule.threads <= k.schedule.threads;
    detail::require(fits, "rounds-threads", where, "is narrower than a block of its parts");
  }
  for (const int t : k.tests) {
    detail::require(t > last && t < static_cast<int>(k.parts.size()), "rounds-tests", where,
                    "looks behind parts that are not there, or not in order");
    last = t;
  }
  const schedule& s = k.schedule;
  detail::require(k.body.empty() && k.operands.empty() && s.target == target::gpu, "rounds-body",
                  where, "has operands or a body of its own");
  detail::require(s.threads % 32 == 0 && s.threads > 0 && s.threads <= 1024 && s.cluster >= 1,
                  "rounds-shape", where, "has no whole warps, or no blocks");
}

void run_rounds(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
                std::int64_t block_end) {
  if (block_begin > 0 || block_end <= 0) return;
  std::vector<std::size_t> first;
  std::size_t at = 0;
  for (const kernel& p : k.parts) {
    first.push_back(at);
    at += slots_of(p).size() + 1;
  }
  const std::uint64_t* const tests = slots + at;
  const auto rounds = static_cast<std::int64_t>(tests[k.tests.size()]);
  std::uint32_t passed = 0;
  bool goes_on = true;
  for (std::int64_t r = 0; goes_on && r < rounds; ++r) {
    std::size_t test = 0;
    for (std::size_t p = 0; goes_on && p < k.parts.size(); ++p) {
      const std::uint64_t* const own = slots + first[p];
      run_kernel(k.parts[p], own, 0, static_cast<std::int64_t>(own[slots_of(k.parts[p]).size()]));
      if (test == k.tests.size() || k.tests[test] != static_cast<int>(p)) continue;
      goes_on = *static_cast<const unsigned char*>(pointer(tests[test++])) != 0;
      if (goes_on) ++passed;
    }
  }
  if (k.tests.empty()) return;
  void* const told = const_cast<void*>(pointer(tests[k.tests.size() + 1]));
  std::memcpy(told, &passed, sizeof passed);
}

}  // namespace sinter::ir
