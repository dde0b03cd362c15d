#include "ir/passes/shape_map.hpp"

#include <algorithm>
#include <bit>

#include "ir/kernel_quick.hpp"
#include "ir/passes/shape_choices.hpp"
#include "ir/passes/shape_flat.hpp"
#include "ir/passes/shape_tiles.hpp"
#include "ir/passes/shaper.hpp"

namespace sinter::ir {

namespace {

/// What one access of a narrow type covers, so that shared memory has no bank conflicts.
constexpr int narrow_bytes = 4;

constexpr std::size_t access_bytes = 16;  // of one thread
constexpr extent few_vectors = 4, many_vectors = 128;  // in a row
constexpr extent more_vectors = 64;                    // where arithmetic takes longer than memory
constexpr int narrow_elements = 4;        // of a thread, if rows are few vectors
constexpr std::size_t most_waiting = 32;  // instructions: more hide a load by themselves

/// Instructions per array that is read, up to which an element has no long latency: taps of a
/// filter have fewer, and share loads.
constexpr std::size_t most_read = 8;
/// Quotients and roots from which on computing them without tests is worth one more function.
constexpr int few_quick = 3;

/// Instructions whose values take so many registers that small blocks leave fewer of them idle: 318
/// operations of 262,144 doubles 13.3 us with 256 threads, 12.3 with 128 (H200).
constexpr std::ptrdiff_t many_registers = 200;

/// Bytes that a thread holds of values shared by all rows. A resized image of bytes, whose rows
/// share two indices and a weight, 20 bytes an element: 373 us by 16, 194 by 8, 133 by 4 (H100).
constexpr int most_of_rows = 128;

/// Instructions of a thread from which on it has fewer elements: the code of each is compiled.
constexpr std::ptrdiff_t too_many = 800;
constexpr std::ptrdiff_t too_many_apart = 320, many_arrays = 8;  // whose loads hide each other

/// Planes of a volume that a block of 128 threads processes in turn, if it reads those beside each:
/// a sweep of seven points over 512^3 floats takes 434 us one by one, 390 so (H100).
constexpr int few_planes = 4;
constexpr std::int64_t boxes_each = 8;  // per SM, at least

class map_shaper {
 public:
  map_shaper(kernel& k, const shape_t& extents, const std::vector<index_expr>& ops,
             const machine& m, int vector)
      : k_(k),
        s_(k.schedule),
        extents_(extents),
        ops_(ops),
        m_(m),
        last_(extents.size() - 1),
        widest_vector_(vector),
        gathered_(ops.size()) {
    for (const inst& i : k.body) {
      const bool scattered = i.kind == inst_kind::store && i.args[2] >= 0;
      if (i.kind == inst_kind::gather || scattered) {
        gathered_[static_cast<std::size_t>(i.which)] = true;
      }
    }
  }

  void run() {
    s_.threads = std::ssize(k_.body) < many_registers ? 256 : 128;
    s_.vector = widest_vector_;
    const double work = work_of(k_, m_) / m_.arithmetic, moves = bytes_of_element() / m_.bandwidth;
    computes_ = work > moves;
    const bool shows = work > moves / 2;  // memory no longer hides branches
    // A thread takes expensive doubles one by one: the equation of state of 2^22 points takes 176
    // us by two, 145 by one, a chain of roots and quotients 126 and 119, none of 14 maps longer
    // (H100).
    if (widest_vector_ == 2 && shows) s_.vector = 1;
    while (s_.vector > 1 && s_.vector * bytes_of_rows() > most_of_rows) s_.vector /= 2;
    if (!turned()) {
      spread();
      while (s_.vector > 1 && std::ssize(k_.body) * s_.vector > too_many) s_.vector /= 2;
      untiled();
      if (loads_little()) s_.unroll = 2, s_.threads = 128;
    }
    s_.tile = std::int64_t{s_.threads} * s_.vector * s_.unroll;
    s_.quick = shows && quick_forms(k_) >= few_quick && can_be_quick(k_);
  }

 private:
  /// Bytes per element of inputs that all rows share.
  int bytes_of_rows() const {
    std::size_t bytes = 0;
    for (std::size_t o = 0; o < ops_.size() && last_ > 0; ++o) {
      if (k_.operands[o].role != operand_role::input || !array(o, last_)) continue;
      bool same = true;
      for (std::size_t d = 0; d < last_; ++d) same = same && ops_[o].strides[d] == 0;
      if (same) bytes += size_of(k_.operands[o].type);
    }
    return static_cast<int>(bytes);
  }
  bool array(std::size_t o, std::size_t axis) const {
    return k_.operands[o].role != operand_role::index && !gathered_[o] && ops_[o].affine() &&
           ops_[o].strides[axis] == 1;
  }
  /// Is it read along the axis, under a condition?
  bool guarded(std::size_t o) const {
    const auto elsewhere = [&](const inst& i) {
      const bool reads = i.kind == inst_kind::gather && i.which == static_cast<int>(o);
      return reads && i.args[0] >= 0;
    };
    return s_.pieces && k_.operands[o].role == operand_role::input && gathered_[o] &&
           ops_[o].affine() && ops_[o].strides[last_] == 1 &&
           std::ranges::none_of(k_.body, elsewhere);
  }
  bool output(std::size_t o) const {
    return k_.operands[o].role == operand_role::output && array(o, last_);
  }

  /// Are vectors of v elements along `axis` at the same distance from aligned addresses in all rows
  /// of both operands? With one operand: at none.
  bool congruent(std::size_t o, const index_expr* other, std::size_t axis, extent v) const {
    if ((ops_[o].offset - (other ? other->offset : extent(0))) % v != 0) return false;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      const extent step = ops_[o].strides[d] - (other ? other->strides[d] : extent(0));
      if (d != axis && step % v != 0) return false;
    }
    return true;
  }

  template <class F> void halve_until(int& vector, F holds) const {
    while (vector > 1 && !holds(static_cast<extent>(vector))) vector /= 2;
  }

  template <class F> bool each(F wanted, bool (map_shaper::*which)(std::size_t) const) const {
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      if ((this->*which)(o) && !wanted(o)) return false;
    }
    return true;
  }

  // ---- operands contiguous along the axis

  void untiled() {
    std::size_t lead = 0;
    while (lead < ops_.size() && !output(lead)) ++lead;
    if (lead == ops_.size()) return strided();
    const index_expr& first = ops_[lead];
    halve_until(s_.vector, [&](extent v) {
      return each([&](std::size_t o) { return congruent(o, &first, last_, v); },
                  &map_shaper::output);
    });
    const extent v = s_.vector, n = extents_[last_];
    if (v == 1) return;
    if (last_ > 0 && n % v != 0 && make_flat(k_, extents_, ops_, m_)) return;
    if (last_ > 0 && n % v != 0 && n + v - 1 <= most_narrow() * v) return narrow();
    s_.pieces = asks_once(k_, ops_, last_, extents_[last_]);
    shift_inputs(&first);
    if (congruent(lead, nullptr, last_, v) && (n % v == 0 || last_ == 0)) {
      if (!s_.pieces && n % v == 0) choose_by_rows(first);
      return;
    }
    s_.lead = static_cast<int>(lead);
    s_.early = distance_of(first, nullptr);
    const extent spare = s_.early < 0 ? v - 1 : extent(s_.early);
    const int across = last_ == 0 ? s_.threads : vectors_across((n + spare + v - 1) / v);
    s_.tile_columns = across * s_.vector;
    s_.tile_rows = s_.threads / across;
    if (reads_planes_again() && has_volume()) {
      s_.planes = few_planes, s_.threads = std::max(across, s_.threads / 2);
      s_.tile_rows = s_.threads / across;
    }
  }

  void choose_by_rows(const index_expr& lead) {
    s_.pieces = knows_edges(k_, ops_, last_);
    s_.pieces ? shift_inputs(&lead) : mark_aligned(k_, ops_, last_);
  }

  // ---- planes

  /// Does a view read elements that another one reads in an adjacent plane?
  bool reads_planes_again() const {
    for (std::size_t a = 0; last_ >= 2 && a < ops_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (reads(a) && reads(b) && ops_[a].strides == ops_[b].strides && planes_between(a, b)) {
          return true;
        }
      }
    }
    return false;
  }
  bool reads(std::size_t o) const {
    return k_.operands[o].role == operand_role::input && array(o, last_);
  }
  bool planes_between(std::size_t a, std::size_t b) const {
    const extent plane = ops_[a].strides[last_ - 2], row = ops_[a].strides[last_ - 1];
    const extent apart = ops_[a].offset - ops_[b].offset, near = extent(4) * row;
    const auto size = [](extent x) { return x < 0 ? extent(0) - x : x; };
    for (int planes = 1; planes <= 2; ++planes) {
      const extent step = extent(planes) * plane;
      if (row > 0 && plane > near && size(size(apart) - step) <= near) return true;
    }
    return false;
  }

  /// Are there enough blocks for all SMs if each processes several planes?
  bool has_volume() const {
    const extent points = product(extents_, 0, extents_.size());
    return extents_[last_ - 2] >= extent(4 * few_planes) &&
           points >= extent(m_.units) * boxes_each * few_planes * s_.threads * s_.vector;
  }

  /// Vectors per row that no vector divides, up to which a thread takes what divides the row.
  extent most_narrow() const {
    return reads_few() ? many_vectors : computes_ ? more_vectors : few_vectors;
  }

  /// Words of up to two arrays are as fast one by one as by vectors, and none waits for a row's
  /// end: rows of 63 floats times a row 267 us -> 192, of 333 253 (1e8 floats, H200; flat: 190).
  bool reads_few() const {
    int arrays = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const operand& x = k_.operands[o];
      if (x.role == operand_role::index || x.role == operand_role::state) continue;
      if (size_of(x.type) < narrow_bytes) return false;
      arrays += x.role == operand_role::input && array(o, last_) ? 1 : 0;
    }
    return arrays <= 2;
  }

  /// Rows of few vectors leave most of the adjacent threads idle: vectors that divide rows instead,
  /// several per thread. Rows of 2 floats times a row took 1,393 us of 189, of 3 505.
  void narrow() {
    strided();
    if (!computes_) s_.unroll = std::max(1, narrow_elements / s_.vector);
    const auto reads = [](const operand& o) { return o.role == operand_role::input; };
    if (std::ranges::count_if(k_.operands, reads) < many_arrays) return;
    const std::ptrdiff_t each = std::ssize(k_.body) * s_.vector;
    while (s_.unroll > 1 && each * s_.unroll > too_many_apart) s_.unroll /= 2;
  }

  /// Expensive elements of a small array, one per thread: the latency of one counts, whose
  /// quotients and roots follow each other. The same for long ones: determinants of 50,000 of 4 x 4
  /// floats took 73 us by four, of doubles, by two, 49; 25 steps of 50,000 rigid bodies 151 and 99
  /// (H200).
  void spread() {
    const extent one_round = std::int64_t{s_.threads} * s_.vector * m_.units;
    const bool small = product(extents_, 0, extents_.size()) <= one_round;
    if (touches_far()) s_.vector = 1;
    std::size_t taps = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) taps += reads(o);
    const std::size_t few = std::max(most_waiting, most_read * taps);
    if (small && (computes_ || k_.body.size() > few)) s_.vector = 1;
  }

  /// Are adjacent elements mostly farther apart than a vector reaches? One by one, a warp's
  /// accesses touch each line once per element in it; by four, four times as often.
  bool touches_far() const {
    int far = 0, near = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const operand_role role = k_.operands[o].role;
      const bool array = role == operand_role::input || role == operand_role::output;
      if (!array || gathered_[o] || !ops_[o].affine()) continue;
      near += ops_[o].strides[last_] == 1;
      far += ops_[o].strides[last_] > most_apart / 2;
    }
    return far > near;
  }

  /// No output is contiguous along the axis: vectors only serve inputs, if all are aligned.
  void strided() {
    halve_until(s_.vector, [&](extent v) {
      if (extents_[last_] % v != 0 && last_ > 0) return false;
      for (std::size_t o = 0; o < ops_.size(); ++o) {
        if (array(o, last_) && !congruent(o, nullptr, last_, v)) return false;
      }
      return true;
    });
  }

  void shift_inputs(const index_expr* lead) {
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      operand& x = k_.operands[o];
      if (x.role != operand_role::input || x.reach != reach::whole) continue;
      if (!array(o, last_) && !guarded(o)) continue;
      const int distance = distance_of(ops_[o], lead);
      if (distance == 0 && guarded(o)) x.reach = reach::aligned;
      if (distance == 0) continue;
      x.reach = reach::shifted;
      x.beyond = std::max(distance, 0);
    }
  }

  /// How many elements after an aligned address vectors of an operand begin where those of the lead
  /// are aligned (without one, where their offsets are); -1 if rows differ.
  int distance_of(const index_expr& o, const index_expr* lead) const {
    const extent v = s_.vector;
    for (std::size_t d = 0; d < last_; ++d) {
      if ((o.strides[d] - (lead ? lead->strides[d] : extent(0))) % v != 0) return -1;
    }
    const extent offset = o.offset - (lead ? lead->offset : extent(0));
    int distance = 0;
    while ((offset - extent(distance)) % v != 0) ++distance;
    return distance;
  }

  /// Threads across a row: few classes, chosen to leave few of them idle.
  static int vectors_across(extent vectors) {
    int best = 32;
    const auto idle = [&](int across) { return (vectors + across - 1) / across * across; };
    for (int across : {16, 8}) {
      if (vectors < 128 && idle(across) < idle(best)) best = across;
    }
    return best;
  }

  /// Does a thread have one access in flight, and little to do with it? With two, in smaller
  /// blocks, the latency of the second overlaps the work on the first.
  bool loads_little() const {
    if (s_.vector == 1 || s_.lead >= 0 || s_.tile_rows > 0 || !k_.loops.empty()) return false;
    if (std::ranges::find(gathered_, true) != gathered_.end()) return false;
    std::size_t bytes = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const operand& x = k_.operands[o];
      if (x.reach != reach::whole) return false;
      if (x.role != operand_role::input || !array(o, last_)) continue;
      bytes += size_of(x.type) * static_cast<std::size_t>(s_.vector);
    }
    return bytes > 0 && bytes <= access_bytes && k_.body.size() <= most_waiting;
  }

  // ---- operands contiguous along another axis

  bool turns_here(std::size_t o) const { return k_.operands[o].reach == reach::turned; }

  bool turned() {
    if (last_ == 0 || std::max(extents_[last_], extents_[last_ - 1]) < 32) return false;
    int size = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      operand& x = k_.operands[o];
      if (x.role != operand_role::input || !array(o, last_ - 1)) continue;
      if (ops_[o].strides[last_] == 0 || ops_[o].strides[last_] == 1) continue;
      x.reach = reach::turned;
      size = std::max(size, static_cast<int>(size_of(x.type)));
    }
    if (size == 0) return false;
    const int widest = static_cast<int>(access_bytes) / size;
    s_.vector = std::min(s_.vector, widest);
    halve_until(s_.vector, [&](extent v) {
      return extents_[last_] % v == 0 &&
             each([&](std::size_t o) { return congruent(o, nullptr, last_, v); },
                  &map_shaper::output);
    });
    s_.turn_vector = std::min(4, widest);
    halve_until(s_.turn_vector, [&](extent v) {
      return extents_[last_ - 1] % v == 0 &&
             each([&](std::size_t o) { return congruent(o, nullptr, last_ - 1, v); },
                  &map_shaper::turns_here);
    });
    const int word = std::max(1, narrow_bytes / size);
    if (std::min(s_.vector, s_.turn_vector) < word) {  // single elements go through shared memory
      s_.vector = std::min(s_.vector, word), s_.turn_vector = std::min(s_.turn_vector, word);
    }
    if (s_.vector > 1) {
      s_.pieces = asks_once(k_, ops_, last_, extents_[last_]);
      shift_inputs(nullptr);
    }
    choose_tile(k_, extents_, size);
    return true;
  }

  double bytes_of_element() const {
    std::size_t bytes = 0;
    for (std::size_t o = 0; o < ops_.size(); ++o) {
      const operand& x = k_.operands[o];
      const bool moves = x.role == operand_role::input || x.role == operand_role::output;
      if (moves && !gathered_[o]) bytes += size_of(x.type);
    }
    return static_cast<double>(bytes);
  }

  kernel& k_;
  schedule& s_;
  const shape_t& extents_;
  const std::vector<index_expr>& ops_;
  const machine& m_;
  std::size_t last_;
  int widest_vector_;
  bool computes_ = false;  // arithmetic takes longer than memory
  std::vector<bool> gathered_;  // operands read or written by single elements, anywhere
};

}  // namespace

void shape_gpu_map(kernel& k, const shape_t& extents, const std::vector<index_expr>& operands,
                   const machine& m, int vector) {
  map_shaper(k, extents, operands, m, vector).run();
}

}  // namespace sinter::ir
