// What a schedule may ask for, and for which operands.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "ir/kernel_quick.hpp"
#include "ir/kernel_verifier.hpp"

namespace sinter::ir::detail {
namespace {

bool is_power_of_two(int n) {
  return n > 0 && std::has_single_bit(static_cast<unsigned>(n));
}

}  // namespace

void kernel_verifier::schedule_rules() const {
  const schedule& s = k_.schedule;
  kernel_rule(is_power_of_two(s.vector) && s.unroll >= 1, "schedule-lanes",
              "vector is a power of two, unroll at least 1");
  kernel_rule(k_.reduced > 0 || (!s.split && s.lanes == lane_axis::kept), "schedule-map",
              "a map has kept lanes and no splits");
  kernel_rule(k_.reduced > 0 ? s.rows >= 1 : s.tile >= 1, "schedule-block",
              "a block of a map has a tile, a block of a reduction has rows");
  resident_rules();
  kernel_rule(!s.packs || (s.target == target::gpu && s.split && s.vector * s.unroll <= 32 &&
                           packed_store(k_) >= 0),
              "schedule-packs", "what a chained scan of a GPU counts is packed, 32 a thread");
  const bool along = s.target == target::gpu || s.lanes == lane_axis::reduced;
  const bool pieces = k_.reduced == 0 || (along && scan_count(k_) == 0);
  kernel_rule(!s.pieces || (pieces && k_.loops.empty() && s.abreast == 0), "schedule-pieces",
              "maps, and reductions along rows, without loops and scans are walked in pieces");
  kernel_rule(!s.quick || (can_be_quick(k_) && quick_forms(k_) > 0), "schedule-quick",
              "a GPU's map of loads and quotients or roots goes without their tests");
  abreast_rules();
  whole_row_rules();
  held_rules();
  brought_rules();
  staged_rules();
  flat_rules();
  if (s.target == target::gpu) block_rules();
}

/// Rows of a GPU reduction that stay in registers, and clusters of blocks that share one.
void kernel_verifier::resident_rules() const {
  const schedule& s = k_.schedule;
  const bool whole_rows = s.target == target::gpu && k_.reduced > 0 &&
                          s.lanes == lane_axis::reduced && !s.split;
  kernel_rule(!s.resident || whole_rows, "schedule-resident",
              "only whole rows of a GPU reduction, with lanes along them, stay in registers");
  kernel_rule(!s.elastic || (s.resident && k_.reduced == 1 && s.row_threads == s.threads &&
                             s.threads % 32 == 0),
              "schedule-elastic", "only the threads of resident rows, a block each, are elastic");
  kernel_rule(s.filled >= 0 && s.filled <= (s.resident && k_.reduced == 1 ? s.unroll : 0),
              "schedule-filled", "at most all vectors of resident rows of one axis are filled");
  kernel_rule(s.cluster == 1 || (is_power_of_two(s.cluster) && s.cluster <= 32 && whole_rows &&
                                 s.rows == 1 && s.row_threads == s.threads && scan_count(k_) == 0),
              "schedule-cluster",
              "a power of two of whole blocks shares a row of a GPU reduction without scans");
  kernel_rule(s.ahead == 0 || (s.ahead > 0 && s.resident && k_.kept == 1 && k_.reduced == 1),
              "schedule-ahead", "only resident rows, one kept axis of them, are prefetched");
}

/// The threads of a GPU's block, and what they do.
void kernel_verifier::block_rules() const {
  const schedule& s = k_.schedule;
  kernel_rule(s.threads >= 1 && s.threads <= 1024, "schedule-threads", "1 to 1024 threads");
  kernel_rule(s.crowd >= 0 && s.crowd * s.threads <= 2048, "schedule-threads",
              "2048 threads fit on a multiprocessor");
  if (k_.reduced == 0) {
    const std::int64_t one = std::int64_t{s.threads} * s.vector * s.unroll;
    kernel_rule(s.held > 0 ? s.tile > 0 && s.tile % one == 0 : s.tile == one, "schedule-tile",
                "the tile of a map is threads x vector x unroll");
    kernel_rule(s.tile_rows == 0 || s.tile == std::int64_t{s.tile_rows} * s.tile_columns,
                "schedule-tile", "the tile of a map is its rows x columns");
  } else {
    const bool whole = s.resident && s.row_threads == s.threads && s.threads % 32 == 0;
    kernel_rule(whole || (is_power_of_two(s.row_threads) && s.threads % s.row_threads == 0),
                "schedule-rows",
                "row_threads is a power of two that divides threads, or all of the block's, whole "
                "warps, if rows are resident");
  }
}

void kernel_verifier::whole_row_rules() const {
  const schedule& s = k_.schedule;
  if (s.whole_row == 0) return;
  kernel_rule(s.target == target::cpu && k_.reduced == 0 && k_.kept >= 2 && k_.loops.empty() &&
                  !s.flat && !s.pieces && s.unroll == 1,
              "schedule-whole-row",
              "whole rows are of a CPU's map of two axes or more, in no pieces");
  kernel_rule(s.whole_row > s.vector / 2 && s.whole_row <= s.vector, "schedule-whole-row",
              "a whole row is a vector, or more than half of one");
  kernel_rule(s.tile == whole_domain || s.tile % s.whole_row == 0, "schedule-whole-row",
              "a tile is whole rows");
}

void kernel_verifier::abreast_rules() const {
  const schedule& s = k_.schedule;
  if (s.abreast == 0) return;
  kernel_rule(s.target == target::cpu && k_.reduced == 1 && s.lanes == lane_axis::reduced &&
                  !s.split && s.vector >= 2 && s.unroll == 1 && s.abreast > 0 &&
                  s.abreast % s.vector == 0,
              "schedule-abreast", "rows of whole vectors of a CPU, lanes along them, are abreast");
  for (const inst& i : k_.body) {
    kernel_rule(can_be_abreast(k_, i), "schedule-abreast",
                "rows that are abreast are read and written where they lie");
  }
}

void kernel_verifier::staged_rules() const {
  const schedule& s = k_.schedule;
  if (s.staged == 0) return;
  const bool rows = s.target == target::gpu && k_.kept == 1 && k_.reduced == 1 && !s.split &&
                    s.lanes == lane_axis::reduced;
  kernel_rule(rows && s.staged > 0 && s.row_threads == 1 && s.vector == 1 &&
                  s.unroll == s.staged && s.cluster == 1,
              "schedule-staged", "staged are whole rows of a GPU, a thread and an axis each");
  for (const inst& i : k_.body) {
    const bool apart = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
    kernel_rule(!apart && i.kind != inst_kind::gather, "schedule-staged",
                "what is staged is read and written where it lies");
  }
}

void kernel_verifier::flat_rules() const {
  const schedule& s = k_.schedule;
  kernel_rule(s.row_lanes == 0 || (s.flat && s.row_lanes > 0 && s.vector % s.row_lanes == 0),
              "schedule-row-lanes", "so many lanes divide the vectors of a flat map");
  if (!s.flat) return;
  const bool row_by_row = s.target == target::gpu || (s.row_lanes == 1 && s.unroll == 1);
  kernel_rule(row_by_row && k_.reduced == 0 && k_.kept >= 2 && s.vector > 1 && s.tile_rows == 0 &&
                  !s.pieces && s.held == 0 && k_.loops.empty(),
              "schedule-flat", "flat are maps by vectors, without tiles, pieces and loops; a CPU's "
                               "by single ones, of which each meets the end of one row at most");
  for (const inst& i : k_.body) {
    const bool apart = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
    kernel_rule(!apart && i.kind != inst_kind::gather, "schedule-flat",
                "a flat map reads and writes where its elements are");
  }
}

void kernel_verifier::held_rules() const {
  const schedule& s = k_.schedule;
  if (s.held == 0) return;
  const bool plain = s.target == target::gpu && k_.reduced == 0 && s.tile_rows == 0;
  kernel_rule(s.held > 0 && plain, "schedule-held",
              "only maps of a GPU, without tiles, hold places");
  bool any = false;
  for (const inst& i : k_.body) {
    if (!combines(i)) continue;
    any = true;
    kernel_rule(can_be_held(i) && !is_complex(k_.operands[static_cast<std::size_t>(i.which)].type),
                "schedule-held",
                "held are sums and extrema of integers, and extrema of floats, of 4 or 8 bytes");
  }
  kernel_rule(any, "schedule-held", "nothing is combined at places");
}

void kernel_verifier::tile_rules() const {
  const schedule& s = k_.schedule;
  const bool tiles = s.tile_rows != 0 || s.tile_columns != 0;
  const bool gpu_map = s.target == target::gpu && k_.reduced == 0;
  kernel_rule(!tiles || (gpu_map && is_power_of_two(s.tile_rows) &&
                         is_power_of_two(s.tile_columns) && s.tile_columns >= s.vector),
              "schedule-tile", "a tile is of a GPU map, its sides are powers of two");
  kernel_rule(is_power_of_two(s.turn_vector) &&
                  (!turns(k_) || (tiles && k_.kept >= 2 && s.tile_rows >= s.turn_vector)),
              "schedule-turn", "turned operands need a tile of two axes, as high as a vector");
  kernel_rule(s.planes == 1 || (s.planes > 1 && tiles && k_.kept >= 3 && !turns(k_)),
              "schedule-planes", "planes are of tiles in three axes, of which none is turned");
  kernel_rule(s.early < (s.lead < 0 ? 0 : s.vector), "schedule-early",
              "vectors begin less than a vector before the row of a lead");
  if (s.lead < 0) return;
  const bool known = static_cast<std::size_t>(s.lead) < k_.operands.size();
  const bool rows = s.resident && k_.reduced == 1 && s.filled > 0 && s.filled < s.unroll;
  kernel_rule(known && ((tiles && !turns(k_)) || rows) &&
                  lies_along(s.lead, k_.kept + k_.reduced - 1),
              "schedule-lead",
              "the lead of a tile, or of a row in registers, is an array with step one along the "
              "last axis");
  if (rows) lead_of_rows_rules();
}

/// Lanes before a row compute with the memory beside it: there has to be some, and they must store
/// nothing.
void kernel_verifier::lead_of_rows_rules() const {
  for (const operand& o : k_.operands) {
    const bool near = o.role == operand_role::index || o.access.steps.back() != step::any;
    kernel_rule(near && o.access.unravel == 0 && o.apart == 0, "schedule-lead",
                "what rows with a lead read and write lies along them");
  }
  for (const inst& i : k_.body) {
    const bool apart = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
    kernel_rule(!apart && i.kind != inst_kind::gather && i.kind != inst_kind::loop,
                "schedule-lead", "rows with a lead are read and written where they lie");
  }
}

bool kernel_verifier::lies_along(int which, int axis) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  return o.role != operand_role::index && o.access.unravel == 0 &&
         o.access.steps[static_cast<std::size_t>(axis)] == step::one;
}

void kernel_verifier::turn_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  if (o.apart == 0) return beside_rules(which);
  const schedule& s = k_.schedule;
  const int lane = (s.lanes == lane_axis::kept ? k_.kept : k_.kept + k_.reduced) - 1;
  const bool flat = k_.reduced == 0 && s.tile_rows == 0 && s.vector > 1;
  const bool walk = k_.reduced == 1 && s.lanes == lane_axis::reduced && s.vector > 1 &&
                    o.role == operand_role::input;
  kernel_rule((s.target == target::cpu || flat || walk || brings_rows(k_)) &&
                  !is_complex(o.type) &&
                  (o.role == operand_role::input || o.role == operand_role::output) &&
                  o.access.unravel == 0 && o.apart >= 2 && o.apart <= most_apart &&
                  o.access.steps[static_cast<std::size_t>(lane)] == step::any,
              "apart", "real arrays whose elements are apart along the lanes of a map or a walk");
  kernel_rule(o.base >= 0 && o.base <= which && (o.base < which || o.turn == 0), "turn-base",
              "operands take turns with one before them");
  const operand& base = k_.operands[static_cast<std::size_t>(o.base)];
  kernel_rule(base.base == o.base && base.role == o.role && base.type == o.type &&
                  base.access == o.access && base.apart == o.apart,
              "turn", "operands that take turns move alike, in one array");
  int least = 0, most = 0, count = 0;
  for (const operand& x : k_.operands) {
    if (x.base != o.base) continue;
    least = std::min(least, x.turn), most = std::max(most, x.turn), ++count;
  }
  const bool whole = o.role == operand_role::output ||
                     (s.target == target::gpu && !brings_rows(k_));
  kernel_rule(most - least < o.apart && (!whole || count == o.apart), "turns",
              "turns are less than `apart` from each other; outputs', and those that a thread of a "
              "GPU has in registers, are all there");
}

void kernel_verifier::brought_rules() const {
  if (!brings_rows(k_)) return;
  const schedule& s = k_.schedule;
  kernel_rule(k_.kept == 1 && s.tile_rows == 0 && s.unroll == 1 && s.tile == s.threads &&
                  s.held == 0 && k_.loops.empty(),
              "schedule-brought", "rows are brought for a thread each, of a map of one axis");
  constexpr std::size_t room = 48 << 10;  // what any kernel may use without opting in
  kernel_rule(brought_bytes(k_) * static_cast<std::size_t>(s.threads) <= room, "schedule-brought",
              "the rows of a block fit in shared memory");
  for (const inst& i : k_.body) {
    const bool elsewhere = i.kind == inst_kind::store && (i.args[1] >= 0 || i.args[2] >= 0);
    kernel_rule(!elsewhere, "schedule-brought", "all is stored where it lies");
  }
}

void kernel_verifier::beside_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  const bool map = k_.schedule.target == target::gpu && k_.reduced == 0;
  const bool picked = std::ranges::any_of(k_.body, [&](const inst& i) {
    return i.kind == inst_kind::gather && i.which == which;
  });
  kernel_rule(map && o.role == operand_role::input && (picked || lies_along(which, k_.kept - 1)),
              "beside", "inputs of a GPU's map stand beside others, that are gathered or have step "
                        "one along its last axis");
  kernel_rule(o.base >= 0 && o.base < which, "beside-base", "one before it");
  const operand& base = k_.operands[static_cast<std::size_t>(o.base)];
  kernel_rule(base.base < 0 && base.role == o.role && base.type == o.type &&
                  base.access == o.access,
              "beside-base", "that moves alike, and is beside none itself");
}

void kernel_verifier::reach_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  kernel_rule(o.beyond >= 0 && o.beyond < (o.reach == reach::shifted ? k_.schedule.vector : 1),
              "beyond", "shifted vectors begin less than a vector after an aligned place");
  if (o.like >= 0) like_rules(which);
  if (o.apart != 0 || o.base >= 0 || o.turn != 0) turn_rules(which);
  switch (o.reach) {
    case reach::whole: return;
    case reach::staged: return staged_reach_rules(o);
    case reach::backwards: return backwards_rules(o);
    case reach::strips: return strip_rules(which);
    case reach::picked: return picked_rules(o);
    case reach::shifted:
    case reach::aligned:
    case reach::turned: return vector_reach_rules(which);
  }
}

void kernel_verifier::like_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  const bool before = o.like < which;
  const operand& other = k_.operands[static_cast<std::size_t>(before ? o.like : which)];
  kernel_rule(before && other.like < 0 && other.access == o.access && o.access.unravel == 0 &&
                  o.role != operand_role::index && other.role != operand_role::index,
              "like", "an operand moves as one before it does, which has no like itself");
}

void kernel_verifier::staged_reach_rules(const operand& o) const {
  const bool array = o.role == operand_role::input || o.role == operand_role::output;
  kernel_rule(array && k_.schedule.staged > 0 && o.access.unravel == 0 &&
                  o.access.steps[1] == step::one,
              "reach", "staged are arrays whose rows are");
}

void kernel_verifier::backwards_rules(const operand& o) const {
  const bool along_rows = k_.schedule.lanes == lane_axis::reduced;
  const int lane = (along_rows ? k_.kept + k_.reduced : k_.kept) - 1;
  const bool array = o.role == operand_role::input || o.role == operand_role::output;
  kernel_rule(array && k_.schedule.target == target::cpu && o.access.unravel == 0 &&
                  !is_complex(o.type) &&
                  o.access.steps[static_cast<std::size_t>(lane)] == step::any,
              "reach", "backwards run real arrays of a CPU, by a stride that is passed");
}

void kernel_verifier::strip_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  kernel_rule(o.role == operand_role::input && k_.schedule.target == target::cpu &&
                  k_.reduced == 0 && k_.kept >= 2 && !is_complex(o.type) && !k_.schedule.pieces &&
                  k_.loops.empty() && o.apart == 0 && lies_along(which, k_.kept - 2),
              "reach", "strips are read of real inputs of a CPU's map that lie across");
  const int wide = k_.schedule.unroll;
  kernel_rule(wide >= 1 && wide <= 8 && (wide & (wide - 1)) == 0, "reach",
              "strips are one, two, four or eight vectors wide (unroll)");
}

void kernel_verifier::picked_rules(const operand& o) const {
  const bool read = o.role == operand_role::input || o.role == operand_role::index;
  const step along = o.access.steps[static_cast<std::size_t>(k_.kept) - 1];
  const bool in_rows = k_.schedule.target == target::gpu ||
                       (along != step::any && !is_complex(o.type));
  kernel_rule(k_.schedule.flat && read && o.access.unravel == 0 && in_rows, "reach",
              "picked are inputs and indices of a flat map, on a CPU along its rows");
}

void kernel_verifier::vector_reach_rules(int which) const {
  const operand& o = k_.operands[static_cast<std::size_t>(which)];
  const bool led = k_.reduced == 1 && k_.schedule.lead >= 0 && o.reach == reach::shifted;
  if (led && o.role == operand_role::input && lies_along(which, k_.kept)) return;
  const bool input =
      k_.schedule.target == target::gpu && k_.reduced == 0 && o.role == operand_role::input;
  kernel_rule(input && lies_along(which, k_.kept - (o.reach == reach::turned ? 2 : 1)), "reach",
              "shifted, aligned and turned are inputs of a GPU map with step one along their axis, "
              "or of rows with a lead");
}

void kernel_verifier::operand_rules(const operand& o) const {
  kernel_rule(o.access.steps.size() == static_cast<std::size_t>(k_.kept + k_.reduced), "steps",
              "an operand has one step an axis");
  kernel_rule(o.access.unravel >= 0, "unravel", "the rank of an unravelled access is negative");
  const bool gpu = k_.schedule.target == target::gpu;
  kernel_rule(!o.access.narrow || (gpu && o.access.unravel > 0), "narrow",
              "narrow is what a GPU unravels");
  kernel_rule((o.role == operand_role::tile) == (o.tile >= 0) &&
                  (o.tile < 0 || !k_.beyond.before.empty()),
              "tile", "parts of a stack, and they alone, have operands in tiles");
  kernel_rule(o.role != operand_role::index || o.type == dtype::int64, "index-type",
              "an index is int64");
}

}  // namespace sinter::ir::detail
