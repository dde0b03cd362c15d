#pragma once
// Sums of products over labelled axes: the common form of every product of arrays.

#include "engine/nodes/term.hpp"

namespace sinter::detail {

using label_list = inline_vector<int, 6>;

/// An operand and a label, -32 to 159, for each of its axes.
struct labelled {
  any_array x;
  label_list labels;

  bool has(int label) const { return std::ranges::find(labels, label) != labels.end(); }
  std::int64_t extent(int label) const {
    return x.extents()[static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin())];
  }
};

/// The product of the operands, summed over every label that `result` lacks, with the axes of
/// `result`, of dtype `type`. Axes of extent 1 broadcast. REQUIRES: extents agree, and `result` has
/// each of its labels once and from some operand.
any_array contract(std::vector<labelled> operands, const label_list& result, dtype type,
                   location where);
/// Is a product of an array of windows of so many elements by so many vectors better as a sum? For
/// overlapping windows a library would need every element materialised, where a sum reads them from
/// a cache.
bool sums_windows(const any_array& windows, std::int64_t elements, std::int64_t vectors);

/// The same for two operands.
any_array contract(labelled a, labelled b, const label_list& result, dtype type, location where);

}  // namespace sinter::detail
