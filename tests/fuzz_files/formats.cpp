#include "tests/fuzz_files/formats.hpp"

#include <fstream>
#include <iostream>
#include <sstream>

#include <sinter/sinter.hpp>

#include "runtime/zip.hpp"

namespace sinter::fuzz_files {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Reads an array to its last byte, since a mapped one is in the file.
std::int64_t touched(const any_array& x) {
  visit(x, [](const auto& a) { a.to_host(); });
  return x.nbytes();
}

std::int64_t all_of(const array_file& f) {
  std::int64_t bytes = 0;
  for (const std::string& name : f.names()) bytes += touched(f.at(name));
  return bytes;
}

format npy(const std::string& path, bool mmap) {
  format f{mmap ? "mapped npy" : "npy", {}, {}, 1};
  const auto add = [&](const any_array& x) {
    save_npy(path, x);
    f.seeds.push_back(contents(path));
  };
  add(arange<float>(24).reshape({2, 3, 4}));
  add(arange<std::int64_t>(5));
  add(array<bool>{true, false, true});
  add(full<std::complex<double>>({}, {1, 2}));
  std::string other = f.seeds[0];
  other.replace(other.find("'<f4'"), 5, "'>i4'").replace(other.find("False"), 5, "True ");
  f.seeds.push_back(other);
  f.read = [mmap](const std::string& p) { return touched(load_npy(p, {.mmap = mmap})); };
  return f;
}

format npz(const std::string& path) {
  // Deflate's maximum ratio; and several directory entries may name the same member.
  format f{"npz", {}, {}, 1032};
  const auto x = arange<float>(300).reshape({20, 15});
  const auto zeros = sinter::zeros<double>({3000});
  savez(path, {{"x", x}, {"folder/y", x.T()}});
  f.seeds.push_back(contents(path));
  savez_compressed(path, {{"x", x}, {"zeros", zeros}, {"none", sinter::zeros<int>({0, 3})}});
  f.seeds.push_back(contents(path));
  f.read = [](const std::string& p) {
    const auto file = load_npz(p);
    std::int64_t most = 0;
    for (const std::string& name : file.names()) most = std::max(most, touched(file.at(name)));
    return most;
  };
  return f;
}

/// A valid archive of one damaged member.
format npz_of_npy(const format& npy, bool compressed) {
  format f{compressed ? "deflated npy" : "stored npy", npy.seeds, {}, 1};
  f.read = [](const std::string& p) { return all_of(load_npz(p)); };
  f.write = [compressed](const std::string& path, const std::string& bytes) {
    std::size_t at = 0;
    runtime::write_zip(path, {{"x.npy", bytes.size(),
                               [&](void* to, std::size_t most) {
                                 const std::size_t n = bytes.copy(static_cast<char*>(to), most, at);
                                 at += n;
                                 return n;
                               }}},
                       compressed);
  };
  return f;
}

format safetensors(const std::string& path, bool mmap) {
  format f{mmap ? "mapped safetensors" : "safetensors", {}, {}, 1};
  const auto x = arange<float>(24).reshape({2, 3, 4});
  save_safetensors(path, {{"x", x}, {"b", x > 3}, {"half", astype<bfloat16>(x)}},
                   {.metadata = {{"format", "pt"}}});
  f.seeds.push_back(contents(path));
  save_safetensors(path, {{"only", sinter::zeros<std::int8_t>({0})}});
  f.seeds.push_back(contents(path));
  f.read = [mmap](const std::string& p) { return all_of(load_safetensors(p, {.mmap = mmap})); };
  return f;
}

format csv() {
  // "," is two fields of eight bytes each.
  format f{"csv", {}, {}, 16};
  f.seeds = {"a,b,\"c, d\"\n1,2.5,3e10\n\n-4,,\"6\"\r\nnan,inf,-0\n", "x\n1\n2\n3\n",
             "1;2\n3;4\n", "\xef\xbb\xbf\"a\"\"b\"\n1e400\n-1e-400\n"};
  f.read = [](const std::string& p) { return touched(load_csv(p).values); };
  return f;
}

format text() {
  format f{"txt", {}, {}, 16};
  f.seeds = {"# a remark\n1 2 3\n4 5\t6 # more\n", "1\n", "1.5 2.5\n"};
  f.read = [](const std::string& p) {
    return touched(loadtxt<float>(p)) + touched(genfromtxt(p)) / 4;
  };
  return f;
}

/// Turns a run of digits, or eight bytes, into a number that exceeds all memory.
void exaggerate(std::string& bytes, std::mt19937_64& rng) {
  const std::size_t at = rng() % bytes.size();
  const auto digit = bytes.find_first_of("0123456789", at);
  if (digit != bytes.npos && rng() % 3 != 0) {
    constexpr const char* numbers[] = {"9223372036854775807", "18446744073709551615", "-1",
                                       "4294967296", "1000000000000", "0", "1e999"};
    bytes.replace(digit, 1 + rng() % 2, numbers[rng() % std::size(numbers)]);
    return;
  }
  for (std::size_t i = at; i < std::min(bytes.size(), at + 1 + rng() % 8); ++i) bytes[i] = '\xff';
}

}  // namespace

std::vector<format> all_formats(const std::string& folder) {
  const std::string path = folder + "/seed";
  const format plain = npy(path, false);
  std::vector<format> list = {plain,  npy(path, true),          csv(),
                              text(), safetensors(path, false), safetensors(path, true)};
  try {
    list.push_back(npz(path));
    list.push_back(npz_of_npy(plain, false));
    list.push_back(npz_of_npy(plain, true));
  } catch (const device_error& e) {
    std::cerr << "left out: " << e.what() << '\n';
  }
  return list;
}

std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& rng) {
  std::string bytes = seeds[rng() % seeds.size()];
  for (std::uint64_t steps = 1 + rng() % 4; steps > 0 && !bytes.empty(); --steps) {
    const std::size_t at = rng() % bytes.size(), length = 1 + rng() % 16;
    switch (rng() % 8) {
      case 0: bytes[at] = static_cast<char>(rng()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << rng() % 8); break;
      case 2: bytes.resize(at); break;
      case 3: bytes.erase(at, length); break;
      case 4: bytes.insert(at, bytes.substr(rng() % bytes.size(), length)); break;
      case 5: exaggerate(bytes, rng); break;
      case 6: {
        const std::string& other = seeds[rng() % seeds.size()];
        bytes = bytes.substr(0, at) + other.substr(std::min(other.size(), rng() % (at + 1)));
        break;
      }
      default: {
        constexpr std::string_view words = "{}[](),:'\"\n\r; \t#eE+-.\0Pj";
        bytes.insert(at, 1, words[rng() % words.size()]);
      }
    }
  }
  return bytes;
}

}  // namespace sinter::fuzz_files
