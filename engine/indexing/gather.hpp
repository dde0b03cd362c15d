#pragma once
// Elements picked by arrays of indices.

#include <vector>

#include <sinter/indexing.hpp>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// One array of indices and the axis of the indexed array it is for.
struct picked_axis {
  std::size_t axis;
  any_array indices;  // integers, as the user gave them
};

/// Indices that are never out of range, unless those are to be refused.
any_array in_range(const any_array& indices, std::int64_t extent, index_mode mode,
                   std::string_view op, location);

/// The linear positions that arrays of indices stand for: int64, of their broadcast shape; where
/// one is out of range `bad` is true, `word` names it (`index_of_word`), and the position is one
/// that exists. Both are missing where none can be. Throws dtype_error for indices that are no
/// integers, index_error if an axis has nothing to pick from.
struct positions {
  any_array linear, bad, word;
  std::vector<std::int64_t> axes = {};  // that they are for
  bool in_order = false;  // of an array whose elements lie in row-major order

  /// The same under a view of them.
  positions seen(shape_view shape, const element_map& map, location where) const {
    const auto view = [&](const any_array& x) {
      return x.valid() ? make_view(x, shape, map, where) : x;
    };
    return {view(linear), view(bad), view(word), axes, in_order};
  }
};
positions positions_of(std::span<const picked_axis>, shape_view shape,
                       std::span<const std::int64_t> strides, std::string_view op, location);

/// What a list of indices shows of an array: elements under a map, but for the axes that arrays of
/// indices are for, whose own axes come before axis `at` of the result.
struct indexed {
  inline_vector<std::int64_t, 4> shape;
  element_map map;
  std::vector<picked_axis> picks;
  std::size_t at = 0;
};
/// REQUIRES: `items` are those of one x(...). `strides`: of x's axes. Throws index_error.
indexed read_indices(const any_array& x, index_list items,
                     std::span<const std::int64_t> strides, location);
/// The items of x(...) that are there.
index_list present(index_list items);
inline_vector<const index_item*, 8> pointers_to(std::span<const index_item> items);

/// The positions with what stands beside them: over `shape` elements are at the map's place plus
/// `linear` seen through `spread`.
struct places : positions {
  element_map spread, map;
  std::vector<std::int64_t> shape;
  std::vector<picked_axis> picks;
  std::size_t at = 0;  // the axes of `linear` come before this one of the rest

  any_array over(const any_array& x, location where) const {
    return make_view(x, shape, spread, where);
  }
  positions over(const positions& p, location where) const { return p.seen(shape, spread, where); }
};
places places_by(indexed&&, shape_view whole, dtype type, std::span<const std::int64_t> strides,
                 std::string_view op, location);

/// An index (int64) and which of so many axes it was for, in a word that is not 0 for one out of
/// range. Of one axis it is the index itself, so that the usual gather computes nothing for it.
any_array word_of(const any_array& index, std::size_t which, std::size_t axes, location);
/// Throws index_error for a word: of a check with the rank of the array that was indexed, its
/// shape, and behind it the axes.
[[noreturn]] void raise_range(std::span<const std::int32_t> word, const check&);
/// The word in a status; of several (one for each slice of a vmap) the first that is not 0.
std::int64_t read_word(std::span<const std::int32_t> status);
/// "[take] index 7 is out of range for axis 0 of extent 5"
[[noreturn]] void fail_range(std::string_view op, std::int64_t index, std::size_t axis,
                             std::int64_t extent, location);

/// Faults that count where what is being recorded is live.
index_faults faults_of(const positions&, location);
/// x, a gather or scatter, carries the check that no index was out of range.
void check_range(const any_array& x, const positions&, shape_view shape, std::string_view op,
                 location);

/// base[map + linear], which carries the check that nothing was bad. `shape`: of the array that was
/// indexed, for the message.
any_array gather_checked(const any_array& base, const positions&, element_map, shape_view shape,
                         std::string_view op, location);

/// x as what it is a view of and the map: views are read in place, not copied first.
std::pair<any_array, element_map> base_of(const any_array& x);

}  // namespace sinter::detail
