#include "engine/evaluation/kernel_store.hpp"

#include <exception>
#include <system_error>
#include <thread>

#include <dlfcn.h>
#include <sys/stat.h>

#include "codegen/cuda_text/emit.hpp"
#include "engine/evaluation/now.hpp"
#include "ir/interpreter.hpp"
#include "runtime/cpu/cpu_device.hpp"

namespace sinter::detail {

namespace {

/// Identifies the build of the library that contains the address: its size and modification time.
std::string build_of(const void* address) {
  Dl_info info;
  struct stat file;
  if (!dladdr(address, &info) || !info.dli_fname || stat(info.dli_fname, &file) != 0) return {};
  return std::to_string(file.st_size) + "." + std::to_string(file.st_mtim.tv_sec) + "." +
         std::to_string(file.st_mtim.tv_nsec);
}

/// Part of every disk key: a new emitter must not find an old one's kernels.
std::string engine_version(const codegen::compiler& c) {
  const void* of_module = *reinterpret_cast<const void* const*>(&c);  // its virtual table
  return "sinter 0.1 " + build_of(reinterpret_cast<const void*>(&build_of)) + " " +
         build_of(of_module);
}

constexpr std::string_view entry_name = "kernel";

ir::kernel make_copying_kernel() {
  ir::kernel k;
  k.name = "copy";
  k.schedule.target = ir::target::gpu;
  k.schedule.vector = 4;
  k.schedule.threads = 256;
  k.schedule.tile = copied_by_block;
  for (const auto role : {ir::operand_role::input, ir::operand_role::output}) {
    k.operands.push_back({role, dtype::uint32, {{ir::step::one}}});
  }
  ir::inst load, store;
  load.kind = ir::inst_kind::load;
  store.kind = ir::inst_kind::store;
  load.type = load.result = store.type = store.result = dtype::uint32;
  load.which = store.args[0] = 0;
  store.which = 1;
  k.body = {load, store};
  ir::infer_levels(k);
  return k;
}

/// Does work(0) to work(count - 1) on all of the machine's cores; when all are done, throws what
/// the first one that failed threw.
template <class Work> void do_in_parallel(std::size_t count, Work work) {
  std::vector<std::exception_ptr> failed(count);
  std::atomic<std::size_t> next{0};
  const auto drain = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        work(i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> helpers;
  const std::size_t threads =
      std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  for (std::size_t t = 1; t < threads; ++t) {
    try {
      helpers.emplace_back(drain);
    } catch (const std::system_error&) {
      break;  // fewer threads do the same work
    }
  }
  drain();
  for (auto& t : helpers) t.join();
  for (const auto& e : failed) {
    if (e) std::rethrow_exception(e);
  }
}

}  // namespace

const ir::kernel& copying_kernel() {
  static const ir::kernel k = make_copying_kernel();
  return k;
}

kernel_store::kernel_store(runtime::device& device,
                           std::shared_ptr<const codegen::compiler> compiler,
                           runtime::kernel_cache& disk, dump_settings& dumps)
    : device_(device),
      compiler_(std::move(compiler)),
      disk_(disk),
      dumps_(dumps),
      fingerprint_(compiler_ ? engine_version(*compiler_) + "\n" + compiler_->fingerprint() : "") {}

std::shared_ptr<const ready_kernel> kernel_store::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto it = kernels_.find(key);
  return it == kernels_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const ready_kernel>> kernel_store::get(
    const std::vector<ir::kernel>& kernels) {
  std::vector<std::shared_ptr<const ready_kernel>> out(kernels.size());
  std::vector<std::string> keys;
  std::vector<std::size_t> missing;
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    keys.push_back(ir::key_of(kernels[i]));
    out[i] = find(keys[i]);
    if (!out[i] && first.emplace(keys[i], i).second) missing.push_back(i);
  }
  do_in_parallel(missing.size(), [&](std::size_t m) {
    out[missing[m]] = make(kernels[missing[m]], keys[missing[m]]);
  });
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!out[i]) out[i] = find(keys[i]);
  }
  return out;
}

std::shared_ptr<ready_kernel> kernel_store::load(const ir::kernel& kernel,
                                                 const std::string& key) {
  auto ready = std::make_shared<ready_kernel>();
  ready->threads = kernel.schedule.threads;
  const std::string disk_key = fingerprint_ + "\n" + key;
  const double start = now();
  if (!compiler_) {
    auto& cpu = static_cast<runtime::cpu_device&>(device_);
    ready->code = cpu.wrap([k = kernel](const std::uint64_t* slots, std::int64_t b,
                                        std::int64_t e) { ir::run_kernel(k, slots, b, e); });
    ready->from = ready_kernel::origin::interpreted;
  } else if (auto bytes = dumps_.any() ? std::nullopt : disk_.find(disk_key)) {
    try {
      ready->code = device_.load(*bytes, entry_name);
      ready->from = ready_kernel::origin::disk;
    } catch (const runtime::device_error&) {
      ready->code = nullptr;  // an image this driver rejects: compile it again
    }
  }
  if (!ready->code) {
    const codegen::compiled c = compiler_->compile(kernel, dumps_.request(kernel.schedule.target));
    if (dumps_.any()) show(kernel, c);
    ready->code = device_.load(c.image, c.entry);
    disk_.store(disk_key, c.image);
  }
  ready->seconds = now() - start;
  return ready;
}

const ready_kernel& kernel_store::copier() {
  std::call_once(copies_, [&] {
    copier_ = load(copying_kernel(), ir::key_of(copying_kernel()));
  });
  return *copier_;
}

const ready_kernel* kernel_store::frequent_copier() {
  constexpr int seldom = 8;
  if (!compiler_) return nullptr;
  if (asked_for_copier_.load(std::memory_order_relaxed) < seldom) {
    asked_for_copier_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  return &copier();
}

std::shared_ptr<const ready_kernel> kernel_store::beside(const ir::kernel& kernel) {
  auto ready = load(kernel, ir::key_of(kernel));
  const std::scoped_lock lock(mutex_);
  ++statistics_.variants;
  return ready;
}

std::shared_ptr<const ready_kernel> kernel_store::make(const ir::kernel& kernel,
                                                       const std::string& key) {
  auto ready = load(kernel, key);
  const std::scoped_lock lock(mutex_);
  if (ready->from == ready_kernel::origin::compiled) {
    ++statistics_.compiles;
    statistics_.compile_seconds += ready->seconds;
  } else if (ready->from == ready_kernel::origin::disk) {
    ++statistics_.disk_hits;
    statistics_.load_seconds += ready->seconds;
  }
  return kernels_.emplace(key, std::move(ready)).first->second;
}

void kernel_store::forget() {
  const std::scoped_lock lock(mutex_);
  kernels_.clear();
}

void kernel_store::show(const ir::kernel& kernel, const codegen::compiled& c) {
  if (dumps_.wants("kernel")) dumps_.emit("kernel", kernel.name, ir::print(kernel));
  for (const auto& [stage, text] : c.stages) {
    if (dumps_.wants(stage)) dumps_.emit(stage, kernel.name, text);
  }
}

std::string kernel_store::source(const ir::kernel& kernel) const {
  if (kernel.schedule.target == ir::target::gpu) return codegen::emit_cuda(kernel);
  if (!compiler_) return ir::print(kernel);
  const codegen::compiled c = compiler_->compile(kernel, {.source = true});
  return c.stages.empty() ? std::string() : c.stages.front().second;
}

kernel_store_statistics kernel_store::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

}  // namespace sinter::detail
