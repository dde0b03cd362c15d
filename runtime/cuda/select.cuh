#pragma once
// The keys of some places of sorted rows, without sorting them: by counting keys by 8 bits at a
// time, from the leading ones on (radix selection). A row is read once for each byte of a key.
//
// Plain CUDA: what is launched, and in which order, is in sort.cu; tests run it on the host.

namespace sinter::runtime::selecting {

constexpr int most_wanted = 8;  // places of a row
constexpr int bins = 256;
constexpr int threads = 256;

/// What is known of a key that is wanted: its leading bits, and its place among the keys that have
/// them.
template <class Key> struct target {
  Key prefix;
  long long place;
};

/// Do a key and a prefix agree in the bits from `from` on?
template <class Key> __device__ inline bool agree(Key a, Key b, int from) {
  return from >= static_cast<int>(8 * sizeof(Key)) || (a >> from) == (b >> from);
}

/// The first of the targets that has the prefix of target j.
template <class Key> __device__ inline int first_like(const target<Key>* all, int j, int from) {
  int first = 0;
  while (!agree(all[first].prefix, all[j].prefix, from)) ++first;
  return first;
}

template <class Key>
__global__ void begin(target<Key>* targets, const long long* places, long long count) {
  const long long i = (long long)blockIdx.x * threads + threadIdx.x;
  if (i < count) targets[i] = target<Key>{0, places[i]};
}

/// Adds up, for each target of a row, the keys with its prefix by their next 8 bits: those from
/// `shift` on. `pieces` blocks a row. Targets of one prefix share the counts of the first.
template <class Key>
__global__ void __launch_bounds__(threads)
    count_bits(const Key* keys, const target<Key>* targets, unsigned long long* counts,
               long long length, int wanted, int pieces, int shift) {
  __shared__ unsigned found[most_wanted * bins];
  __shared__ target<Key> mine[most_wanted];
  __shared__ int first[most_wanted];
  const int t = threadIdx.x;
  const long long row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  for (int i = t; i < wanted * bins; i += threads) found[i] = 0;
  if (t < wanted) mine[t] = targets[row * wanted + t];
  __syncthreads();
  if (t < wanted) first[t] = first_like(mine, t, shift + 8);
  __syncthreads();
  const Key* of_row = keys + row * length;
  for (long long i = piece * threads + t; i < length; i += (long long)pieces * threads) {
    const Key k = of_row[i];
    for (int j = 0; j < wanted; ++j) {
      if (first[j] != j || !agree(k, mine[j].prefix, shift + 8)) continue;
      atomicAdd(&found[j * bins + (int)((k >> shift) & 255)], 1u);
    }
  }
  __syncthreads();
  for (int i = t; i < wanted * bins; i += threads) {
    if (found[i]) atomicAdd(&counts[row * wanted * bins + i], (unsigned long long)found[i]);
  }
}

/// The next 8 bits of each target of a row. A block a row.
template <class Key>
__global__ void __launch_bounds__(threads)
    choose_bits(target<Key>* targets, const unsigned long long* counts, int wanted, int shift) {
  __shared__ target<Key> before[most_wanted];
  __shared__ long long sums[bins];
  const int t = threadIdx.x;
  const long long row = blockIdx.x;
  if (t < wanted) before[t] = targets[row * wanted + t];
  __syncthreads();
  for (int j = 0; j < wanted; ++j) {
    const int first = first_like(before, j, shift + 8);
    const long long here = (long long)counts[(row * wanted + first) * bins + t];
    sums[t] = here;
    __syncthreads();
    for (int step = 1; step < bins; step *= 2) {
      const long long more = t >= step ? sums[t - step] : 0;
      __syncthreads();
      sums[t] += more;
      __syncthreads();
    }
    const long long place = before[j].place, start = sums[t] - here;
    if (start <= place && place < start + here) {
      targets[row * wanted + j] =
          target<Key>{static_cast<Key>(before[j].prefix | static_cast<Key>((Key)t << shift)),
                      place - start};
    }
    __syncthreads();
  }
}

template <class Key>
__global__ void finish(const target<Key>* targets, Key* found, long long count) {
  const long long i = (long long)blockIdx.x * threads + threadIdx.x;
  if (i < count) found[i] = targets[i].prefix;
}

/// found[i]: the key at places[i] of the row it belongs to, of rows in order.
template <class Key>
__global__ void pick(const Key* sorted, const long long* places, Key* found, long long count,
                     long long length, int wanted) {
  const long long i = (long long)blockIdx.x * threads + threadIdx.x;
  if (i < count) found[i] = sorted[i / wanted * length + places[i]];
}

}  // namespace sinter::runtime::selecting
