#include "ir/passes/stack_price.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

// Measured on an H200: five points of floats and doubles, 2 to 6 sweeps per stack, 128^2 to 8192^2,
// and three fields that read each other.

/// Instructions of a point besides its operations, of four bytes that it reads, and of a point that
/// is staged in a tile.
constexpr double point_cost = 8, read_cost = 2, stage_cost = 10;
/// Seconds that a short kernel takes besides its work, and a part of a stack. A kernel hides as
/// much of the former as half of its work.
constexpr double kernel_gap = 1.9e-6, part_gap = 0.5e-6;
/// Memory is read this many times faster from L2.
constexpr double cache_speed = 2;
/// The part of the separate sweeps' time within which a stack must stay: estimates are uncertain.
constexpr double sure = 0.9, sure_on_cpu = 0.8;
/// The most that a point may cost: a thread computes four of them in turn, where a map has threads
/// for each (eddies of an ocean, 250 a point: 46 us -> 71).
constexpr double dearest_point = 64;
/// Boxes of a volume have more in their halos than in themselves, and rows of a few warps.
constexpr double of_volumes = 4;

// A CPU: measured on two cores of an EPYC (Zen 4), five points of floats and doubles, 512^2 to
// 4096^2, and thirteen operations of a volume.

/// The cost of a number that a point reads, besides its operations, if vectors have 64 bytes of
/// floats.
constexpr double cpu_read_cost = 0.3, cpu_vector = 64;
/// Bytes per second of a core: from memory, and from the last-level cache if the data nearly fills
/// it, or takes up to three quarters of it; of all cores from memory. And bytes that a core's own
/// cache holds.
constexpr double core_memory = 22e9, core_full_cache = 29e9, core_cache = 65e9;
constexpr double socket_memory = 250e9;
constexpr double own_cache = 1 << 20;
/// Seconds that a row of a box takes at its beginning and end.
constexpr double cpu_row = 12e-9;

double bytes_of(const plan& p, std::int32_t buffer) {
  const plan_buffer& b = p.buffers[static_cast<std::size_t>(buffer)];
  return static_cast<double>(b.count) * static_cast<double>(size_of(b.type));
}

/// Does the sweep read, around its points, the base of an output that is an update?
bool is_copied(const sweep& w, std::int32_t output, const update_bases& bases) {
  const auto base = bases.find(output);
  if (base == bases.end()) return false;
  return std::ranges::count(w.places, base->second.base, &sweep_place::buffer) > 1;
}

/// How many points are computed per point of the box.
double widening(const std::vector<int>& box, const margins& m) {
  double times = 1;
  for (std::size_t d = 0; d < box.size(); ++d) {
    int side = box[d] + m.before[d] + m.after[d];
    if (d + 2 == box.size()) side = (side + 3) / 4 * 4;  // whole columns of a thread
    times *= static_cast<double>(side) / box[d];
  }
  return times;
}

/// The cost of one point of a sweep, in additions.
double cost_of_point(const sweep& w, const machine& m) {
  double reads = 0, numbers = 0;
  std::size_t widest = 1;
  for (const inst& i : w.code->body) {
    widest = std::max(widest, size_of(i.result));
    if (i.kind != inst_kind::load) continue;
    reads += static_cast<double>(size_of(i.result)) / 4;
    ++numbers;
  }
  if (m.target == target::cpu) {
    const double lanes = m.vector_bytes / static_cast<double>(widest);
    return (work_of(*w.code, m) + cpu_read_cost * numbers) * (cpu_vector / 4) / lanes;
  }
  return work_of(*w.code, m) + point_cost + read_cost * std::max(reads, 1.0);
}

class pricer {
 public:
  pricer(const plan& p, std::span<const sweep> sweeps, const stack_layout& l,
         const update_bases& bases, const machine& m)
      : p_(p), sweeps_(sweeps), l_(l), bases_(bases), m_(m) {}

  double apart() const {
    const std::set<std::int32_t> all = gpu() ? touched_by_all() : touched_by_one();
    double seconds = 0;
    for (const sweep& w : sweeps_) {
      double bytes = 0;
      for (std::int32_t b : touched(w)) bytes += bytes_of(p_, b);
      // An update reads and writes its base in place, which a CPU's measured speeds include; or the
      // base is copied first.
      for (std::int32_t b : p_.steps[w.step].outputs) {
        if (gpu() && bases_.contains(b)) bytes += bytes_of(p_, b);
        if (!gpu() && is_copied(w, b, bases_)) bytes += 2 * bytes_of(p_, b);
      }
      seconds += kernel(std::max(bytes / speed(all), computing(w)));
      for (std::int32_t b : p_.steps[w.step].outputs) {
        if (!gpu() || !is_copied(w, b, bases_)) continue;
        seconds += kernel(2 * bytes_of(p_, b) / speed(all));
      }
    }
    return seconds;
  }

  double together(const std::set<std::int32_t>& kept) const {
    std::set<std::int32_t> all = kept;
    double computed = 0, moved = 0;
    auto parts = static_cast<double>(sweeps_.size() + l_.staged.size());
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      computed += computing(sweeps_[s]) * widening(l_.box, l_.beyond[s]);
      for (std::int32_t b : p_.steps[sweeps_[s].step].inputs) {
        const auto a = l_.arrays.find(b);
        if (a == l_.arrays.end() || a->second.staged) all.insert(b);
      }
    }
    for (std::int32_t b : all) moved += bytes_of(p_, b);
    for (const auto& [buffer, a] : l_.arrays) {
      if (a.staged) {
        const double points = bytes_of(p_, buffer) / static_cast<double>(type_of(a));
        computed += points * stage_cost * widening(l_.box, l_.staged.at(buffer)) / issue();
      }
      if (a.base < 0) continue;
      all.insert(a.base);
      parts += a.over < 0 || kept.contains(buffer) ? 1 : 0;
    }
    if (!gpu()) return m_.launch + overlapped(moved / speed(all), computed + rows());
    if (l_.box.size() > 2) computed *= of_volumes;
    // Blocks wait for memory, then for each other's threads: little of that overlaps.
    return kernel_gap + moved / speed(all) + computed + parts * part_gap;
  }

 private:
  bool gpu() const { return m_.target == target::gpu; }

  double kernel(double work) const {
    return work + (gpu() ? std::max(0.0, kernel_gap - work / 2) : m_.launch);
  }

  /// A GPU's peak counts each addition as if it were a multiplication too.
  double issue() const { return gpu() ? m_.arithmetic / 2 : m_.arithmetic; }

  /// A core computes while it waits for memory, though not all the time.
  static double overlapped(double moving, double computing) {
    return std::max(moving, computing) + std::min(moving, computing) / 2;
  }

  double speed_on_cpu(double size) const {
    const auto cache = static_cast<double>(m_.cache);
    if (size < m_.units * own_cache) return m_.arithmetic;
    const double core = size < cache * 3 / 4   ? core_cache
                        : size < cache * 5 / 4 ? core_full_cache
                                               : core_memory;
    return std::min(m_.units * core, std::max(socket_memory, m_.bandwidth));
  }

  /// The cost of the rows of boxes, besides their points.
  double rows() const {
    double all = 0;
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      const extent length = sweeps_[s].extents.back();
      const extent boxes = (length + l_.box.back() - 1) / l_.box.back();
      all += static_cast<double>(points_of(sweeps_[s]) / length * boxes) *
             widening(l_.box, l_.beyond[s]);
    }
    return all * cpu_row / m_.units;
  }

  double computing(const sweep& w) const {
    const double points = static_cast<double>(points_of(w));
    return points * cost_of_point(w, m_) / issue();
  }

  std::size_t type_of(const swept_array& a) const {
    return size_of(sweeps_[a.sweep].code->operands[a.operand].type);
  }

  double speed(const std::set<std::int32_t>& buffers) const {
    double size = 0;
    for (std::int32_t b : buffers) size += bytes_of(p_, b);
    if (!gpu()) return speed_on_cpu(size);
    return m_.bandwidth * (size < static_cast<double>(m_.cache) ? cache_speed : 1);
  }

  std::set<std::int32_t> touched_by_all() const {
    std::set<std::int32_t> all;
    for (const sweep& w : sweeps_) all.merge(touched(w));
    return all;
  }

  /// The arrays of the sweep that touches most: others write to the memory of arrays no longer
  /// read.
  std::set<std::int32_t> touched_by_one() const {
    std::set<std::int32_t> most;
    for (const sweep& w : sweeps_) {
      std::set<std::int32_t> own = touched(w);
      if (own.size() > most.size()) most = std::move(own);
    }
    return most;
  }

  /// The arrays in memory that a sweep touches when it runs alone.
  std::set<std::int32_t> touched(const sweep& w) const {
    const plan_step& step = p_.steps[w.step];
    std::set<std::int32_t> all(step.inputs.begin(), step.inputs.end());
    for (std::int32_t b : step.outputs) {
      const auto base = bases_.find(b);
      all.insert(base == bases_.end() ? b : base->second.base);
      if (!gpu() && is_copied(w, b, bases_)) all.insert(b);
    }
    return all;
  }

  const plan& p_;
  std::span<const sweep> sweeps_;
  const stack_layout& l_;
  const update_bases& bases_;
  const machine& m_;
};

}  // namespace

bool is_dear(const sweep& w, const machine& m) {
  return m.target == target::gpu && cost_of_point(w, m) > dearest_point;
}

bool copies_its_base(const plan& p, const sweep& w, const update_bases& bases) {
  return std::ranges::any_of(p.steps[w.step].outputs,
                             [&](std::int32_t b) { return is_copied(w, b, bases); });
}

double stack_gain(const plan& p, std::span<const sweep> sweeps, const stack_layout& l,
                  const std::set<std::int32_t>& kept, const update_bases& bases,
                  const machine& m) {
  const pricer price(p, sweeps, l, bases, m);
  return (m.target == target::gpu ? sure : sure_on_cpu) * price.apart() - price.together(kept);
}

}  // namespace sinter::ir
