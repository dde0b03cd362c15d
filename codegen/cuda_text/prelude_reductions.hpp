#pragma once
// How the threads of a row, of a warp and of a cluster combine their values.

#include "codegen/cuda_text/prelude.hpp"

namespace sinter::codegen::cuda_text {

/// A text for maxima and for minima: $ is the stem of their names, @ the instruction, ~ the
/// comparison by which the kept value wins, # how zeros are combined.
struct extremum_text {
  consteval extremum_text(std::string_view text, std::string_view stem, std::string_view code,
                          std::string_view order, std::string_view zeros) {
    for (char c : text) {
      const std::string_view own(&c, 1);
      const std::string_view with =
          c == '$' ? stem : c == '@' ? code : c == '~' ? order : c == '#' ? zeros : own;
      for (char d : with) chars[size++] = d;
    }
  }
  constexpr operator std::string_view() const { return {chars, size}; }

  char chars[700]{};
  std::size_t size = 0;
};

inline constexpr std::string_view of_two = R"(
__device__ __forceinline__ float sinter_$er(float a, float b) {
  float c;
  asm("@.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
// of doubles there is no such instruction: a NaN of b is lost, and of zeros it is a
__device__ __forceinline__ double sinter_$er(double a, double b) {
  return a ~ b ? b : a;
}
)";
inline constexpr std::string_view of_any_two = R"(
__device__ __forceinline__ float sinter_@(float a, float b) { return sinter_$er(a, b); }
__device__ __forceinline__ double sinter_@(double a, double b) {
  const unsigned long long x = sinter_bits<unsigned long long>(a);
  const unsigned long long y = sinter_bits<unsigned long long>(b);
  return sinter_bits<double>(a == b ? x # y : a ~ b || b != b ? y : x);
}
)";
inline constexpr extremum_text larger_of_two(of_two, "larg", "max", "<", "&");
inline constexpr extremum_text smaller_of_two(of_two, "small", "min", ">", "|");
inline constexpr extremum_text maximum_of_two(of_any_two, "larg", "max", "<", "&");
inline constexpr extremum_text minimum_of_two(of_any_two, "small", "min", ">", "|");

inline constexpr prelude_piece reduction_pieces[] = {

    // ---- reductions

    {"sinter_best", R"(
// an extremum and where it stands
template <class T> struct sinter_best {
  T value;
  long long at;
};
)"},
    {"sinter_pick", R"(
// of two candidates the one that `extremum`, the op on their values, chose; the first of equals
template <class T>
__device__ __forceinline__ sinter_best<T> sinter_pick(sinter_best<T> a, sinter_best<T> b,
                                                      T extremum) {
  const bool is_nan = extremum != extremum;
  const bool is_a = a.value == extremum || (is_nan && a.value != a.value);
  const bool is_b = b.value == extremum || (is_nan && b.value != b.value);
  return is_a && !(is_b && b.at < a.at) ? a : b;
}
)"},
    {"sinter_take", R"(
// the same, for a candidate that stands behind what is already there
template <class T>
__device__ __forceinline__ sinter_best<T> sinter_take(sinter_best<T> a, sinter_best<T> b,
                                                      bool no_better) {
  return no_better || a.value != a.value ? a : b;
}
)"},
    {"sinter_across", R"(
// the value of the thread whose place in the warp differs by the bits of `distance`
template <class T> __device__ __forceinline__ T sinter_across(T value, int distance) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  if (sizeof(T) < 4) bits.words[0] = 0;
  bits.value = value;
  for (int w = 0; w < count; ++w) {
    bits.words[w] = __shfl_xor_sync(0xffffffffu, bits.words[w], distance);
  }
  return bits.value;
}
)"},

    // ---- extrema of what a thread has

    {"sinter_larger", larger_of_two, true},
    {"sinter_smaller", smaller_of_two, true},
    {"sinter_max", maximum_of_two},
    {"sinter_min", minimum_of_two},

    // ---- clusters: blocks that reach each other's shared memory

    {"sinter_expect", R"(
// so many bytes will come from the blocks of the cluster before anybody passes `arrivals`
__device__ __forceinline__ void sinter_expect(unsigned long long* arrivals, unsigned bytes) {
  asm volatile(
      "{ .reg .u64 wide; .reg .u32 here;\n"
      "cvta.to.shared.u64 wide, %0;\n"
      "cvt.u32.u64 here, wide;\n"
      "mbarrier.init.shared::cta.b64 [here], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [here], %1; }" ::"l"(arrivals), "r"(bytes)
      : "memory");
}
)",
     true},
    {"sinter_cluster_arrive", R"(
// all threads of all blocks of the cluster come by here ...
__device__ __forceinline__ void sinter_cluster_arrive() {
  asm volatile(
      "fence.mbarrier_init.release.cluster;\n"
      "barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
)",
     true},
    {"sinter_cluster_wait", R"(
// ... before any passes here, and sees what they expect
__device__ __forceinline__ void sinter_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)",
     true},
    {"sinter_cluster_meet", R"(
// all threads of a cluster come by here before any goes on, and sees what they wrote
__device__ __forceinline__ void sinter_cluster_meet() {
  asm volatile(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;" ::: "memory");
}
)",
     true},
    {"sinter_meet", R"(
// the block's first so many threads, whole warps, wait for each other
__device__ __forceinline__ void sinter_meet(int threads) {
  asm volatile("barrier.sync 1, %0;" ::"r"(threads) : "memory");
}
)",
     true},
    {"sinter_send", R"(
// writes to the same place in the shared memory of another block of the cluster, which counts it
__device__ __forceinline__ void sinter_send(unsigned* place, unsigned word, unsigned block,
                                            unsigned long long* arrivals) {
  asm volatile(
      "{ .reg .u64 wide; .reg .u32 own, there, counted;\n"
      "cvta.to.shared.u64 wide, %0;\n"
      "cvt.u32.u64 own, wide;\n"
      "mapa.shared::cluster.u32 there, own, %2;\n"
      "cvta.to.shared.u64 wide, %3;\n"
      "cvt.u32.u64 own, wide;\n"
      "mapa.shared::cluster.u32 counted, own, %2;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [there], %1, [counted]; }" ::"l"(
          place),
      "r"(word), "r"(block), "l"(arrivals)
      : "memory");
}
)",
     true},
    {"sinter_arrived", R"(
// passes when all that is expected is there
__device__ __forceinline__ void sinter_arrived(unsigned long long* arrivals) {
  asm volatile(
      "{ .reg .u64 wide; .reg .u32 here; .reg .pred there;\n"
      "cvta.to.shared.u64 wide, %0;\n"
      "cvt.u32.u64 here, wide;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 there, [here], 0;\n"
      "@!there bra again; }" ::"l"(arrivals)
      : "memory");
}
)",
     true},
    {"sinter_give", R"(
template <class T>
__device__ __forceinline__ void sinter_give(unsigned* place, T value, unsigned block,
                                            unsigned long long* arrivals) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  if (sizeof(T) < 4) bits.words[0] = 0;
  bits.value = value;
  for (int w = 0; w < count; ++w) {
    sinter_send(place + w, bits.words[w], block, arrivals);
  }
}
)"},
    {"sinter_given", R"(
template <class T> __device__ __forceinline__ T sinter_given(const unsigned* place) {
  constexpr int count = (sizeof(T) + 3) / 4;
  union { T value; unsigned words[count]; } bits;
  for (int w = 0; w < count; ++w) bits.words[w] = place[w];
  return bits.value;
}
)"},
};

}  // namespace sinter::codegen::cuda_text
