#pragma once
// See cublas.cpp, cublas_lt.cpp and cusolver.cpp.

#include <cstdint>
#include <vector>

/// What has been asked of the libraries.
struct fake_library_counts {
  std::int64_t products = 0, workspaces = 0;        // cuBLAS
  std::int64_t turned = 0;                          // matrices of floats
  std::int64_t questions = 0, folded_products = 0;  // cuBLASLt
  std::uint64_t preferred_workspace = 0;            // the last preference's
  // The lists that cuBLAS's last batched routine for floats was given, and cuSOLVER's.
  std::vector<const void*> first, second;
};

extern "C" fake_library_counts* fake_cublas_counts();
extern "C" fake_library_counts* fake_cublas_lt_counts();
extern "C" fake_library_counts* fake_cusolver_counts();
/// Whether cuBLASLt has an algorithm for what it is asked next.
extern "C" void fake_cublas_lt_finds(bool);
