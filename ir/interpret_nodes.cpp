#include "ir/interpret_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "ir/accumulator.hpp"
#include "ir/cat.hpp"
#include "ir/loop_runner.hpp"
#include "ir/philox.hpp"
#include "ir/reference.hpp"

namespace sinter::ir::detail {

namespace {

using bytes = std::vector<std::byte>;

std::size_t count_of(const shape_t& s) { return static_cast<std::size_t>(size_of(s)); }

/// Advances a coordinate to the next one in row-major order.
void advance(std::vector<extent>& at, const shape_t& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++at[d] < shape[d]) return;
    at[d] = 0;
  }
}

/// Calls f(i, offset) for the elements of a shape in row-major order; `offset` is the map's.
template <class F>
void for_each_mapped(const shape_t& shape, const index_map& map, F f) {
  std::vector<extent> at(shape.size(), 0);
  const extent n = size_of(shape);
  for (extent i = 0; i < n; ++i, advance(at, shape)) {
    f(static_cast<std::size_t>(i),
      static_cast<std::size_t>(
          std::inner_product(at.begin(), at.end(), map.strides.begin(), map.offset)));
  }
}

void broadcast(const std::byte* element, std::size_t size, std::byte* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) std::memcpy(out + i * size, element, size);
}

class program_runner {
 public:
  program_runner(const program_view& p, std::vector<const tensor*> inputs, tensor& out)
      : p_(p), inputs_(std::move(inputs)), out_(out) {}

  void run() {
    const std::size_t n = count_of(out_.shape);
    for (std::size_t first = 0; first < n; first += strip) {
      run_strip(first, std::min(strip, n - first));
    }
  }

 private:
  static constexpr std::size_t strip = 1024;

  void run_strip(std::size_t first, std::size_t n) {
    std::vector<bytes> values;
    for (const tensor* t : inputs_) {
      const std::size_t size = size_of(t->type);
      bytes v(n * size);
      if (t->shape.empty()) broadcast(t->data.data(), size, v.data(), n);
      else std::memcpy(v.data(), t->data.data() + first * size, n * size);
      values.push_back(std::move(v));
    }
    for (const instruction& i : p_.code) {
      values.emplace_back(n * size_of(i.result));
      run_instruction(i, values, values.size() - 1, n);
    }
    const std::size_t size = size_of(out_.type);
    std::memcpy(out_.data.data() + first * size, values.back().data(), n * size);
  }

  program_view p_;
  std::vector<const tensor*> inputs_;
  tensor& out_;
};

/// The element of an array at an offset, which must be inside it.
const std::byte* element_of(const tensor& in, extent offset) {
  if (offset < 0 || offset >= size_of(in.shape)) {
    throw std::invalid_argument(cat("interpret: element ", offset, " of ",
                                            size_of(in.shape)));
  }
  return in.data.data() + static_cast<std::size_t>(offset) * size_of(in.type);
}

/// Do colliding values combine to the same result in any order?
bool in_any_order(op code, dtype t) {
  if (code == op::minimum || code == op::maximum) return true;
  return !is_inexact(t) && (code == op::subtract || (info(code).traits & associative));
}

}  // namespace

tensor make_tensor(dtype type, const shape_t& shape) {
  return {type, shape, bytes(count_of(shape) * size_of(type))};
}

tensor run_map(const node& n, std::vector<const tensor*> inputs) {
  tensor out = make_tensor(n.type, n.shape);
  program_runner(n.program.view(), std::move(inputs), out).run();
  return out;
}

tensor run_reduce(const node& n, const tensor& in) {
  tensor out = make_tensor(n.type, n.shape);
  const auto& axes = n.reduction.axes;
  std::vector<extent> strides(in.shape.size(), 1);
  for (std::size_t d = in.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * in.shape[d];
  shape_t kept, reduced;
  index_map rows, elements;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    const bool r = std::find(axes.begin(), axes.end(), static_cast<int>(d)) != axes.end();
    (r ? reduced : kept).push_back(in.shape[d]);
    (r ? elements : rows).strides.push_back(strides[d]);
  }
  const std::size_t from = size_of(in.type), to = size_of(n.type);
  for_each_mapped(kept, rows, [&](std::size_t row, std::size_t base) {
    accumulator sum(n.reduction.code, in.type, n.reduction.arg);
    for_each_mapped(reduced, elements, [&](std::size_t, std::size_t offset) {
      sum.add(in.data.data() + (base + offset) * from, 1);
    });
    std::memcpy(out.data.data() + row * to, sum.result().bits, to);
  });
  return out;
}

tensor run_scan(const node& n, const tensor& in) {
  tensor out = make_tensor(n.type, n.shape);
  const auto axis = static_cast<std::size_t>(n.reduction.axes[0]);
  std::size_t stride = size_of(n.type);
  for (std::size_t d = n.shape.size(); d-- > axis + 1;) {
    stride *= static_cast<std::size_t>(n.shape[d]);
  }
  const auto length = static_cast<std::size_t>(n.shape[axis]);
  const std::size_t span = length * stride, size = size_of(n.type);
  for (std::size_t row = 0; row < in.data.size(); row += size) {
    if (row % span >= stride) continue;  // not the first element of a row
    auto total = accumulator::scan(n.reduction.code, n.type);
    for (std::size_t at = row; at < row + span; at += stride) {
      total.add(in.data.data() + at, 1);
      std::memcpy(out.data.data() + at, total.result().bits, size);
    }
  }
  return out;
}

tensor run_view(const node& n, const tensor& in) {
  tensor out = make_tensor(n.type, n.shape);
  const std::size_t size = size_of(n.type);
  for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t offset) {
    std::memcpy(out.data.data() + i * size, in.data.data() + offset * size, size);
  });
  return out;
}

tensor run_gather(const node& n, const tensor& base, const tensor& index) {
  tensor out = make_tensor(n.type, n.shape);
  const std::size_t size = size_of(n.type);
  for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t offset) {
    std::int64_t dynamic = 0;
    const std::size_t at = index.shape.empty() ? 0 : i;
    std::memcpy(&dynamic, index.data.data() + at * sizeof dynamic, sizeof dynamic);
    const std::byte* from = element_of(base, static_cast<extent>(offset) + dynamic);
    std::memcpy(out.data.data() + i * size, from, size);
  });
  return out;
}

tensor run_pad(const node& n, const tensor& in, const tensor& inside) {
  tensor out = make_tensor(n.type, n.shape);
  const std::size_t size = size_of(n.type);
  for_each_mapped(n.shape, n.map, [&](std::size_t i, std::size_t offset) {
    if (inside.data[inside.shape.empty() ? 0 : i] == std::byte{0}) return;
    std::memcpy(out.data.data() + i * size, element_of(in, static_cast<extent>(offset)), size);
  });
  return out;
}

tensor run_update(const node& n, const tensor& base, const tensor& value) {
  tensor out = base;
  const std::size_t size = size_of(n.type);
  for_each_mapped(value.shape, n.map, [&](std::size_t i, std::size_t offset) {
    std::memcpy(out.data.data() + offset * size, value.data.data() + i * size, size);
  });
  return out;
}

tensor run_scatter(const node& n, const tensor& base, const tensor& index, const tensor& value,
                   const tensor* where) {
  tensor out = base;
  const std::size_t size = size_of(n.type);
  const bool put = n.reduction.code == op::cast;
  const bool any = n.reduction.summed || in_any_order(n.reduction.code, n.type);
  std::vector<bool> met(put || !any ? count_of(n.shape) : 0);
  for_each_mapped(index.shape, n.map, [&](std::size_t i, std::size_t offset) {
    if (where && where->data[where->shape.empty() ? 0 : i] == std::byte{0}) return;
    std::int64_t dynamic = 0;
    std::memcpy(&dynamic, index.data.data() + i * sizeof dynamic, sizeof dynamic);
    const std::byte* const place = element_of(out, static_cast<extent>(offset) + dynamic);
    std::byte* const to = out.data.data() + (place - out.data.data());
    const std::byte* const v = value.data.data() + (value.shape.empty() ? 0 : i) * size;
    const void* const both[] = {place, v};
    if (!met.empty()) {
      auto before = met[static_cast<std::size_t>(to - out.data.data()) / size];
      if (before && !(put && std::memcmp(place, v, size) == 0)) {
        throw std::invalid_argument("interpret: the order of scattered values shows");
      }
      before = true;
    }
    if (put) std::memcpy(to, v, size);
    else strip_of(n.reduction.code, n.type)(to, both, 1);
  });
  return out;
}

tensor run_random(const node& n) {
  tensor out = make_tensor(n.type, n.shape);
  const std::size_t size = size_of(n.type);
  for (std::uint64_t i = 0; i < count_of(n.shape); ++i) {
    const std::uint64_t word =
        size == 4 ? random_uint32(i, n.value[0]) : random_uint64(i, n.value[0]);
    std::memcpy(out.data.data() + i * size, &word, size);
  }
  return out;
}

tensor run_iota(const node& n) {
  tensor out = make_tensor(n.type, n.shape);
  for (std::size_t i = 0; i < count_of(n.shape); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    std::memcpy(out.data.data() + i * sizeof(index), &index, sizeof(index));
  }
  return out;
}

tensor run_compress(const node& n, const tensor& x, const tensor& mask, const tensor& place,
                    tensor& count) {
  tensor out = make_tensor(n.type, n.shape);
  const std::size_t size = size_of(n.type);
  std::int64_t chosen = 0;
  for (std::size_t i = 0; i < count_of(n.shape); ++i) {
    if (mask.data[mask.shape.empty() ? 0 : i] == std::byte{0}) continue;
    std::memcpy(out.data.data() + static_cast<std::size_t>(chosen++) * size,
                x.data.data() + i * size, size);
    std::int32_t at = 0;
    std::memcpy(&at, place.data.data() + (place.shape.empty() ? 0 : i) * sizeof at, sizeof at);
    if (at != chosen) throw std::invalid_argument("interpret: a chosen element has another place");
  }
  std::memcpy(count.data.data(), &chosen, sizeof chosen);
  return out;
}

}  // namespace sinter::ir::detail
