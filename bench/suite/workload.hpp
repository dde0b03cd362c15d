#pragma once
// The description of a workload: sizes, input generation, the program that a user would write, and
// the same as plain loops over doubles.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/sinter.hpp>

namespace suite {

namespace sn = sinter;

using floats = sn::array<float>;
using doubles = sn::array<double>;
using halves = sn::array<sn::bfloat16>;
using longs = sn::array<std::int64_t>;
using index = std::int64_t;

/// The parameters of a size; each workload uses what it needs.
struct dims {
  index n = 0, m = 0;         // extents
  index x = 0, y = 0, z = 0;  // extents of a grid
  index rows = 0, columns = 0;
  index steps = 0;
};

inline double squared(const dims& d) { return static_cast<double>(d.n) * static_cast<double>(d.n); }
inline double cubed(const dims& d) { return squared(d) * static_cast<double>(d.n); }

/// What is done with a size.
enum : unsigned {
  checked = 1,  // its result is compared with the reference
  timed = 2,
  large = 4,     // only on GPUs, and not with --quick
  cpu_only = 8,  // replaces a large one
};

struct size {
  std::string label;
  dims d;
  unsigned what = timed;
};

/// How an input is generated. Always fresh random numbers, except `made`.
struct input {
  enum class kind : std::uint8_t { uniform, normal, integers, made };
  kind what = kind::uniform;
  std::vector<index> shape;
  sn::dtype type = sn::dtype::float32;
  double a = 0, b = 1;  // low and high, or mean and standard deviation
  std::function<double(std::mt19937_64&, index)> element = {};
};

template <sn::element T> input uniform(std::vector<index> shape, double low = 0, double high = 1) {
  return {input::kind::uniform, std::move(shape), sn::dtype_of<T>, low, high, {}};
}
template <sn::element T>
input normal(std::vector<index> shape, double mean = 0, double stddev = 1) {
  return {input::kind::normal, std::move(shape), sn::dtype_of<T>, mean, stddev, {}};
}
inline input integers(std::vector<index> shape, double low, double high) {
  return {input::kind::integers, std::move(shape), sn::dtype::int64, low, high, {}};
}

/// Doubles in host memory: the inputs and results of references.
struct tensor {
  std::vector<index> shape;
  std::vector<double> v;

  tensor() = default;
  explicit tensor(std::vector<index> s, double value = 0);
  index size() const { return static_cast<index>(v.size()); }
  template <class... I> double& operator()(I... i) {
    return v[static_cast<std::size_t>(offset({static_cast<index>(i)...}))];
  }
  template <class... I> double operator()(I... i) const {
    return v[static_cast<std::size_t>(offset({static_cast<index>(i)...}))];
  }

 private:
  index offset(std::initializer_list<index> i) const {
    index at = 0;
    std::size_t axis = 0;
    for (const index x : i) at = at * shape[axis++] + x;
    return at;
  }
};
using tensors = std::vector<tensor>;

/// A program bound to its inputs.
struct program {
  std::function<void()> prepare;  // before every call, if a call changes its input
  std::function<void()> call;     // records, evaluates, drops the results
  std::function<std::vector<sn::any_array>()> results;
};

using binder = std::function<program(const dims&, const std::vector<sn::any_array>&)>;
using measure_of = std::function<double(const dims&)>;

/// The distance of results from the expected ones, given the inputs.
using judge = std::function<double(const dims&, const tensors& in, const tensors& got)>;
using reference = std::function<tensors(const dims&, const tensors& in)>;

struct workload {
  std::string name;
  char group;
  std::string type;
  std::vector<size> sizes;
  std::function<std::vector<input>(const dims&)> inputs;
  binder run;
  judge error;  // of the results at a checked size
  double tolerance = 1e-4;
  measure_of bytes;  // every input read once, every output written once
  measure_of flops;
  measure_of sweeps = {};  // bytes of loops that read and write a field once per sweep
  int most_runs = 0;       // for a call that takes long; 0: no limit
  bool late = false;       // its first call may outlast a budget, so it runs last
};

/// The relative error in the 2-norm of the worst output; infinite for a wrong shape or NaN.
double relative_error(const tensors& got, const tensors& want);
tensor to_tensor(const sn::any_array& x);

// ---- from a function over arrays to a binder

namespace detail {

template <class T> void evaluate(const sn::array<T>& x) {
  sn::eval(x);
}
template <class... T> void evaluate(const std::tuple<sn::array<T>...>& x) {
  std::apply([](const auto&... y) { sn::eval(y...); }, x);
}
template <class T> std::vector<sn::any_array> listed(const sn::array<T>& x) {
  return {x};
}
template <class... T> std::vector<sn::any_array> listed(const std::tuple<sn::array<T>...>& x) {
  return std::apply([](const auto&... y) { return std::vector<sn::any_array>{y...}; }, x);
}

template <class... T, class F, std::size_t... I>
program bind(F f, const std::vector<sn::any_array>& in, std::index_sequence<I...>) {
  const std::tuple<sn::array<T>...> x{sn::array<T>(in.at(I))...};
  const auto call = [f, x] { return std::apply(f, x); };
  return {{},
          [call] { evaluate(call()); },
          [call] {
            const auto y = call();
            evaluate(y);
            return listed(y);
          }};
}

}  // namespace detail

template <class R, class... T> binder program_of(R (*f)(const sn::array<T>&...)) {
  return [f](const dims&, const std::vector<sn::any_array>& in) {
    return detail::bind<T...>(f, in, std::index_sequence_for<T...>());
  };
}
template <class R, class... T> binder program_of(R (*f)(const dims&, const sn::array<T>&...)) {
  return [f](const dims& d, const std::vector<sn::any_array>& in) {
    const auto g = [f, d](const sn::array<T>&... x) { return f(d, x...); };
    return detail::bind<T...>(g, in, std::index_sequence_for<T...>());
  };
}
/// For a function of many statements, traced once, as its peers are by @cp.fuse, jit or compile.
template <class R, class... T> binder traced_program_of(R (*f)(const sn::array<T>&...)) {
  return [f](const dims&, const std::vector<sn::any_array>& in) {
    return detail::bind<T...>(sn::fuse(f), in, std::index_sequence_for<T...>());
  };
}
template <class R, class... T>
binder traced_program_of(R (*f)(const dims&, const sn::array<T>&...)) {
  return [f](const dims& d, const std::vector<sn::any_array>& in) {
    const auto g = [f, d](const sn::array<T>&... x) { return f(d, x...); };
    return detail::bind<T...>(sn::fuse(g), in, std::index_sequence_for<T...>());
  };
}
/// For a function that modifies its only argument.
template <class T> binder program_of(void (*f)(sn::array<T>&)) {
  return [f](const dims&, const std::vector<sn::any_array>& in) -> program {
    const sn::array<T> kept(in.at(0));
    const auto x = std::make_shared<sn::array<T>>();
    const auto prepare = [kept, x] {
      *x = kept * 1;  // a buffer of its own
      sn::eval(*x);
    };
    const auto call = [f, x] {
      f(*x);
      sn::eval(*x);
    };
    return {prepare, call, [call, x]() -> std::vector<sn::any_array> {
              call();
              return {*x};
            }};
  };
}

// ---- vocabulary of the tables

/// 1e4 elements, checked and timed; 1e7 on a CPU; then the given ones.
std::vector<size> ladder(std::initializer_list<double> elements);

/// Judges by the results of plain loops.
inline judge against(reference by_hand) {
  return [by_hand = std::move(by_hand)](const dims& d, const tensors& in, const tensors& got) {
    return relative_error(got, by_hand(d, in));
  };
}

/// Judges by f(double...), applied elementwise to inputs of one shape.
template <std::size_t... I, class F>
tensor mapped(const tensors& in, F f, std::index_sequence<I...>) {
  tensor out(in[0].shape);
  for (std::size_t i = 0; i < out.v.size(); ++i) out.v[i] = f(in[I].v[i]...);
  return out;
}
template <std::size_t N, class F> judge elementwise(F f) {
  return against([f](const dims&, const tensors& in) -> tensors {
    return {mapped(in, f, std::make_index_sequence<N>())};
  });
}

/// `factor` bytes or operations per element.
inline measure_of per_element(double factor) {
  return [factor](const dims& d) { return factor * static_cast<double>(d.n); };
}

inline sn::slice from(index i) {
  return {i, sn::slice::unset};
}
inline constexpr sn::slice inner{1, -1};  // without the first and the last

// ---- the families

std::vector<workload> elementwise_maps();
std::vector<workload> special_functions();
std::vector<workload> creations();
std::vector<workload> full_reductions();
std::vector<workload> axis_reductions();
std::vector<workload> normalisations();
std::vector<workload> stencils();
std::vector<workload> products();
std::vector<workload> factorisations();
std::vector<workload> scans();
std::vector<workload> selections();
std::vector<workload> ocean();
std::vector<workload> simulations();

/// All of them, in the order of the catalogue's groups.
std::vector<workload> all_workloads();

}  // namespace suite
