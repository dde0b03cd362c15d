// The device operations of batched factorisations, with libraries that compute nothing.

#include <dlfcn.h>

#include "runtime/solver.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cuda/libraries.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace factors_test {

using namespace sinter::runtime;

namespace {

/// Opened first, so that the loader uses the fakes under these names.
struct scene {
  void* cublas = dlopen(SINTER_FAKE_CUBLAS, RTLD_NOW);
  void* cusolver = dlopen(SINTER_FAKE_CUSOLVER, RTLD_NOW);
  std::unique_ptr<device> gpu = make_device();
  static constexpr std::int64_t batch = 70'000;  // no multiple of a block; a list has 560 kB
  std::shared_ptr<buffer> a = gpu->allocate(batch * 64), b = gpu->allocate(batch * 32);
  std::shared_ptr<buffer> info = gpu->allocate(batch * 4), pivots = gpu->allocate(batch * 16);

  matrices left(std::int64_t count = batch) const {
    return {element::float32, 4, 4, count, a->data()};
  }
  matrices right(std::int64_t count = batch) const {
    return {element::float32, 4, 2, count, b->data()};
  }
  std::int32_t* status() const { return static_cast<std::int32_t*>(info->data()); }
  std::int32_t* swaps() const { return static_cast<std::int32_t*>(pivots->data()); }
  solver& use() const { return gpu->factorisations(); }

  const fake_library_counts& of(void* library, const char* name) const {
    return *reinterpret_cast<fake_library_counts* (*)()>(dlsym(library, name))();
  }
  const fake_library_counts& blas() const { return of(cublas, "fake_cublas_counts"); }
  const fake_library_counts& lapack() const { return of(cusolver, "fake_cusolver_counts"); }
};

/// Does the list contain all matrices of a batch, in order?
bool lists(const std::vector<const void*>& list, const matrices& of) {
  bool all = list.size() == static_cast<std::size_t>(of.batch);
  for (std::size_t i = 0; all && i < list.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) * of.size();
    all = list[i] == static_cast<const float*>(of.data) + at;
  }
  return all;
}

std::int64_t uploads() {
  const fake_counts c = counts();
  return c.pinned_copies + c.pageable_copies;
}

void compiles(bool text) {
  static void* const library = dlopen(SINTER_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  reinterpret_cast<decltype(fake_cuda_compiles)*>(dlsym(library, "fake_cuda_compiles"))(text);
}

}  // namespace

TEST_CASE("the device itself lists the addresses of a batch, in one launch") {
  const scene s;
  const auto before = counts();
  const std::int64_t uploaded = uploads();
  s.use().lu(s.left(), s.swaps(), s.status());
  CHECK(lists(s.blas().first, s.left()));
  s.use().lu_solve(s.left(), s.swaps(), s.right(), transposition::none);
  CHECK(lists(s.blas().first, s.left()));
  CHECK(lists(s.blas().second, s.right()));
  s.use().cholesky(s.left(), triangle::lower, s.status());
  CHECK(lists(s.lapack().first, s.left()));
  CHECK(counts().launches == before.launches + 3);
  CHECK(counts().synchronized == before.synchronized);
  CHECK(uploads() == uploaded);
}

TEST_CASE("inverses are one call and one launch, and read what they invert where it lies") {
  const scene s;
  const auto before = counts();
  const auto x = s.gpu->allocate(scene::batch * 64);
  s.use().invert(s.left(), x->data(), s.status());
  matrices inverses = s.left();
  inverses.data = x->data();
  CHECK(lists(s.blas().first, s.left()));
  CHECK(lists(s.blas().second, inverses));
  CHECK(counts().launches == before.launches + 1);
  CHECK(counts().copies == before.copies);
  s.use().invert(s.left(1), x->data(), s.status());
  CHECK(lists(s.blas().first, s.left(1)));
}

TEST_CASE("where the driver has no compiler the host makes the lists") {
  const scene s;
  compiles(false);
  const matrices few = s.left(1000);
  const std::int64_t uploaded = uploads();
  s.use().lu(few, s.swaps(), s.status());
  s.use().lu_solve(few, s.swaps(), s.right(1000), transposition::none);
  compiles(true);
  CHECK(uploads() > uploaded);
  CHECK(lists(s.blas().first, few));
  CHECK(lists(s.blas().second, s.right(1000)));
}

}  // namespace factors_test
