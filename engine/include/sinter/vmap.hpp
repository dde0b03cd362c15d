#pragma once
// `vmap`: maps a function of arrays over an axis of its arguments.

#include <optional>

#include <sinter/control.hpp>

namespace sinter {

/// The mapped axis of every argument (std::nullopt: the same array for all slices) and of every
/// result. A list of one axis applies to all.
struct vmap_options {
  std::vector<std::optional<std::int64_t>> in_axes = {0};
  std::vector<std::int64_t> out_axes = {0};
};

namespace detail {

std::vector<any_array> vmap(array_function f, std::vector<any_array> arguments,
                            const vmap_options& options, location where);

}  // namespace detail

/// The return type of `vmap`.
template <class F>
class vmapped {
 public:
  vmapped(F f, vmap_options options, location where)
      : f_(std::move(f)), options_(std::move(options)), where_(where) {}

  /// Takes arrays, expressions and scalars. Throws shape_error, axis_error, value_error as `vmap`
  /// says.
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

/// JAX's `vmap`: returns a function that applies f to every slice of its arguments along `.in_axes`
/// and stacks the results along `.out_axes`. f is called once, on a stand-in for a slice; its
/// operations are recorded again with one more leading axis, so the result is lazy, fuses like any
/// other, and runs no loop over slices. A library call becomes one call for the batch: a matrix
/// common to all slices is factored once, and the slices' right sides and vectors become columns of
/// one matrix. In a loop each slice stops by itself; loops that are not elementwise run round by
/// round, for all slices together. Both branches of a `cond` are computed, and each slice takes its
/// own. Errors of one slice (a singular matrix, an index out of range) throw when any slice is
/// read, except in a branch that the slice did not choose and in rounds after its last. Seeded
/// random numbers are the same for every slice.
/// Throws shape_error if the mapped axes differ in length or no argument has one, axis_error for an
/// axis out of range, and value_error for another number of axes than arguments or results, for
/// bounds of a `fori_loop` that differ between slices if the loop is not elementwise, and if f
/// needs values: `item`, `null_space`, unseeded random numbers, and counts of masked or distinct
/// elements (`extract`, `nonzero`, `unique`; use `where` instead).
/// `vmap([](auto row, auto w) { return sum(row * w); }, {.in_axes = {0, std::nullopt}})(x, w)`
template <class F>
auto vmap(F f, vmap_options options = {}, location where = location::current()) {
  return vmapped<F>(std::move(f), std::move(options), where);
}

}  // namespace sinter
