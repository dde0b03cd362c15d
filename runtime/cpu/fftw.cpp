#include "runtime/cpu/fftw.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "runtime/cpu/fftw_columns.hpp"
#include "runtime/cpu/fftw_library.hpp"
#include "runtime/recent_cache.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t most_plans = 256;
constexpr std::size_t most_plan_bytes = 64u << 20;

// A batch is split into pieces of about this many elements, independent of the number of threads,
// so that the bits do not depend on it.
constexpr std::int64_t piece_elements = 1 << 15;
constexpr std::int64_t most_pieces = 64;
// Pieces begin at multiples of this many transforms, which keeps them aligned for vector units.
constexpr std::int64_t piece_step = 16;

/// One library call, before it is split into pieces.
struct pass {
  fft_kind kind;
  bool inverse;
  fftw_loops axes;
  fftw_loops loops;
  char* in;
  char* out;

  static int size_of(bool real, bool wide) { return (wide ? 8 : 4) * (real ? 1 : 2); }
  /// Bytes of an element.
  int in_size(bool wide) const { return size_of(kind == fft_kind::real_to_complex, wide); }
  int out_size(bool wide) const { return size_of(kind == fft_kind::complex_to_real, wide); }
};

/// The memory layout of one side: strides, and the distance between transforms.
struct side {
  std::array<std::int64_t, 3> stride = {};
  std::int64_t distance;
  std::int64_t outer_distance;

  side(const fft_layout& layout, int rank)
      : distance(layout.distance), outer_distance(layout.outer_distance) {
    std::int64_t step = layout.stride;
    for (int d = rank; d-- > 0;) {
      stride[static_cast<std::size_t>(d)] = step;
      step *= layout.embed[static_cast<std::size_t>(d)];
    }
  }
};

class fftw final : public fft {
 public:
  explicit fftw(thread_pool& threads) : threads_(threads) {}

  bool supports(element type, std::int64_t) const override {
    return type == element::float32 || type == element::float64;
  }

  void transform(const fft_call& call) override {
    if (!supports(call.type, 0)) {
      throw device_error("[fft] FFTW takes float32 and float64: convert the others first");
    }
    if (call.kind == fft_kind::complex_to_real && call.rank != 1) {
      throw device_error("[fft] transforms to real numbers are over one axis at a time");
    }
    if (call.batch <= 0 || call.outer <= 0) return;
    const bool wide = call.type == element::float64;
    const fftw_library& library = opened(wide);
    if (call.rank == 1) return run(library, wide, whole(call));
    if (elements(call) < piece_elements) return run(library, wide, whole(call));
    last_axis_first(library, wide, call);
  }

  fft_statistics statistics() const override {
    std::lock_guard one(mutex_);
    return {plans_[0].size() + plans_[1].size(), plans_[0].bytes() + plans_[1].bytes()};
  }

 private:
  using plan_cache = recent_cache<fftw_problem, fftw_plan>;

  struct piece {
    std::shared_ptr<fftw_plan> plan;
    char* in;
    char* out;
  };

  static std::int64_t elements(const fft_call& call) {
    return call.length[0] * call.length[1] * call.length[2];
  }

  /// Elements stored along an axis on the complex side.
  static std::int64_t stored(const fft_call& call, int axis) {
    const std::int64_t n = call.length[static_cast<std::size_t>(axis)];
    return call.kind != fft_kind::complex && axis == call.rank - 1 ? n / 2 + 1 : n;
  }

  static char* bytes(const void* data) { return static_cast<char*>(const_cast<void*>(data)); }

  static void add_batches(fftw_loops& loops, const fft_call& call, const side& in,
                          const side& out) {
    if (call.batch > 1) loops.add({call.batch, in.distance, out.distance});
    if (call.outer > 1) loops.add({call.outer, in.outer_distance, out.outer_distance});
  }

  /// A transform of all axes in one call.
  static pass whole(const fft_call& call) {
    const side in(call.in_layout, call.rank);
    const side out(call.out_layout, call.rank);
    pass p{call.kind, call.inverse, {}, {}, bytes(call.in), bytes(call.out)};
    for (std::size_t d = 0; d < static_cast<std::size_t>(call.rank); ++d) {
      p.axes.add({call.length[d], in.stride[d], out.stride[d]});
    }
    add_batches(p.loops, call, in, out);
    return p;
  }

  /// A transform of one axis, for every element of the others.
  static pass one_axis(const fft_call& call, int axis, fft_kind kind, const side& in,
                       const side& out) {
    pass p{kind, call.inverse, {}, {}, bytes(call.in), bytes(call.out)};
    for (int d = 0; d < call.rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const std::int64_t count = d == axis ? call.length[i] : stored(call, d);
      (d == axis ? p.axes : p.loops).add({count, in.stride[i], out.stride[i]});
    }
    add_batches(p.loops, call, in, out);
    return p;
  }

  void last_axis_first(const fftw_library& library, bool wide, const fft_call& call) {
    const side in(call.in_layout, call.rank);
    const side out(call.out_layout, call.rank);
    run(library, wide, one_axis(call, call.rank - 1, call.kind, in, out));
    for (int axis = call.rank - 1; axis-- > 0;) {
      pass p = one_axis(call, axis, fft_kind::complex, out, out);
      p.in = p.out;
      run(library, wide, p);
    }
  }

  // ---- columns

  /// The loop over adjacent columns, if they should be transposed into rows first; else -1.
  static int columns_of(const pass& p, bool wide) {
    const fftw_loop& axis = p.axes.items[0];
    const std::int64_t apart = std::max(axis.in * p.in_size(wide), axis.out * p.out_size(wide));
    if (p.axes.size != 1 || !column_block::pays(axis.count, apart)) return -1;
    for (int i = 0; i < p.loops.size; ++i) {
      const fftw_loop& l = p.loops.items[static_cast<std::size_t>(i)];
      if (l.in == 1 && l.out == 1 && l.count > 1) return i;
    }
    return -1;
  }

  static column_block block_of(const pass& p, bool wide) {
    const fftw_loop& axis = p.axes.items[0];
    const std::int64_t half = axis.count / 2 + 1;
    return {p.kind == fft_kind::complex_to_real ? half : axis.count,
            p.kind == fft_kind::real_to_complex ? half : axis.count,
            axis.in,
            axis.out,
            p.in_size(wide),
            p.out_size(wide)};
  }

  /// Distributes blocks of adjacent columns, for all other loops, over the threads.
  void run_columns(const fftw_library& library, bool wide, const pass& p, int across) {
    const column_block block = block_of(p, wide);
    const std::int64_t count = p.loops.items[static_cast<std::size_t>(across)].count;
    const std::int64_t blocks = (count + block.width - 1) / block.width;
    std::int64_t items = blocks;
    for (int i = 0; i < p.loops.size; ++i) {
      if (i != across) items *= p.loops.items[static_cast<std::size_t>(i)].count;
    }
    const std::int64_t work = block.width * p.axes.items[0].count;
    threads_.parallel_for(
        items,
        [&](std::int64_t begin, std::int64_t end) {
          const column_scratch in(block.in_bytes()), out(block.out_bytes());
          for (std::int64_t item = begin; item < end; ++item) {
            const std::int64_t first = item % blocks * block.width;
            const std::int64_t columns = std::min(block.width, count - first);
            const auto [from, to] = corner_of(p, wide, across, item / blocks, first);
            block.gather(in.data(), from, columns);
            plan_of_rows(library, wide, p, block, columns, in.data(), out.data())
                ->run(in.data(), out.data());
            block.scatter(to, out.data(), columns);
          }
        },
        std::max<std::int64_t>(1, piece_elements / work));
  }

  /// The first element of column `first` in iteration `number` of the other loops.
  static std::pair<char*, char*> corner_of(const pass& p, bool wide, int across,
                                           std::int64_t number, std::int64_t first) {
    std::int64_t in = first, out = first;
    for (int i = 0; i < p.loops.size; ++i) {
      const fftw_loop& l = p.loops.items[static_cast<std::size_t>(i)];
      if (i == across) continue;
      in += number % l.count * l.in, out += number % l.count * l.out;
      number /= l.count;
    }
    return {p.in + in * p.in_size(wide), p.out + out * p.out_size(wide)};
  }

  std::shared_ptr<fftw_plan> plan_of_rows(const fftw_library& library, bool wide, const pass& p,
                                          const column_block& block, std::int64_t columns,
                                          char* in, char* out) {
    pass rows{p.kind, p.inverse, {}, {}, in, out};
    rows.axes.add({p.axes.items[0].count, 1, 1});
    rows.loops.add({columns, block.in_pitch, block.out_pitch});
    return plan_of(library, wide, rows, in, out);
  }

  // ---- rows, and all small transforms

  /// Splits the longest loop.
  void run(const fftw_library& library, bool wide, const pass& p) {
    const int across = columns_of(p, wide);
    if (across >= 0) return run_columns(library, wide, p, across);
    int cut = 0;
    std::int64_t work = 1;
    for (int i = 0; i < p.axes.size; ++i) work *= p.axes[i].count;
    for (int i = 0; i < p.loops.size; ++i) {
      work *= p.loops[i].count;
      if (p.loops[i].count > p.loops[cut].count) cut = i;
    }
    if (work == 0) return;
    const std::int64_t count = p.loops.size ? p.loops[cut].count : 1;
    const std::int64_t pieces =
        std::clamp<std::int64_t>(work / piece_elements, 1, std::min(count, most_pieces));
    if (pieces == 1) {
      return plan_of(library, wide, p, p.in, p.out)->run(p.in, p.out);
    }
    std::int64_t step = (count + pieces - 1) / pieces;
    if (step > piece_step) step = (step + piece_step - 1) / piece_step * piece_step;
    const std::vector<piece> parts = cut_up(library, wide, p, cut, step);
    threads_.parallel_for(static_cast<std::int64_t>(parts.size()),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              const piece& one = parts[static_cast<std::size_t>(i)];
                              one.plan->run(one.in, one.out);
                            }
                          });
  }

  std::vector<piece> cut_up(const fftw_library& library, bool wide, const pass& p, int cut,
                            std::int64_t step) {
    const fftw_loop loop = p.loops[cut];
    std::vector<piece> parts;
    pass part = p;
    for (std::int64_t begin = 0; begin < loop.count; begin += step) {
      part.loops[cut].count = std::min(step, loop.count - begin);
      char* in = p.in + begin * loop.in * p.in_size(wide);
      char* out = p.out + begin * loop.out * p.out_size(wide);
      parts.push_back({plan_of(library, wide, part, in, out), in, out});
    }
    return parts;
  }

  std::shared_ptr<fftw_plan> plan_of(const fftw_library& library, bool wide, const pass& p,
                                     char* in, char* out) {
    fftw_problem problem{p.kind, p.inverse, in == out};
    problem.in_alignment = library.alignment_of(in);
    problem.out_alignment = library.alignment_of(out);
    problem.axes = p.axes;
    problem.loops = p.loops;
    std::lock_guard one(mutex_);
    plan_cache& plans = plans_[wide];
    if (auto found = plans.find(problem)) return found;
    auto made = library.plan(problem, in, out);
    plans.add(problem, made, plan_bytes(problem, wide));
    return made;
  }

  // An estimate: roots of unity, twice as many for lengths that need a transform of twice the
  // length, and the steps of the plan.
  static std::size_t plan_bytes(const fftw_problem& problem, bool wide) {
    std::int64_t roots = 0;
    for (int i = 0; i < problem.axes.size; ++i) roots += 2 * problem.axes[i].count;
    return 8192 + static_cast<std::size_t>(roots) * (wide ? 16 : 8);
  }

  const fftw_library& opened(bool wide) {
    std::lock_guard one(mutex_);
    if (!libraries_[wide]) libraries_[wide] = std::make_unique<fftw_library>(wide);
    return *libraries_[wide];
  }

  thread_pool& threads_;
  mutable std::mutex mutex_;
  std::unique_ptr<fftw_library> libraries_[2];  // float, double
  plan_cache plans_[2] = {{most_plans, most_plan_bytes}, {most_plans, most_plan_bytes}};
};

}  // namespace

std::unique_ptr<fft> make_fftw(thread_pool& threads) {
  return std::make_unique<fftw>(threads);
}

}  // namespace sinter::runtime
