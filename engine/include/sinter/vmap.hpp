#pragma once
// `vmap`: a function of arrays as a function of arrays of such arrays.

#include <optional>

#include <sinter/control.hpp>

namespace sinter {

/// An axis each: of every argument (std::nullopt: it is the same for all), of every result. A list
/// of one stands for all of them.
struct vmap_options {
  std::vector<std::optional<std::int64_t>> in_axes = {0};
  std::vector<std::int64_t> out_axes = {0};
};

namespace detail {

std::vector<any_array> vmap(array_function f, std::vector<any_array> arguments,
                            const vmap_options& options, location where);

}  // namespace detail

/// See `vmap`.
template <class F>
class vmapped {
 public:
  vmapped(F f, vmap_options options, location where)
      : f_(std::move(f)), options_(std::move(options)), where_(where) {}

  /// Arrays, expressions and scalars. Throws shape_error, axis_error, value_error as `vmap` says.
  template <class... A>
  auto operator()(const A&... a) const {
    using arguments = std::tuple<A...>;
    using result = decltype(f_(std::declval<typename detail::listed<A>::type>()...));
    using R = std::remove_cvref_t<result>;
    F f = f_;
    auto all = detail::vmap(
        detail::function_of<F, arguments, false, detail::listed<R>::count>(f, true),
        detail::list_of(arguments(a...), where_), options_, where_);
    any_array* from = all.data();
    return detail::listed<R>::get(from, where_);
  }

 private:
  F f_;
  vmap_options options_;
  location where_;
};

/// JAX's `vmap`: the function that applies f to every slice of its arguments along `.in_axes` and
/// stacks the results along `.out_axes`. f is called once, on a stand-in for a slice; what it
/// records is recorded again with one more axis in front, so the result is lazy and fuses like any
/// other, and no loop over slices is run. A call of a library becomes one call for the batch: one
/// matrix for all slices is factored once, and their right sides and vectors become columns of one
/// matrix. In a loop each slice stops by itself; loops that are not elementwise run round by round,
/// for all slices together. Of `cond` both branches are computed, and each slice has its own.
/// What is wrong with one slice (a singular matrix, an index out of range) is said when any is
/// read, but not of a branch that the slice did not choose nor of a round after its last.
/// Seeded random numbers are the same for every slice.
/// Throws shape_error where the axes have several lengths or no argument has one, axis_error for an
/// axis out of range, and value_error for what f needs values for: how many elements a mask
/// chooses or an array has once each (`extract`, `nonzero`, `unique`: use `where`), `item`,
/// `null_space`, and random numbers that no seed decides.
/// `vmap([](auto row, auto w) { return sum(row * w); }, {.in_axes = {0, std::nullopt}})(x, w)`
template <class F>
auto vmap(F f, vmap_options options = {}, location where = location::current()) {
  return vmapped<F>(std::move(f), std::move(options), where);
}

}  // namespace sinter
