#include "engine/sorting/first_of_chunks.hpp"

#include <limits>

#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"
#include "engine/sorting/sort_keys.hpp"
#include "engine/sorting/sorted.hpp"

namespace sinter::detail {
namespace {

/// The sort of a shorter row takes no longer than its launches.
constexpr std::int64_t least_length = 2048;

term integer(std::int64_t n, location where) {
  return number(static_cast<double>(n), dtype::int64, where);
}

any_array key(const any_array& x, bool descending, location where) {
  return sort_key(x, descending, zero_signs::equal, where);
}

/// The least key of each full chunk.
any_array chunk_keys(const any_array& x, std::int64_t chunk, bool descending, location where) {
  extents shape = extents_of(x);
  const std::size_t last = shape.size() - 1;
  const std::int64_t chunks = shape[last] / chunk;
  const any_array whole = cut(x, last, 0, chunks * chunk, where);
  shape[last] = chunks;
  shape.push_back(chunk);
  return make_reduce(key(make_reshape(whole, shape, where), descending, where), ir::op::minimum,
                     false, {static_cast<int>(last) + 1}, where);
}

/// All places of some chunks, in order.
any_array places_in(const any_array& chunks, std::int64_t chunk, location where) {
  extents shape = extents_of(chunks), all = shape;
  shape.push_back(1);
  const term first = term{make_reshape(make_cast(chunks, dtype::int64, where), shape, where),
                          where} * integer(chunk, where);
  shape.back() = chunk;
  const term along{coordinates(shape, shape.size() - 1, where), where};
  all.back() *= chunk;
  return make_reshape((first + along).x, all, where);
}

}  // namespace

std::int64_t chunk_of_first(std::int64_t length, std::int64_t count) {
  if (count < 1 || length < least_length) return 0;
  if (length > std::numeric_limits<std::int32_t>::max()) return 0;
  std::int64_t chunk = 8;
  while (chunk * chunk * count < length) chunk *= 2;
  return 4 * (length / chunk + (count + 1) * chunk) <= length ? chunk : 0;
}

any_array first_of_chunks(const any_array& x, std::int64_t count, std::int64_t chunk,
                          bool descending, location where) {
  const any_array least = chunk_keys(x, chunk, descending, where);
  const any_array chosen = argsort_first(least, count, false, where);
  // In order, so that the first of equal elements stays first.
  const any_array in_order = sort_rows(make_cast(chosen, dtype::uint32, where), where).keys;
  any_array places = places_in(in_order, chunk, where);
  const std::size_t last = x.extents().size() - 1;
  const std::int64_t length = x.extents().back(), whole = length / chunk * chunk;
  if (length > whole) {
    extents behind = extents_of(x);
    behind[last] = length - whole;
    const term along{coordinates(behind, last, where), where};
    places = join({places, (along + integer(whole, where)).x}, last, "topk", where);
  }
  const any_array keys = key(pick_rows(x, places, where), descending, where);
  const any_array order = cut(sort_rows(keys, where).positions, last, 0, count, where);
  return make_cast(pick_rows(places, order, where), dtype::int32, where);
}

}  // namespace sinter::detail
