#include "engine/evaluation/status_words.hpp"

#include <utility>
#include <vector>

namespace sinter::detail {

namespace {

constexpr std::size_t slab_bytes = 16384;

}  // namespace

std::shared_ptr<runtime::buffer> status_words::take(runtime::device& d) {
  constexpr std::size_t size = sizeof(std::uint64_t);
  if (!slab_ || next_ == slab_bytes) {
    auto slab = d.allocate(slab_bytes);
    const std::vector<std::byte> zeros(slab_bytes);
    d.copy_from_host(*slab, 0, zeros.data(), zeros.size());
    slab_ = std::move(slab);
    next_ = 0;
  }
  if (slab_->home() != d.current_stream()) d.use(*slab_);
  return d.part(slab_, std::exchange(next_, next_ + size), size);
}

}  // namespace sinter::detail
