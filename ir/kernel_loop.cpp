#include "ir/kernel_loop.hpp"

#include <cstring>

#include "ir/reference.hpp"

namespace sinter::ir::detail {

void run_compute(const inst& x, std::byte* to, const void* const* args, std::int64_t n) {
  if (x.code == op::bitcast) {
    std::memcpy(to, args[0], static_cast<std::size_t>(n) * size_of(x.result));
  } else if (x.code == op::cast) {
    convert_strip_of(x.type, x.result)(to, args, n);
  } else {
    strip_of(x.code, x.type)(to, args, n);
  }
}

kernel_loop::kernel_loop(const loop_code& l, std::int64_t points)
    : l_(l), n_(points), carries_(l.carries.size()), givens_(l.givens.size()),
      values_(l.body.size()), active_(static_cast<std::size_t>(points), std::byte{1}) {}

void kernel_loop::set(std::size_t k, const std::byte* values) {
  const bool carried = k < carries_.size();
  strip_values& to = carried ? carries_[k] : givens_[k - carries_.size()];
  const dtype t = carried ? l_.carries[k] : l_.givens[k - carries_.size()];
  std::memcpy(to.data, values, static_cast<std::size_t>(n_) * size_of(t));
}

void kernel_loop::runs_where(const std::byte* condition) {
  active_.assign(condition, condition + n_);
}

void kernel_loop::run(const access& reach) {
  const auto test = static_cast<std::size_t>(l_.condition);
  for (;; ++round_) {
    for (std::size_t i = 0; i <= test; ++i) compute(i, reach);
    if (!goes_on()) return;
    for (std::size_t i = test + 1; i < l_.body.size(); ++i) compute(i, reach);
    std::vector<strip_values> next;
    for (std::int32_t v : l_.next) next.push_back(values_[static_cast<std::size_t>(v)]);
    for (std::size_t k = 0; k < next.size(); ++k) {
      const std::size_t size = size_of(l_.carries[k]);
      for (std::size_t p = 0; p < active_.size(); ++p) {
        if (active_[p] == std::byte{0}) continue;
        std::memcpy(carries_[k].data + p * size, next[k].data + p * size, size);
      }
    }
  }
}

bool kernel_loop::goes_on() {
  const std::byte* const holds = values_[static_cast<std::size_t>(l_.condition)].data;
  bool any = false;
  for (std::size_t p = 0; p < active_.size(); ++p) {
    active_[p] &= holds[p];
    any |= active_[p] != std::byte{0};
  }
  return any;
}

void kernel_loop::compute(std::size_t i, const access& reach) {
  const inst& x = l_.body[i];
  std::byte* const to = values_[i].data;
  const auto size = size_of(x.result);
  const auto value = [&](int k) { return values_[static_cast<std::size_t>(x.args[k])].data; };
  const auto fill = [&](const void* one) {
    for (std::int64_t p = 0; p < n_; ++p) {
      std::memcpy(to + static_cast<std::size_t>(p) * size, one, size);
    }
  };
  switch (x.kind) {
    case inst_kind::constant: return fill(&x.bits);
    case inst_kind::given:
      std::memcpy(to, givens_[static_cast<std::size_t>(x.which)].data, sizeof(strip_values));
      return;
    case inst_kind::carry: {
      const auto k = static_cast<std::size_t>(x.which);
      if (k == carries_.size()) return fill(&round_);
      std::memcpy(to, carries_[k].data, sizeof(strip_values));
      return;
    }
    case inst_kind::compute: {
      const void* args[3] = {};
      for (int k = 0; k < info(x.code).arity; ++k) args[k] = value(k);
      return run_compute(x, to, args, n_);
    }
    default: break;
  }
  const bool store = x.kind == inst_kind::store;
  const std::byte* const index = value(store ? 2 : 0);
  for (std::int64_t p = 0; p < n_; ++p) {
    const auto at = static_cast<std::size_t>(p);
    if (active_[at] == std::byte{0}) continue;
    reach(x, index + at * 8, p, (store ? value(0) : to) + at * size);
  }
}

}  // namespace sinter::ir::detail
