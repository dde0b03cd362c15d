#include <sinter/vmap.hpp>

#include "engine/control/batcher.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {

namespace {

/// Entry k of a list; a list of one entry applies to all arguments.
template <class List>
const auto& entry(const List& list, std::size_t k, std::size_t count, const char* what,
                  location where) {
  if (list.size() == 1) return list[0];
  if (list.size() != count) {
    fail<value_error>(error_code::bad_argument, "vmap",
                      std::string(what) + " lists " + std::to_string(list.size()) + " axes for " +
                          std::to_string(count),
                      where);
  }
  return list[k];
}

/// The arguments, sliced ones with their axis in front; a missing axis means the same for all
/// slices.
struct sliced_arguments {
  std::vector<any_array> all;
  std::int64_t count = 0;
};

sliced_arguments sliced(const std::vector<any_array>& arguments, const vmap_options& options,
                        location where) {
  sliced_arguments s{std::vector<any_array>(arguments.size())};
  bool any = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const any_array& x = arguments[k];
    checked(x, "vmap", where);
    const auto& axis = entry(options.in_axes, k, arguments.size(), "in_axes", where);
    // A C++ scalar among arguments that all share one axis is the same for all slices.
    if (!axis || (options.in_axes.size() == 1 && x.get()->kind == ir::node_kind::scalar)) continue;
    const int a = normalize_axis(*axis, x.ndim(), "vmap", where);
    s.all[k] = with_axis_at(x, static_cast<std::size_t>(a), 0, where);
    const std::int64_t n = s.all[k].extents()[0];
    if (any && s.count != n) {
      fail<shape_error>(error_code::shape_mismatch, "vmap",
                        "argument " + std::to_string(k) + " has " + std::to_string(n) +
                            " slices where another has " + std::to_string(s.count),
                        where);
    }
    s.count = n;
    any = true;
  }
  if (any) return s;
  fail<shape_error>(error_code::shape_mismatch, "vmap", "no argument has an axis of slices",
                    where);
}

}  // namespace

std::vector<any_array> vmap(array_function f, std::vector<any_array> arguments,
                            const vmap_options& options, location where) {
  const sliced_arguments s = sliced(arguments, options, where);
  batcher b(s.count, where);
  std::vector<any_array> out(f.outputs);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!s.all[k].valid()) continue;
    arguments[k] = make_placeholder(s.all[k].dtype(), s.all[k].extents().subspan(1), where);
    b.is(arguments[k], s.all[k]);
  }
  {
    const tracing_scope inside({true, true, &b, tracing_now().live});
    f.call(f.f, arguments.data(), out.data(), where);
  }
  for (const any_array& x : out) {
    checked(x, "vmap", where);
    b.look_at(x);
  }
  std::vector<any_array> results;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const any_array all = b.all_of(out[k]);
    const std::int64_t to = entry(options.out_axes, k, out.size(), "out_axes", where);
    const int axis = normalize_axis(to, all.ndim(), "vmap", where);
    results.push_back(with_axis_at(all, 0, static_cast<std::size_t>(axis), where));
  }
  return results;
}

}  // namespace sinter::detail
