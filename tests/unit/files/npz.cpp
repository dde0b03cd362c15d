#include <atomic>
#include <functional>
#include <thread>

#include <sinter/sinter.hpp>

#include "tests/unit/files/temporary.hpp"

namespace npz_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

std::string complaint_of(const temporary_file& f, const std::string& name) {
  return complaint(f, "load_npz", [&] { sn::load_npz(f.path).at(name); });
}

void put(std::string& bytes, std::size_t at, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

/// The positions of a signature.
std::vector<std::size_t> places(const std::string& bytes, const std::string& what) {
  std::vector<std::size_t> found;
  for (auto at = bytes.find(what); at != bytes.npos; at = bytes.find(what, at + 1)) {
    found.push_back(at);
  }
  return found;
}

}  // namespace

TEMPLATE_TEST_CASE("every dtype survives an archive", "", bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, sn::float16, sn::bfloat16, float, double, std::complex<float>,
                   std::complex<double>) {
  if (no_archives()) return;
  const temporary_file f;
  const auto x = sn::astype<TestType>(sn::arange<double>(12) - 2).reshape({3, 4});
  sn::array<TestType> point(x(1, 1)), none(sn::reshape(x(sn::slice(0, 0)), {2, 0, 3}));
  for (bool compressed : {false, true}) {
    const std::vector<sn::named_array> list = {
        {"x", x}, {"transposed", x.T()}, {"point", point}, {"folder/none", none}};
    compressed ? sn::savez_compressed(f.path, list) : sn::savez(f.path, list);
    const auto file = sn::load_npz(f.path);
    CHECK(file.names() == std::vector<std::string>{"x", "transposed", "point", "folder/none"});
    CHECK(sn::all(file.get<TestType>("x") == x).item());
    CHECK(sn::all(file.get<TestType>("transposed") == x.T()).item());
    CHECK(file["point"].shape().empty());
    CHECK(file["folder/none"].shape(2) == 3);
    CHECK(file["folder/none"].dtype() == sn::dtype_of<TestType>);
  }
}

TEST_CASE("an archive is a list of names and reads what is asked for") {
  if (no_archives()) return;
  const temporary_file f;
  const auto a = sn::arange(5);
  const auto b = sn::arange(3) * 2;
  sn::savez(f.path, a, a + 1, b * 2.5);
  const auto file = sn::load_npz(f.path);
  CHECK(file.names() == std::vector<std::string>{"arr_0", "arr_1", "arr_2"});
  CHECK(file.size() == 3);
  CHECK(file.contains("arr_1"));
  CHECK_FALSE(file.contains("arr_3"));
  CHECK(file.metadata().empty());
  CHECK(file.get<int>("arr_1").to_host() == std::vector<int>{1, 2, 3, 4, 5});
  std::int64_t elements = 0;
  std::string names;
  for (const auto& [name, x] : file) {
    names += name + " ";
    elements += x.size();
  }
  CHECK(names == "arr_0 arr_1 arr_2 ");
  CHECK(elements == 13);
  CHECK_THROWS_WITH(file.at("z"), says("[load_npz] " + f.path + " has no array 'z': it has "
                                       "'arr_0', 'arr_1', 'arr_2' (npz.cpp:"));
  CHECK_THROWS_AS(file.get<double>("arr_0"), sn::dtype_error);
}

TEST_CASE("archives replace what was there, with the same bytes for the same arrays") {
  if (no_archives()) return;
  const temporary_file f, g;
  f.write("something else");
  const auto x = sn::arange<float>(1000);
  sn::savez_compressed(f.path, {{"x", x}});
  sn::savez_compressed(g.path, {{"x", x + 0}});
  CHECK(f.read() == g.read());
  CHECK(f.read().size() < 4000);
  sn::savez(f.path, {{"x", x}});
  CHECK(f.read().size() > 4000);
}

TEST_CASE("archives that cannot be written are refused") {
  if (no_archives()) return;
  const temporary_file f;
  const auto x = sn::arange(3);
  CHECK_THROWS_WITH(sn::savez(f.path, {{"x", x}, {"x", x}}),
                    says("[savez] two arrays are named 'x' (npz.cpp:"));
  CHECK_THROWS_WITH(sn::savez(f.path, {{"", x}}), says("[savez] an array has no name"));
  CHECK_THROWS_WITH(sn::savez_compressed(f.path, std::vector<sn::named_array>{}),
                    says("[savez_compressed] no arrays: an empty archive is no file"));
  CHECK_THROWS_AS(sn::savez("/no/such/folder/x.npz", {{"x", x}}), sn::file_error);
  CHECK_THROWS_WITH(sn::savez(f.path, {{"x", sn::any_array()}}),
                    says("[savez] this handle holds no array"));
  CHECK(f.read().empty());
}

TEST_CASE("what is no archive is refused") {
  if (no_archives()) return;
  const temporary_file f;
  CHECK_THROWS_AS(sn::load_npz("/no/such/file.npz"), sn::file_error);
  f.write("neither this");
  CHECK(complaint_of(f, "x") == "Not a zip archive");
  sn::savez(f.path, {{"x", sn::arange(100)}});
  const std::string whole = f.read();
  f.write(whole.substr(0, whole.size() - 30));
  CHECK(complaint_of(f, "x") == "Not a zip archive");
}

TEST_CASE("damaged members are refused") {
  if (no_archives()) return;
  const temporary_file f;
  sn::savez(f.path, {{"x", sn::arange<std::int32_t>(100)}});
  const std::string whole = f.read();
  std::string bytes = whole;
  bytes[whole.size() / 2] ^= 1;  // an element
  f.write(bytes);
  CHECK(complaint_of(f, "x") == "x.npy: CRC error");
  const auto header = whole.find("(100,)");
  bytes = whole;
  bytes.replace(header, 6, "(101,)");
  f.write(bytes);
  CHECK(complaint_of(f, "x") ==
        "x.npy: shape (101,) of int32 needs 404 bytes, the file has 400");
  sn::savez_compressed(f.path, {{"x", sn::arange<std::int32_t>(100)}});
  bytes = f.read();
  for (std::size_t i = 40; i < 80; ++i) bytes[i] = static_cast<char>(0xff);
  f.write(bytes);
  CHECK(complaint_of(f, "x").substr(0, 12) == "x.npy: Zlib ");
}

TEST_CASE("a member that promises too much takes no memory") {
  if (no_archives()) return;
  const temporary_file f;
  sn::savez_compressed(f.path, {{"x", sn::zeros<std::uint8_t>({1000})}});
  std::string bytes = f.read();
  // The uncompressed sizes in the local header and in the directory.
  constexpr std::uint64_t promised = 3u << 30;
  put(bytes, places(bytes, std::string("PK\3\4")).at(0) + 22, promised, 4);
  put(bytes, places(bytes, std::string("PK\1\2")).at(0) + 24, promised, 4);
  f.write(bytes);
  const auto before = sn::memory().peak;
  const std::string text = complaint_of(f, "x");
  CHECK(text.find(" bytes cannot be deflated from 3221225472") != text.npos);
  CHECK(sn::memory().peak == before);
}

TEST_CASE("several threads may ask one archive") {
  if (no_archives()) return;
  const temporary_file f;
  std::vector<sn::named_array> list;
  for (int i = 0; i < 8; ++i) list.emplace_back(std::to_string(i), sn::full<int>({2000}, i));
  sn::savez_compressed(f.path, list);
  const auto file = sn::load_npz(f.path);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 16; ++i) {
        const auto x = file.get<int>(std::to_string((i + t) % 8)).to_host();
        wrong += x != std::vector<int>(2000, (i + t) % 8);
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("without libzip archives are refused, with what would help") {
  if (!no_archives()) return;
  const temporary_file f;
  for (const auto& call : {std::function<void()>([&] { sn::load_npz(f.path); }),
                           std::function<void()>([&] { sn::savez(f.path, sn::arange(3)); })}) {
    try {
      call();
      FAIL("no error");
    } catch (const sn::device_error& e) {
      CHECK(e.code() == sn::error_code::library_missing);
      CHECK_THAT(e.what(), says("archives need libzip"));
    }
  }
}

}  // namespace npz_test
