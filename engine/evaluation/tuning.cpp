#include "engine/evaluation/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ir/passes/neighbours.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

double tuning_candidate::typical() const {
  if (seconds.size() < 2) return seconds.empty() ? 0 : seconds[0];
  std::vector<double> sorted(seconds);
  std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end());
  return sorted[1];
}

kernel_tuning::kernel_tuning(std::string k, const ir::kernel& kernel,
                             std::shared_ptr<const ready_kernel> own, kernel_store& s)
    : key(std::move(k)), store(s) {
  candidates.push_back({"", kernel, std::move(own)});
  for (ir::neighbour& n : ir::neighbours(kernel)) {
    candidates.push_back({std::move(n.name), kernel, nullptr});
    candidates.back().kernel.schedule = n.schedule;
  }
}

std::string tuning_key(const kernel_store& store, const runtime::device& d, const ir::kernel& k,
                       int size_class) {
  return "tuned " + store.fingerprint() + "\n" + d.properties().name + "\nclass " +
         std::to_string(size_class) + "\n" + ir::key_of(k);
}

std::optional<tuning_note> find_note(runtime::kernel_cache& disk, const std::string& key) {
  const auto bytes = disk.find(key);
  if (!bytes) return std::nullopt;
  std::istringstream text(
      std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  tuning_note note;
  const bool read = std::getline(text, note.best) && (text >> note.own_seconds) &&
                    (text >> note.best_seconds);
  const auto is_time = [](double s) { return s > 0 && std::isfinite(s); };
  if (!read || !is_time(note.own_seconds) || !is_time(note.best_seconds)) return std::nullopt;
  return note;
}

void store_note(runtime::kernel_cache& disk, const std::string& key, const tuning_note& note) {
  std::ostringstream text;
  text.precision(9);
  text << note.best << '\n' << note.own_seconds << ' ' << note.best_seconds << '\n';
  const std::string all = text.str();
  disk.store(key, std::as_bytes(std::span(all)));
}

std::string text_of(const kernel_tuning& t) {
  if (t.at.load(std::memory_order_acquire) != kernel_tuning::stage::settled) return "";
  if (t.own_seconds == 0) return "";
  std::ostringstream s;
  s.precision(4);
  s << "tuned: ";
  if (t.best == 0) {
    s << t.own_seconds * 1e6 << " us, and no neighbour is faster";
  } else {
    s << t.candidates[t.best].name << ", " << t.best_seconds * 1e6 << " us instead of "
      << t.own_seconds * 1e6;
  }
  if (t.recalled) s << " (timed by an earlier process)";
  return s.str();
}

}  // namespace sinter::detail
