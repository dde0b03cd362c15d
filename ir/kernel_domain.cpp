#include "ir/kernel_domain.hpp"

#include <algorithm>
#include <cstddef>

#include "ir/interpreter.hpp"
#include "ir/kernel_rounds.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::ir::detail {
namespace {

std::int64_t product(const std::vector<std::int64_t>& extents, int first, int last) {
  std::int64_t n = 1;
  for (int i = first; i < last; ++i) n *= extents[static_cast<std::size_t>(i)];
  return n;
}

/// The offset of the element with a row-major number.
std::int64_t unravel(const bound_operand& o, std::int64_t number) {
  std::int64_t offset = 0;
  for (std::size_t d = o.unravel_extents.size(); d-- > 0;) {
    offset += number % o.unravel_extents[d] * o.unravel_strides[d];
    number /= o.unravel_extents[d];
  }
  return offset;
}

}  // namespace

launch::launch(const kernel& k, const std::uint64_t* slots) {
  for (const operand& o : k.operands) {
    bound_operand b;
    for (step s : o.access.steps) b.strides.push_back(s == step::one ? 1 : 0);
    operands.push_back(std::move(b));
  }
  for (const slot& s : slots_of(k)) {
    const std::uint64_t word = *slots++;
    const auto number = static_cast<std::int64_t>(word);
    bound_operand* const o =
        s.which >= 0 && s.kind != slot_kind::scalar && s.kind != slot_kind::over
            ? &operands[static_cast<std::size_t>(s.which)]
            : nullptr;
    switch (s.kind) {
      case slot_kind::extent: extents.push_back(number); break;
      case slot_kind::divisor:
      case slot_kind::unravel_divisor:
      case slot_kind::over:
      case slot_kind::blocks:
      case slot_kind::origin:
      case slot_kind::corner:
      case slot_kind::across:
      case slot_kind::test:
      case slot_kind::rounds:
      case slot_kind::told: break;
      case slot_kind::splits: splits = number; break;
      case slot_kind::chunk: chunk = number; break;
      case slot_kind::start: o->start = number; break;
      case slot_kind::stride: o->strides[static_cast<std::size_t>(s.axis)] = number; break;
      case slot_kind::unravel_extent: o->unravel_extents.push_back(number); break;
      case slot_kind::unravel_stride: o->unravel_strides.push_back(number); break;
      case slot_kind::scalar: scalars.push_back(word); break;
      case slot_kind::pointer: o->data = reinterpret_cast<std::byte*>(word); break;
    }
  }
  rows = product(extents, 0, k.kept);
  length = product(extents, k.kept, k.kept + k.reduced);
}

void place(std::vector<std::int64_t>& coordinates, const std::vector<std::int64_t>& extents,
           int first, int last, std::int64_t position) {
  for (int d = last; d-- > first;) {
    const auto axis = static_cast<std::size_t>(d);
    coordinates[axis] = position % extents[axis];
    position /= extents[axis];
  }
}

void offsets_of(const bound_operand& o, const std::vector<std::int64_t>& extents, const strip& s,
                std::int64_t* out) {
  std::int64_t offset = o.start;
  for (std::size_t d = 0; d < s.start.size(); ++d) offset += s.start[d] * o.strides[d];
  if (s.count == 1) {
    *out = o.unravel_extents.empty() ? offset : unravel(o, offset);
    return;
  }
  std::vector<std::int64_t> at = s.start;
  const auto inner = static_cast<std::size_t>(std::max(s.last_axis - 1, 0));
  for (std::int64_t i = 0; i < s.count;) {
    const std::int64_t run = std::min(s.count - i, extents[inner] - at[inner]);
    for (std::int64_t j = 0; j < run; ++j, offset += o.strides[inner]) out[i + j] = offset;
    i += run;
    at[inner] += run;
    for (int d = s.last_axis - 1; d > s.first_axis; --d) {
      const auto axis = static_cast<std::size_t>(d);
      if (at[axis] < extents[axis]) break;
      offset += o.strides[axis - 1] - extents[axis] * o.strides[axis];
      at[axis] = 0;
      ++at[axis - 1];
    }
  }
  if (o.unravel_extents.empty()) return;
  for (std::int64_t i = 0; i < s.count; ++i) out[i] = unravel(o, out[i]);
}

void run_parts(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
               std::int64_t block_end) {
  if (is_stack(k)) return run_stack(k, slots, block_begin, block_end);
  if (is_rounds(k)) return run_rounds(k, slots, block_begin, block_end);
  for (const kernel& p : k.parts) {
    const std::size_t own = slots_of(p).size();
    const auto blocks = static_cast<std::int64_t>(slots[own]);
    run_kernel(p, slots, std::clamp<std::int64_t>(block_begin, 0, blocks),
               std::clamp<std::int64_t>(block_end, 0, blocks));
    block_begin -= blocks;
    block_end -= blocks;
    slots += own + 1;
  }
}

std::int64_t blocks_of_parts(const kernel& k, const std::uint64_t* slots) {
  if (is_stack(k)) return blocks_of_stack(k, slots);
  if (is_rounds(k)) return k.schedule.cluster;
  std::int64_t blocks = 0;
  for (const kernel& p : k.parts) {
    slots += slots_of(p).size();
    blocks += static_cast<std::int64_t>(*slots++);
  }
  return blocks;
}

std::vector<std::pair<std::int64_t, std::int64_t>> rows_of_tile(const kernel& k, const launch& l,
                                                                std::int64_t blocks,
                                                                std::int64_t block) {
  const schedule& s = k.schedule;
  const auto last = static_cast<std::size_t>(k.kept) - 1;
  const std::int64_t width = l.extents[last], all = l.rows / std::max<std::int64_t>(width, 1);
  const std::int64_t height = turns(k) || s.planes > 1 ? l.extents[last - 1] : all;
  const std::int64_t depth = s.planes > 1 ? l.extents[last - 2] : 1;
  const std::int64_t down = (height + s.tile_rows - 1) / s.tile_rows;
  const std::int64_t deep = (depth + s.planes - 1) / s.planes;
  const std::int64_t across = blocks / (down * deep * (all / (height * depth)));
  const std::int64_t x = block % across * s.tile_columns, group = block / across;
  const std::int64_t y = group % down * s.tile_rows, volume = group / down / deep;
  const std::int64_t z = group / down % deep * s.planes;
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t plane = z; plane < std::min(depth, z + s.planes); ++plane) {
    for (std::int64_t row = y; row < std::min(height, y + s.tile_rows); ++row) {
      const std::int64_t begin = ((volume * depth + plane) * height + row) * width;
      runs.emplace_back(begin + x, begin + std::min(width, x + s.tile_columns));
    }
  }
  return runs;
}

}  // namespace sinter::ir::detail
