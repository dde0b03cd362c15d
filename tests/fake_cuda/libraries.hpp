#pragma once
// See cublas.cpp, cublas_lt.cpp and cusolver.cpp.

#include <cstdint>
#include <vector>

/// The calls made to the libraries.
struct fake_library_counts {
  std::int64_t products = 0, workspaces = 0;        // cuBLAS
  std::int64_t turned = 0;                          // matrices of floats
  std::int64_t questions = 0, folded_products = 0;  // cuBLASLt
  std::uint64_t preferred_workspace = 0;            // the last preference's
  // The pointer lists of the last batched float routine of cuBLAS, and of cuSOLVER.
  std::vector<const void*> first, second;
};

extern "C" fake_library_counts* fake_cublas_counts();
extern "C" fake_library_counts* fake_cublas_lt_counts();
extern "C" fake_library_counts* fake_cusolver_counts();
/// Whether cuBLASLt finds an algorithm for the next query.
extern "C" void fake_cublas_lt_finds(bool);
