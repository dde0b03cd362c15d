// Lets a Python process exchange DLPack tensors with sinter without an extension module: plain
// functions for ctypes. Null is an error, whose text `peer_problem` has copied.

#include <cstring>

#include <sinter/dlpack_abi.hpp>
#include <sinter/sinter.hpp>

namespace sn = sinter;

namespace {

sn::dtype type_named(std::string_view text) {
  for (int i = 0; i < sn::dtype_count; ++i) {
    if (sn::dtype_table[i].name == text) return static_cast<sn::dtype>(i);
  }
  throw std::runtime_error("no dtype " + std::string(text));
}

/// Memory for text, owned by the caller.
struct words {
  char* to;
  std::size_t room;
};

template <class Work> auto guarded(words problem, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& e) {
    std::strncpy(problem.to, e.what(), problem.room - 1);
    return {};
  }
}

/// 0 to 23 of a dtype as (2, 3, 4), or a transposed part of it.
sn::any_array numbers(const char* dtype, bool view) {
  const auto x = sn::astype(sn::reshape(sn::arange<double>(24), {2, 3, 4}), type_named(dtype));
  sn::visit(x, [](const auto& a) { sn::eval(a); });
  return !view ? x : sn::visit(x, [](const auto& a) -> sn::any_array {
    return a(sn::slice(0, 2), 1, sn::slice(3, {}, -2)).T();
  });
}

}  // namespace

extern "C" {

/// A tensor of `numbers`: versioned or not, a copy or not.
void* peer_lend(const char* dtype, int view, int versioned, int copy, char* problem,
                std::size_t room) {
  return guarded({problem, room}, [&]() -> void* {
    const sn::dlpack_options o{.copy = copy != 0};
    const sn::any_array x = numbers(dtype, view != 0);
    return versioned ? static_cast<void*>(sn::to_dlpack(x, o)) : sn::to_dlpack_unversioned(x, o);
  });
}

/// An array that has taken ownership of the tensor.
sn::any_array* peer_take(void* tensor, int versioned, char* problem, std::size_t room) {
  return guarded({problem, room}, [&]() -> sn::any_array* {
    return new sn::any_array(
        versioned ? sn::from_dlpack(static_cast<DLManagedTensorVersioned*>(tensor))
                  : sn::from_dlpack(static_cast<DLManagedTensor*>(tensor)));
  });
}

/// The address of the array's elements, if they are dense.
const void* peer_data(const sn::any_array* x) {
  return sn::visit(*x, [](const auto& a) { return static_cast<const void*>(a.data()); });
}

/// Saves x * 1, and thus what a kernel reads, as a .npy.
int peer_save(const sn::any_array* x, const char* path, char* problem, std::size_t room) {
  return guarded({problem, room}, [&] {
    sn::visit(*x, [&](const auto& a) { sn::save_npy(path, sn::where(true, a, a)); });
    return 1;
  });
}

void peer_drop(sn::any_array* x) { delete x; }

std::int64_t peer_used() { return static_cast<std::int64_t>(sn::memory().used); }

}  // extern "C"
