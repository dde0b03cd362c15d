// A CUDA driver without a GPU: memory is the host's, and a kernel is a host function that runs when
// it is launched. For tests of launches, and for timing the host's side of a launch. If it is
// opened before the first use of CUDA, the loader takes it for libcuda.so.1.
//
// As on a GPU, a copy from pinned memory to the device is deferred until something needs it: a
// write to that memory before the copy's event has passed corrupts the copy.
//
// Its clock advances only by the times that kernels report (`fake_cuda_take`).
//
// An image is two words: the address of a `fake_kernel`, and its number of 8-byte parameters. Any
// other image is a kernel that does nothing, except the one that lists addresses.

// length: one driver, whose functions share its memory, its clock and its graphs.

#include "tests/fake_cuda/driver.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include <cuda.h>

#undef cuEventElapsedTime  // like the library: drivers before 12.8 have the first version only

namespace {

struct loaded {
  fake_kernel* run = nullptr;
  std::size_t parameters = 0;
};

struct node {
  const loaded* what = nullptr;
  unsigned blocks = 0;
  std::vector<std::uint64_t> parameters;
  std::vector<node> captured;  // of a nested graph, which is no kernel itself

  void take(const CUDA_KERNEL_NODE_PARAMS& p) {
    what = reinterpret_cast<const loaded*>(p.func);
    blocks = p.gridDimX;
    parameters.resize(what->parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::memcpy(&parameters[i], p.kernelParams[i], sizeof parameters[i]);
    }
  }
};

struct nodes {
  std::vector<node*> list;
  std::size_t edges = 0;
  std::map<const node*, node> copies;  // of an executable graph
};

struct pending_copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

struct event {
  std::int64_t behind = 0;  // copies queued before it
  double when = 0;
};

fake_counts counts;
std::map<const char*, std::size_t> pinned;  // begin and size in bytes
std::deque<pending_copy> pending;
std::int64_t copied = 0;  // pending copies that were made
double clock_seconds = 0;
fake_kernel* refused = nullptr;
bool compiles = true, nests = true;
nodes* capturing = nullptr;
int something;
CUcontext current = nullptr;

template <class H> H handle() {
  return reinterpret_cast<H>(&something);
}
template <class P> void* memory(P p) {
  return reinterpret_cast<void*>(p);
}

bool is_pinned(const void* p) {
  const auto* at = static_cast<const char*>(p);
  auto next = pinned.upper_bound(at);
  if (next == pinned.begin()) return false;
  --next;
  return at < next->first + next->second;
}

/// Makes the first `behind` copies of all that were ever queued.
void settle(std::int64_t behind) {
  for (; copied < behind && !pending.empty(); ++copied) {
    std::memcpy(pending.front().to, pending.front().from, pending.front().bytes);
    pending.pop_front();
  }
}
void settle_all() {
  settle(copied + static_cast<std::int64_t>(pending.size()));
}

void run(const loaded& k, unsigned blocks, std::vector<std::uint64_t> parameters) {
  settle_all();
  if (k.run) k.run(parameters.data(), blocks);
}

/// The library's one text kernel: (to, count, first, step, first, step).
void list_addresses(const std::uint64_t* p, unsigned blocks) {
  auto* to = reinterpret_cast<std::uint64_t*>(p[0]);
  const std::uint64_t count = std::min<std::uint64_t>(p[1], std::uint64_t{blocks} * 256);
  for (const std::uint64_t* row : {p + 2, p + 4}) {
    if (row[0] == 0) return;
    for (std::uint64_t i = 0; i < count; ++i) to[i] = row[0] + i * row[1];
    to += p[1];
  }
}

}  // namespace

extern "C" {

fake_counts fake_cuda_counts() {
  return counts;
}
void fake_cuda_take(double seconds) {
  clock_seconds += seconds;
}
void fake_cuda_refuse(fake_kernel* kernel) {
  refused = kernel;
}
void fake_cuda_compiles(bool text) {
  compiles = text;
}
void fake_cuda_nests(bool graphs) {
  nests = graphs;
}

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}
// NVRTC looks it up, and crashes if it is missing.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  return *table = nullptr, CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetErrorName(CUresult, const char** s) {
  return *s = "CUDA_ERROR", CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** s) {
  return *s = "an error", CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* n) {
  return *n = 1, CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* d, int i) {
  return *d = i, CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "no GPU at all", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  *value = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : what == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT     ? 132
           : what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
           : what == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE            ? 50 << 20
           : what == CU_DEVICE_ATTRIBUTE_CLOCK_RATE               ? 1980000
           : what == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE        ? 3201000
           : what == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH  ? 6144
                                                                  : 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* n, CUdevice) {
  return *n = 1u << 30, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice) {
  return *c = handle<CUcontext>(), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* c) {
  return *c = current, CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext c) {
  return current = c, CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return settle_all(), CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* p, std::size_t n) {
  *p = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (n + 255) / 256 * 256));
  return *p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr p) {
  return settle_all(), std::free(memory(p)), CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** p, std::size_t n, unsigned) {
  *p = std::malloc(n);
  if (!*p) return CUDA_ERROR_OUT_OF_MEMORY;
  pinned[static_cast<const char*>(*p)] = n;
  counts.pinned_bytes += static_cast<std::int64_t>(n);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* p) {
  settle_all();
  const auto found = pinned.find(static_cast<const char*>(p));
  if (found == pinned.end()) return CUDA_ERROR_INVALID_VALUE;
  counts.pinned_bytes -= static_cast<std::int64_t>(found->second);
  pinned.erase(found);
  return std::free(p), CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t n, CUstream) {
  if (!is_pinned(from)) {
    settle_all();
    ++counts.pageable_copies;
    return std::memcpy(memory(to), from, n), CUDA_SUCCESS;
  }
  ++counts.pinned_copies;
  pending.push_back({memory(to), from, n});
  const auto waiting = static_cast<std::int64_t>(pending.size());
  if (waiting > counts.most_pending) counts.most_pending = waiting;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t n, CUstream) {
  return settle_all(), std::memcpy(to, memory(from), n), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream) {
  ++counts.copies;
  return settle_all(), std::memcpy(memory(to), memory(from), n), CUDA_SUCCESS;
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* c, CUstream) {
  settle_all();
  for (std::size_t y = 0; y < c->Height; ++y) {
    std::memcpy(memory(c->dstDevice + y * c->dstPitch), memory(c->srcDevice + y * c->srcPitch),
                c->WidthInBytes);
  }
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char v, std::size_t n, CUstream) {
  return settle_all(), std::memset(memory(to), v, n), CUDA_SUCCESS;
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char v, std::size_t width,
                           std::size_t height, CUstream) {
  settle_all();
  for (std::size_t i = 0; i < height; ++i) std::memset(memory(to + i * pitch), v, width);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned, CUpointer_attribute*, void**, CUdeviceptr) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuStreamCreate(CUstream* s, unsigned) {
  return *s = handle<CUstream>(), CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) {
  ++counts.synchronized;
  return settle_all(), CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream s, CUevent, unsigned) {
  return counts.waiting = reinterpret_cast<std::uintptr_t>(s), CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  if (capturing) return CUDA_ERROR_ILLEGAL_STATE;
  return capturing = new nodes, CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph* g) {
  *g = reinterpret_cast<CUgraph>(capturing);
  return capturing = nullptr, CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* e, unsigned) {
  return *e = reinterpret_cast<CUevent>(new event), CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent e) {
  return delete reinterpret_cast<event*>(e), CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent e, CUstream s) {
  reinterpret_cast<event*>(e)->behind = copied + static_cast<std::int64_t>(pending.size());
  reinterpret_cast<event*>(e)->when = clock_seconds;
  return counts.recorded = reinterpret_cast<std::uintptr_t>(s), CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent e) {
  return settle(reinterpret_cast<const event*>(e)->behind), CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent e) {
  return settle(reinterpret_cast<const event*>(e)->behind), CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end) {
  const auto when = [](CUevent e) { return reinterpret_cast<const event*>(e)->when; };
  return *ms = static_cast<float>((when(end) - when(begin)) * 1e3), CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* m, const void* image) {
  auto* k = new loaded;
  const bool elf = std::memcmp(image, "\177ELF", 4) == 0;
  const bool text = std::memcmp(image, "//", 2) == 0 || std::memcmp(image, "\n.ve", 4) == 0;
  if (text && !compiles) return delete k, CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  if (!elf && !text) std::memcpy(k, image, sizeof *k);
  *m = reinterpret_cast<CUmodule>(k);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule m) {
  delete reinterpret_cast<loaded*>(m);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
  if (std::strcmp(name, "sinter_addresses") == 0) {
    *reinterpret_cast<loaded*>(m) = {list_addresses, 6};
  }
  *f = reinterpret_cast<CUfunction>(m);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction f, void** parameters, void**) {
  const auto& k = *reinterpret_cast<const loaded*>(f);
  if (k.run && k.run == refused) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  std::vector<std::uint64_t> values(k.parameters);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], parameters[i], sizeof values[i]);
  }
  if (capturing) {
    ++counts.captured;
    capturing->list.push_back(new node{&k, how->gridDimX, std::move(values), {}});
    return CUDA_SUCCESS;
  }
  ++counts.launches;
  run(k, how->gridDimX, std::move(values));
  return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph* g, unsigned) {
  *g = reinterpret_cast<CUgraph>(new nodes);
  return CUDA_SUCCESS;
}
CUresult cuGraphAddKernelNode(CUgraphNode* made, CUgraph g, const CUgraphNode* before,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* p) {
  auto& list = reinterpret_cast<nodes*>(g)->list;
  // A node without a dependency gets its edge later.
  if (count > 1 || (count == 1 && *before != reinterpret_cast<CUgraphNode>(list.back()))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  reinterpret_cast<nodes*>(g)->edges += count;
  list.push_back(new node);
  list.back()->take(*p);
  *made = reinterpret_cast<CUgraphNode>(list.back());
  return CUDA_SUCCESS;
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph g, const CUgraphNode* before,
                                  std::size_t count, CUgraph child) {
  auto& list = reinterpret_cast<nodes*>(g)->list;
  const bool is_chain = count == !list.empty() &&
                        (count == 0 || *before == reinterpret_cast<CUgraphNode>(list.back()));
  if (!nests || !is_chain) return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<nodes*>(g)->edges += count;
  list.push_back(new node);
  for (const node* n : reinterpret_cast<nodes*>(child)->list) list.back()->captured.push_back(*n);
  *made = reinterpret_cast<CUgraphNode>(list.back());
  return CUDA_SUCCESS;
}
CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode* from, const CUgraphNode* to,
                                const CUgraphEdgeData* edge, std::size_t count) {
  const auto& list = reinterpret_cast<nodes*>(g)->list;
  const auto is = [&](const CUgraphNode* n, std::size_t behind) {
    return list.size() > behind && *n == reinterpret_cast<CUgraphNode>(list.end()[-1 - behind]);
  };
  const bool early = edge->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  if (count != 1 || !early || !is(to, 0) || !is(from, 1)) return CUDA_ERROR_INVALID_VALUE;
  ++reinterpret_cast<nodes*>(g)->edges;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiate(CUgraphExec* e, CUgraph g, unsigned long long) {
  const auto& made = *reinterpret_cast<nodes*>(g);
  if (made.edges + 1 != made.list.size()) return CUDA_ERROR_INVALID_VALUE;  // it must be a chain
  auto* copy = new nodes(made);
  for (const node* n : copy->list) copy->copies[n] = *n;
  *e = reinterpret_cast<CUgraphExec>(copy);
  ++counts.graphs;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode n,
                                        const CUDA_KERNEL_NODE_PARAMS* p) {
  ++counts.changes;
  reinterpret_cast<nodes*>(e)->copies.at(reinterpret_cast<const node*>(n)).take(*p);
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec e, CUstream) {
  ++counts.graph_launches;
  auto& g = *reinterpret_cast<nodes*>(e);
  for (const node* n : g.list) {
    const node& k = g.copies.at(n);
    if (k.what) run(*k.what, k.blocks, k.parameters);
    for (const node& c : k.captured) run(*c.what, c.blocks, c.parameters);
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec e) {
  delete reinterpret_cast<nodes*>(e);
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph g) {
  for (const node* n : reinterpret_cast<nodes*>(g)->list) delete n;
  delete reinterpret_cast<nodes*>(g);
  return CUDA_SUCCESS;
}

}  // extern "C"
