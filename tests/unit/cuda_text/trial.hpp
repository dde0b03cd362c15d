#pragma once
// A kernel with data, run by the interpreter and as emitted CUDA.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "ir/interpreter.hpp"
#include "ir/kernel.hpp"
#include "tests/shim/host_kernels.hpp"

namespace sinter::tests {

/// The memory layout of an operand.
struct layout {
  std::vector<std::int64_t> strides =
      {};  // one per domain axis; empty: dense, the axis of step one last
  std::vector<std::int64_t> extents = {};  // to unravel over
  std::vector<std::int64_t> steps = {};    // of the unravelled axes
  std::int64_t start = 0;
};

enum class fill {
  edges,   // special values and random bits
  small,   // integers whose sums are exact in any order
  lowest,  // minus infinity, or the most negative integer
};

struct trial {
  std::string name;
  ir::kernel k;
  std::vector<std::int64_t> extents;
  std::vector<layout> layouts = {};         // by operand
  std::vector<std::uint64_t> scalars = {};  // bits
  std::int64_t splits = 1, chunk = 0;
  fill contents = fill::edges;
  double tolerance = 0;  // relative; 0: the same bits
  int donor = -1;        // an input whose memory the first output takes, on the GPU
};

/// `size` bytes, aligned like device memory, plus padding to a multiple of 16, which threads may
/// read with other bytes: AddressSanitizer detects accesses beyond it.
class region {
 public:
  explicit region(std::size_t size)
      : data_(new (alignment) std::byte[(size + 15) / 16 * 16]), size_(size) {}
  region(const region& other) : region(other.size_) { std::memcpy(data(), other.data(), size_); }
  region(region&&) = default;
  region& operator=(const region&) = delete;
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t alignment{256};
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, alignment); }
  };
  std::unique_ptr<std::byte[], release> data_;
  std::size_t size_;
};

/// A trial with complete layouts, allocated memory and packed slots.
class prepared {
 public:
  explicit prepared(const trial& t) : trial_(t), layouts_(t.layouts) {
    layouts_.resize(t.k.operands.size());
    std::mt19937_64 random(7);
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      complete(t.k.operands[i].access, layouts_[i]);
      const auto [low, high] = reach(t.k.operands[i].access, layouts_[i]);
      origins_.push_back(-low);
      const ir::operand& o = t.k.operands[i];
      const bool split_output =
          t.k.schedule.split && o.role == ir::operand_role::output && scans() == 0;
      auto count = split_output ? rows() * t.splits : high - low + 1;
      if (o.role == ir::operand_role::state) count = ir::state_words(scans(), rows() * t.splits);
      if (split_output) origins_.back() = 0;
      if (o.base == static_cast<int>(i)) count += o.apart - 1;
      regions_.emplace_back(o.role == ir::operand_role::index
                                ? 0
                                : static_cast<std::size_t>(count) * size_of(o.type));
      if (o.role == ir::operand_role::state) {
        std::memset(regions_.back().data(), 0, regions_.back().size());
      } else {
        fill_with(o.type, regions_.back(), random);
      }
    }
  }

  const std::vector<region>& regions() const { return regions_; }

  /// The argument slots, for operands at these addresses.
  std::vector<std::uint64_t> slots(const std::vector<std::byte*>& places) const {
    std::vector<std::uint64_t> packed;
    for (const ir::slot& s : ir::slots_of(trial_.k)) packed.push_back(value_of(s, places));
    return packed;
  }

  /// All memory after a run on copies of it.
  template <class F> std::vector<region> memory_after(F run) const {
    std::vector<region> copies(regions_);
    run_on(places_of(copies), run);
    return copies;
  }

  /// The same with the donor's memory as first output; returned as if there were no donation.
  template <class F> std::vector<region> memory_after_donation(F run) const {
    if (trial_.donor < 0) return memory_after(run);
    const auto donor = static_cast<std::size_t>(trial_.donor);
    std::vector<region> copies(regions_);
    std::vector<std::byte*> places = places_of(copies);
    const std::size_t out = first_output();
    places[out] = places[donor];
    run_on(places, run);
    std::memcpy(copies[out].data(), copies[donor].data(), copies[out].size());
    std::memcpy(copies[donor].data(), regions_[donor].data(), copies[donor].size());
    return copies;
  }

 private:
  static std::vector<std::byte*> places_of(const std::vector<region>& memory) {
    std::vector<std::byte*> places;
    for (const region& r : memory) places.push_back(r.data());
    return places;
  }

  template <class F> void run_on(const std::vector<std::byte*>& places, F run) const {
    const std::vector<std::uint64_t> packed = slots(places);
    run(packed.data(), ir::block_count(trial_.k, packed.data()));
  }

  std::size_t first_output() const {
    std::size_t i = 0;
    while (trial_.k.operands[i].role != ir::operand_role::output) ++i;
    return i;
  }

  std::int64_t scans() const {
    return std::count_if(trial_.k.body.begin(), trial_.k.body.end(),
                         [](const ir::inst& i) { return i.kind == ir::inst_kind::scan; });
  }

  std::int64_t rows() const {
    std::int64_t n = 1;
    for (int a = 0; a < trial_.k.kept; ++a) n *= trial_.extents[static_cast<std::size_t>(a)];
    return n;
  }

  void complete(const ir::access& a, layout& l) const {
    if (!l.strides.empty()) return;
    l.strides.assign(a.steps.size(), 0);
    std::int64_t stride = 1;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t axis = a.steps.size(); axis-- > 0;) {
        if (a.steps[axis] != (pass == 0 ? ir::step::one : ir::step::any)) continue;
        l.strides[axis] = stride;
        stride *= trial_.extents[axis];
      }
    }
  }

  /// The lowest and highest element offset.
  std::pair<std::int64_t, std::int64_t> reach(const ir::access& a, const layout& l) const {
    std::int64_t low = 0, high = 0;
    const auto axes = [&](const auto& strides, const auto& extents) {
      for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::int64_t far = strides[i] * (extents[i] - 1);
        (far < 0 ? low : high) += far;
      }
    };
    if (a.unravel > 0)
      axes(l.steps, l.extents);
    else
      axes(l.strides, trial_.extents);
    return {low, high};
  }

  void fill_with(dtype t, region& r, std::mt19937_64& random) const {
    const std::size_t part = size_of(real_of(t));
    for (std::size_t at = 0; at + part <= r.size(); at += part) {
      const std::uint64_t bits = trial_.contents == fill::small    ? small_bits(real_of(t), random)
                                 : trial_.contents == fill::lowest ? lowest_bits(real_of(t))
                                                                   : edge_bits(real_of(t), random);
      std::memcpy(r.data() + at, &bits, part);
    }
  }

  static std::uint64_t bits_of(dtype t, double value) {
    if (t == dtype::float64) return std::bit_cast<std::uint64_t>(value);
    if (t == dtype::float32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (t == dtype::float16) return float16(value).bits;
    if (t == dtype::bfloat16) return bfloat16(value).bits;
    if (is_bool(t)) return value != 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }

  static std::uint64_t lowest_bits(dtype t) {
    if (is_real(t)) return bits_of(t, -INFINITY);
    return is_signed(t) ? std::uint64_t{1} << (8 * size_of(t) - 1) : 0;
  }

  static std::uint64_t small_bits(dtype t, std::mt19937_64& random) {
    const auto value = static_cast<double>(random() % 9);
    return bits_of(t, is_unsigned(t) || is_bool(t) ? std::fmod(value, 3) : value - 4);
  }

  static std::uint64_t edge_bits(dtype t, std::mt19937_64& random) {
    static constexpr double specials[] = {
        0,      -0.0,  1,     -1,           0.5,           2,      -3,      7.5,
        1e-40,  65519, 65520, 2147483648.0, -2147483649.0, 9.3e18, -9.3e18, 1e300,
        100.25, 0.999};
    const std::uint64_t dice = random() % 8;
    if (is_bool(t)) return dice & 1;
    if (is_real(t)) {
      if (dice == 0) return bits_of(t, INFINITY);
      if (dice == 1) return bits_of(t, dice & 1 ? NAN : -INFINITY);
      if (dice < 5) return bits_of(t, specials[random() % std::size(specials)]);
      if (dice == 5) return bits_of(t, static_cast<double>(random() % 2000) / 100 - 10);
      return random();
    }
    if (dice == 0) return std::uint64_t{1} << (8 * size_of(t) - 1);
    if (dice == 1) return ~(std::uint64_t{1} << (8 * size_of(t) - 1));
    if (dice == 2) return ~std::uint64_t{0};
    return dice < 6 ? random() % 12 : random();
  }

  std::uint64_t value_of(const ir::slot& s, const std::vector<std::byte*>& places) const {
    const auto which = static_cast<std::size_t>(s.which), axis = static_cast<std::size_t>(s.axis);
    const auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    switch (s.kind) {
      case ir::slot_kind::extent:
        return number(trial_.extents[axis]);
      case ir::slot_kind::divisor:
        return ir::make_divisor(number(trial_.extents[axis]));
      case ir::slot_kind::splits:
        return number(trial_.splits);
      case ir::slot_kind::chunk:
        return number(trial_.chunk);
      case ir::slot_kind::start:
        return number(layouts_[which].start);
      case ir::slot_kind::stride:
        return number(layouts_[which].strides[axis]);
      case ir::slot_kind::unravel_extent:
        return number(layouts_[which].extents[axis]);
      case ir::slot_kind::unravel_divisor:
        return ir::make_divisor(number(layouts_[which].extents[axis]));
      case ir::slot_kind::unravel_stride:
        return number(layouts_[which].steps[axis]);
      case ir::slot_kind::scalar:
        return trial_.scalars[which];
      case ir::slot_kind::over:
        return ir::scalar_divisor(trial_.scalars[which], trial_.k.scalars[which]);
      case ir::slot_kind::blocks:  // of launches of several maps, unlike a trial
      case ir::slot_kind::origin:
      case ir::slot_kind::corner:
      case ir::slot_kind::across:
      case ir::slot_kind::test:
      case ir::slot_kind::rounds:
      case ir::slot_kind::told:
      case ir::slot_kind::pointer:
        break;
    }
    const ir::operand& o = trial_.k.operands[which];
    const auto size = static_cast<std::int64_t>(size_of(o.type));
    const std::size_t of = o.base < 0 ? which : static_cast<std::size_t>(o.base);
    return reinterpret_cast<std::uintptr_t>(places[of] + (origins_[of] + o.turn) * size);
  }

  const trial& trial_;
  std::vector<layout> layouts_;
  std::vector<std::int64_t> origins_;
  std::vector<region> regions_;
};

}  // namespace sinter::tests
