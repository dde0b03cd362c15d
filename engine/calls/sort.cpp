// Sorting.
#include "engine/calls/calls.hpp"
#include "runtime/sorter.hpp"

namespace sinter::detail {
namespace {

/// (keys) -> keys sorted along the last axis, and the original position of each in its row. If the
/// outputs' rows are shorter, only the first elements. Attribute: the number of low key bits in
/// use; all bits above are zero.
void sort(const call_site& c) {
  const ir::shape_t& shape = c.input_shape(0);
  runtime::sort_call s;
  s.key_bytes = static_cast<int>(size_of(c.input_type(0)));
  if (!c.step.attributes.empty()) s.key_bits = static_cast<int>(c.attribute(0));
  s.rows = 1;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) s.rows *= shape[d];
  s.length = shape[shape.size() - 1];
  s.wanted = c.output_shape(c.outputs[0] ? 0 : 1)[shape.size() - 1];
  s.keys = c.inputs[0];
  s.sorted = c.outputs[0];
  if (c.outputs.size() > 1 && c.outputs[1]) {
    s.positions = c.outputs[1];
    s.position_bytes = static_cast<int>(size_of(c.output_type(1)));
  }
  c.device.sorting().sort(s);
}

/// (keys, places) -> the keys at those places of the sorted rows (along the last axis).
void select(const call_site& c) {
  const ir::shape_t &shape = c.input_shape(0), &places = c.input_shape(1);
  runtime::select_call s;
  s.key_bytes = static_cast<int>(size_of(c.input_type(0)));
  s.rows = 1;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d) s.rows *= shape[d];
  s.length = shape[shape.size() - 1];
  s.wanted = places[places.size() - 1];
  s.keys = c.inputs[0];
  s.places = c.inputs[1];
  s.found = c.outputs[0];
  c.device.sorting().select(s);
}

constexpr call_row sort_rows[] = {{"sort", sort, true}, {"select", select, true}};

}  // namespace

std::span<const call_row> sort_calls() {
  return sort_rows;
}

}  // namespace sinter::detail
