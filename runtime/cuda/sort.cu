// Sorting by CUB, compiled ahead of time, once a key width: SINTER_KEY_BITS. By the length of a
// row:
//   up to 32     eight threads a row (merge sort)
//   up to 16384  a block a row (radix sort in shared memory): one read, one write; 8192 words of
//                eight bytes
//   many rows    CUB's segmented radix sort, a block a row
//   else         CUB's radix sort of the whole device, row by row
// All are stable, and none waits for anything on the host.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "runtime/cuda/cub_entry.hpp"
#include "runtime/cuda/first.cuh"
#include "runtime/cuda/select.cuh"

#define SINTER_JOINED_(a, b) a##b
#define SINTER_JOINED(a, b)  SINTER_JOINED_(a, b)
#define SINTER_EXPORTED      extern "C" __attribute__((visibility("default")))

namespace {

using sinter::runtime::aligned;
using sinter::runtime::sort_call;
using key = SINTER_JOINED(SINTER_JOINED(std::uint, SINTER_KEY_BITS), _t);
using place = std::uint32_t;

constexpr key last_key = static_cast<key>(~key{0});

struct in_order {
  __device__ bool operator()(key a, key b) const { return a < b; }
};

// ---- rows in registers

constexpr int threads_of_short = 128;
constexpr int lanes = 8;
constexpr int short_row = 32;

__global__ void __launch_bounds__(threads_of_short)
    sort_short(const key* keys, key* sorted, place* places, std::int64_t rows, int length) {
  constexpr int items = short_row / lanes, rows_of_block = threads_of_short / lanes;
  using sorter = cub::WarpMergeSort<key, items, lanes, place>;
  __shared__ typename sorter::TempStorage storage[rows_of_block];
  const int mine = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const std::int64_t step = std::int64_t{gridDim.x} * rows_of_block;
  for (std::int64_t first = std::int64_t{blockIdx.x} * rows_of_block; first < rows; first += step) {
    const std::int64_t row = first + mine, start = row * length;
    const int count = row < rows ? length : 0;
    key k[items];
    place p[items];
    for (int i = 0; i < items; ++i) {
      p[i] = lane * items + i;
      k[i] = p[i] < count ? keys[start + p[i]] : last_key;
    }
    sorter(storage[mine]).StableSort(k, p, in_order{});
    for (int i = 0; i < items; ++i) {
      const int at = lane * items + i;
      if (at < count && sorted) sorted[start + at] = k[i];
      if (at < count && places) places[start + at] = p[i];
    }
    __syncthreads();
  }
}

template <int Threads, int Items, bool Places>
using block_sorter =
    cub::BlockRadixSort<key, Threads, Items, std::conditional_t<Places, place, cub::NullType>>;

template <int Threads, int Items, bool Places>
__global__ void __launch_bounds__(Threads)
    sort_block(const key* keys, key* sorted, place* places, std::int64_t rows, int length) {
  using sorter = block_sorter<Threads, Items, Places>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto& storage = reinterpret_cast<typename sorter::TempStorage&>(shared);
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const std::int64_t start = row * length;
    key k[Items];
    [[maybe_unused]] place p[Places ? Items : 1];
    for (int i = 0; i < Items; ++i) {
      const int at = threadIdx.x * Items + i;
      k[i] = at < length ? keys[start + at] : last_key;
      if constexpr (Places) p[i] = at;
    }
    if constexpr (Places) sorter(storage).SortBlockedToStriped(k, p);
    else sorter(storage).SortBlockedToStriped(k);
    for (int i = 0; i < Items; ++i) {
      const int at = i * Threads + threadIdx.x;
      if (at < length && sorted) sorted[start + at] = k[i];
      if constexpr (Places) {
        if (at < length) places[start + at] = p[i];
      }
    }
    __syncthreads();
  }
}

constexpr std::int64_t most_blocks = 0x7fffffff;

template <class Kernel>
cudaError_t launch(Kernel kernel, const sort_call& c, int rows_of_block, int threads,
                   std::size_t shared, cudaStream_t stream) {
  std::int64_t blocks = (c.rows + rows_of_block - 1) / rows_of_block;
  if (blocks > most_blocks) blocks = most_blocks;
  kernel<<<static_cast<unsigned>(blocks), threads, shared, stream>>>(
      static_cast<const key*>(c.keys), static_cast<key*>(c.sorted),
      static_cast<place*>(c.positions), c.rows, static_cast<int>(c.length));
  return cudaGetLastError();
}

constexpr std::size_t any_kernel_shared = 48 << 10;  // more has to be asked for

template <int Threads, int Items, bool Places>
cudaError_t launch_block(const sort_call& c, cudaStream_t stream) {
  const auto kernel = sort_block<Threads, Items, Places>;
  constexpr std::size_t shared = sizeof(typename block_sorter<Threads, Items, Places>::TempStorage);
  if constexpr (shared > any_kernel_shared) {
    const auto error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared));
    if (error != cudaSuccess) return error;
  }
  return launch(kernel, c, 1, Threads, shared, stream);
}

template <int Threads, int Items>
cudaError_t sort_row_a_block(const sort_call& c, cudaStream_t stream) {
  return c.positions ? launch_block<Threads, Items, true>(c, stream)
                     : launch_block<Threads, Items, false>(c, stream);
}

constexpr std::int64_t block_row = 4096;

// Rows for a block of the largest size, on devices that have the memory for it.
constexpr int wide_threads = 1024, wide_items = sizeof(key) == 8 ? 8 : 16;

bool fits_a_block(const sort_call& c) {
  if (c.position_bytes != 4 || c.length > wide_threads * wide_items) return false;
  if (c.length <= block_row) return true;
  using sorter = block_sorter<wide_threads, wide_items, true>;
  int device = 0, most = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
             cudaSuccess &&
         sizeof(typename sorter::TempStorage) <= static_cast<std::size_t>(most);
}

cudaError_t sort_in_block(const sort_call& c, cudaStream_t stream) {
  const int rows_of_block = threads_of_short / lanes;
  if (c.length <= short_row) {
    return launch(sort_short, c, rows_of_block, threads_of_short, 0, stream);
  }
  if (c.length <= 128) return sort_row_a_block<32, 4>(c, stream);
  if (c.length <= 512) return sort_row_a_block<128, 4>(c, stream);
  if (c.length <= 1024) return sort_row_a_block<128, 8>(c, stream);
  if (c.length <= 2048) return sort_row_a_block<256, 8>(c, stream);
  if (c.length <= block_row) return sort_row_a_block<512, 8>(c, stream);
  if (c.length <= 2 * block_row) return sort_row_a_block<wide_threads, 8>(c, stream);
  return sort_row_a_block<wide_threads, wide_items>(c, stream);
}

// ---- rows in memory

template <class Place>
__global__ void fill_places(Place* to, std::int64_t count, std::int64_t length) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = static_cast<Place>(i % length);
  }
}

template <class Place>
cudaError_t fill(Place* to, std::int64_t count, std::int64_t length, cudaStream_t stream) {
  const std::int64_t blocks = (count + 1023) / 1024;
  fill_places<<<static_cast<unsigned>(blocks < 4096 ? blocks : 4096), 256, 0, stream>>>(to, count,
                                                                                        length);
  return cudaGetLastError();
}

struct row_start {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

/// Rows [first, first + count) as one call of CUB: by a block each, or the only one by the whole
/// device. Null `work` asks for its size.
template <class Place>
cudaError_t sort_rows(const sort_call& c, bool by_blocks, std::int64_t first, std::int64_t count,
                      key* sorted, const Place* unsorted_places, void* work, std::size_t* bytes,
                      cudaStream_t stream) {
  const std::int64_t start = first * c.length, n = count * c.length;
  const key* keys = static_cast<const key*>(c.keys) + start;
  Place* places = c.positions ? static_cast<Place*>(c.positions) + start : nullptr;
  const int bits = c.key_bits > 0 ? c.key_bits : SINTER_KEY_BITS;
  if (!by_blocks) {
    if (!places) {
      return cub::DeviceRadixSort::SortKeys(work, *bytes, keys, sorted, n, 0, bits, stream);
    }
    return cub::DeviceRadixSort::SortPairs(work, *bytes, keys, sorted, unsorted_places, places, n,
                                           0, bits, stream);
  }
  const auto starts = thrust::make_transform_iterator(
      thrust::make_counting_iterator(std::int64_t{0}), row_start{c.length});
  const int items = static_cast<int>(n), segments = static_cast<int>(count);
  if (!places) {
    return cub::DeviceSegmentedRadixSort::SortKeys(work, *bytes, keys, sorted, items, segments,
                                                   starts, starts + 1, 0, bits, stream);
  }
  return cub::DeviceSegmentedRadixSort::SortPairs(work, *bytes, keys, sorted, unsorted_places,
                                                  places, items, segments, starts, starts + 1, 0,
                                                  bits, stream);
}

/// How many rows go into one call of CUB: all the device for a row, where rows are so long or so
/// few that a block each would leave it idle.
std::int64_t rows_at_once(const sort_call& c) {
  constexpr std::int64_t long_row = 1 << 18, few_rows = 16;
  if (c.length >= long_row || c.rows < few_rows) return 1;
  const std::int64_t most = most_blocks / c.length;  // CUB counts the elements in an int
  return c.rows < most ? c.rows : most;
}

template <class Place>
cudaError_t sort_in_memory(const sort_call& c, char* work, std::size_t* bytes,
                           cudaStream_t stream) {
  const std::int64_t group = rows_at_once(c), elements = group * c.length;
  const std::size_t places_bytes =
      c.positions ? aligned(static_cast<std::size_t>(elements) * sizeof(Place)) : 0;
  const std::size_t keys_bytes =
      c.sorted ? 0 : aligned(static_cast<std::size_t>(elements) * sizeof(key));
  const std::size_t before = places_bytes + keys_bytes;
  std::size_t inner = 0;
  cudaError_t error =
      sort_rows<Place>(c, group > 1, 0, group, nullptr, nullptr, nullptr, &inner, stream);
  if (error != cudaSuccess || !work) {
    *bytes = before + inner;
    return error;
  }
  auto* unsorted_places = reinterpret_cast<Place*>(work);
  if (c.positions) error = fill(unsorted_places, elements, c.length, stream);
  for (std::int64_t row = 0; row < c.rows && error == cudaSuccess; row += group) {
    const std::int64_t count = c.rows - row < group ? c.rows - row : group;
    key* sorted = c.sorted ? static_cast<key*>(c.sorted) + row * c.length
                           : reinterpret_cast<key*>(work + places_bytes);
    std::size_t room = inner;  // of fewer rows less is used
    error = sort_rows<Place>(c, group > 1, row, count, sorted, unsorted_places, work + before,
                             &room, stream);
  }
  return error;
}

cudaError_t sort_all(const sort_call& c, char* work, std::size_t* bytes, cudaStream_t stream) {
  if (fits_a_block(c)) {
    if (work) return sort_in_block(c, stream);
    *bytes = 0;
    return cudaSuccess;
  }
#if SINTER_KEY_BITS == 64
  if (c.position_bytes == 8) return sort_in_memory<std::uint64_t>(c, work, bytes, stream);
#endif
  return sort_in_memory<place>(c, work, bytes, stream);
}

// ---- some keys of rows

namespace selecting = sinter::runtime::selecting;
using sinter::runtime::select_call;
using target = selecting::target<key>;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + selecting::threads - 1) / selecting::threads);
}

/// All rows are sorted in the workspace, or as many as an index of a launch counts.
cudaError_t pick_sorted(const select_call& c, char* work, std::size_t* bytes, cudaStream_t stream) {
  const std::size_t room = aligned(static_cast<std::size_t>(c.rows * c.length) * sizeof(key));
  const sort_call s{.key_bytes = c.key_bytes,
                    .rows = c.rows,
                    .length = c.length,
                    .keys = c.keys,
                    .sorted = work};
  std::size_t inner = 0;
  sort_call asked = s;
  asked.sorted = const_cast<void*>(c.keys);  // only to say that keys are wanted
  cudaError_t error = sort_all(asked, nullptr, &inner, stream);
  if (error != cudaSuccess || !work) {
    *bytes = room + inner;
    return error;
  }
  error = sort_all(s, work + room, &inner, stream);
  if (error != cudaSuccess) return error;
  const std::int64_t count = c.rows * c.wanted;
  selecting::pick<key><<<blocks_for(count), selecting::threads, 0, stream>>>(
      reinterpret_cast<const key*>(work), static_cast<const long long*>(c.places),
      static_cast<key*>(c.found), count, c.length, static_cast<int>(c.wanted));
  return cudaGetLastError();
}

/// Rows of one launch: their counts are to stay in the L2.
std::int64_t rows_counted_at_once(const select_call& c) {
  constexpr std::int64_t most_counts = 1 << 20;
  const std::int64_t rows = most_counts / (c.wanted * selecting::bins);
  return c.rows < rows ? c.rows : rows;
}

/// Rows [first, first + rows), of which the targets are at `targets`.
cudaError_t count_rows(const select_call& c, std::int64_t first, std::int64_t rows, target* targets,
                       unsigned long long* counts, cudaStream_t stream) {
  const auto wanted = static_cast<int>(c.wanted);
  const std::int64_t all = rows * c.wanted;
  const auto* places = static_cast<const long long*>(c.places) + first * c.wanted;
  const key* keys = static_cast<const key*>(c.keys) + first * c.length;
  constexpr std::int64_t keys_of_block = 16 * 1024, most_pieces = 2048;
  std::int64_t pieces = (c.length + keys_of_block - 1) / keys_of_block;
  if (pieces > most_pieces) pieces = most_pieces;
  selecting::begin<key><<<blocks_for(all), selecting::threads, 0, stream>>>(targets, places, all);
  for (int shift = SINTER_KEY_BITS - 8; shift >= 0; shift -= 8) {
    const cudaError_t error = cudaMemsetAsync(
        counts, 0, static_cast<std::size_t>(all) * selecting::bins * sizeof *counts, stream);
    if (error != cudaSuccess) return error;
    selecting::count_bits<key>
        <<<static_cast<unsigned>(rows * pieces), selecting::threads, 0, stream>>>(
            keys, targets, counts, c.length, wanted, static_cast<int>(pieces), shift);
    selecting::choose_bits<key><<<static_cast<unsigned>(rows), selecting::threads, 0, stream>>>(
        targets, counts, wanted, shift);
  }
  selecting::finish<key><<<blocks_for(all), selecting::threads, 0, stream>>>(
      targets, static_cast<key*>(c.found) + first * c.wanted, all);
  return cudaGetLastError();
}

cudaError_t select_by_counting(const select_call& c, char* work, std::size_t* bytes,
                               cudaStream_t stream) {
  const std::int64_t group = rows_counted_at_once(c);
  const std::size_t all = static_cast<std::size_t>(group * c.wanted);
  const std::size_t before = aligned(all * sizeof(target));
  if (!work) {
    *bytes = before + all * selecting::bins * sizeof(unsigned long long);
    return cudaSuccess;
  }
  cudaError_t error = cudaSuccess;
  for (std::int64_t row = 0; row < c.rows && error == cudaSuccess; row += group) {
    const std::int64_t rows = c.rows - row < group ? c.rows - row : group;
    error = count_rows(c, row, rows, reinterpret_cast<target*>(work),
                       reinterpret_cast<unsigned long long*>(work + before), stream);
  }
  return error;
}

}  // namespace

SINTER_EXPORTED int SINTER_JOINED(sinter_cub_sort_, SINTER_KEY_BITS)(const sort_call& c, void* work,
                                                                     std::size_t* bytes,
                                                                     void* stream) {
  const auto run = c.wanted < c.length ? sinter::runtime::sort_first<sort_all> : sort_all;
  return run(c, static_cast<char*>(work), bytes, static_cast<cudaStream_t>(stream));
}

SINTER_EXPORTED int SINTER_JOINED(sinter_cub_select_, SINTER_KEY_BITS)(const select_call& c,
                                                                       void* work,
                                                                       std::size_t* bytes,
                                                                       void* stream) {
  const bool counts = c.length > block_row && c.wanted <= selecting::most_wanted;
  return (counts ? select_by_counting : pick_sorted)(c, static_cast<char*>(work), bytes,
                                                     static_cast<cudaStream_t>(stream));
}

#if SINTER_KEY_BITS == 64
SINTER_EXPORTED const char* sinter_cub_words(int error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}
#endif
