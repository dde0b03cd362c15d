#include "engine/evaluation/session.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"
#include "runtime/cpu/cpu_device.hpp"
#include "runtime/dynamic_library.hpp"

namespace sinter {

namespace {

device parse(std::string_view op, std::string_view name, location where) {
  if (name == "cpu") return {device::kind::cpu};
  if (name == "cuda") return {device::kind::cuda};
  if (name.starts_with("cuda:") && name.size() > 5 && name.size() < 9) {
    int index = 0;
    for (char c : name.substr(5)) {
      if (c < '0' || c > '9') index = -1000;
      index = index * 10 + (c - '0');
    }
    if (index >= 0) return {device::kind::cuda, index};
  }
  detail::fail<value_error>(error_code::bad_argument, op,
                            "'" + std::string(name) + "' is no device: cpu, cuda or cuda:N", where);
}

}  // namespace

device::device(std::string_view name, location where) : device(parse("device", name, where)) {}

std::string to_string(device d) {
  return d.what == device::kind::cpu ? "cpu" : "cuda:" + std::to_string(d.index);
}

namespace detail {

namespace {

/// A kernel of up to this many elements takes less time than its launch.
constexpr std::int64_t shared_launch_elements = 1 << 18;

/// Sweeps of a stencil per kernel. On a GPU six would gain 15% more for small grids, and take half
/// as long again to compile; on a CPU identical sweeps are compiled once.
constexpr int stacked_sweeps = 4, stacked_on_cpu = 8;

ir::machine machine_of(const runtime::device_properties& p, ir::target t, int vector_bytes) {
  ir::machine m;
  m.target = t;
  m.units = p.units;
  m.cluster = p.cluster;
  m.share_limit = shared_launch_elements;
  m.stack_limit = t == ir::target::gpu ? stacked_sweeps : stacked_on_cpu;
  m.vector_bytes = vector_bytes;
  m.bandwidth = p.bandwidth;
  m.arithmetic = p.arithmetic;
  m.launch = p.launch;
  m.sorts = p.sorts;
  m.cache = static_cast<std::int64_t>(p.cache);
  // Grids that stay in a CPU's cache are not stacked, so they are not examined.
  if (t == ir::target::cpu) m.stack_points = std::max(m.stack_points, m.cache / 32);
#ifdef NDEBUG
  m.verify = std::getenv("SINTER_VERIFY");
#endif
  return m;
}

/// The modules are next to this library, or in SINTER_BACKEND_DIR.
runtime::dynamic_library open_backend(const char* file) {
  std::vector<std::string> folders;
  if (const char* folder = std::getenv("SINTER_BACKEND_DIR")) folders.push_back(folder);
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&open_backend), &self) && self.dli_fname) {
    const std::string path = self.dli_fname;
    folders.push_back(path.substr(0, path.rfind('/')));
  }
  return runtime::dynamic_library::open({file}, folders);
}

/// Bytes of the host's widest vectors.
int host_vector_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

/// The CUDA toolkit provides the compiler, with or without a GPU.
std::shared_ptr<const codegen::compiler> make_cuda_compiler(const char* architecture) {
  const runtime::dynamic_library module = open_backend("libsinter_cuda.so");
  const auto make = module.function<codegen::compiler*(const char*)>("sinter_cuda_compiler");
  if (!make) throw codegen::compile_error(module.problem());
  return std::shared_ptr<const codegen::compiler>(make(architecture));
}

/// A background compilation must not outlive the statics that the process destroys at exit. Statics
/// that the compiler creates at its first use are destroyed before earlier exit handlers run, so a
/// thread_local of the main thread stops it: those are destroyed first.
struct end_of_thread {
  ~end_of_thread() {
    if (::gettid() == ::getpid() && works) the_session().later.stop();
  }
  static inline std::atomic<bool> works = false;
};
thread_local const end_of_thread guard;

/// Constructed by the thread that loads the library, normally the main thread, whichever threads
/// evaluate.
[[maybe_unused]] const end_of_thread* const of_main_thread = &guard;

/// The exit handler covers a library that another thread loaded.
void stop_at_exit() {
  if (end_of_thread::works.exchange(true)) return;
  std::atexit([] { the_session().later.stop(); });
}

}  // namespace

session::session()
    : nominal(dumps, make_cuda_compiler), tuning(disk_, later), later(stop_at_exit) {
  const char* f = std::getenv("SINTER_FUSION");
  if (f && std::strcmp(f, "off") == 0) fuse = false;
}

session::~session() = default;

target& session::cpu() {
  if (cpu_) return *cpu_;
  auto t = std::make_unique<target>();
  runtime::cpu_options options;
  const runtime::dynamic_library llvm = open_backend("libsinter_llvm.so");
  const auto make_compiler = llvm.function<codegen::compiler*()>("sinter_llvm_compiler");
  const auto make_loader = llvm.function<runtime::object_loader*()>("sinter_llvm_loader");
  if (make_compiler && make_loader) {
    t->compiler.reset(make_compiler());
    options.loader.reset(make_loader());
  } else {
    llvm_status_ = llvm.problem();
  }
  t->device = std::make_unique<runtime::cpu_device>(options);
  t->machine = machine_of(t->device->properties(), ir::target::cpu, host_vector_bytes());
  t->kernels = std::make_unique<kernel_store>(*t->device, t->compiler, disk_, dumps);
  cpu_ = std::move(t);
  return *cpu_;
}

target* session::cuda(int index) {
  const runtime::dynamic_library module = open_backend("libsinter_cuda.so");
  if (cuda_count_ < 0) {
    const auto count = module.function<int()>("sinter_cuda_device_count");
    cuda_count_ = count ? count() : 0;
    const auto status = module.function<const char*()>("sinter_cuda_status");
    if (cuda_count_ == 0) cuda_status_ = status ? status() : module.problem();
    cuda_.resize(static_cast<std::size_t>(cuda_count_));
  }
  if (index >= cuda_count_) return nullptr;
  auto& t = cuda_[static_cast<std::size_t>(index)];
  if (t) return t.get();
  auto made = std::make_unique<target>();
  const auto make_device = module.function<runtime::device*(int)>("sinter_cuda_device");
  const auto make_compiler =
      module.function<codegen::compiler*(const char*)>("sinter_cuda_compiler");
  made->device.reset(make_device(index));
  const auto& p = made->device->properties();
  made->compiler.reset(make_compiler(p.architecture.c_str()));
  made->machine = machine_of(p, ir::target::gpu, 16);
  made->kernels = std::make_unique<kernel_store>(*made->device, made->compiler, disk_, dumps);
  t = std::move(made);
  return t.get();
}

target& session::target_of(sinter::device d, location where) {
  const std::scoped_lock lock(mutex_);
  if (d.what == sinter::device::kind::cpu) return cpu();
  target* t = nullptr;
  try {
    t = cuda(d.index);
  } catch (...) {
    rethrow("use", where);
  }
  if (!t) {
    const std::string why =
        cuda_count_ > 0 ? "there are " + std::to_string(cuda_count_) : cuda_status_;
    fail<device_error>(error_code::device_missing, "use", "no device " + to_string(d) + ": " + why,
                       where);
  }
  return *t;
}

target& session::target_of(const runtime::device& d) {
  const std::scoped_lock lock(mutex_);
  for (auto& t : cuda_) {
    if (t && t->device.get() == &d) return *t;
  }
  return *cpu_;
}

sinter::device session::default_device() {
  const char* const name = std::getenv("SINTER_DEVICE");
  if (name && *name) return parse("SINTER_DEVICE", name, {});
  const std::scoped_lock lock(mutex_);
  try {
    if (cuda(0)) return {sinter::device::kind::cuda, 0};
  } catch (const std::exception& e) {
    cuda_status_ = e.what();  // a broken GPU set-up must not stop the program
    cuda_count_ = 0;
  }
  return {sinter::device::kind::cpu};
}

target& session::current() {
  target*& t = thread_target();
  if (!t) {
    static target& first = target_of(default_device(), {});
    t = &first;
  }
  return *t;
}

std::vector<sinter::device> session::devices() {
  std::vector<sinter::device> list{default_device()};
  const std::scoped_lock lock(mutex_);
  const int n = std::max(cuda_count_, 0);
  for (int i = 0; i < n; ++i) {
    const sinter::device d{sinter::device::kind::cuda, i};
    if (!(d == list[0])) list.push_back(d);
  }
  if (list[0].what != sinter::device::kind::cpu) list.push_back({sinter::device::kind::cpu});
  return list;
}

std::string session::status() {
  std::string s;
  try {
    devices();
  } catch (const user_error& e) {
    s = std::string(e.what()) + "\n";
  }
  target_of(sinter::device{sinter::device::kind::cpu}, {});
  const std::scoped_lock lock(mutex_);
  if (!cuda_status_.empty()) s += "cuda: " + cuda_status_ + "\n";
  if (!llvm_status_.empty()) s += "cpu: kernels are interpreted: " + llvm_status_ + "\n";
  if (disk_.enabled()) s += "kernel cache: " + disk_.status() + "\n";
  return s;
}

void session::forget_plans() {
  const std::scoped_lock lock(evaluation, mutex_);
  plans.clear();
  tuning.forget();
  nominal.forget();
  if (cpu_) cpu_->kernels->forget();
  for (auto& t : cuda_) {
    if (t) t->kernels->forget();
  }
}

session& the_session() {
  static auto* s = new session;
  return *s;
}

target*& thread_target() {
  thread_local target* t = nullptr;
  return t;
}

runtime::device& current_device() {
  return *the_session().current().device;
}

bool on_gpu() {
  return the_session().current().machine.target == ir::target::gpu;
}

void rethrow(std::string_view op, location where) {
  try {
    throw;
  } catch (const error&) {
    throw;
  } catch (const runtime::out_of_memory& e) {
    fail<memory_error>(error_code::out_of_memory, op, e.what(), where);
  } catch (const runtime::device_error& e) {
    fail<device_error>(error_code::device_failure, op, e.what(), where);
  } catch (const std::bad_alloc&) {
    fail<memory_error>(error_code::out_of_memory, op, "no host memory left", where);
  } catch (const std::exception& e) {
    fail<internal_error>(error_code::internal, op, e.what(), where);
  }
}

}  // namespace detail

// ---- public

namespace {

device public_id(const runtime::device& d) {
  const auto id = d.id();
  return {id.kind == runtime::device_kind::cpu ? device::kind::cpu : device::kind::cuda, id.index};
}

}  // namespace

std::vector<device> devices() {
  return detail::the_session().devices();
}
std::string status() {
  return detail::the_session().status();
}

device_scope::device_scope(device d, location where) : previous_(detail::thread_target()) {
  detail::thread_target() = &detail::the_session().target_of(d, where);
}
device_scope::~device_scope() {
  detail::thread_target() = static_cast<detail::target*>(previous_);
}

device current_device() {
  return public_id(detail::current_device());
}

device device_of(const any_array& x, location where) {
  const auto& n = detail::checked(x, "device_of", where);
  const bool stored = n.depth.load(std::memory_order_acquire) == 0;
  return stored ? public_id(*n.device) : current_device();
}

void synchronize(location where) {
  try {
    detail::current_device().synchronize();
  } catch (...) {
    detail::rethrow("synchronize", where);
  }
}

void dump(std::string_view stages, std::string_view folder, location where) {
  detail::session& s = detail::the_session();
  s.dumps.set(stages, folder, where);
  s.forget_plans();
}

void fusion(bool on) {
  detail::the_session().fuse = on;
}

void tuning(bool on) {
  detail::the_session().tuning.enable(on);
}

statistics session_statistics() {
  detail::session& s = detail::the_session();
  const auto k = s.current().kernels->statistics();
  const std::scoped_lock lock(s.evaluation);
  statistics out;
  out.plans = s.plans.misses;
  out.plan_hits = s.plans.hits;
  out.compiles = k.compiles;
  out.disk_hits = k.disk_hits;
  out.variants = k.variants;
  out.plan_sizes = s.plans.resized;
  out.launches = s.launches;
  out.copies = s.copies;
  out.plan_seconds = s.plans.seconds;
  out.compile_seconds = k.compile_seconds;
  out.load_seconds = k.load_seconds;
  return out;
}

memory_info memory(device d, location where) {
  const auto m = detail::the_session().target_of(d, where).device->memory();
  return {static_cast<std::int64_t>(m.used_bytes), static_cast<std::int64_t>(m.reserved_bytes),
          static_cast<std::int64_t>(m.peak_bytes)};
}

std::int64_t trim(device d, location where) {
  auto& t = detail::the_session().target_of(d, where);
  return static_cast<std::int64_t>(t.device->trim());
}

void limit_memory(std::int64_t bytes, device d, location where) {
  auto& t = detail::the_session().target_of(d, where);
  if (bytes < 0) {
    detail::fail<value_error>(error_code::bad_argument, "limit_memory",
                              std::to_string(bytes) + " bytes: a limit is positive, or 0 for none",
                              where);
  }
  t.device->limit_memory(static_cast<std::size_t>(bytes));
}

}  // namespace sinter
