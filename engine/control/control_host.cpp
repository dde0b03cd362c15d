#include "engine/control/control_host.hpp"

#include <algorithm>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

/// A loop inside a function that is being recorded runs for itself.
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
  explicit replayed(location where) : where_(where), traces_(make_traces({})) {
    if (tracing()) throw untraceable();
  }

  /// `in` is given away: what nobody else holds may be updated in place.
  template <class F>
  void operator()(std::vector<any_array>& in, std::vector<any_array>& out, F f) {
    fused_call one(*traces_, in, {}, where_);
    if (!one.replay(out)) {
      f(in, out);
      one.finish(out);
    }
  }

 private:
  location where_;
  std::shared_ptr<fused_traces> traces_;
  own_recording own_;
};

template <class T>
T read_one(const any_array& x, const char* op, location where) {
  T value{};
  read(x, &value, where, op);
  return value;
}

any_array one_more(const any_array& i, location where) {
  return make_op(ir::op::add, {i, make_scalar({{1, 0}}, dtype::int64, where)}, where);
}

}  // namespace

std::vector<any_array> fori_by_rounds(const any_array& lo, const any_array& count,
                                      array_function body, std::vector<any_array> first,
                                      location where) {
  replayed round(where);
  const auto rounds = read_one<std::int64_t>(count, "fori_loop", where);
  const std::size_t n = first.size();
  std::vector<any_array> in{lo}, out(n + 1);
  in.insert(in.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  for (std::int64_t k = 0; k < rounds; ++k) {
    round(in, out, [&](std::vector<any_array>& from, std::vector<any_array>& to) {
      std::vector<any_array> given = from;  // the function takes it
      body.call(body.f, given.data(), to.data() + 1, where);
      keep_carries("fori_loop", {from.data() + 1, n}, {to.data() + 1, n}, where);
      to[0] = one_more(from[0], where);
    });
    std::swap(in, out);
    out.assign(n + 1, any_array());
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
    if (to.shape().empty()) return;
    fail<shape_error>(error_code::shape_mismatch, "while_loop",
                      "the condition has shape " + text_of(to.shape()) + ", not ()", where);
  };
  any_array holds;
  test(first, holds);
  std::vector<any_array> in = std::move(first), out(n + 1);
  while (read_one<unsigned char>(holds, "while_loop", where) != 0) {
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

/// Slice i of x, an index that is inside.
any_array slice_at(const any_array& x, const any_array& i, location where) {
  auto [base, map] = base_of(x);
  const shape_view shape = x.shape().subspan(1);
  const any_array along = make_scalar(
      {{static_cast<std::uint64_t>(map.strides[0].peek()), 0}}, dtype::int64, where);
  const any_array at = make_op(ir::op::multiply, {i, along}, where);
  map.strides.erase(map.strides.begin());
  return make_gather(base, make_broadcast(at, shape, "scan", where), {}, std::move(map), where);
}

/// What every round keeps, one behind the other.
class stacked {
 public:
  void add(const any_array& y, std::int64_t round, std::int64_t rounds, location where) {
    const node& n = *y.get();
    const auto bytes = static_cast<std::size_t>(y.nbytes());
    if (!all_.valid()) {
      std::vector<std::int64_t> shape{rounds};
      shape.insert(shape.end(), n.shape.begin(), n.shape.end());
      guarded("scan", where, [&] {
        auto buffer = n.device->allocate(bytes * static_cast<std::size_t>(rounds));
        all_ = make_source(std::move(buffer), *n.device, n.type, shape);
      });
    }
    inherit_checks(all_, y);
    shorten_checks(all_);
    if (bytes == 0) return;
    guarded("scan", where, [&] {
      node& to = *all_.get();
      n.device->copy(*to.buffer, bytes * static_cast<std::size_t>(round), *n.buffer, 0, bytes);
    });
  }
  any_array take() { return std::move(all_); }

 private:
  any_array all_;
};

}  // namespace

std::vector<any_array> scan_by_rounds(array_function body, std::vector<any_array> first,
                                      const std::vector<any_array>& xs, std::int64_t rounds,
                                      const std::vector<any_array>& like, location where) {
  replayed round(where);
  const std::size_t n = first.size(), kept = body.outputs;
  std::vector<any_array> in{make_scalar({}, dtype::int64, where)}, out(1 + n + kept);
  in.insert(in.end(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
  evaluate(xs, "scan", where);
  std::vector<stacked> ys(kept);
  for (std::int64_t k = 0; k < rounds; ++k) {
    round(in, out, [&](std::vector<any_array>& from, std::vector<any_array>& to) {
      std::vector<any_array> all(from.begin() + 1, from.end());
      const std::vector<any_array> before = all;
      for (const any_array& x : xs) all.push_back(slice_at(x, from[0], where));
      body.call(body.f, all.data(), to.data() + 1, where);
      keep_carries("scan", before, {to.data() + 1, n}, where);
      to[0] = one_more(from[0], where);
    });
    for (std::size_t y = 0; y < kept; ++y) ys[y].add(out[1 + n + y], k, rounds, where);
    out.resize(1 + n);
    std::swap(in, out);
    out.assign(1 + n + kept, any_array());
  }
  std::vector<any_array> all(in.begin() + 1, in.end());
  for (std::size_t y = 0; y < kept; ++y) {
    if (rounds > 0) {
      all.push_back(ys[y].take());
      continue;
    }
    // No round has said what is kept: what was traced does.
    const any_array& x = like[n + y];
    checked(x, "scan", where);
    std::vector<std::int64_t> shape{0};
    shape.insert(shape.end(), x.shape().begin(), x.shape().end());
    all.push_back(make_broadcast(make_scalar({}, x.dtype(), where), shape, "scan", where));
  }
  return all;
}

}  // namespace sinter::detail
