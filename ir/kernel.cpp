#include "ir/kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/cat.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::ir {
namespace {

bool moves_along_reduced(const kernel& k, const inst& i) {
  const auto& steps = k.operands[static_cast<std::size_t>(i.which)].access.steps;
  return std::any_of(steps.begin() + k.kept, steps.end(),
                     [](step s) { return s != step::zero; });
}

bool is_inner(const kernel& k, const inst& i) {
  if (i.kind == inst_kind::reduce) return false;
  if (i.kind == inst_kind::scan) return true;
  const bool addressed = i.kind == inst_kind::load || i.kind == inst_kind::gather ||
                         i.kind == inst_kind::index || i.kind == inst_kind::store;
  if (addressed && moves_along_reduced(k, i)) return true;
  if (i.kind == inst_kind::loop) {
    for (const inst& x : k.loops[static_cast<std::size_t>(i.which)].body) {
      if (x.which >= 0 && (x.kind == inst_kind::gather || x.kind == inst_kind::store) &&
          moves_along_reduced(k, x)) {
        return true;
      }
    }
  }
  return std::any_of(i.args, i.args + 3, [&](std::int32_t a) {
    return a >= 0 && k.body[static_cast<std::size_t>(a)].inner;
  });
}

void add_operand_slots(std::vector<slot>& slots, const operand& o, int which) {
  const access& a = o.access;
  if (a.unravel > 0 || o.role == operand_role::index) slots.push_back({slot_kind::start, which});
  for (int axis = 0; axis < static_cast<int>(a.steps.size()); ++axis) {
    if (a.steps[static_cast<std::size_t>(axis)] == step::any) {
      slots.push_back({slot_kind::stride, which, axis});
    }
  }
  for (int i = 0; i < a.unravel; ++i) slots.push_back({slot_kind::unravel_extent, which, i});
  for (int i = 1; i < a.unravel && a.narrow; ++i) {
    slots.push_back({slot_kind::unravel_divisor, which, i});
  }
  for (int i = 0; i < a.unravel; ++i) slots.push_back({slot_kind::unravel_stride, which, i});
}

/// The slots of kernels that share a launch: those of each part and its number of blocks; for
/// rounds also those that end them. For a stack: those of each part and where it begins, then the
/// boxes.
std::vector<slot> slots_of_parts(const kernel& k) {
  std::vector<slot> slots;
  const bool stack = is_stack(k);
  for (std::size_t p = 0; p < k.parts.size(); ++p) {
    const int part = static_cast<int>(p);
    for (slot s : slots_of(k.parts[p])) {
      if (stack && s.kind == slot_kind::divisor) continue;
      s.part = part;
      slots.push_back(s);
    }
    if (!stack) slots.push_back({slot_kind::blocks, -1, -1, part});
    for (int i = 0; stack && i < k.parts[p].kept; ++i) {
      slots.push_back({slot_kind::origin, -1, i, part});
    }
  }
  for (const slot_kind what : {slot_kind::corner, slot_kind::across}) {
    for (int i = 0; i < static_cast<int>(k.box.size()); ++i) slots.push_back({what, -1, i});
  }
  for (int i = 0; i < static_cast<int>(k.tests.size()); ++i) {
    slots.push_back({slot_kind::test, -1, i});
  }
  if (k.rounds) slots.push_back({slot_kind::rounds});
  if (!k.tests.empty()) slots.push_back({slot_kind::told});
  return slots;
}

}  // namespace

std::vector<slot> slots_of(const kernel& k) {
  if (!k.parts.empty()) return slots_of_parts(k);
  std::vector<slot> slots;
  const int rank = k.kept + k.reduced;
  for (int i = 0; i < rank; ++i) slots.push_back({slot_kind::extent, -1, i});
  if (k.schedule.target == target::gpu) {
    for (int i = 0; i < rank; ++i) slots.push_back({slot_kind::divisor, -1, i});
  }
  if (k.schedule.split) {
    slots.push_back({slot_kind::splits});
    slots.push_back({slot_kind::chunk});
  }
  const int operands = static_cast<int>(k.operands.size());
  for (int i = 0; i < operands; ++i) {
    add_operand_slots(slots, k.operands[static_cast<std::size_t>(i)], i);
  }
  for (int i = 0; i < static_cast<int>(k.scalars.size()); ++i) {
    slots.push_back({slot_kind::scalar, i});
  }
  std::vector<bool> divides(k.scalars.size());
  for (const inst& i : k.body) {
    const int by = dividing_scalar(k, i);
    if (by >= 0) divides[static_cast<std::size_t>(by)] = true;
  }
  for (int i = 0; i < static_cast<int>(divides.size()); ++i) {
    if (divides[static_cast<std::size_t>(i)]) slots.push_back({slot_kind::over, i});
  }
  for (int i = 0; i < operands; ++i) {
    const operand_role role = k.operands[static_cast<std::size_t>(i)].role;
    if (role != operand_role::index && role != operand_role::tile) {
      slots.push_back({slot_kind::pointer, i});
    }
  }
  return slots;
}

std::string name_of(const kernel& k, int which) {
  constexpr const char* prefixes[] = {"in", "out", "ix", "state", "at"};
  const operand_role role = k.operands[static_cast<std::size_t>(which)].role;
  const auto number = std::count_if(k.operands.begin(), k.operands.begin() + which,
                                    [&](const operand& o) { return o.role == role; });
  return detail::cat(prefixes[static_cast<int>(role)], number);
}

std::string name_of(const kernel& k, const slot& s) {
  using detail::cat;
  if (s.part >= 0) {
    slot own = s;
    own.part = -1;
    return cat("p", s.part, "_", name_of(k.parts[static_cast<std::size_t>(s.part)], own));
  }
  switch (s.kind) {
    case slot_kind::blocks: return "blocks";
    case slot_kind::extent: return cat("n", s.axis);
    case slot_kind::divisor: return cat("d", s.axis);
    case slot_kind::splits: return "splits";
    case slot_kind::chunk: return "chunk";
    case slot_kind::scalar: return cat("s", s.which);
    case slot_kind::over: return cat("over_s", s.which);
    case slot_kind::start: return cat(name_of(k, s.which), "_start");
    case slot_kind::stride: return cat(name_of(k, s.which), "_s", s.axis);
    case slot_kind::unravel_extent: return cat(name_of(k, s.which), "_u", s.axis);
    case slot_kind::unravel_divisor: return cat(name_of(k, s.which), "_w", s.axis);
    case slot_kind::unravel_stride: return cat(name_of(k, s.which), "_v", s.axis);
    case slot_kind::origin: return cat("o", s.axis);
    case slot_kind::corner: return cat("x", s.axis);
    case slot_kind::across: return cat("across", s.axis);
    case slot_kind::test: return cat("test", s.axis);
    case slot_kind::rounds: return "rounds";
    case slot_kind::told: return "told";
    case slot_kind::pointer: break;
  }
  return name_of(k, s.which);
}

std::vector<int> arguments_of(const inst& i) {
  std::vector<int> arguments;
  for (std::int32_t a : i.args) {
    if (a >= 0) arguments.push_back(a);
  }
  return arguments;
}

std::ptrdiff_t scan_count(const kernel& k) {
  return std::ranges::count(k.body, inst_kind::scan, &inst::kind);
}

std::uint64_t make_divisor(std::uint64_t d) {
  // With l = ceil(log2 d) the multiplier ceil(2^(31 + l) / d) has 32 bits, and its excess over the
  // true quotient, less than d <= 2^l, times n < 2^31 stays below 2^(31 + l).
  const int shift = 31 + std::bit_width(d - 1);
  const std::uint64_t multiplier = ((std::uint64_t{1} << shift) + d - 1) / d;
  return multiplier | static_cast<std::uint64_t>(shift) << 32;
}

int dividing_scalar(const kernel& k, const inst& i) {
  const bool whole = is_integer(i.type) && (i.code == op::quotient || i.code == op::modulus ||
                                            i.code == op::floor_divide);
  const bool real = i.type == dtype::float32 || i.type == dtype::float64;
  const bool divides = whole || (i.code == op::divide && real);
  if (i.kind != inst_kind::compute || !divides || k.schedule.target != target::gpu) return -1;
  const inst& by = k.body[static_cast<std::size_t>(i.args[1])];
  return by.kind == inst_kind::scalar ? by.which : -1;
}

namespace {

/// The reciprocal of b, if its magnitude is between 2^-low and 2^high; else NaN.
template <class T> T near_reciprocal(T b, int low, int high) {
  const T size = std::abs(b);
  const bool ordinary = size >= std::ldexp(T(1), -low) && size < std::ldexp(T(1), high);
  return ordinary ? T(1) / b : std::numeric_limits<T>::quiet_NaN();
}

}  // namespace

std::uint64_t scalar_divisor(std::uint64_t word, dtype t) {
  if (t == dtype::float64) {
    return std::bit_cast<std::uint64_t>(near_reciprocal(std::bit_cast<double>(word), 500, 500));
  }
  if (t == dtype::float32) {
    const float b = std::bit_cast<float>(static_cast<std::uint32_t>(word));
    const float near = near_reciprocal(b, 20, 60), rest = std::fma(-near, b, 1.0f) * near;
    return std::bit_cast<std::uint32_t>(near) |
           std::uint64_t{std::bit_cast<std::uint32_t>(rest)} << 32;
  }
  const int unused = 64 - 8 * static_cast<int>(size_of(t));
  const std::uint64_t d = word << unused >> unused;
  if (unused == 0) return d < 2 || d >> 63 ? 0 : ~std::uint64_t{0} / d + 1;
  const std::uint64_t most = is_signed(t) && unused > 32 ? (~std::uint64_t{0} >> unused) / 2
                                                         : (std::uint64_t{1} << 31) - 1;
  return d >= 1 && d <= most ? make_divisor(d) : 0;
}

std::int32_t packed_store(const kernel& k) {
  const auto at = [&](std::int32_t i) -> const inst& {
    return k.body[static_cast<std::size_t>(i)];
  };
  const auto is = [&](std::int32_t i, op code) {
    return i >= 0 && at(i).kind == inst_kind::compute && at(i).code == code;
  };
  if (scan_count(k) != 1) return -1;
  const auto is_scan = [](const inst& i) { return i.kind == inst_kind::scan; };
  std::vector<bool> below(k.body.size());  // the scan, and values that depend on it
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    below[i] = is_scan(k.body[i]);
    for (std::int32_t a : k.body[i].args) {
      if (a >= 0 && below[static_cast<std::size_t>(a)]) below[i] = true;
    }
  }
  std::int32_t found = -1;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const inst& x = k.body[i];
    if (x.kind != inst_kind::store || x.code != op::cast || !is(x.args[2], op::subtract)) continue;
    const inst& index = at(x.args[2]);
    const inst& one = at(index.args[1]);
    const std::int32_t wide = index.args[0], count = is(wide, op::cast) ? at(wide).args[0] : wide;
    if (one.kind != inst_kind::constant || one.bits != 1 || !is_scan(at(count))) continue;
    const std::int32_t counted = at(count).args[0];
    if (at(count).code != op::add || !is(counted, op::cast)) continue;
    const auto& steps = k.operands[static_cast<std::size_t>(x.which)].access.steps;
    const bool still =
        std::all_of(steps.begin(), steps.end(), [](step s) { return s == step::zero; });
    if (x.args[1] < 0 || at(counted).args[0] != x.args[1] || !still) continue;
    if (below[static_cast<std::size_t>(x.args[0])]) continue;
    if (found >= 0) return -1;
    found = static_cast<std::int32_t>(i);
  }
  return found;
}

bool can_be_held(const inst& i) {
  const bool extreme = i.code == op::maximum || i.code == op::minimum;
  const bool known = is_integer(i.type) ? extreme || i.code == op::add : extreme && is_real(i.type);
  return combines(i) && known && size_of(i.type) >= 4;
}

bool turns(const kernel& k) {
  return std::any_of(k.operands.begin(), k.operands.end(),
                     [](const operand& o) { return o.reach == reach::turned; });
}

int turned_together(const schedule& s, const operand& o) {
  const int word = 4 / std::min(4, static_cast<int>(size_of(o.type)));
  const bool whole = o.reach == reach::turned && std::min(s.vector, s.turn_vector) >= word;
  return whole ? word : 1;
}

int turned_together(const kernel& k) {
  int most = 1;
  for (const operand& o : k.operands) most = std::max(most, turned_together(k.schedule, o));
  return most;
}

bool brings_rows(const kernel& k) {
  const schedule& s = k.schedule;
  return s.target == target::gpu && k.reduced == 0 && s.vector == 1 &&
         std::ranges::any_of(k.operands, [](const operand& o) { return o.apart > 0; });
}

std::size_t brought_bytes(const kernel& k) {
  std::size_t bytes = 0;
  for (std::size_t o = 0; o < k.operands.size(); ++o) {
    const operand& x = k.operands[o];
    if (x.apart == 0 || x.base != static_cast<int>(o)) continue;
    bytes += static_cast<std::size_t>(x.apart | 1) * size_of(x.type);
  }
  return bytes;
}

extent blocks_of(const kernel& k, const extent_list& extents, extent splits) {
  const auto kept = static_cast<std::size_t>(k.kept);
  const auto parts = [](extent n, std::int64_t size) { return (n + size - 1) / size; };
  const auto product = [&](std::size_t axes) {
    extent n = 1;
    for (std::size_t i = 0; i < axes; ++i) n *= extents[i];
    return n;
  };
  const schedule& s = k.schedule;
  if (k.reduced > 0) return parts(product(kept), s.rows) * splits * s.cluster;
  if (s.tile_rows == 0) return parts(product(kept), s.tile);
  const std::int64_t early = s.lead < 0 ? 0 : s.early >= 0 ? s.early : s.vector - 1;
  const extent columns = parts(extents[kept - 1] + early, s.tile_columns);
  if (s.planes > 1) {
    const extent boxes = parts(extents[kept - 3], s.planes) * product(kept - 3);
    return columns * parts(extents[kept - 2], s.tile_rows) * boxes;
  }
  if (!turns(k)) return columns * parts(product(kept - 1), s.tile_rows);
  return columns * parts(extents[kept - 2], s.tile_rows) * product(kept - 2);
}

extent threads_of(const kernel& k, const extent_list& extents) {
  const schedule& s = k.schedule;
  if (!s.elastic) return s.threads;
  const std::int64_t warp = std::int64_t{32} * s.cluster * s.vector * s.unroll;
  const std::int64_t early = s.lead < 0 ? 0 : s.vector - 1;
  return (extents[static_cast<std::size_t>(k.kept)] + (early + warp - 1)) / warp * 32;
}

std::vector<std::int32_t> packed(const std::vector<inst>& body, std::int32_t pack) {
  std::vector<std::int32_t> values;
  for (; pack >= 0; pack = body[static_cast<std::size_t>(pack)].args[0]) {
    for (int k : {2, 1}) {
      const std::int32_t v = body[static_cast<std::size_t>(pack)].args[k];
      if (v >= 0) values.push_back(v);
    }
  }
  std::reverse(values.begin(), values.end());
  return values;
}

bool can_be_abreast(const kernel& k, const inst& i) {
  const bool places = i.kind == inst_kind::load || i.kind == inst_kind::store;
  if (places) {
    const operand& o = k.operands[static_cast<std::size_t>(i.which)];
    return o.access.unravel == 0 && i.args[1] < 0 && i.args[2] < 0;
  }
  return i.kind == inst_kind::reduce || i.kind == inst_kind::index || i.kind == inst_kind::scalar ||
         i.kind == inst_kind::constant || i.kind == inst_kind::compute ||
         i.kind == inst_kind::random;
}

void infer_levels(kernel& k) {
  for (inst& i : k.body) i.inner = is_inner(k, i);
}

std::vector<int> phases_of(const kernel& k) {
  std::vector<int> phases(k.body.size(), 0);
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    for (std::int32_t a : k.body[i].args) {
      if (a < 0) continue;
      const auto from = static_cast<std::size_t>(a);
      const bool done = k.body[from].kind == inst_kind::reduce;
      phases[i] = std::max(phases[i], phases[from] + (done ? 1 : 0));
    }
  }
  return phases;
}

}  // namespace sinter::ir
