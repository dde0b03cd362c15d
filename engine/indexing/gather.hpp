#pragma once
// Elements gathered by arrays of indices.

#include <vector>

#include <sinter/indexing.hpp>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// One array of indices and the axis of the indexed array it is for.
struct picked_axis {
  std::size_t axis;
  any_array indices;  // integers, as the user passed them
};

/// Indices wrapped or clipped into range, unless out-of-range ones are to be refused.
any_array in_range(const any_array& indices, std::int64_t extent, index_mode mode,
                   std::string_view op, location);

/// The linear positions of arrays of indices: int64, of their broadcast shape; where one is out of
/// range `bad` is true, `word` identifies it (`index_of_word`), and the position is a valid one.
/// Both are missing if none can be out of range. Throws dtype_error for indices that are no
/// integers, index_error if an axis has no elements to select.
struct positions {
  any_array linear, bad, word;
  std::vector<std::int64_t> axes = {};  // the axes they select along
  bool in_order = false;  // into an array in row-major order

  /// The same under a view.
  positions seen(shape_view shape, const element_map& map, location where) const {
    const auto view = [&](const any_array& x) {
      return x.valid() ? make_view(x, shape, map, where) : x;
    };
    return {view(linear), view(bad), view(word), axes, in_order};
  }
};
positions positions_of(std::span<const picked_axis>, shape_view shape,
                       std::span<const std::int64_t> strides, std::string_view op, location);

/// What a list of indices selects from an array: elements under a map, except for axes indexed by
/// arrays, whose own axes come before axis `at` of the result.
struct indexed {
  inline_vector<std::int64_t, 4> shape;
  element_map map;
  std::vector<picked_axis> picks;
  std::size_t at = 0;
};
/// REQUIRES: `items` are those of one x(...). `strides`: of x's axes. Throws index_error.
indexed read_indices(const any_array& x, index_list items,
                     std::span<const std::int64_t> strides, location);
/// The items of x(...) that are present.
index_list present(index_list items);
inline_vector<const index_item*, 8> pointers_to(std::span<const index_item> items);

/// Positions combined with slices: over `shape` elements are at the map's index plus `linear` seen
/// through `spread`.
struct places : positions {
  element_map spread, map;
  std::vector<std::int64_t> shape;
  std::vector<picked_axis> picks;
  std::size_t at = 0;  // the axes of `linear` come before this one of the others

  any_array over(const any_array& x, location where) const {
    return make_view(x, shape, spread, where);
  }
  positions over(const positions& p, location where) const { return p.seen(shape, spread, where); }
};
places places_by(indexed&&, shape_view whole, dtype type, std::span<const std::int64_t> strides,
                 std::string_view op, location);

/// An index (int64) and the number of its axis, in a word that is not 0 for one out of range. For a
/// single axis it is the index itself, so that the usual gather computes nothing for it.
any_array word_of(const any_array& index, std::size_t which, std::size_t axes, location);
/// Throws index_error for a word of a check whose shape holds the rank of the indexed array, its
/// shape, and then the axes.
[[noreturn]] void raise_range(std::span<const std::int32_t> word, const check&);
/// The word in a status; of several (one per slice of a vmap) the first that is not 0.
std::int64_t read_word(std::span<const std::int32_t> status);
/// "[take] index 7 is out of range for axis 0 of extent 5"
[[noreturn]] void fail_range(std::string_view op, std::int64_t index, std::size_t axis,
                             std::int64_t extent, location);

/// Faults restricted to where the current recording is live.
index_faults faults_of(const positions&, location);
/// x, a gather or scatter, carries the check that no index was out of range.
void check_range(const any_array& x, const positions&, shape_view shape, std::string_view op,
                 location);

/// base[map + linear] with the check that nothing was bad. `shape`: of the indexed array, for the
/// message.
any_array gather_checked(const any_array& base, const positions&, element_map, shape_view shape,
                         std::string_view op, location);

/// The array x is a view of and the map: views are read in place, not copied first.
std::pair<any_array, element_map> base_of(const any_array& x);

}  // namespace sinter::detail
