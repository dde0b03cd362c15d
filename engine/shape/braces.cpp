#include <sinter/braces.hpp>

namespace sinter {
namespace {

std::vector<any_array> arrays_of(detail::arrays_in_braces list) {
  std::vector<any_array> arrays;
  for (const detail::array_in_braces& a : list) arrays.push_back(a.value());
  return arrays;
}

detail::joined rows(detail::arrays_in_braces arrays, detail::stack_kind kind, location where) {
  return {detail::stack_rows(arrays_of(arrays), kind, where), where};
}

}  // namespace

detail::joined concatenate(detail::arrays_in_braces arrays, const concatenate_options& o,
                           location where) {
  return {detail::concatenate(arrays_of(arrays), o.axis, "concatenate", where), where};
}

detail::joined stack(detail::arrays_in_braces arrays, std::int64_t axis, location where) {
  return {detail::stack(arrays_of(arrays), axis, where), where};
}

detail::joined stack(detail::arrays_in_braces arrays, const stack_options& o, location where) {
  return stack(arrays, o.axis, where);
}

detail::joined vstack(detail::arrays_in_braces arrays, location where) {
  return rows(arrays, detail::stack_kind::rows, where);
}

detail::joined hstack(detail::arrays_in_braces arrays, location where) {
  return rows(arrays, detail::stack_kind::flat, where);
}

detail::joined dstack(detail::arrays_in_braces arrays, location where) {
  return rows(arrays, detail::stack_kind::depth, where);
}

detail::joined column_stack(detail::arrays_in_braces arrays, location where) {
  return rows(arrays, detail::stack_kind::columns, where);
}

array<std::int64_t> lexsort(detail::arrays_in_braces keys, std::int64_t axis, location where) {
  return lexsort(arrays_of(keys), axis, where);
}

array<std::int64_t> ravel_multi_index(detail::arrays_in_braces indices, const int_list& shape,
                                      const ravel_options& options, location where) {
  return ravel_multi_index(arrays_of(indices), shape, options, where);
}

namespace detail {

joined choose(const any_array& index, arrays_in_braces choices, location where) {
  std::vector<any_array> all = arrays_of(choices);
  dtype type = all.empty() ? dtype::bool_ : all[0].dtype();
  for (const any_array& a : all) type = promote(type, a.dtype());
  for (any_array& a : all) a = detail::astype(a, type, where);
  return {choose(index, all, type, where), where};
}

joined select(const std::vector<array<bool>>& conditions, arrays_in_braces choices,
              any_array otherwise, bool weak, location where) {
  std::vector<any_array> all = arrays_of(choices);
  dtype type = all.empty() ? otherwise.dtype() : all[0].dtype();
  for (const any_array& a : all) type = promote(type, a.dtype());
  const auto rank = [](dtype t) {
    return is_bool(t) ? 0 : is_integer(t) ? 1 : is_complex(t) ? 3 : 2;
  };
  const bool fits = weak && rank(otherwise.dtype()) <= rank(type);
  // A fractional default among integers gives doubles, an integer among bools its own type.
  if (!fits) type = promote(type, otherwise.dtype());
  for (any_array& a : all) a = detail::astype(a, type, where);
  return {select(conditions, all, detail::astype(otherwise, type, where), where), where};
}

}  // namespace detail
}  // namespace sinter
