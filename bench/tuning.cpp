// Hot kernels before and after tuning: times, the chosen schedule, and whether the bits are equal.
//
//   tuning [--json FILE] [--quick] [--device NAME]
//
// Set SINTER_CACHE_DIR to an empty folder: results of an earlier process are used at once.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"

namespace sn = sinter;
using floats = sn::array<float>;

namespace {

struct workload {
  std::string name;
  std::function<sn::any_array()> run;  // evaluates; the same statement in every call
};

template <class T> sn::array<T> uneven(std::vector<std::int64_t> shape, std::uint64_t seed = 1) {
  sn::array<T> x = sn::astype<T>(sn::random::normal<float>(shape, {.seed = seed}));
  sn::eval(x);
  return x;
}

template <class F> workload statement(std::string name, F f) {
  return {std::move(name), [f] {
            const auto y = f();
            sn::eval(y);
            return sn::any_array(y);
          }};
}

template <class T> sn::array<T> softmax(const sn::array<T>& x) {
  const sn::array<T> e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
  return e / sn::sum(e, {.axis = 1, .keepdims = true});
}

template <class T> sn::array<T> layernorm(const sn::array<T>& x) {
  const sn::array<T> centred = x - sn::mean(x, {.axis = 1, .keepdims = true});
  return centred / sn::stddev(x, {.axis = 1, .keepdims = true});
}

std::string shape_text(std::int64_t rows, std::int64_t length) {
  return std::to_string(rows) + " x " + std::to_string(length);
}

void add_rows(std::vector<workload>& all, std::int64_t n) {
  for (const std::int64_t length : {64, 256, 1000, 4096, 10000, 32768}) {
    const std::int64_t rows = n / length;
    const std::string at = " " + shape_text(rows, length);
    const auto x = uneven<float>({rows, length});
    all.push_back(statement("sums" + at, [x] { return floats(sn::sum(x, {.axis = 1})); }));
    all.push_back(statement("argmax" + at, [x] { return sn::argmax(x, {.axis = 1}); }));
    all.push_back(statement("softmax" + at, [x] { return floats(softmax(x)); }));
    all.push_back(statement("layernorm" + at, [x] { return floats(layernorm(x)); }));
    const auto h = uneven<sn::bfloat16>({rows, length});
    all.push_back(statement("softmax bf16" + at,
                            [h] { return sn::array<sn::bfloat16>(softmax(h)); }));
  }
}

void add_maps(std::vector<workload>& all, std::int64_t n, std::int64_t side) {
  const auto x = uneven<float>({n}), y = uneven<float>({n}, 2), z = uneven<float>({n}, 3);
  all.push_back(statement("x * y + z", [=] { return floats(x * y + z); }));
  all.push_back(statement("a long chain", [=] {
    return floats(sn::sin(x) * sn::exp(-y) + sn::cos(x * y) / (1.0f + sn::abs(z)) +
                  sn::tanh(x) * sn::atan2(x, y) + sn::log1p(sn::abs(z)));
  }));
  all.push_back(statement("erf(x)", [=] { return floats(sn::erf(x)); }));
  const auto h = uneven<sn::float16>({n});
  all.push_back(statement("halves", [=] { return sn::array<sn::float16>(h * h + h); }));
  const auto m = uneven<float>({side, side});
  all.push_back(statement("five points", [=] {
    const auto at = [&](int dy, int dx) {
      return m(sn::slice(1 + dy, side - 1 + dy), sn::slice(1 + dx, side - 1 + dx));
    };
    return floats(at(0, 0) + at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0));
  }));
  all.push_back(statement("odd rows", [=] {
    return floats(m(sn::slice(1, side - 2), sn::slice(3, side - 4)) * 2.0f);
  }));
  all.push_back(statement("a transpose", [=] { return floats(sn::transpose(m) + 1.0f); }));
  const auto words = uneven<std::int16_t>({side, side});
  all.push_back(statement("a transpose of words", [=] {
    return sn::array<std::int16_t>(sn::transpose(words) + std::int16_t{3});
  }));
}

void add_columns(std::vector<workload>& all, std::int64_t n) {
  for (const std::int64_t width : {128, 1000, 8192}) {
    const auto x = uneven<float>({n / width, width});
    const std::string at = " of columns " + shape_text(n / width, width);
    all.push_back(statement("sums" + at, [x] { return floats(sn::sum(x, {.axis = 0})); }));
    all.push_back(statement("deviations" + at, [x] { return floats(sn::stddev(x, {.axis = 0})); }));
  }
  const auto x = uneven<float>({n});
  all.push_back(statement("a sum of all", [x] { return floats(sn::sum(x)); }));
  all.push_back(statement("running sums", [x] { return floats(sn::cumsum(x, {.axis = 0})); }));
}

std::vector<std::byte> bytes_of(const sn::any_array& x) {
  const sn::detail::node& n = *x.get();
  std::vector<std::byte> out(static_cast<std::size_t>(x.nbytes()));
  n.device->copy_to_host(out.data(), *n.buffer, 0, out.size());
  return out;
}

/// The lines of explain that report tuning.
std::string chosen(const sn::any_array& x) {
  std::string found;
  const std::string text = sn::detail::explain_all(&x, 1, {.source = false}, {});
  for (std::size_t at = text.find("tuned: "); at != text.npos; at = text.find("tuned: ", at + 1)) {
    found += (found.empty() ? "" : "; ") + text.substr(at + 7, text.find('\n', at) - at - 7);
  }
  return found;
}

/// Runs until the tuner has settled all of the workload's kernels.
void settle(const workload& w) {
  constexpr std::int64_t soon = 1 << 20;
  for (int i = 0; i < 80; ++i) {
    for (int k = 0; k < 16; ++k) w.run();
    sn::synchronize();
    sn::detail::the_session().later.wait();
    if (w.run().get()->plan->look > soon) return;
  }
}

void compare(const workload& w, const bench::options& o, bench::report& out) {
  const double budget = o.quick ? 0.02 : 0.05;
  sn::dump("");  // discards the plans
  sn::tuning(false);
  const sn::any_array expected = w.run();
  const double before = bench::seconds_of({[&] { w.run(); }}, budget)[0];
  sn::dump("");
  sn::tuning(true);
  const auto made = sn::session_statistics().variants;
  settle(w);
  const double after = bench::seconds_of({[&] { w.run(); }}, budget)[0];
  const sn::any_array got = w.run();
  const bool same = bytes_of(expected) == bytes_of(got);
  const std::string what = chosen(got);
  const auto variants = sn::session_statistics().variants - made;
  std::printf("%-36s %9.1f us %9.1f us %6.3f  %s %2d  %s\n", w.name.c_str(), before * 1e6,
              after * 1e6, before / after, same ? "same bits " : "OTHER BITS",
              static_cast<int>(variants), what.c_str());
  std::fflush(stdout);
  out.add(bench::record("tuning")
              .text("name", w.name)
              .number("before_seconds", before)
              .number("after_seconds", after)
              .flag("same_bits", same)
              .text("chosen", what));
}

}  // namespace

int main(int count, char** arguments) try {
  const bench::options o = bench::parse(count, arguments);
  const auto scope = sn::use(o.device.empty() ? sn::current_device() : sn::device(o.device));
  const bool cpu = sn::current_device().what == sn::device::kind::cpu;
  const std::int64_t n = cpu ? 1 << 20 : o.quick ? 1 << 24 : 1 << 26;
  std::vector<workload> all;
  add_maps(all, n, cpu ? 1024 : 8192);
  add_rows(all, n);
  add_columns(all, n);
  bench::report out(o);
  std::printf("%-36s %12s %12s %6s\n", "", "as planned", "tuned", "gain");
  for (const workload& w : all) compare(w, o, out);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
