// Reads that exceed the host's memory: a memory_error at the reading call, naming the array.

#include <filesystem>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace host_memory_test {

namespace sn = sinter;

namespace {

/// The text of the memory_error that `program` throws, without its line, which must be `where`.
template <class Program>
std::string refusal(Program&& program, sn::location where = sn::location::current()) {
  try {
    program();
    return "no error";
  } catch (const sn::memory_error& e) {
    CHECK(e.code() == sn::error_code::out_of_memory);
    const std::string text = e.what();
    const std::string place = " (host_memory.cpp:" + std::to_string(where.line()) + ")";
    INFO(text);
    CHECK(text.ends_with(place));
    return text;
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
}

bool begins(const std::string& text, const std::string& start) {
  INFO(text);
  return text.starts_with(start);
}

/// 14.6 TiB, none of it stored.
sn::array<float> huge() {
  return sn::ones<float>({1000000, 1000000, 4});
}

const std::string shape = "float32 of shape (1000000, 1000000, 4): out of memory: ";

}  // namespace

TEST_CASE("to_host of what the host has no room for") {
  const auto x = huge();
  CHECK(begins(refusal([&] { x.to_host(); }), "[to_host] " + shape + "14.6 TiB on the host"));
  CHECK(begins(refusal([&] { (x + 1).to_host(); }), "[to_host] " + shape));
  const auto none = sn::zeros<bool>({std::int64_t{1} << 50});
  CHECK(begins(refusal([&] { none.to_host(); }),
               "[to_host] bool of shape (1125899906842624,): out of memory: 1.0 PiB on the host"));
  const sn::array<float> y = x(0, 0, sn::_);
  CHECK(y.to_host() == std::vector<float>{1, 1, 1, 1});
}

TEST_CASE("printing what there is no room for") {
  const sn::array<float> x = huge() + 1;
  CHECK(begins(refusal([&] { sn::to_string(x); }), "[print] " + shape + "asked 14.6 TiB"));
  const std::int64_t all = std::int64_t{1} << 60;
  CHECK(begins(refusal([&] { sn::to_string(huge(), {.threshold = all}); }), "[print] " + shape));
  CHECK(sn::to_string(huge()).starts_with("[[[1. 1. 1. 1.]"));
}

TEST_CASE("saving and reading one element of what there is no room for") {
  const auto path = std::filesystem::temp_directory_path() / "sinter_huge.npy";
  std::filesystem::remove(path);
  CHECK(begins(refusal([&] { sn::save_npy(path, huge()); }), "[save_npy] " + shape + "asked"));
  CHECK(!std::filesystem::exists(path));
  const auto wide = sn::ones<float>({1000000, 4000000});
  const auto sorted = sn::sort(wide * 2);
  CHECK(begins(refusal([&] { sorted(0, 0).item(); }), "[item] float32 of shape (): out of memory"));
}

TEST_CASE("moving what there is no room for") {
  CHECK(begins(refusal([&] { (huge() + 1).to("cpu"); }), "[to] " + shape + "asked"));
}

}  // namespace host_memory_test
