#include "engine/nodes/node.hpp"

#include <thread>

#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

/// Keeps a node's inputs and results alive while they are read. A thread that counts alone skips
/// the atomic exchange, which took a twelfth of the time of a chain of sliced statements.
class input_lock {
 public:
  explicit input_lock(node& n) : node_(n) {
    if (mine_.alone()) return;
    while (n.busy.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~input_lock() {
    if (!mine_.alone()) node_.busy.store(false, std::memory_order_release);
  }
  input_lock(const input_lock&) = delete;

 private:
  node& node_;
  const counting_turn mine_;
};

/// Removes a result that is stored or gone from its call's list.
void forget(node& result) {
  if (result.inputs.empty()) return;
  node& call = *result.inputs[0].get();
  const input_lock held(call);
  std::erase(call.details->results, &result);
}

}  // namespace

void retain(node* n) noexcept { n->references.add(); }

void release(node* n) noexcept {
  node* dead = nullptr;
  const auto drop = [&dead](node* x) {
    if (!x->references.drop()) return;
    x->next_dead = dead;
    dead = x;
  };
  drop(n);
  while (dead) {
    node* x = std::exchange(dead, dead->next_dead);
    if (x->kind == ir::node_kind::result) forget(*x);
    for (any_array& input : x->inputs) {
      if (node* below = input.give()) drop(below);
    }
    delete x;
  }
}

node& checked(const any_array& x, std::string_view op, location where) {
  if (!x.valid()) {
    fail<value_error>(error_code::bad_argument, op, "this handle holds no array", where);
  }
  return *x.get();
}

dtype common_type(const any_array& a, const any_array& b, std::string_view op, location where) {
  return promote(checked(a, op, where).type, checked(b, op, where).type);
}

std::string text_of(const any_array& x) {
  return std::string(name(x.dtype())) + " of shape " + text_of(x.extents());
}

void settle(node& n, runtime::device& device, std::shared_ptr<runtime::buffer> buffer) {
  decltype(n.inputs) inputs;
  n.device = &device;
  n.buffer = std::move(buffer);
  if (n.kind == ir::node_kind::result) forget(n);
  {
    const input_lock held(n);
    n.depth.store(0, std::memory_order_release);
    inputs = std::move(n.inputs);
    n.inputs.clear();
  }
}

std::vector<any_array> results_of(node& call) {
  std::vector<any_array> living;
  const input_lock held(call);
  for (node* r : call.details->results) {
    if (r->references.add_if_held()) living.push_back(any_array::take(r));
  }
  return living;
}

std::optional<std::pair<any_array, element_map>> viewed(const any_array& x) {
  node& n = *x.get();
  if (n.kind != ir::node_kind::view) return std::nullopt;
  const input_lock held(n);
  if (n.depth.load(std::memory_order_acquire) == 0) return std::nullopt;
  return std::pair(n.inputs[0], n.map);
}

std::optional<std::pair<any_array, any_array>> updated(const any_array& x) {
  node& n = *x.get();
  if (n.kind != ir::node_kind::update) return std::nullopt;
  const input_lock held(n);
  if (n.inputs.size() != 2) return std::nullopt;  // empty if it has been evaluated
  return std::pair(n.inputs[0], n.inputs[1]);
}

std::vector<any_array> inputs_of(const any_array& x) {
  node& n = *x.get();
  const input_lock held(n);
  return {n.inputs.begin(), n.inputs.end()};
}

}  // namespace sinter::detail

namespace sinter {

dtype any_array::dtype() const { return detail::checked(*this, "dtype", {}).type; }

bool detail::same_extents(shape_view a, shape_view b) { return std::ranges::equal(a, b); }

shape_view any_array::extents() const {
  return detail::checked(*this, "shape", {}).shape;
}

std::int64_t any_array::shape(int axis) const {
  const auto s = shape();
  return s[static_cast<std::size_t>(detail::normalize_axis(axis, ndim(), "shape", {}))];
}

std::int64_t any_array::size() const { return detail::checked(*this, "size", {}).size(); }

std::int64_t any_array::nbytes() const {
  return size() * static_cast<std::int64_t>(size_of(dtype()));
}

}  // namespace sinter
