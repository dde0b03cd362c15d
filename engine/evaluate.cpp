#include "engine/evaluate.hpp"

#include <chrono>

#include "engine/checks.hpp"
#include "engine/report.hpp"
#include "engine/run_plan.hpp"
#include "engine/session.hpp"
#include "engine/snapshot.hpp"
#include "ir/passes/pipeline.hpp"

namespace sinter::detail {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Work follows the data: the device of the sources, else the calling thread's.
target& device_for(session& s, const snapshot& snap) {
  const node* first = nullptr;
  for (const node* n : snap.sources) {
    if (!first) first = n;
    if (n->device != first->device) {
      fail<value_error>(error_code::bad_argument, "eval",
                        "operands live on different devices: " + first->device->properties().name +
                            " and " + n->device->properties().name +
                            "; move one with sinter::to(x, device)",
                        snap.outputs.front()->where);
    }
  }
  return first ? s.target_of(*first->device) : s.current();
}

std::string fusion_text(const ir::graph& g, const ir::fusion& f) {
  std::string text;
  for (std::size_t i = 0; i < f.groups.size(); ++i) {
    const ir::group& x = f.groups[i];
    text += "group " + std::to_string(i) + " over " + text_of(x.kept_shape());
    if (!x.reduced_shape().empty()) text += " reducing " + text_of(x.reduced_shape());
    text += " stores";
    for (ir::node_id r : x.roots) text += " %" + std::to_string(r);
    text += "\n";
    for (const std::string& r : x.refusals) text += "  not merged: " + r + "\n";
  }
  return text + "\n" + ir::print(g);
}

std::shared_ptr<ready_plan> make_plan(session& s, target& t, const snapshot& snap) {
  const double start = now();
  const ir::graph g = graph_of(snap);
  ir::observer watch;
  if (s.dumps.wants("graph")) {
    s.dumps.emit("graph", "recorded", ir::print(g));
    watch.after_pass = [&](const char* pass, const ir::graph& x) {
      s.dumps.emit("graph", pass, ir::print(x));
    };
  }
  if (s.dumps.wants("fusion")) {
    watch.after_fusion = [&](const ir::graph& x, const ir::fusion& f) {
      s.dumps.emit("fusion", "groups", fusion_text(x, f));
    };
  }
  ir::machine m = t.machine;
  m.fuse = s.fuse;
  auto ready = std::make_shared<ready_plan>();
  ready->plan = ir::make_plan(g, m, watch);
  ready->seconds = now() - start;
  s.plans.seconds += ready->seconds;
  if (t.machine.target != ir::target::gpu && s.nominal.wanted()) s.nominal.show(g, s.fuse);
  ready->kernels = t.kernels->get(ready->plan.kernels);
  find_calls(*ready);
  return ready;
}

void run(session& s, std::span<const any_array> roots) {
  snapshot snap = take_snapshot(roots);
  if (snap.outputs.empty()) return;
  target& t = device_for(s, snap);
  snap.key.push_back(s.fuse ? 'f' : 'u');
  snap.key.append(to_string(sinter::device(
      t.machine.target == ir::target::cpu ? sinter::device::kind::cpu : sinter::device::kind::cuda,
      t.device->id().index)));
  auto plan = s.plans.find(snap.key);
  if (!plan) {
    plan = make_plan(s, t, snap);
    s.plans.insert(snap.key, plan);
  }
  auto carried = inherited_checks(snap);
  run_result made = run_plan(*plan, snap, *t.device, t.statuses);
  ++plan->runs;
  s.launches += static_cast<std::int64_t>(plan->plan.steps.size());
  std::vector<any_array> held;  // settling one may drop the last reference to another
  for (node* n : snap.outputs) {
    retain(n);
    held.push_back(any_array::take(n));
  }
  for (const auto& [which, word] : made.statuses) {
    found_status(*snap.gathers[static_cast<std::size_t>(which)], word, *t.device);
  }
  for (std::size_t i = 0; i < snap.outputs.size(); ++i) {
    snap.outputs[i]->plan = plan;
    if (!carried.empty()) carry(*snap.outputs[i], std::move(carried[i]));
    settle(*snap.outputs[i], *t.device, std::move(made.outputs[i]));
  }
}

}  // namespace

void evaluate(std::span<const any_array> roots, std::string_view op, location where) {
  bool pending = false;
  for (const any_array& r : roots)
    pending = pending || r.get()->depth.load(std::memory_order_acquire);
  if (!pending) return;
  session& s = the_session();
  // Roots are kept alive: settling one may release the last handle of another.
  const std::vector<any_array> held(roots.begin(), roots.end());
  const std::scoped_lock lock(s.evaluation);
  try {
    run(s, held);
  } catch (const runtime::out_of_memory& e) {
    const any_array& x = held.front();
    fail<memory_error>(error_code::out_of_memory, op.empty() ? "eval" : op,
                       text_of(x) + ": " + e.what(), op.empty() ? x.get()->where : where);
  } catch (...) {
    rethrow(op.empty() ? "eval" : op, op.empty() ? held.front().get()->where : where);
  }
}

void evaluate_all(const any_array* first, std::size_t count, location where) {
  for (std::size_t i = 0; i < count; ++i) checked(first[i], "eval", where);
  evaluate({first, count});
}

any_array to_device(const any_array& x, sinter::device d, location where) {
  node& n = checked(x, "to", where);
  evaluate({&x, 1}, "to", where);
  target& t = the_session().target_of(d, where);
  if (n.device == t.device.get()) return x;
  host_size(x, "to", where);
  try {
    if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    std::vector<std::byte> host(static_cast<std::size_t>(x.nbytes()));
    n.device->copy_to_host(host.data(), *n.buffer, 0, host.size());
    verify_checks(x);
    auto buffer = t.device->allocate(host.size());
    t.device->copy_from_host(*buffer, 0, host.data(), host.size());
    return make_source(std::move(buffer), *t.device, n.type, n.shape);
  } catch (...) {
    rethrow("to", where);
  }
}

}  // namespace sinter::detail
