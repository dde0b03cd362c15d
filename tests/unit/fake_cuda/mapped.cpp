// Mapped files copied to a GPU, on a driver that defers copies.

#include <filesystem>
#include <fstream>
#include <numeric>

#include <unistd.h>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace mapped_test {

namespace sn = sinter;
namespace fs = std::filesystem;

namespace {

/// A .npy with this many elements, 0, 1, 2 and so on; removed afterwards.
struct counted_file {
  std::string path =
      (fs::temp_directory_path() / ("sinter_mapped." + std::to_string(::getpid()))).string();
  std::vector<std::uint32_t> values;

  explicit counted_file(std::size_t count) : values(count) {
    std::iota(values.begin(), values.end(), 0u);
    std::string header = "{'descr': '<u4', 'fortran_order': False, 'shape': (" +
                         std::to_string(count) + ",), }";
    header.append(64 - (10 + header.size()) % 64, ' ');
    std::ofstream out(path, std::ios::binary);
    out << std::string("\x93NUMPY\1\0", 8) << static_cast<char>(header.size()) << '\0' << header;
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(4 * count));
  }
  ~counted_file() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

}  // namespace

TEST_CASE("mapped pages go to the device through pinned chunks, several at a time") {
  const auto start = counts();
  const auto scope = sn::use("cuda");
  const counted_file f(6'000'001);  // six chunks of 4 MiB, the last one short
  const auto x = sn::load_npy<std::uint32_t>(f.path, {.mmap = true});
  const auto loaded = counts();
  CHECK(loaded.pageable_copies == start.pageable_copies);
  CHECK(loaded.pinned_copies - start.pinned_copies >= 6);
  CHECK(loaded.most_pending >= 2);   // one is filled while another is copied
  CHECK(loaded.most_pending <= 4);   // at most the number of chunks
  CHECK(loaded.pinned_bytes - start.pinned_bytes <= std::int64_t{16} << 20);
  CHECK((x.to_host() == f.values));  // no chunk was refilled before it was copied
}

TEST_CASE("chunks are used again, file after file") {
  counts();
  const auto scope = sn::use("cuda");
  const counted_file f(1'500'000);
  const auto first = sn::load_npy<std::uint32_t>(f.path, {.mmap = true});
  const auto before = counts();
  const auto second = sn::load_npy<std::uint32_t>(f.path, {.mmap = true});
  CHECK(counts().pinned_bytes == before.pinned_bytes);
  CHECK((first.to_host() == f.values));
  CHECK((second.to_host() == f.values));
}

TEST_CASE("a small file is copied as it lies") {
  counts();
  const auto scope = sn::use("cuda");
  const counted_file f(1000);
  const auto before = counts();
  const auto x = sn::load_npy<std::uint32_t>(f.path, {.mmap = true});
  CHECK(counts().pageable_copies == before.pageable_copies + 1);
  CHECK(counts().pinned_copies == before.pinned_copies);
  CHECK((x.to_host() == f.values));
}

}  // namespace mapped_test
