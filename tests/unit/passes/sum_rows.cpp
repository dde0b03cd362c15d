#include "ir/passes/sum_rows.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace sum_rows_test {

using namespace passes_tests;
using namespace sinter;

namespace {

/// Rows of `width` elements added at indexed places, where the mask holds.
std::string text_of(const std::string& type, int rows, int places, int width) {
  const std::string n = std::to_string(rows), p = std::to_string(places),
                    w = std::to_string(width), all = " [" + n + ", " + w + "]";
  const std::string widened =
      type == "float64" ? "view float64" + all + " (%3) strides [" + w + ", 1]"
                        : "map float64" + all + " (%3) { v1 = cast " + type + " -> float64 v0 }";
  return "%0 = source float64 [" + p + ", " + w + "]\n%1 = source int64 [" + n +
         "]\n%2 = view int64" + all + " (%1) strides [1, 0]\n%3 = source " + type + all +
         "\n%4 = " + widened + "\n%5 = source bool [" + n + "]\n%6 = view bool" + all +
         " (%5) strides [1, 0]\n%7 = scatter float64 [" + p + ", " + w +
         "] (%0, %2, %4, %6) sums add strides [0, 1]\nreturn %7\n";
}

int count_of(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string rewritten(const ir::machine& m, const std::string& text) {
  return after([&](const ir::graph& g) { return ir::sum_rows(g, m); }, text);
}

constexpr int rows = 140'000, width = 32;

struct problem {
  std::vector<std::int64_t> row, index;
  std::vector<char> counts;
};

/// Most rows go to few places, some places get none; other rows are masked out.
problem drawn(int places) {
  std::mt19937 draw(7);
  problem p;
  for (int i = 0; i < rows; ++i) {
    const auto low = static_cast<int>(draw() % 4), any = static_cast<int>(draw()) & 0x7fffffff;
    p.row.push_back(low ? 3 + low : any % places);
    p.index.push_back(p.row.back() * width);
    p.counts.push_back(draw() % 10 != 0);
  }
  return p;
}

template <class T> std::vector<double> sums(const problem& p, int places, const std::vector<T>& v,
                                            const std::vector<double>& base) {
  const std::string text = text_of(std::string(name(dtype_of<T>)), rows, places, width);
  const ir::graph g = ir::sum_rows(ir::parse_graph(text), gpu());
  const std::vector<ir::tensor_view> in = {{dtype::float64, {places, width}, base.data()},
                                           {dtype::int64, {rows}, p.index.data()},
                                           {dtype_of<T>, {rows, width}, v.data()},
                                           {dtype::bool_, {rows}, p.counts.data()}};
  const auto out = ir::interpret(g, in);
  std::vector<double> result(base.size());
  std::memcpy(result.data(), out[0].data.data(), result.size() * sizeof(double));
  return result;
}

template <class T> void compare(int places, double tolerance) {
  const problem p = drawn(places);
  std::mt19937 draw(11);
  std::vector<T> v(static_cast<std::size_t>(rows) * width);
  for (T& x : v) x = static_cast<T>(static_cast<double>(draw()) / 4294967296.0 - 0.25);
  std::vector<double> base(static_cast<std::size_t>(places) * width, 2.5), want = base,
                                                                          sizes = base;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!p.counts[i]) continue;
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t at = static_cast<std::size_t>(p.index[i]) + c;
      want[at] += static_cast<double>(v[i * width + c]);
      sizes[at] += std::abs(static_cast<double>(v[i * width + c]));
    }
  }
  const std::vector<double> got = sums(p, places, v, base);
  int wrong = 0, moved = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += !(std::abs(got[i] - want[i]) <= tolerance * sizes[i]);
    moved += got[i] != 2.5;
  }
  CHECK(wrong == 0);
  CHECK(moved > 0);
}

}  // namespace

TEST_CASE("sum_rows: one sort, and no sums where threads meet") {
  const std::string text = rewritten(gpu(), text_of("float32", rows, 100, width));
  CHECK(count_of(text, " call ") == 1);
  CHECK(count_of(text, "call uint8") == 1);
  CHECK(count_of(text, " sums ") == 0);
  CHECK(count_of(text, "scatter int32") == 2);
  CHECK(count_of(text, "= loop") == 5);  // pieces, theirs, and per place what is left of all three
  CHECK(count_of(rewritten(gpu(), text_of("float32", rows, 70'000, width)), "call uint32") == 1);
  ir::machine unsorted = gpu();
  unsorted.sorts = false;
  CHECK(count_of(rewritten(unsorted, text_of("float32", rows, 100, width)), " sums ") == 1);
}

TEST_CASE("sum_rows: what is not rows, or few, or a CPU's, stays") {
  const auto stays = [](const ir::machine& m, const std::string& text) {
    return count_of(rewritten(m, text), " sums ") == 1;
  };
  const std::string text = text_of("float32", rows, 100, width);
  CHECK(stays({}, text));
  CHECK(stays(gpu(), text_of("float32", 130'000, 100, width)));
  CHECK(stays(gpu(), text_of("float32", 2'000'000, 100, 4)));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return other;
  };
  CHECK_FALSE(stays(gpu(), text));
  CHECK(stays(gpu(), with("add strides [0, 1]", "add strides [0, 2]")));
  CHECK(stays(gpu(), with("add strides [0, 1]", "add offset 1 strides [0, 1]")));
}

TEST_CASE("sum_rows: a list of indices that is gone through twice stays") {
  const std::string text =
      "%0 = source float64 [100, 32]\n%1 = source int64 [140000]\n%2 = view int64 [2, 140000, 32] "
      "(%1) strides [0, 1, 0]\n%3 = source float64 [2, 140000, 32]\n%4 = scatter float64 [100, 32] "
      "(%0, %2, %3) sums add strides [0, 0, 1]\nreturn %4\n";
  CHECK(rewritten(gpu(), text) == text);
}

TEST_CASE("sum_rows: sums in order, whoever most rows go to") {
  compare<float>(50, 1e-13);
  compare<double>(50, 1e-13);
  compare<float>(70'000, 1e-13);
  compare<double>(1000, 1e-13);
}

namespace {

/// Rows of a table, selected by one index and multiplied by a number each, minus a shared row,
/// added at the places of another index.
std::string picked_text(const std::string& n, const std::string& further = "") {
  const std::string all = "[" + n + ", 32]";
  return "%0 = source float64 [50, 32]\n%1 = source int64 [" + n + "]\n%2 = view int64 " + all +
         " (%1) strides [1, 0]\n%3 = source int64 [" + n + "]\n%4 = view int64 " + all +
         " (%3) strides [1, 0]\n%5 = source bool [" + n + "]\n%6 = view bool " + all +
         " (%5) strides [1, 0]\n%7 = source float32 [300, 32]\n%8 = gather float32 " + all +
         " (%7, %4, %6, %4) strides [0, 1] check 0\n%9 = source float32 [" + n +
         "]\n%10 = view float32 " + all + " (%9) strides [1, 0]\n%11 = source float32 [32]\n" +
         "%12 = view float32 " + all + " (%11) strides [0, 1]\n%13 = map float32 " + all +
         " (%8, %10, %12) { v3 = multiply float32 v0 v1; v4 = subtract float32 v3 v2 }\n" +
         "%14 = map float64 " + all + " (%13) { v1 = cast float32 -> float64 v0 }\n" +
         "%15 = scatter float64 [50, 32] (%0, %2, %14) sums add strides [0, 1]\n" + further +
         "return %15" + (further.empty() ? "" : ", %16") + "\n";
}

}  // namespace

TEST_CASE("sum_rows: what rows are computed from is had in their order") {
  const std::string text = rewritten(gpu(), picked_text("140000"));
  CHECK(count_of(text, "gather int32 [140000]") == 1);    // row of the table
  CHECK(count_of(text, "gather float32 [140000]") == 1);  // factor of each row
  CHECK(count_of(text, "check 0") == 2);  // nothing reads the old one
  CHECK(text.rfind("multiply float32") > text.find("= loop"));
}

TEST_CASE("sum_rows: values that others read stay memory") {
  const std::string text = rewritten(
      gpu(), picked_text("140000", "%16 = reduce float32 [140000] (%13) add over [1]\n"));
  CHECK(count_of(text, "gather float32 [140000]") == 0);
  CHECK(text.rfind("multiply float32") < text.find("= loop"));
}

TEST_CASE("sum_rows: picked rows add up to what they do one by one") {
  std::mt19937 draw(5);
  constexpr std::size_t n = 140'000, w = 32;
  std::vector<double> base(50 * w, 0.5), want = base;
  std::vector<std::int64_t> place(n), index(n);
  std::vector<char> wrong(n);
  std::vector<float> table(300 * w), factor(n), less(w);
  for (float& x : table) x = static_cast<float>(draw() % 64);
  for (float& x : factor) x = static_cast<float>(draw() % 8);
  for (float& x : less) x = static_cast<float>(draw() % 16);
  for (std::size_t i = 0; i < n; ++i) {
    place[i] = static_cast<std::int64_t>((draw() % 3 ? 7 : draw() % 50) * w);
    index[i] = static_cast<std::int64_t>((draw() % 300) * w);
    for (std::size_t c = 0; c < w; ++c) {
      const float x = table[static_cast<std::size_t>(index[i]) + c] * factor[i] - less[c];
      want[static_cast<std::size_t>(place[i]) + c] += static_cast<double>(x);
    }
  }
  const auto summed = [&] {
    const std::int64_t rows = n, columns = w;
    const std::vector<ir::tensor_view> in = {{dtype::float64, {50, columns}, base.data()},
                                             {dtype::int64, {rows}, place.data()},
                                             {dtype::int64, {rows}, index.data()},
                                             {dtype::bool_, {rows}, wrong.data()},
                                             {dtype::float32, {300, columns}, table.data()},
                                             {dtype::float32, {rows}, factor.data()},
                                             {dtype::float32, {columns}, less.data()}};
    const ir::graph g = ir::sum_rows(ir::parse_graph(picked_text(std::to_string(n))), gpu());
    return ir::interpret(g, in);
  };
  std::vector<double> got(base.size());
  std::memcpy(got.data(), summed()[0].data.data(), got.size() * sizeof(double));
  CHECK(got == want);
}

TEST_CASE("sum_rows: sums by the same index have one order") {
  std::string text = text_of("float32", rows, 100, width);
  text.erase(text.find("return"));
  text +=
      "%8 = source float64 [100, 32]\n%9 = scatter float64 [100, 32] (%8, %2, %4, %6) sums add "
      "strides [0, 1]\nreturn %7, %9\n";
  CHECK(count_of(rewritten(gpu(), text), " call ") == 1);
}

}  // namespace sum_rows_test
