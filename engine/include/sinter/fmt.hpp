#pragma once
// Support for fmt::print("{}", x) and fmt::print("{:.3}", x), if fmt is installed. Includes only
// fmt's small header, which declares what the formatter specialises and costs a trivial program
// about 10 ms.

#if __has_include(<fmt/base.h>)
#include <fmt/base.h>
#define SINTER_HAS_FMT 1
#elif __has_include(<fmt/core.h>)
#include <fmt/core.h>
#define SINTER_HAS_FMT 1
#endif

#ifdef SINTER_HAS_FMT
#include <sinter/print.hpp>

namespace sinter::detail {

template <class X>
concept printable = expression<X> || std::same_as<X, any_array>;

}  // namespace sinter::detail

FMT_BEGIN_NAMESPACE
template <typename T, typename Char>
struct is_range;
/// fmt/ranges.h would format arrays as ranges too, since `for (auto row : x)` goes over one.
template <sinter::detail::expression X, typename Char>
struct is_range<X, Char> : std::false_type {};
FMT_END_NAMESPACE

/// Formats as to_string does; ".3" sets the number of digits after the decimal point.
template <sinter::detail::printable X>
struct fmt::formatter<X, char> {
  constexpr auto parse(fmt::format_parse_context& context) {
    auto at = context.begin();
    if (at == context.end() || *at != '.') return at;
    options.precision = 0;
    for (++at; at != context.end() && *at >= '0' && *at <= '9' && options.precision < 1000; ++at) {
      options.precision = options.precision * 10 + (*at - '0');
    }
    return at;
  }
  template <class Context>
  auto format(const X& x, Context& context) const {
    auto out = context.out();
    for (char c : sinter::to_string(x, options)) *out++ = c;
    return out;
  }

  sinter::print_options options;
};
#endif
