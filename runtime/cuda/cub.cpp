#include "runtime/cuda/cub.hpp"

#include <mutex>
#include <string>
#include <string_view>

#include "runtime/cuda/cub_entry.hpp"
#include "runtime/cuda/scratch.hpp"
#include "runtime/loader.hpp"

#ifndef SINTER_CUB_ABSENT
#define SINTER_CUB_ABSENT ""
#endif

namespace sinter::runtime {
namespace {

struct cub_functions {
  cub_sort* sort[9] = {};  // by a key's bytes
  cub_select* select[9] = {};
  cub_words* words = nullptr;
};

/// Throws device_error if it was not built or is missing.
cub_functions open_cub() {
  const std::string absent = SINTER_CUB_ABSENT;
  const module_library module = module_library::open("cub");
  if (!module) {
    throw device_error("[sort] sorting on the GPU needs libsinter_cub.so (" +
                       (absent.empty() ? module.status() : absent) + ")");
  }
  cub_functions found;
  for (int bytes : {1, 2, 4, 8}) {
    const std::string bits = std::to_string(8 * bytes);
    found.sort[bytes] = module.function<cub_sort>(("sinter_cub_sort_" + bits).c_str());
    found.select[bytes] = module.function<cub_select>(("sinter_cub_select_" + bits).c_str());
  }
  found.words = module.function<cub_words>("sinter_cub_words");
  return found;
}

class cub_sorter final : public sorter {
 public:
  cub_sorter(cuda_streams& streams, memory_pool& pool) : streams_(streams), pool_(pool) {}

  void sort(const sort_call& c) override {
    if (c.rows == 0 || c.wanted == 0 || (!c.sorted && !c.positions)) return;
    queue(c, opened().sort[c.key_bytes]);
  }

  void select(const select_call& c) override {
    if (c.rows == 0 || c.wanted == 0) return;
    queue(c, opened().select[c.key_bytes]);
  }

 private:
  const cub_functions& opened() {
    std::call_once(opened_, [this] { functions_ = open_cub(); });
    return functions_;
  }

  template <class Call, class Run> void queue(const Call& c, Run* run) {
    cuda_stream& on = streams_.current();
    std::size_t bytes = 0;
    require(run(c, nullptr, &bytes, on.handle()));
    const scratch work(pool_, bytes + 1, on);
    require(run(c, work.data(), &bytes, on.handle()));
    on.queued();
  }

  void require(int error) const {
    if (error != 0) throw device_error(std::string("[sort] CUB: ") + functions_.words(error));
  }

  cuda_streams& streams_;
  memory_pool& pool_;
  std::once_flag opened_;
  cub_functions functions_;
};

}  // namespace

bool cub_is_built() {
  return std::string_view(SINTER_CUB_ABSENT).empty();
}

std::unique_ptr<sorter> make_cub(cuda_streams& streams, memory_pool& pool) {
  return std::make_unique<cub_sorter>(streams, pool);
}

}  // namespace sinter::runtime
