#include "engine/control/control_host.hpp"

#include <algorithm>
#include <limits>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/round_tape.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/indexing/index_range.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

/// Suspends the recording of the enclosing function: the loop's rounds are recorded separately.
class own_recording {
 public:
  own_recording() : before_(std::exchange(recording_function(), false)) {}
  ~own_recording() { recording_function() = before_; }
  own_recording(const own_recording&) = delete;

 private:
  bool before_;
};

/// A function of arrays that is recorded once and replayed.
class replayed {
 public:
  explicit replayed(location where) : where_(where), traces_(make_traces(rounds_)) {
    if (tracing()) throw untraceable();
  }

  /// Consumes `in`: what nothing else references may be updated in place.
  template <class F>
  void operator()(std::vector<any_array>& in, std::vector<any_array>& out, F f) {
    fused_call one(*traces_, in, {}, where_);
    if (one.replay(out)) return rounds_.tape.replayed(in, out);
    f(in, out);
    one.finish(out);
  }

  /// Replays as many of the remaining rounds as leave every array of `now`, the last round's
  /// results, in the same memory; returns their number.
  std::int64_t go_on(std::span<const any_array> now, std::int64_t rounds) {
    const std::int64_t cycle = rounds_.tape.cycle();
    if (cycle == 0 || rounds < cycle) return 0;
    rounds_.tape.play(rounds / cycle, where_);
    mark(now);
    return rounds / cycle * cycle;
  }

  /// Replays rounds while output `condition` holds, if that is possible: not if reading the
  /// condition would also report faults of a round. `now` holds the last round's results and
  /// receives those of the last replayed round. Throws the faults found.
  bool go_on_while(std::vector<any_array>& now, std::size_t condition) {
    const std::int64_t cycle = rounds_.tape.cycle();
    if (cycle == 0 || rounds_.tape.checks_later()) return false;
    const std::int64_t k = rounds_.tape.play_while(condition, where_);
    for (std::size_t i = 0; i < now.size(); ++i) {
      any_array last = rounds_.tape.copy_of(k, i, now[i], where_);
      inherit_checks(last, now[i]);
      now[i] = std::move(last);
    }
    mark(now);
    for (const any_array& x : now) verify_checks(x);
    return true;
  }

  /// Attaches the faults found during the replay to all results.
  void mark(std::span<const any_array> now) const {
    if (!rounds_.tape.found()) return;
    for (const any_array& x : now) attach(x, rounds_.tape.found());
  }

 private:
  location where_;
  loop_rounds rounds_;
  std::shared_ptr<fused_traces> traces_;
  own_recording own_;
};

template <class T>
T read_one(const any_array& x, const char* op, location where) {
  T value{};
  read(x, &value, where, op);
  return value;
}

/// A known number is used as it is: reading it on a GPU would take a kernel and a wait.
std::int64_t count_of(const any_array& x, const char* op, location where) {
  const node& n = *x.get();
  if (n.kind == ir::node_kind::scalar) return static_cast<std::int64_t>(n.scalars[0].bits[0]);
  return read_one<std::int64_t>(x, op, where);
}

any_array more(const any_array& i, std::int64_t by, location where) {
  const scalar_word word{{static_cast<std::uint64_t>(by), 0}};
  return make_op(ir::op::add, {i, make_scalar(word, dtype::int64, where)}, where);
}

/// The range of a counter over that many rounds.
value_range counted(value_range begin, std::int64_t rounds) {
  std::int64_t last = 0;
  if (!__builtin_add_overflow(begin.hi, rounds - 1, &last)) return {begin.lo, last};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

/// A round of a fori_loop: the number of the round and the carries become the next ones.
class fori_round {
 public:
  fori_round(array_function body, value_range counter, location where)
      : body_(body), counter_(counter), where_(where) {}

  void operator()(const std::vector<any_array>& from, std::vector<any_array>& to) {
    const std::size_t n = from.size() - 1;
    const auto holders = from[0].get()->references.value();
    {
      std::vector<any_array> given = from;  // consumed by the call
      const known_range counter(from[0], counter_);
      body_.call(body_.f, given.data(), to.data() + 1, where_);
    }
    keep_carries("fori_loop", {from.data() + 1, n}, {to.data() + 1, n}, where_);
    counts_ = from[0].get()->references.value() > holders;
    to[0] = counts_ ? more(from[0], 1, where_) : from[0];
  }

  /// Does a round use its number? If so, it differs each round.
  bool counts() const { return counts_; }

 private:
  array_function body_;
  value_range counter_;
  location where_;
  bool counts_ = true;
};

}  // namespace

std::vector<any_array> fori_by_rounds(const any_array& lo, const any_array& count,
                                      array_function body, std::vector<any_array> first,
                                      std::int64_t at_once, location where) {
  replayed one(where);
  std::optional<replayed> several;
  if (at_once > 1) several.emplace(where);
  const std::int64_t rounds = count_of(count, "fori_loop", where);
  const std::size_t n = first.size();
  std::vector<any_array> in{lo}, out(n + 1);
  in.insert(in.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  fori_round round(body, counted(range_of(lo), rounds), where);
  for (std::int64_t k = 0; k < rounds;) {
    const std::int64_t now = rounds - k < at_once ? 1 : at_once;
    replayed& unit = now > 1 ? *several : one;
    unit(in, out, [&](std::vector<any_array>& from, auto& to) {
      std::vector<any_array> last = from;
      if (!round.counts()) last[0] = more(lo, k, where);
      for (std::int64_t r = 0; r < now; ++r) {
        round(last, to);
        if (r + 1 < now) last = std::exchange(to, std::vector<any_array>(n + 1));
      }
    });
    k += now;
    std::swap(in, out);
    out.assign(n + 1, any_array());
    k += now * unit.go_on(in, (rounds - k) / now);
  }
  in.erase(in.begin());
  return in;
}

std::vector<any_array> while_by_rounds(array_function condition, array_function body,
                                       std::vector<any_array> first, location where) {
  replayed round(where);
  const std::size_t n = first.size();
  const auto test = [&](std::vector<any_array> carries, any_array& to) {
    condition.call(condition.f, carries.data(), &to, where);
    if (to.extents().empty()) return;
    fail<shape_error>(error_code::shape_mismatch, "while_loop",
                      "the condition has shape " + text_of(to.extents()) + ", not ()", where);
  };
  any_array holds;
  test(first, holds);
  std::vector<any_array> in = std::move(first), out(n + 1);
  while (read_one<unsigned char>(holds, "while_loop", where) != 0) {
    if (round.go_on_while(in, n)) break;
    holds = {};
    round(in, out, [&](std::vector<any_array>& from, std::vector<any_array>& to) {
      std::vector<any_array> given = from;
      body.call(body.f, given.data(), to.data(), where);
      keep_carries("while_loop", from, {to.data(), n}, where);
      test({to.begin(), to.begin() + static_cast<std::ptrdiff_t>(n)}, to[n]);
    });
    holds = std::move(out[n]);
    out.pop_back();
    std::swap(in, out);
    out.assign(n + 1, any_array());
  }
  return in;
}

namespace {

/// Slice i of x; the index is in range.
any_array slice_at(const any_array& x, const any_array& i, location where) {
  auto [base, map] = base_of(x);
  const shape_view shape = x.extents().subspan(1);
  const any_array along = make_scalar(
      {{static_cast<std::uint64_t>(map.strides[0]), 0}}, dtype::int64, where);
  const any_array at = make_op(ir::op::multiply, {i, along}, where);
  map.strides.erase(map.strides.begin());
  return make_gather(base, make_broadcast(at, shape, "scan", where), {}, std::move(map), where);
}

/// Emitted values of up to this many elements are stored in place by the round's own kernels;
/// larger ones are copied after the round, for the same traffic and no more launches.
constexpr std::int64_t kept_by_kernels = 4096;

}  // namespace

void keep_emitted(const any_array& first, const any_array& y, location where) {
  checked(y, "scan", where);
  if (y.dtype() == first.dtype() && std::ranges::equal(y.extents(), first.extents())) return;
  fail<shape_error>(error_code::shape_mismatch, "scan",
                    "a round keeps " + text_of(y) + ", another one " + text_of(first), where);
}

namespace {

/// The emitted values of all rounds, stacked.
class stacked {
 public:
  /// Allocates the stack if the rounds are to write it themselves: `like` is one round's value.
  void begin(const any_array& like, std::int64_t rounds, runtime::device& on, location where) {
    if (!like.valid() || like.size() > kept_by_kernels || rounds == 0) return;
    like_ = like;
    make(like.dtype(), like.extents(), rounds, on, where);
  }
  bool begun() const { return like_.valid(); }

  /// The stack with y at index `round`: recorded, not evaluated.
  any_array with(const any_array& stack, const any_array& y, const any_array& round,
                 location where) const {
    keep_emitted(like_, y, where);
    const any_array size =
        make_scalar({{static_cast<std::uint64_t>(y.size()), 0}}, dtype::int64, where);
    const any_array at = make_op(ir::op::multiply, {round, size}, where);
    return make_scatter(stack, {make_broadcast(at, y.extents(), "scan", where), y, {}, {}},
                        {0, dense_strides(y.extents())}, ir::op::cast, where);
  }

  void add(const any_array& y, std::int64_t round, std::int64_t rounds, location where) {
    evaluate({&y, 1}, "scan", where);  // a body that is called every round leaves it pending
    const node& n = *y.get();
    const auto bytes = static_cast<std::size_t>(y.nbytes());
    if (!all_.valid()) make(n.type, n.shape, rounds, *n.device, where);
    inherit_checks(all_, y);
    shorten_checks(all_);
    if (bytes == 0) return;
    guarded("scan", where, [&] {
      node& to = *all_.get();
      n.device->copy(*to.buffer, bytes * static_cast<std::size_t>(round), *n.buffer, 0, bytes);
    });
  }
  any_array& all() { return all_; }

 private:
  void make(dtype type, shape_view one, std::int64_t rounds, runtime::device& on,
            location where) {
    std::vector<std::int64_t> shape{rounds};
    shape.insert(shape.end(), one.begin(), one.end());
    std::size_t bytes = size_of(type);
    for (const std::int64_t e : shape) bytes *= static_cast<std::size_t>(e);
    guarded("scan", where,
            [&] { all_ = make_source(on.allocate(bytes), on, type, shape); });
  }

  any_array all_, like_;
};

/// A scan, round by round. A round takes and returns its number, the carries, and the stacks that
/// it writes to or the values it emits.
class rounds_of_scan {
 public:
  rounds_of_scan(array_function body, std::size_t carried, const std::vector<any_array>& xs,
                 std::int64_t rounds, location where)
      : body_(body),
        xs_(xs),
        n_(carried),
        rounds_(rounds),
        where_(where),
        round_(where),
        ys_(body.outputs) {}

  void begin(const std::vector<any_array>& like, runtime::device& on) {
    for (std::size_t y = 0; y < ys_.size(); ++y) ys_[y].begin(like[n_ + y], rounds_, on, where_);
  }

  std::vector<any_array> run(std::vector<any_array> first) {
    std::vector<any_array> in{make_scalar({}, dtype::int64, where_)}, out;
    std::ranges::move(first, std::back_inserter(in));
    for (std::int64_t k = 0; k < rounds_; ++k) {
      for (stacked& y : ys_) {
        if (y.begun()) in.push_back(std::move(y.all()));
      }
      out.assign(1 + n_ + ys_.size(), any_array());
      round_(in, out, [&](const auto& from, auto& to) { record(from, to); });
      for (std::size_t y = 0; y < ys_.size(); ++y) {
        any_array& kept = out[1 + n_ + y];
        if (ys_[y].begun()) ys_[y].all() = std::move(kept);
        else ys_[y].add(kept, k, rounds_, where_);
      }
      out.resize(1 + n_);
      std::swap(in, out);
      k += go_on(in, rounds_ - k - 1);
    }
    return {in.begin() + 1, in.end()};
  }

  any_array kept(std::size_t y) { return std::move(ys_[y].all()); }

 private:
  /// Does not apply if a stack is filled by copies after each round.
  std::int64_t go_on(const std::vector<any_array>& now, std::int64_t rounds) {
    if (!std::ranges::all_of(ys_, &stacked::begun)) return 0;
    const std::int64_t done = round_.go_on(now, rounds);
    if (done == 0) return 0;
    for (stacked& y : ys_) round_.mark({&y.all(), 1});
    return done;
  }

  void record(const std::vector<any_array>& from, std::vector<any_array>& to) const {
    const auto carries = from.begin() + 1;
    std::vector<any_array> all(carries, carries + static_cast<std::ptrdiff_t>(n_));
    const std::vector<any_array> before = all;
    for (const any_array& x : xs_) all.push_back(slice_at(x, from[0], where_));
    body_.call(body_.f, all.data(), to.data() + 1, where_);
    keep_carries("scan", before, {to.data() + 1, n_}, where_);
    std::size_t stack = 1 + n_;
    for (std::size_t y = 0; y < ys_.size(); ++y) {
      any_array& kept = to[1 + n_ + y];
      if (ys_[y].begun()) kept = ys_[y].with(from[stack++], kept, from[0], where_);
    }
    to[0] = more(from[0], 1, where_);
  }

  const array_function body_;
  const std::vector<any_array>& xs_;
  const std::size_t n_;
  const std::int64_t rounds_;
  const location where_;
  replayed round_;
  std::vector<stacked> ys_;
};

/// The device of the arrays that are not on the calling thread's device, if any; all arrays are
/// evaluated.
runtime::device& device_of_rounds(const std::vector<any_array>& xs,
                                  const std::vector<any_array>& first) {
  runtime::device& usual = current_device();
  for (const auto* list : {&xs, &first}) {
    for (const any_array& x : *list) {
      if (x.get()->device != &usual) return *x.get()->device;
    }
  }
  return usual;
}

}  // namespace

std::vector<any_array> scan_by_rounds(array_function body, std::vector<any_array> first,
                                      const std::vector<any_array>& xs, std::int64_t rounds,
                                      const std::vector<any_array>& like, location where) {
  const std::size_t n = first.size();
  rounds_of_scan all_rounds(body, n, xs, rounds, where);
  evaluate_operands(xs, "scan", where);
  evaluate_operands(first, "scan", where);
  all_rounds.begin(like, device_of_rounds(xs, first));
  std::vector<any_array> all = all_rounds.run(std::move(first));
  for (std::size_t y = 0; y < body.outputs; ++y) {
    if (rounds > 0) {
      all.push_back(all_rounds.kept(y));
      continue;
    }
    // No round ran that would define the emitted values; the trace does.
    const any_array& x = like[n + y];
    checked(x, "scan", where);
    std::vector<std::int64_t> shape{0};
    shape.insert(shape.end(), x.extents().begin(), x.extents().end());
    all.push_back(make_broadcast(make_scalar({}, x.dtype(), where), shape, "scan", where));
  }
  return all;
}

}  // namespace sinter::detail
