#pragma once
// LAPACK's Fortran routines by element type. Characters are followed, at the very end, by their
// lengths, as gfortran passes them.

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "runtime/dynamic_library.hpp"

namespace sinter::runtime {

template <class T> struct real_part { using type = T; };
template <class R> struct real_part<std::complex<R>> { using type = R; };

template <class T> struct lapack_functions {
  using real = typename real_part<T>::type;
  static constexpr bool complex = !std::is_same_v<T, real>;
  using size = std::size_t;

  void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, size);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*getrs)(const char* trans, const int* n, const int* rights, const T* a, const int* lda,
                const int* pivots, T* b, const int* ldb, int* info, size);
  void (*getri)(const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork,
                int* info);
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diagonal,
               const int* m, const int* n, const T* alpha, const T* a, const int* lda, T* b,
               const int* ldb, size, size, size, size);
  void (*geqrf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                int* info);
  void (*orgqr)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau,
                T* work, const int* lwork, int* info);
  // The complex routines also take real workspaces.
  std::conditional_t<complex,
                     void (*)(const char*, const int*, const int*, T*, const int*, real*, T*,
                              const int*, T*, const int*, T*, const int*, real*, int*, int*, size),
                     void (*)(const char*, const int*, const int*, T*, const int*, real*, T*,
                              const int*, T*, const int*, T*, const int*, int*, int*, size)>
      gesdd;
  std::conditional_t<complex,
                     void (*)(const char*, const char*, const int*, T*, const int*, real*, T*,
                              const int*, real*, const int*, int*, const int*, int*, size, size),
                     void (*)(const char*, const char*, const int*, T*, const int*, real*, T*,
                              const int*, int*, const int*, int*, size, size)>
      syevd;
  std::conditional_t<complex,
                     void (*)(const char*, const char*, const int*, T*, const int*, T*, T*,
                              const int*, T*, const int*, T*, const int*, real*, int*, size, size),
                     void (*)(const char*, const char*, const int*, T*, const int*, real*, real*,
                              T*, const int*, T*, const int*, T*, const int*, int*, size, size)>
      geev;

  /// False when one is missing.
  bool find(const dynamic_library& from) {
    constexpr bool wide = sizeof(real) == 8;
    const std::string letter = complex ? (wide ? "z" : "c") : (wide ? "d" : "s");
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          from.symbol((letter + name + "_").c_str()));
      return function != nullptr;
    };
    return get(potrf, "potrf") && get(getrf, "getrf") && get(getrs, "getrs") &&
           get(getri, "getri") && get(trsm, "trsm") && get(geqrf, "geqrf") &&
           get(orgqr, complex ? "ungqr" : "orgqr") &&
           get(gesdd, "gesdd") && get(syevd, complex ? "heevd" : "syevd") && get(geev, "geev");
  }
};

}  // namespace sinter::runtime
