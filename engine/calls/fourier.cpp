// Fourier transforms.
#include "engine/calls/calls.hpp"
#include "engine/nodes/elements.hpp"
#include "ir/fourier.hpp"
#include "runtime/fft.hpp"

namespace sinter::detail {
namespace {

/// The memory layout of a dense [before, axes..., behind].
runtime::fft_layout layout_of(const ir::shape_t& shape, int rank) {
  runtime::fft_layout layout;
  std::int64_t size = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    layout.embed[d] = shape[d + 1];
    size *= shape[d + 1];
  }
  const std::int64_t behind = shape[static_cast<std::size_t>(rank) + 1];
  layout.stride = behind;
  layout.distance = behind == 1 ? size : 1;
  layout.outer_distance = size * behind;
  return layout;
}

void fourier(const call_site& c) {
  const auto a = ir::fourier_attributes::unpack(c.step.attributes);
  if (a.halves == ir::half_transform::asked) {
    c.said.say("[fft] " + c.device.properties().name +
               " transforms halves along their last axes, of lengths that are powers of two, if at "
               "all: others are transformed in float32");
  }
  ir::shape_t result = c.output_shape(0);
  if (a.halves == ir::half_transform::done) result.pop_back();
  const ir::shape_t in = a.merged(c.input_shape(0)), out = a.merged(result);
  const ir::shape_t& real = a.to_real() ? out : in;  // the shape whose axes are all full length
  runtime::fft_call f;
  f.type = element_type(real_of(c.input_type(0)));
  f.kind = static_cast<runtime::fft_kind>(a.kind);
  f.inverse = a.inverse;
  f.rank = static_cast<int>(real.size()) - 2;
  for (std::size_t d = 0; d < static_cast<std::size_t>(f.rank); ++d) f.length[d] = real[d + 1];
  const std::int64_t before = real[0], behind = real[static_cast<std::size_t>(f.rank) + 1];
  f.batch = behind == 1 ? before : behind;
  f.outer = behind == 1 ? 1 : before;
  f.in = c.inputs[0];
  f.in_layout = layout_of(in, f.rank);
  f.out = c.outputs[0];
  f.out_layout = layout_of(out, f.rank);
  c.device.fourier().transform(f);
}

constexpr call_row rows[] = {{"fft", fourier, true}};

}  // namespace

std::span<const call_row> fourier_calls() {
  return rows;
}

}  // namespace sinter::detail
