#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <type_traits>
#include <vector>

#include "ir/accumulator.hpp"
#include "ir/interpreter.hpp"
#include "ir/kernel_domain.hpp"
#include "ir/kernel_loop.hpp"
#include "ir/philox.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

using detail::accumulator;
using detail::bound_operand;
using detail::launch;
using detail::strip;

using detail::strip_length;
using detail::strip_values;

/// Calls f with the size of a type as a constant: copies of a known size are moves.
template <class F>
void with_size(dtype t, F f) {
  switch (size_of(t)) {
    case 1: f(std::integral_constant<std::size_t, 1>()); break;
    case 2: f(std::integral_constant<std::size_t, 2>()); break;
    case 4: f(std::integral_constant<std::size_t, 4>()); break;
    default: f(std::integral_constant<std::size_t, 8>()); break;
  }
}

/// A word of so many bytes, which can hold any value of that size.
template <std::size_t Size>
using word_of = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t,
                       std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

bool is_invariant(const inst& i) {
  return i.kind == inst_kind::scalar || i.kind == inst_kind::constant;
}

class kernel_runner {
 public:
  kernel_runner(const kernel& k, const std::uint64_t* slots)
      : k_(k), l_(k, slots), values_(k.body.size()), offsets_(strip_length),
        phases_(phases_of(k)) {
    for (std::size_t i = 0; i < k.body.size(); ++i) {
      const inst& x = k.body[i];
      chained_ |= k.schedule.split && x.kind == inst_kind::scan;
      if (!is_invariant(x)) continue;
      const std::uint64_t bits =
          x.kind == inst_kind::constant ? x.bits : l_.scalars[static_cast<std::size_t>(x.which)];
      std::memcpy(values_[i].data, &bits, sizeof(bits));
      spread(i);
    }
  }

  std::int64_t blocks() const { return blocks_of(k_, l_.extents, l_.splits); }

  void map_block(std::int64_t block) {
    if (k_.schedule.tile_rows > 0) return rectangle(block);
    const std::int64_t tile = k_.schedule.tile;
    map_range(block * tile, std::min(l_.rows, (block + 1) * tile));
  }

  void rectangle(std::int64_t block) {
    for (const auto& [begin, end] : detail::rows_of_tile(k_, l_, blocks(), block)) {
      map_range(begin, end);
    }
  }

  void map_range(std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += strip_length) {
      strip s{std::vector<std::int64_t>(l_.extents.size()), 0, k_.kept,
              std::min(strip_length, end - at)};
      detail::place(s.start, l_.extents, 0, k_.kept, at);
      for (std::size_t i = 0; i < k_.body.size(); ++i) compute(i, s);
      for (std::size_t i = 0; i < k_.body.size(); ++i) store(i, s);
    }
  }

  /// The first of the blocks that share a row walks all of it.
  void reduction_block(std::int64_t number) {
    if (chained_) return chained_row(number);
    const std::int64_t block = number / k_.schedule.cluster;
    if (number % k_.schedule.cluster > 0) return;
    const std::int64_t rows = k_.schedule.rows, chunk = block % l_.splits;
    const std::int64_t begin = block / l_.splits * rows;
    const std::int64_t first = chunk * l_.chunk;
    const std::int64_t last = k_.schedule.split ? std::min(l_.length, first + l_.chunk) : l_.length;
    const int phases = phases_.empty() ? 0 : 1 + *std::max_element(phases_.begin(), phases_.end());
    for (std::int64_t row = begin; row < std::min(l_.rows, begin + rows); ++row) {
      strip s{std::vector<std::int64_t>(l_.extents.size()), 0, k_.kept, 1};
      detail::place(s.start, l_.extents, 0, k_.kept, row);
      for (int phase = 0; phase < phases; ++phase) {
        outer(phase, s, row * l_.splits + chunk);
        walk(phase, s, first, last);
      }
    }
  }

  /// The block of a row's first chunk walks all of it.
  void chained_row(std::int64_t block) {
    if (block >= l_.rows) return;
    strip s{std::vector<std::int64_t>(l_.extents.size()), 0, k_.kept, 1};
    detail::place(s.start, l_.extents, 0, k_.kept, block);
    outer(0, s, 0);
    walk(0, s, 0, l_.length);
  }

 private:
  static std::size_t at(std::int32_t v) { return static_cast<std::size_t>(v); }
  std::byte* values(std::size_t i) { return values_[i].data; }

  /// Copies the first value of an instruction to all points of a strip.
  void spread(std::size_t i) {
    const std::int64_t points = std::min(strip_length, k_.reduced > 0 ? l_.length : l_.rows);
    with_size(k_.body[i].result, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
      for (std::int64_t p = 1; p < points; ++p) std::memcpy(values(i) + p * Size, values(i), Size);
    });
  }

  /// Computes what one point of the kept axes needs in a phase, outside the walk.
  void outer(int phase, const strip& s, std::int64_t partial) {
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      const inst& x = k_.body[i];
      const bool done = x.kind == inst_kind::reduce || is_invariant(x);
      if (x.inner || phases_[i] != phase || done) continue;
      if (x.kind == inst_kind::store) {
        if (k_.schedule.split && x.args[1] < 0 && x.args[2] < 0) scatter(i, &partial, 1);
        else store(i, s);
      } else {
        compute(i, s);
        spread(i);
      }
    }
  }

  /// Is instruction i evaluated in the walk of a phase? All inner values that do not depend on a
  /// later reduction are: more than the phase needs, which only costs time.
  bool in_walk(std::size_t i, int phase) const {
    const inst& x = k_.body[i];
    return x.inner && x.kind != inst_kind::store && phases_[i] <= phase;
  }

  void walk(int phase, const strip& row, std::int64_t first, std::int64_t last) {
    auto& sums = sums_;
    sums.clear();
    scans_.clear();
    bool stores = false;
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      const inst& x = k_.body[i];
      if (in_walk(i, phase) && x.kind == inst_kind::scan) {
        scans_.emplace(i, accumulator::scan(x.code, x.type));
      }
      if (phases_[i] != phase) continue;
      stores |= x.inner && x.kind == inst_kind::store;
      if (x.kind == inst_kind::reduce) {
        sums.emplace_back(i, accumulator(x.code, x.type, x.arg, first));
      }
    }
    if (sums.empty() && !stores) return;
    strip& s = walked_;
    s = {row.start, k_.kept, k_.kept + k_.reduced, 0};
    for (std::int64_t p = first; p < last; p += strip_length) {
      s.count = std::min(strip_length, last - p);
      detail::place(s.start, l_.extents, s.first_axis, s.last_axis, p);
      for (std::size_t i = 0; i < k_.body.size(); ++i) {
        if (in_walk(i, phase)) compute(i, s);
      }
      for (auto& [i, sum] : sums) sum.add(values(at(k_.body[i].args[0])), s.count);
      for (std::size_t i = 0; i < k_.body.size(); ++i) {
        if (k_.body[i].inner && phases_[i] == phase) store(i, s);
      }
    }
    for (auto& [i, sum] : sums) {
      const scalar_value v = sum.result();
      std::memcpy(values(i), v.bits, sizeof(v.bits[0]));
      spread(i);
    }
  }

  /// Evaluates an instruction other than a store, a reduction or an invariant.
  void compute(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    const void* args[3] = {};
    for (int k = 0; k < 3; ++k) {
      if (x.args[k] >= 0) args[k] = values(at(x.args[k]));
    }
    switch (x.kind) {
      case inst_kind::load: read(i, s); break;
      case inst_kind::gather: gather(i, s); break;
      case inst_kind::index:
        offsets_of(l_.operands[at(x.which)], l_.extents, s,
                   reinterpret_cast<std::int64_t*>(values(i)));
        break;
      case inst_kind::random: random(i, args, s.count); break;
      case inst_kind::scan: scan(i, static_cast<const std::byte*>(args[0]), s.count); break;
      case inst_kind::compute: detail::run_compute(x, values(i), args, s.count); break;
      case inst_kind::loop: loop(i, s); break;
      case inst_kind::pick: {
        const auto& came_to = carried_.at(at(x.args[0]))[at(x.which)];
        std::memcpy(values(i), came_to.data, sizeof came_to.data);
        break;
      }
      default: break;
    }
  }

  void loop(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    detail::kernel_loop l(k_.loops[at(x.which)], s.count);
    std::size_t k = 0;
    for (std::int32_t v : packed(k_.body, x.args[0])) l.set(k++, values(at(v)));
    if (x.args[1] >= 0) l.runs_where(values(at(x.args[1])));
    std::map<std::int32_t, std::vector<std::int64_t>> offsets;
    l.run([&](const inst& access, const std::byte* index, std::int64_t p, std::byte* value) {
      auto& own = offsets[access.which];
      if (own.empty()) {
        own.resize(strip_length);
        offsets_of(l_.operands[at(access.which)], l_.extents, s, own.data());
      }
      std::int64_t moved = 0;
      std::memcpy(&moved, index, sizeof moved);
      std::byte* const place = address(access, own[static_cast<std::size_t>(p)] + moved);
      const std::size_t size = size_of(access.type);
      if (access.kind == inst_kind::store) std::memcpy(place, value, size);
      else std::memcpy(value, place, size);
    });
    carried_[i] = l.carries();
  }

  void scan(std::size_t i, const std::byte* from, std::int64_t n) {
    accumulator& total = scans_.at(i);
    const std::size_t size = size_of(k_.body[i].result);
    for (std::size_t p = 0; p < static_cast<std::size_t>(n); ++p) {
      total.add(from + p * size, 1);
      std::memcpy(values(i) + p * size, total.result().bits, size);
    }
  }

  void random(std::size_t i, const void* const* args, std::int64_t n) {
    const auto* counters = static_cast<const std::uint64_t*>(args[0]);
    const auto* keys = static_cast<const std::uint64_t*>(args[1]);
    const std::size_t size = size_of(k_.body[i].result);
    for (std::int64_t p = 0; p < n; ++p) {
      const std::uint64_t word = size == 4 ? random_uint32(counters[p], keys[p])
                                           : random_uint64(counters[p], keys[p]);
      std::memcpy(values(i) + static_cast<std::size_t>(p) * size, &word, size);
    }
  }

  /// The byte an element (or its imaginary part) begins at.
  std::byte* address(const inst& x, std::int64_t element) const {
    const dtype stored = k_.operands[at(x.which)].type;
    return l_.operands[at(x.which)].data + element * static_cast<std::int64_t>(size_of(stored)) +
           x.part * static_cast<std::int64_t>(size_of(real_of(stored)));
  }

  void read(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    offsets_of(l_.operands[at(x.which)], l_.extents, s, offsets_.data());
    with_size(x.result, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
      for (std::size_t p = 0; p < static_cast<std::size_t>(s.count); ++p) {
        std::memcpy(values(i) + p * Size, address(x, offsets_[p]), Size);
      }
    });
  }

  void gather(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    offsets_of(l_.operands[at(x.which)], l_.extents, s, offsets_.data());
    const auto size = static_cast<std::int64_t>(size_of(x.result));
    for (std::int64_t p = 0; p < s.count; ++p) {
      std::byte* to = values(i) + p * size;
      if (x.args[1] >= 0 && values(at(x.args[1]))[p] == std::byte{0}) {
        std::memset(to, 0, static_cast<std::size_t>(size));
        continue;
      }
      std::int64_t index = 0;
      if (x.args[0] >= 0) {
        std::memcpy(&index, values(at(x.args[0])) + p * 8, sizeof index);
      }
      std::memcpy(to, address(x, offsets_[static_cast<std::size_t>(p)] + index),
                  static_cast<std::size_t>(size));
    }
  }

  void scatter_where(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    offsets_of(l_.operands[at(x.which)], l_.extents, s, offsets_.data());
    const auto size = static_cast<std::int64_t>(size_of(x.type));
    for (std::int64_t p = 0; p < s.count; ++p) {
      if (x.args[1] >= 0 && values(at(x.args[1]))[p] == std::byte{0}) continue;
      std::int64_t index = 0;
      std::memcpy(&index, values(at(x.args[2])) + p * 8, sizeof index);
      std::byte* const to = address(x, offsets_[static_cast<std::size_t>(p)] + index);
      const std::byte* const from = values(at(x.args[0])) + p * size;
      with_size(x.type, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
        using word = word_of<Size>;
        word v = 0;
        std::memcpy(&v, from, Size);
        const std::atomic_ref<word> place(*reinterpret_cast<word*>(to));
        if (x.code == op::cast) place.store(v, std::memory_order_relaxed);
        else combine(x, place, v);
      });
    }
  }

  /// Atomically: other threads may combine at the same place.
  template <class word>
  static void combine(const inst& x, const std::atomic_ref<word>& place, const word& value) {
    const strip_function f = strip_of(x.code, x.type);
    word before = place.load(std::memory_order_relaxed), after = 0;
    do {
      const void* const both[] = {&before, &value};
      f(&after, both, 1);
    } while (!place.compare_exchange_weak(before, after, std::memory_order_relaxed));
  }

  /// Stores the value of each point of a strip where the condition, if any, holds.
  void raise(std::size_t i, std::int64_t count) {
    const inst& x = k_.body[i];
    const std::byte* condition = values(at(x.args[1]));
    const auto size = static_cast<std::int64_t>(size_of(x.type));
    for (std::int64_t p = 0; p < count; ++p) {
      if (condition[p] == std::byte{0}) continue;
      std::byte* const to = address(x, 0);
      std::uint64_t word = 0;
      std::memcpy(&word, values(at(x.args[0])) + p * size, static_cast<std::size_t>(size));
      if (x.code == op::cast) std::memcpy(to, &word, static_cast<std::size_t>(size));
      else combine(x, std::atomic_ref(*reinterpret_cast<std::uint64_t*>(to)), word);
    }
  }

  void store(std::size_t i, const strip& s) {
    const inst& x = k_.body[i];
    if (x.kind != inst_kind::store) return;
    if (x.args[2] >= 0) return scatter_where(i, s);
    if (x.args[1] >= 0) return raise(i, s.count);
    offsets_of(l_.operands[at(x.which)], l_.extents, s, offsets_.data());
    scatter(i, offsets_.data(), s.count);
  }

  void scatter(std::size_t i, const std::int64_t* elements, std::int64_t n) {
    const inst& x = k_.body[i];
    const std::byte* from = values(at(x.args[0]));
    with_size(x.type, [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
      for (std::int64_t p = 0; p < n; ++p) {
        std::memcpy(address(x, elements[p]), from + p * static_cast<std::int64_t>(Size), Size);
      }
    });
  }

  const kernel& k_;
  launch l_;
  std::vector<strip_values> values_;
  std::vector<std::int64_t> offsets_;
  std::vector<int> phases_;
  bool chained_ = false;
  // Kept between rows only to reuse their memory.
  std::vector<std::pair<std::size_t, accumulator>> sums_;
  std::map<std::size_t, accumulator> scans_;
  std::map<std::size_t, std::vector<strip_values>> carried_;  // per loop: its final carries
  strip walked_;
};

}  // namespace

void run_kernel(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
                std::int64_t block_end) {
  if (!k.parts.empty()) return detail::run_parts(k, slots, block_begin, block_end);
  kernel_runner r(k, slots);
  for (std::int64_t b = block_begin; b < block_end; ++b) {
    if (k.reduced > 0) r.reduction_block(b);
    else r.map_block(b);
  }
}

std::int64_t block_count(const kernel& k, const std::uint64_t* slots) {
  return k.parts.empty() ? kernel_runner(k, slots).blocks() : detail::blocks_of_parts(k, slots);
}

int thread_count(const kernel& k, const std::uint64_t* slots) {
  if (!k.schedule.elastic) return k.schedule.threads;
  return static_cast<int>(std::int64_t{threads_of(k, launch(k, slots).extents)});
}

}  // namespace sinter::ir
