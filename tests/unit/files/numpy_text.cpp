// Tables of numbers as text, compared with NumPy: tests/numpy/text.py wrote both sides.

#include <cstdlib>

#include <sinter/sinter.hpp>

#include "tests/support/numpy_oracle.hpp"
#include "tests/unit/files/temporary.hpp"

namespace numpy_text_test {

namespace sn = sinter;
namespace fs = std::filesystem;
using namespace sinter::test;

namespace {

/// Decodes a URL's word: "%20" is a space.
std::string plain(const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      text += word[i];
      continue;
    }
    text += static_cast<char>(std::strtol(word.substr(i + 1, 2).c_str(), nullptr, 16));
    i += 2;
  }
  return text;
}

std::vector<std::int64_t> columns_of(const oracle_line& l) {
  std::vector<std::int64_t> list;
  std::istringstream in(l.text("usecols"));
  for (std::string word; std::getline(in, word, ',');) list.push_back(std::stoll(word));
  return list;
}

template <class T> sn::any_array load_as(const std::string& path, const oracle_line& l) {
  const std::string function = l.text("function");
  const std::string delimiter = plain(l.text("delimiter"));
  if (function == "csv") return sn::load_csv<T>(path).values;
  if (function == "genfromtxt") {
    return sn::genfromtxt<T>(path, {.delimiter = delimiter,
                                    .skip_header = l.number("skip_header", 0),
                                    .usecols = columns_of(l)});
  }
  return sn::loadtxt<T>(path, {.comments = plain(l.text("comments", "%23")),
                               .delimiter = delimiter,
                               .skiprows = l.number("skiprows", 0),
                               .usecols = columns_of(l),
                               .max_rows = l.number("max_rows", -1),
                               .unpack = l.number("unpack", 0) != 0,
                               .ndmin = l.number("ndmin", 0)});
}

/// Loads with the dtype of the line: visit selects the type by an array.
sn::any_array load(const std::string& path, const oracle_line& l) {
  const std::string wanted = l.text("dtype");
  for (int i = 0; i < sn::dtype_count; ++i) {
    if (sn::dtype_table[i].name != wanted) continue;
    const sn::any_array like = sn::astype(sn::zeros<float>({1}), static_cast<sn::dtype>(i));
    return sn::visit(like, [&](const auto& a) -> sn::any_array {
      return load_as<typename std::remove_cvref_t<decltype(a)>::value_type>(path, l);
    });
  }
  throw std::runtime_error("no dtype " + wanted);
}

bool same(const sn::any_array& a, const sn::any_array& b) {
  if (a.dtype() != b.dtype() || !std::ranges::equal(a.shape(), b.shape())) return false;
  return sn::array<bool>(sn::array_equal(a, b, {.equal_nan = true})).item();
}

}  // namespace

TEST_CASE("savetxt writes what NumPy's does, to the last character") {
  const auto folder = oracle_folder("text.py");
  if (folder.empty()) return;
  const temporary_file f;
  int compared = 0, wrong = 0;
  for (const oracle_line& l : oracle_lines(folder / "saves.txt")) {
    sn::savetxt_options o;
    if (l.options.count("fmt")) o.fmt = plain(l.text("fmt"));
    o.delimiter = plain(l.text("delimiter", "%20"));
    o.newline = plain(l.text("newline", "\n"));
    o.header = plain(l.text("header"));
    o.footer = plain(l.text("footer"));
    o.comments = plain(l.text("comments", "%23%20"));
    sn::savetxt(f.path, sn::load_npy((folder / l.fields[0]).string()), o);
    ++compared;
    const std::string want = read_text(folder / l.fields[2]), got = f.read();
    if (got == want || ++wrong > 10) continue;
    INFO(l.fields[0] << ' ' << o.fmt);
    CHECK(got == want);
  }
  CHECK(wrong == 0);
  CHECK(compared > 800);
}

TEST_CASE("tables are read, or refused, as NumPy does") {
  const auto folder = oracle_folder("text.py");
  if (folder.empty()) return;
  int compared = 0, refused = 0, wrong = 0;
  for (const oracle_line& l : oracle_lines(folder / "loads.txt")) {
    const std::string path = (folder / l.fields[0]).string();
    sn::any_array got;
    std::string complaint;
    try {
      got = load(path, l);
    } catch (const sn::file_error& e) {
      complaint = e.what();
    }
    const bool refuses = l.fields[2] == "-";
    refused += refuses;
    ++compared;
    const auto expected = [&] { return sn::load_npy((folder / l.fields[2]).string()); };
    const bool right = refuses ? !got.valid() : got.valid() && same(got, expected());
    if (right || ++wrong > 10) continue;
    INFO(l.fields[1] << "\n" << read_text(path) << "\n"
                     << (got.valid() ? sn::to_string(got) : complaint));
    CHECK(right);
  }
  CHECK(wrong == 0);
  CHECK(refused > 20);
  CHECK(compared > 200);
}

TEST_CASE("what sinter writes as CSV or by savetxt, NumPy reads to the last bit") {
  const auto source = oracle_folder("text.py");
  if (source.empty()) return;
  const temporary_file f;
  fs::create_directory(f.path);
  const fs::path folder = f.path;
  std::ofstream list(folder / "tables.txt");
  int tables = 0;
  for (const oracle_line& l : oracle_lines(source / "saves.txt")) {
    if (!l.text("fmt").empty() || l.options.count("header")) continue;
    const auto x = sn::load_npy((source / l.fields[0]).string());
    const std::string name = std::to_string(tables);
    fs::copy_file(source / l.fields[0], folder / (name + ".npy"));
    const bool named = x.ndim() == 2 && x.shape(1) > 1;
    sn::save_csv_options o;
    for (std::int64_t i = 0; named && i < x.shape(1); ++i) {
      o.names.push_back("c" + std::to_string(i));
    }
    sn::save_csv((folder / (name + ".csv")).string(), x, o);
    list << name << ".npy\t" << name << ".csv\t" << named << '\n';
    // savetxt's default keeps every float; integers beyond 2^53 need their digits.
    const bool whole = !sn::is_inexact(x.dtype());
    sn::savetxt((folder / (name + ".txt")).string(), x,
                {.fmt = whole ? "%d" : "%.18e", .delimiter = ","});
    list << name << ".npy\t" << name << ".txt\t0\n";
    tables += 2;
  }
  list.close();
  const auto answer = ask_numpy("text_back.py", folder);
  fs::remove_all(folder);
  CHECK(tables > 100);
  if (answer) CHECK(*answer == std::to_string(tables) + "\n");
}

}  // namespace numpy_text_test
