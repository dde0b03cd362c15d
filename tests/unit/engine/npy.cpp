#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace npy_test {

namespace sn = sinter;
namespace fs = std::filesystem;

namespace {

/// A file of its own per test, removed afterwards.
struct temporary_file {
  std::string path =
      (fs::temp_directory_path() / ("sinter_npy." + std::to_string(::getpid()))).string();
  ~temporary_file() { fs::remove(path); }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
};

std::string magic(char version, std::size_t length) {
  std::string text = "\x93NUMPY";
  text += {version, '\0', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  if (version > 1) text += std::string(2, '\0');
  return text;
}

std::string npy(const std::string& header, const std::string& data, char version = 1) {
  return magic(version, header.size()) + header + data;
}

template <class T>
std::string bytes_of(std::vector<T> values, bool swapped = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  for (std::size_t i = 0; swapped && i < bytes.size(); i += sizeof(T)) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  }
  return bytes;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

/// load_npy's error, without the file's name and the line.
std::string complaint(const temporary_file& f, const std::string& bytes) {
  f.write(bytes);
  try {
    sn::load_npy(f.path);
  } catch (const sn::file_error& e) {
    CHECK(e.code() == sn::error_code::bad_file);
    std::string text = e.what();
    const std::string start = "[load_npy] " + f.path + ": ";
    CHECK(text.substr(0, start.size()) == start);
    CHECK(text.find(" (npy.cpp:") != text.npos);
    return text.substr(start.size(), text.rfind(" (npy.cpp:") - start.size());
  }
  return "no error";
}

}  // namespace

TEMPLATE_TEST_CASE("every dtype survives a file", "", bool, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   sn::float16, sn::bfloat16, float, double, std::complex<float>,
                   std::complex<double>) {
  const temporary_file f;
  for (const sn::int_list& shape :
       {sn::int_list{3, 4}, sn::int_list{}, sn::int_list{5}, sn::int_list{2, 0, 3}}) {
    std::int64_t n = 1;
    for (auto e : shape) n *= e;
    const auto x =
        sn::reshape(sn::astype<TestType>(sn::arange<double>(static_cast<double>(n)) - 2), shape);
    sn::save_npy(f.path, x);
    CHECK(fs::file_size(f.path) % 64 == static_cast<std::uintmax_t>(x.nbytes()) % 64);
    const auto y = sn::load_npy<TestType>(f.path);
    CHECK(y.shape().size() == shape.size());
    CHECK(sn::all(x == y).item());
  }
}

TEST_CASE("views are saved as they are seen") {
  const temporary_file f;
  const auto x = sn::arange(6).reshape({2, 3});
  sn::save_npy(f.path, x.T() * 2);
  CHECK(sn::load_npy<int>(f.path).to_host() == std::vector<int>{0, 6, 2, 8, 4, 10});
  sn::save_npy(f.path, sn::broadcast_to(x(0), {2, 3}));
  CHECK(sn::load_npy<int>(f.path).to_host() == std::vector<int>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("versions, byte orders and element orders") {
  const temporary_file f;
  const std::vector<std::int32_t> v = {1, 2, 3, -4, 5, 6};
  for (char version : {1, 2, 3}) {
    f.write(npy(header("<i4", "(6,)"), bytes_of(v), version));
    CHECK(sn::load_npy<int>(f.path).to_host() == v);
  }
  f.write(npy(header(">i4", "(2, 3)"), bytes_of(v, true)));
  CHECK(sn::load_npy<int>(f.path).to_host() == v);
  f.write(npy(header("=i4", "(2L, 3L)"), bytes_of(v)));
  CHECK(sn::load_npy<int>(f.path).shape(1) == 3);
  f.write(npy(header("<i4", "(2, 3)", true), bytes_of(v)));
  CHECK(sn::load_npy<int>(f.path).to_host() == std::vector<int>{1, 3, 5, 2, -4, 6});
  f.write(npy(header(">c16", "(1,)"), bytes_of(std::vector<double>{1, -2}, true)));
  CHECK(sn::load_npy<std::complex<double>>(f.path).item() == std::complex<double>(1, -2));
  f.write(npy("{\"shape\":(),'descr':'|b1','fortran_order':False}", "\x05"));
  CHECK(sn::load_npy<bool>(f.path).item() == true);
  f.write(npy(header("<i4", "(2,)"), bytes_of(v)));  // trailing bytes are ignored
  CHECK(sn::load_npy<int>(f.path).to_host() == std::vector<int>{1, 2});
}

TEST_CASE("files that are not arrays are refused") {
  const temporary_file f;
  const std::string good = header("<f4", "(2, 3)"), data(24, 'x');
  CHECK(complaint(f, "") == "too short for a .npy file");
  CHECK(complaint(f, "PK\x03\x04 not an array") == "not a .npy file");
  CHECK(complaint(f, npy(good, data, 4)) == "version 4 of the format is not supported");
  CHECK(complaint(f, npy(good, data, 0)) == "version 0 of the format is not supported");
  CHECK(complaint(f, npy(good, data).substr(0, 30)) ==
        "a header of " + std::to_string(good.size()) + " bytes");
  CHECK(complaint(f, npy(good, data.substr(1))) ==
        "shape (2, 3) of float32 needs 24 bytes, the file has 23");
  CHECK(complaint(f, npy(header("<f4", "(9223372036854775807, 2)"), data)) ==
        "the header has a shape of more than 2^63 - 1 bytes");
  CHECK(complaint(f, npy(header("<f4", "(0, 9223372036854775807)"), data)) ==
        "the header has a shape of more than 2^63 - 1 bytes");
  CHECK(complaint(f, npy(header("<f4", "(1000000000000,)"), data)) ==
        "shape (1000000000000,) of float32 needs 4000000000000 bytes, the file has 24");
  CHECK(complaint(f, npy(header("<f4", "(99999999999999999999,)"), data)) ==
        "the header has a shape that is no tuple of sizes");
  CHECK(complaint(f, npy(header("<f4", "(-1,)"), data)) ==
        "the header has a shape that is no tuple of sizes");
  CHECK(complaint(f, npy(header("|O", "(2,)"), data)) ==
        "the header has dtype '|O', which is not supported");
  CHECK(complaint(f, npy(header("<U5", "(2,)"), data)) ==
        "the header has dtype '<U5', which is not supported");
  CHECK(complaint(f, npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
                         data)) ==
        "the header has the structured dtype [('a', '<f4')], which is not supported: save its "
        "fields as arrays of their own");
  CHECK(complaint(f, npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}", data)) ==
        "the header has a fortran_order that is neither True nor False");
  CHECK(complaint(f, npy("{'descr': '<f4', 'shape': (2,)}", data)) ==
        "the header lacks one of descr, fortran_order and shape");
  CHECK(complaint(f, npy("{'descr': '<f4', 'descr': '<f4'}", data)) ==
        "the header has a key twice");
  CHECK(complaint(f, npy("{'color': 'red'}", data)) == "the header has an unknown key 'color'");
  CHECK(complaint(f, npy("{'descr", data)) == "the header lacks a closing quote");
  CHECK(complaint(f, npy(good + "x", data)) == "the header goes on after the dictionary");
  std::string ones = "(1";
  for (int i = 0; i < 40; ++i) ones += ", 1";
  CHECK(complaint(f, npy(header("<f4", ones + ")"), data)) ==
        "the header has more than 32 dimensions");
}

TEST_CASE("a mapped file is the array's memory") {
  const temporary_file f;
  const auto scope = sn::use("cpu");
  sn::save_npy(f.path, sn::arange(1000).reshape({10, 100}));
  const auto before = sn::memory().used;
  auto x = sn::load_npy<int>(f.path, {.mmap = true});
  CHECK(sn::memory().used == before);
  CHECK(x(3, 4).item() == 304);
  // Neither an update nor a donation writes to the mapping.
  x(0) = -1;
  sn::eval(x);
  CHECK(sn::sum(x(0)).item() == -100);
  auto y = sn::load_npy<int>(f.path, {.mmap = true});
  y = y * 2 + 1;
  y = sn::array<int>(y + 1);
  CHECK(y(9, 99).item() == 2000);
  CHECK(sn::load_npy<int>(f.path)(0, 5).item() == 5);
  fs::remove(f.path);  // the mapping stays valid
  CHECK(sn::sum(x(1)).item() == 14950);
}

TEST_CASE("mapped bools are what is not zero") {
  const temporary_file f;
  f.write(npy(header("|b1", "(4,)"), std::string("\0\1\2\xff", 4)));
  const auto x = sn::load_npy<bool>(f.path, {.mmap = true});
  CHECK(sn::sum(sn::astype<int>(x)).item() == 3);
}

TEST_CASE("what cannot be mapped says so") {
  const temporary_file f;
  const auto refusal = [&](const std::string& bytes) {
    f.write(bytes);
    try {
      sn::load_npy(f.path, {.mmap = true});
    } catch (const sn::file_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  std::string odd = header("<f8", "(2,)");
  while ((10 + odd.size()) % 8 != 1) odd += ' ';
  CHECK_THAT(refusal(npy(odd, std::string(16, 'x'))),
             says("which is not aligned for float64: read them, without .mmap"));
}

TEST_CASE("a file of another dtype is refused") {
  const temporary_file f;
  sn::save_npy(f.path, sn::zeros<float>({2}));
  CHECK_THROWS_AS(sn::load_npy<double>(f.path), sn::dtype_error);
}

TEST_CASE("paths that cannot be read or written are refused") {
  const std::string folder = fs::temp_directory_path().string();
  CHECK_THROWS_AS(sn::load_npy(folder + "/no/such/file.npy"), sn::file_error);
  CHECK_THROWS_AS(sn::load_npy(folder), sn::file_error);
  CHECK_THROWS_AS(sn::save_npy(folder + "/no/such/file.npy", sn::zeros({2})), sn::file_error);
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_WITH(sn::save_npy("/dev/full", sn::zeros({2000})),
                      says("[save_npy] /dev/full: No space left on device"));
  }
}

TEST_CASE("damaged files are refused or read, never more") {
  const temporary_file f;
  std::mt19937 rng(1);
  const std::string whole = npy(header("<f4", "(2, 3)"), std::string(24, 'x'));
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes = whole;
    for (int flips = 1 + static_cast<int>(rng() % 3); flips > 0; --flips) {
      bytes[rng() % bytes.size()] = static_cast<char>(rng());
    }
    if (rng() % 4 == 0) bytes.resize(rng() % bytes.size());
    f.write(bytes);
    std::int64_t loaded = 0;
    try {
      loaded = sn::load_npy(f.path).nbytes();
    } catch (const sn::file_error&) {
    }
    REQUIRE(loaded <= 24);
  }
}

}  // namespace npy_test
