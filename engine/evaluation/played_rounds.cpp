#include "engine/evaluation/played_rounds.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/evaluation/background.hpp"

namespace sinter::detail {

namespace {

/// The limits of one launch: arguments, and instructions, which determine NVRTC's time.
constexpr std::size_t most_parts = 24, most_slots = 480, most_code = 600;

/// The number of launches, 0.9 us each, that a wait of the host costs; and the number of launches
/// to be saved before compiling the kernel pays.
constexpr std::size_t wait_worth = 8;
constexpr std::int64_t least_played = 1000;

/// Parts per launch, some 20 ms of device time.
constexpr std::int64_t most_played = 1 << 15;

}  // namespace

std::unique_ptr<played_rounds> played_rounds::make(
    const cycle& c, runtime::device& on, std::vector<std::shared_ptr<rounds_memory>>& known) {
  const auto fits = [](const ir::kernel* k) { return ir::can_be_in_rounds(*k); };
  if (on.id().kind != runtime::device_kind::cuda || !std::ranges::all_of(c.kernels, fits)) {
    return nullptr;
  }
  std::unique_ptr<played_rounds> p(new played_rounds);
  p->list(c);
  std::size_t code = 0;
  for (const ir::part_of_rounds& part : p->parts_) code += part.code->body.size();
  const bool fits_in_one = !p->parts_.empty() && p->parts_.size() <= most_parts &&
                           p->slots_.size() <= most_slots && code <= most_code;
  if (!fits_in_one) return nullptr;
  p->shape_ = ir::shape_of_rounds(p->parts_, p->tests_.size(), on.properties().cluster);
  if (p->shape_.threads == 0) return nullptr;
  p->recall(known);
  return p->memory_->at == stage::refused ? nullptr : std::move(p);
}

void played_rounds::recall(std::vector<std::shared_ptr<rounds_memory>>& known) {
  const auto same = std::ranges::find_if(known, [&](const auto& m) {
    return m->parts == planned_ && m->tests == tests_ && m->shape == shape_;
  });
  if (same != known.end()) {
    memory_ = *same;
    return;
  }
  memory_ = known.emplace_back(std::make_shared<rounds_memory>());
  memory_->parts = planned_;
  memory_->tests = tests_;
  memory_->shape = shape_;
}

void played_rounds::add(const ir::kernel& planned, int threads, std::int64_t blocks,
                        const std::uint64_t* slots) {
  planned_.emplace_back(&planned, threads);
  const ir::kernel& part =
      planned.schedule.elastic ? fixed_.emplace_back(ir::with_threads(planned, threads)) : planned;
  parts_.push_back(ir::part_of(part, blocks, slots));
}

/// Fills in the slots of a cycle in launch order.
void played_rounds::fill(std::span<const runtime::launch_record> launches) {
  slots_.clear();
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const runtime::launch_record& r = launches[i];
    slots_.insert(slots_.end(), r.slots.begin(), r.slots.end());
    if (kernels_[i]->parts.empty()) slots_.push_back(static_cast<std::uint64_t>(r.config.blocks));
  }
}

void played_rounds::list(const cycle& c) {
  kernels_ = c.kernels;
  fill(c.launches);
  std::size_t round = 0;
  for (std::size_t i = 0; i < c.kernels.size(); ++i) {
    const ir::kernel& k = *c.kernels[i];
    const runtime::launch_record& r = c.launches[i];
    if (k.parts.empty()) add(k, r.config.threads, r.config.blocks, r.slots.data());
    std::size_t at = 0;  // index into the slots of a shared launch
    for (const ir::kernel& part : k.parts) {
      const std::uint64_t* const own = r.slots.data() + at;
      at += ir::slots_of(part).size();
      add(part, part.schedule.threads, static_cast<std::int64_t>(r.slots[at++]), own);
    }
    if (round < c.last.size() && c.last[round] == i) {
      if (!c.tests.empty()) tests_.push_back(static_cast<int>(parts_.size()) - 1);
      ++round;
    }
  }
  for (const void* t : c.tests) slots_.push_back(reinterpret_cast<std::uintptr_t>(t));
  rounds_slot_ = slots_.size();
  slots_.push_back(0);
  if (!c.tests.empty()) slots_.push_back(0);
}

std::int64_t played_rounds::saved() const {
  return static_cast<std::int64_t>(parts_.size() + wait_worth * tests_.size());
}

void played_rounds::played(std::int64_t cycles, kernel_store& store, background& later) {
  rounds_memory& m = *memory_;
  if (m.at != stage::counts) return;
  m.played += cycles * saved();
  if (m.played < least_played || !store.compiles()) return;
  m.at = stage::compiles;
  ir::kernel k = ir::make_rounds(parts_, tests_, shape_);
  later.add([memory = memory_, k = std::move(k), &store] {
    try {
      memory->code = store.get({k})[0];
      memory->at.store(stage::ready, std::memory_order_release);
    } catch (const std::exception&) {
      memory->at = stage::refused;  // the separate kernels still run
    }
  });
}

std::int64_t played_rounds::most_cycles() const {
  return std::max<std::int64_t>(1, most_played / static_cast<std::int64_t>(parts_.size()));
}

void played_rounds::launch(std::int64_t cycles, const void* told, runtime::device& on) {
  slots_[rounds_slot_] = static_cast<std::uint64_t>(cycles);
  if (!tests_.empty()) slots_.back() = reinterpret_cast<std::uintptr_t>(told);
  on.launch(*memory_->code->code, {shape_.blocks, shape_.threads, "rounds", ""}, slots_);
}

bool played_rounds::launch_once(std::span<const ir::kernel* const> kernels,
                                std::span<const runtime::launch_record> launches,
                                runtime::device& on) {
  if (!std::ranges::equal(kernels, kernels_)) return false;
  fill(launches);
  slots_.push_back(1);
  const runtime::launch_record one{memory_->code->code.get(),
                                   {shape_.blocks, shape_.threads, "rounds", ""},
                                   slots_};
  on.launch_all({&one, 1}, replay_);
  return true;
}

}  // namespace sinter::detail
