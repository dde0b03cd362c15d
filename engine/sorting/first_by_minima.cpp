#include "engine/sorting/first_by_minima.hpp"

#include "engine/evaluation/session.hpp"
#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"
#include "engine/sorting/sort_keys.hpp"

namespace sinter::detail {
namespace {

/// Longer rows do not fit in the registers of a thread or a block.
constexpr std::int64_t most_length = 1024;

/// Each minimum is a pass over the row, with ten instructions per element. 2e6 floats on two
/// threads of an EPYC, by a sort and by minima, ms: 2 of 64 6.6 and 3.3, 3 5.3 and 5.2, 8 6.1 and
/// 13.
constexpr std::int64_t most_first = 8, most_first_of_cpu = 3;

term words(std::uint64_t bits, location where) {
  return {make_scalar({{bits, 0}}, dtype::uint64, where), where};
}

term wide(const any_array& x, location where) {
  return {make_cast(x, dtype::uint64, where), where};
}

}  // namespace

bool is_first_by_minima(dtype type, std::int64_t length, std::int64_t count) {
  return !is_complex(type) && size_of(type) <= 4 && length >= 2 && length <= most_length &&
         count >= 1 && count <= (on_gpu() ? most_first : most_first_of_cpu) && 2 * count <= length;
}

any_array first_by_minima(const any_array& x, std::int64_t count, bool descending,
                          location where) {
  const std::size_t last = x.extents().size() - 1;
  const std::vector<int> along{static_cast<int>(last)};
  // Key and place in one word: among equal keys the first is the least.
  const term key = wide(sort_key(x, descending, zero_signs::equal, where), where);
  const term place = wide(coordinates(x.extents(), last, where), where);
  const term word = apply(ir::op::bitwise_or,
                          {apply(ir::op::bitwise_left_shift, {key, words(32, where)}), place});
  std::vector<any_array> places;
  term least = reduce_kept(word, ir::op::minimum, along);
  while (true) {
    const term low = apply(ir::op::bitwise_and, {least, words(0xffffffff, where)});
    places.push_back(make_cast(low.x, dtype::int32, where));
    if (std::ssize(places) == count) return join(places, last, "topk", where);
    const term left = select(word <= least, words(~std::uint64_t{0}, where), word);
    least = reduce_kept(left, ir::op::minimum, along);
  }
}

}  // namespace sinter::detail
