#include "engine/evaluation/read_words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "engine/evaluation/session.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::detail {

namespace {

using word = std::uint32_t;

/// An unlikely word. If the data contains it, the driver copies instead.
constexpr word unwritten = 0xa5c3e178;

/// Polls the mailbox for some 100 us in all. After that the driver copies and waits, which also
/// reports errors.
constexpr int looks = 4096;

bool arrives(const volatile word* box, std::size_t words) {
  for (int i = 0; i < looks; ++i) {
    const bool all = std::all_of(box, box + words, [](word w) { return w != unwritten; });
    if (all) return true;
    runtime::pause_briefly();
  }
  return false;
}

/// Copies whole words: a pool's blocks extend past their last byte.
bool by_kernel(const runtime::buffer& from, runtime::device& device, void* to, std::size_t bytes) {
  const std::span<std::uint32_t> box = device.mailbox();
  const std::size_t words = (bytes + sizeof(word) - 1) / sizeof(word);
  if (words > box.size() || from.lent()) return false;
  const ready_kernel* k = the_session().target_of(device).kernels->frequent_copier();
  if (!k) return false;
  volatile word* const at = box.data();
  std::fill(at, at + words, unwritten);
  const auto slots = copy_slots(box.data(), from.data(), words);
  device.launch(*k->code, {1, k->threads, "read", ""}, slots);
  if (!arrives(at, words)) return false;
  std::array<word, runtime::most_mailed> all;
  std::copy(at, at + words, all.begin());
  std::memcpy(to, all.data(), bytes);
  return true;
}

}  // namespace

void read_buffer(const runtime::buffer& from, runtime::device& device, void* to,
                 std::size_t bytes) {
  if (bytes > 0 && !by_kernel(from, device, to, bytes)) {
    device.copy_to_host(to, from, 0, bytes);
  }
}

std::optional<std::uint32_t> mailed_word(runtime::device& device,
                                         const std::function<void(const void* to)>& launch) {
  const std::span<std::uint32_t> box = device.mailbox();
  if (box.empty()) return std::nullopt;
  volatile word* const at = box.data();
  *at = unwritten;
  launch(box.data());
  if (!arrives(at, 1)) device.synchronize();
  const word told = *at;
  if (told == unwritten) throw runtime::device_error("a loop's kernel has ended without a word");
  return told;
}

}  // namespace sinter::detail
