// Mapped .npy files with foreign byte or axis order.

#include <cmath>
#include <functional>
#include <numeric>

#include <sinter/sinter.hpp>

#include "tests/unit/files/temporary.hpp"

namespace mapped_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

/// A file with these elements, and a header padded with spaces for alignment.
std::string npy(const std::string& descr, const std::string& shape, bool columns,
                const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " +
                       (columns ? "True" : "False") + ", 'shape': " + shape + "}";
  header.append(64 - (10 + header.size()) % 64, ' ');
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) +
         static_cast<char>(header.size() >> 8) + header + data;
}

/// The bytes of numbers of `width` bytes, each reversed.
std::string turned(std::string bytes, std::size_t width) {
  for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(width)) {
    std::reverse(at, at + static_cast<std::ptrdiff_t>(width));
  }
  return bytes;
}

/// The number of kernels of x's plan.
template <class T> int kernels_of(const sn::array<T>& x) {
  const std::string text = sn::explain(x);
  int count = 0;
  while (text.find("kernel " + std::to_string(count) + ":") != text.npos) ++count;
  return count;
}

template <class T> void check_order(const std::vector<T>& values, std::size_t part,
                                    const std::string& code) {
  const temporary_file f;
  const auto rows = std::to_string(values.size() / 2);
  f.write(npy(">" + code, "(" + rows + ", 2)", false, turned(bytes_of(values), part)));
  const auto x = sn::load_npy<T>(f.path, {.mmap = true});
  CHECK(bytes_of(x.to_host()) == bytes_of(values));
  CHECK(bytes_of(sn::array<T>(x.T()).to_host()) ==
        bytes_of(sn::array<T>(sn::load_npy<T>(f.path).T()).to_host()));
  f.write(npy(">" + code, "(2, " + rows + ")", true, turned(bytes_of(values), part)));
  const auto y = sn::load_npy<T>(f.path, {.mmap = true});
  CHECK(bytes_of(sn::array<T>(y.T()).to_host()) == bytes_of(values));
}

}  // namespace

TEST_CASE("bytes in the other order are turned round by the kernel that reads them") {
  const temporary_file f;
  const auto scope = sn::use("cpu");
  std::vector<std::int32_t> v(6000);
  std::iota(v.begin(), v.end(), -0x12345678);
  f.write(npy(">i4", "(60, 100)", false, turned(bytes_of(v), 4)));
  const auto before = sn::memory().used;
  const auto x = sn::load_npy<std::int32_t>(f.path, {.mmap = true});
  CHECK(sn::memory().used == before);
  const sn::array<std::int64_t> total = sn::sum(sn::astype<std::int64_t>(x) * 2 + 1);
  CHECK(kernels_of(total) == 1);
  CHECK(total.item() ==
        2 * std::accumulate(v.begin(), v.end(), std::int64_t{0}) + std::int64_t{6000});
  CHECK(x.to_host() == v);
  CHECK(sn::load_npy<std::int32_t>(f.path).to_host() == v);  // the file is unchanged
}

TEST_CASE("every width, in either order of axes, to the last bit") {
  std::vector<std::uint64_t> bits(64);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (i + 1) * 0x9e3779b97f4a7c15;
  const auto as = [&](auto kind) {
    std::vector<decltype(kind)> v(bits.size() * 8 / sizeof kind);
    std::memcpy(static_cast<void*>(v.data()), bits.data(), bits.size() * 8);
    return v;
  };
  check_order(as(std::int16_t()), 2, "i2");
  check_order(as(std::uint16_t()), 2, "u2");
  check_order(as(std::int32_t()), 4, "i4");
  check_order(as(std::uint32_t()), 4, "u4");
  check_order(as(std::int64_t()), 8, "i8");
  check_order(as(std::uint64_t()), 8, "u8");
  check_order(as(sn::float16()), 2, "f2");
  check_order(as(sn::bfloat16()), 2, "V2");
  check_order(as(float()), 4, "f4");
  check_order(as(double()), 8, "f8");
  check_order(as(std::complex<float>()), 4, "c8");
  check_order(as(std::complex<double>()), 8, "c16");
}

TEST_CASE("mapped halves in the other order have memory of their own") {
  const temporary_file f;
  const auto scope = sn::use("cpu");
  f.write(npy(">f2", "(32,)", false, std::string("\x3c\x00", 2) + std::string(62, '\0')));
  const auto before = sn::memory().used;
  const auto x = sn::load_npy<sn::float16>(f.path, {.mmap = true});
  CHECK(sn::memory().used >= before + 64);
  CHECK(static_cast<float>(x(0).item()) == 1);
}

TEST_CASE("no elements and no axes") {
  const temporary_file f;
  f.write(npy(">f8", "(0, 3)", true, ""));
  CHECK(sn::load_npy<double>(f.path, {.mmap = true}).size() == 0);
  f.write(npy(">c8", "()", false, turned(bytes_of(std::vector<float>{1, -2}), 4)));
  CHECK(sn::load_npy<std::complex<float>>(f.path, {.mmap = true}).item() ==
        std::complex<float>(1, -2));
}

}  // namespace mapped_test
