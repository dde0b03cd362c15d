#include <algorithm>
#include <cstring>

#include "ir/index_expr.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

constexpr ir::extent extents[] = {1,   2,   3,   4,   5,    7,    8,    9,    13,   16,   17,
                                  31,  32,  33,  61,  64,   65,   127,  128,  129,  255,  256,
                                  257, 509, 512, 513, 1000, 1024, 2049, 4096, 4099, 8191, 8192,
                                  8193, 10007, 16384, 20011, 32769, 65537};

constexpr dtype types[] = {
    dtype::float32, dtype::float64,   dtype::int32,    dtype::float32, dtype::float16,
    dtype::int64,   dtype::bool_,     dtype::float32,  dtype::uint8,   dtype::complex64,
    dtype::int8,    dtype::bfloat16,  dtype::uint32,   dtype::int16,   dtype::float64,
    dtype::uint16,  dtype::uint64,    dtype::int32,    dtype::complex128};

/// The limit up to which an interpreter takes milliseconds.
constexpr ir::extent most_elements = 400000;

}  // namespace

ir::extent reach_of(const ir::shape_t& shape) {
  ir::extent n = 1;
  for (ir::extent e : shape) n *= std::max<ir::extent>(1, e);
  return n;
}

ir::node_id generator::add(ir::node n, bool approximate) {
  total_ += reach_of(n.shape);
  approximate_.push_back(approximate);
  return g().add(std::move(n));
}

bool generator::room() const {
  return total_ < most_elements && trial_.graph.nodes.size() < 80;
}

/// Usually one of the last few arrays.
ir::node_id generator::pick_array() {
  std::vector<ir::node_id> arrays;
  for (auto n = static_cast<ir::node_id>(g().nodes.size()); n-- > 0;) {
    const ir::node_kind kind = at(n).kind;
    const bool array = kind != ir::node_kind::scalar && kind != ir::node_kind::compress &&
                       kind != ir::node_kind::loop;
    if (array) arrays.push_back(n);
  }
  if (arrays.empty()) return source(pick_type(), pick_shape());
  const bool recent = !c_.chance(30);
  const auto n = static_cast<std::uint32_t>(arrays.size());
  return arrays[c_.below(recent ? std::min(n, 4u) : n)];
}

dtype generator::pick_type() { return c_.pick(types); }

ir::extent generator::pick_extent(ir::extent most) {
  const auto* const end = std::upper_bound(std::begin(extents), std::end(extents), most);
  const auto n = static_cast<std::uint32_t>(end - std::begin(extents));
  return n == 0 ? ir::extent(1) : extents[c_.below(n)];
}

ir::shape_t generator::pick_shape() {
  constexpr int ranks[] = {1, 2, 2, 3, 1, 2, 0, 4, 3, 5, 2, 8};
  ir::shape_t shape(static_cast<std::size_t>(c_.pick(ranks)), 1);
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  if (!order.empty()) {
    const std::size_t turn = c_.below(static_cast<std::uint32_t>(order.size()));
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(turn), order.end());
  }
  ir::extent left = limit_;
  for (std::size_t axis : order) {
    shape[axis] = c_.chance(2) ? ir::extent(0) : pick_extent(left);
    left /= std::max<ir::extent>(1, shape[axis]);
  }
  return shape;
}

ir::node_id generator::source(dtype type, const ir::shape_t& shape) {
  constexpr fill fills[] = {fill::small, fill::edges, fill::edges, fill::ascending, fill::bits};
  trial_.sources.push_back({c_.pick(fills), c_.below(1u << 30)});
  ir::node n;
  n.type = type;
  n.shape = shape;
  return add(std::move(n), false);
}

ir::node_id generator::scalar(dtype type) {
  ir::node n;
  n.kind = ir::node_kind::scalar;
  n.type = type;
  const fill what = c_.chance(50) ? fill::edges : fill::small;
  const ir::tensor value = make_tensor(type, {}, {what, c_.below(1000)});
  std::memcpy(n.value, value.data.data(), value.data.size());
  return add(std::move(n), false);
}

ir::node_id generator::iota() {
  ir::node n;
  n.kind = ir::node_kind::iota;
  n.type = dtype::int64;
  n.shape = pick_shape();
  return add(std::move(n), false);
}

ir::node_id generator::random() {
  ir::node n;
  n.kind = ir::node_kind::random;
  n.type = c_.chance(50) ? dtype::uint64 : dtype::uint32;
  n.shape = pick_shape();
  n.value[0] = c_.below(1u << 30) * (c_.chance(50) ? 0x100000001ull : 1ull);
  return add(std::move(n), false);
}

void generator::step() {
  const std::uint32_t kind = c_.below(100);
  if (kind < 33) map(pick_array());
  else if (kind < 50) view(pick_array());
  else if (kind < 56) reduce(pick_array());
  else if (kind < 60) loop(pick_array());
  else if (kind < 64) scan(pick_array());
  else if (kind < 78) pattern(pick_array());
  else if (kind < 81) source(pick_type(), pick_shape());
  else if (kind < 83) c_.chance(50) ? scatter(pick_array()) : scatter_rows(pick_array());
  else if (kind < 86) gather(pick_array());
  else if (kind < 88) pad(pick_array());
  else if (kind < 90) update(pick_array());
  else if (kind < 92) iota();
  else if (kind < 94) random();
  else if (kind < 95) compress();
  else if (kind < 96) c_.chance(70) ? sort() : select();
  else if (kind < 98) barrier(pick_array());
  else product();
}

trial generator::run() {
  constexpr ir::extent limits[] = {64, 64, 300, 300, 2000, 2000, 10000, 70000};
  constexpr int units[] = {1, 2, 4, 132};
  constexpr ir::extent lengths[] = {0, 10, 64, 300};
  constexpr ir::extent grains[] = {8, 5, 32, 100};
  constexpr int vectors[] = {32, 16, 64};
  c_.next_step();
  limit_ = c_.pick(limits);
  ir::machine& m = trial_.machine;
  m.units = c_.pick(units);
  m.vector_bytes = c_.pick(vectors);
  m.split_length = c_.pick(lengths);
  if (m.split_length) m.split_grain = c_.pick(grains);
  if (c_.chance(50)) m.cluster = 8;
  if (c_.chance(70)) m.half_side = 1 + c_.below(8);
  if (c_.chance(70)) m.sorted_sums = c_.pick(limits) / 2;
  if (c_.chance(60)) m.share_limit = c_.pick(limits);
  if (c_.chance(60)) {
    m.stack_limit = 8;
    m.stack_points = 1;
    m.stack_held = c_.pick(limits);
    m.arithmetic = 1e14;  // makes stacks pay
  }
  if (c_.chance(20)) m.launch_limit = 3000 - c_.below(2990);
  const std::uint32_t steps = 1 + c_.below(16), outputs = 1 + c_.below(4);
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < outputs; ++i) places.push_back(c_.below(1000));
  for (std::uint32_t i = 0; i < steps && room() && c_.next_step(); ++i) step();
  if (g().nodes.empty()) source(dtype::float32, {1});
  // Small choices select late nodes: a node without readers should be an output.
  const auto n = static_cast<std::uint32_t>(g().nodes.size());
  for (std::uint32_t p : places) {
    const std::uint32_t back = p < 500 ? p * std::min(n, 5u) / 500 : (p - 500) * n / 500;
    auto output = static_cast<ir::node_id>(n - 1 - back);
    // Only their results are meaningful outputs.
    const ir::node_kind kind = at(output).kind;
    if (kind == ir::node_kind::compress || kind == ir::node_kind::loop) ++output;
    g().outputs.push_back(output);
  }
  return std::move(trial_);
}

}  // namespace sinter::fuzz
