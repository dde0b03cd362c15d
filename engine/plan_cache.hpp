#pragma once
// Plans by the structure of what was evaluated. Bounded: the least recently used ones go.
//
// Thread safety: used under the session's evaluation lock.

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/calls.hpp"
#include "engine/kernel_store.hpp"
#include "ir/plan.hpp"

namespace sinter::detail {

/// A plan with its kernels compiled: ready to run on one device.
struct ready_plan {
  ir::plan plan;
  std::vector<std::shared_ptr<const ready_kernel>> kernels;
  std::vector<call_function> calls;  // per step; null: it is none
  double seconds = 0;                // planning
  std::int64_t runs = 0;
};

class plan_cache {
 public:
  std::shared_ptr<ready_plan> find(std::string_view key);
  void insert(std::string key, std::shared_ptr<ready_plan> plan);
  void clear();
  std::int64_t hits = 0, misses = 0;
  double seconds = 0;  // planning

 private:
  static constexpr std::size_t limit = 4096;
  struct entry {
    std::string key;
    std::shared_ptr<ready_plan> plan;
  };
  std::list<entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<entry>::iterator> index_;
};

}  // namespace sinter::detail
