// Reads files that NumPy wrote, and NumPy reads files written here.

#include <iostream>

#include <sinter/sinter.hpp>

#include "tests/support/numpy_oracle.hpp"
#include "tests/unit/files/temporary.hpp"

namespace numpy_files_test {

namespace sn = sinter;
namespace fs = std::filesystem;
using namespace sinter::test;

namespace {

std::string shape_text(const sn::any_array& x) {
  std::string text;
  for (auto e : x.shape()) text += (text.empty() ? "" : ",") + std::to_string(e);
  return text;
}

std::string bytes_in(const sn::any_array& x) {
  return sn::visit(x, [](const auto& a) {
    using T = typename std::remove_cvref_t<decltype(a)>::value_type;
    if constexpr (std::is_same_v<T, bool>) {
      const auto flags = a.to_host();
      return std::string(flags.begin(), flags.end());
    } else {
      return bytes_of(a.to_host());
    }
  });
}

sn::any_array read(const fs::path& file, const std::string& name, bool mmap) {
  if (name != "-") return sn::load_npz(file.string()).at(name);
  return sn::load_npy(file.string(), {.mmap = mmap});
}

/// The same in every variant: row-major, in Fortran's order, without axes and without elements.
template <class T> void write_all(const fs::path& folder) {
  const auto i = sn::arange<double>(24) * 3;
  const auto values = (i - sn::floor(i / 61) * 61).reshape({2, 3, 4});
  const auto once = sn::astype<T>(values), twice = sn::astype<T>(values * 2);
  const std::vector<sn::named_array> list = {{"once", once},
                                             {"twice", twice},
                                             {"turned", sn::array<T>(once.T())},
                                             {"point", sn::array<T>(once(1, 2, 3))},
                                             {"none", sn::array<T>(once(sn::slice(0, 0)))}};
  const std::string stem = (folder / std::string(sinter::name(sn::dtype_of<T>))).string();
  for (const auto& a : list) sn::save_npy(stem + "." + a.name + ".npy", a.value);
  if (!no_archives()) {
    sn::savez(stem + ".npz", list);
    sn::savez_compressed(stem + ".z.npz", list);
  }
  if (std::is_same_v<T, std::complex<double>>) return;
  sn::save_safetensors(stem + ".safetensors", list, {.metadata = {{"by", "sinter"}}});
}

}  // namespace

TEST_CASE("what NumPy writes is read") {
  const auto folder = oracle_folder("files.py");
  if (folder.empty()) return;
  int compared = 0;
  for (const oracle_line& line : oracle_lines(folder / "files.txt")) {
    if (line.fields[1] != "-" && no_archives()) continue;
    for (bool mmap : {false, true}) {
      const auto x = read(folder / line.fields[0], line.fields[1], mmap);
      INFO(line.fields[0] << ' ' << line.fields[1] << ' ' << line.fields[2]);
      REQUIRE(sinter::name(x.dtype()) == line.text("dtype"));
      REQUIRE(shape_text(x) == line.text("shape"));
      REQUIRE((bytes_in(x) == read_text(folder / line.fields[3])));
      ++compared;
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("what sinter writes NumPy reads") {
  const temporary_file f;
  fs::create_directory(f.path);
  write_all<bool>(f.path);
  write_all<std::int8_t>(f.path);
  write_all<std::int16_t>(f.path);
  write_all<std::int32_t>(f.path);
  write_all<std::int64_t>(f.path);
  write_all<std::uint8_t>(f.path);
  write_all<std::uint16_t>(f.path);
  write_all<std::uint32_t>(f.path);
  write_all<std::uint64_t>(f.path);
  write_all<sn::float16>(f.path);
  write_all<float>(f.path);
  write_all<double>(f.path);
  write_all<std::complex<float>>(f.path);
  write_all<std::complex<double>>(f.path);
  const auto answer = ask_numpy("files_back.py", f.path);
  fs::remove_all(f.path);
  const int formats = no_archives() ? 2 : 4;
  if (!answer) return;
  CHECK(answer->starts_with(std::to_string(5 * (14 * formats - 1)) + " "));
  if (answer->find("no safetensors package") != answer->npos) {
    std::cerr << "safetensors files are read by hand alone: " << *answer;
  }
}

}  // namespace numpy_files_test
