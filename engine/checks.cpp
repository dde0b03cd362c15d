#include "engine/checks.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/evaluate.hpp"
#include "engine/guard.hpp"
#include "engine/session.hpp"
#include "engine/snapshot.hpp"

namespace sinter::detail {
namespace {

void add(check_list& to, const check_list& from) {
  for (const auto& c : from) {
    if (!c->good && std::ranges::find(to, c) == to.end()) to.push_back(c);
  }
}

void verify(check& c) {
  if (c.good) return;
  any_array status;
  {
    const std::scoped_lock lock(the_session().evaluation);
    status = c.status;
  }
  if (!status.valid()) return;
  evaluate({&status, 1});
  const node& n = *status.get();
  std::vector<std::int32_t> found(static_cast<std::size_t>(n.size()));
  if (!found.empty()) {
    guarded(c.op, c.where, [&] {
      if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
      n.device->copy_to_host(found.data(), *n.buffer, 0, found.size() * sizeof found[0]);
    });
  }
  if (std::ranges::any_of(found, [](std::int32_t s) { return s != 0; })) c.raise(found, c);
  c.good = true;
}

}  // namespace

void attach(const any_array& x, const std::shared_ptr<check>& c) {
  node& n = *x.get();
  n.checks.push_back(c);
  n.unchecked.store(true, std::memory_order_release);
}

void carry(node& n, check_list list) {
  n.checks = std::move(list);
  n.unchecked.store(!n.checks.empty(), std::memory_order_release);
}

void found_status(node& gather, std::shared_ptr<runtime::buffer> word, runtime::device& device) {
  check& c = *gather.details->in_range;
  const std::int64_t one[] = {1};
  if (!c.status.valid()) c.status = make_source(std::move(word), device, dtype::int32, one);
}

void verify_checks(const any_array& x) {
  node& n = *x.get();
  if (!n.unchecked.load(std::memory_order_acquire)) return;
  session& s = the_session();
  check_list list;
  {
    const std::scoped_lock lock(s.evaluation);
    list = n.checks;
  }
  for (const auto& c : list) verify(*c);
  const std::scoped_lock lock(s.evaluation);
  std::erase_if(n.checks, [](const auto& c) { return c->good.load(); });
  if (n.checks.empty()) n.unchecked = false;
}

std::vector<check_list> inherited_checks(const snapshot& s) {
  if (!s.checked) return {};
  std::unordered_map<const node*, check_list> lists;
  for (const node* n : s.pending) {
    check_list list;
    add(list, n->checks);
    for (const any_array& x : n->inputs) {
      const auto it = lists.find(x.get());
      add(list, it == lists.end() ? x.get()->checks : it->second);
    }
    if (!list.empty()) lists[n] = std::move(list);
  }
  std::vector<check_list> out;
  for (const node* o : s.outputs) out.push_back(lists[o]);
  return out;
}

}  // namespace sinter::detail
