#include <cmath>
#include <complex>

#include <sinter/sinter.hpp>

#include "tests/unit/files/temporary.hpp"

namespace text_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

using shape_list = std::vector<std::int64_t>;

shape_list shape_of(const sn::any_array& x) { return x.shape(); }

template <class T = double>
std::string csv_complaint(const temporary_file& f, const std::string& text,
                          const sn::csv_options& o = {}) {
  f.write(text);
  return complaint(f, "load_csv", [&] { sn::load_csv<T>(f.path, o); });
}

}  // namespace

TEST_CASE("a CSV file is names and a table") {
  const temporary_file f;
  f.write("time,\"speed, m/s\",\"the \"\"third\"\"\"\r\n0, 1.5 ,2\n\n1,\"2.5\",3e-2\r\n2,-inf,nan");
  const auto t = sn::load_csv(f.path);
  CHECK(t.names == std::vector<std::string>{"time", "speed, m/s", "the \"third\""});
  CHECK(shape_of(t.values) == shape_list{3, 3});
  CHECK(t.column("speed, m/s").to_host() == std::vector<double>{1.5, 2.5, -INFINITY});
  CHECK(t.values(1, 2).item() == 3e-2);
  CHECK(std::isnan(t.values(2, 2).item()));
  CHECK_THROWS_WITH(t.column("x"),
                    says("[column] there is no column 'x': there are 'time', 'speed"));
}

TEST_CASE("fields may hold line ends, and errors count them") {
  const temporary_file f;
  f.write("a,\"b\nc\"\n1,2\n");
  CHECK(sn::load_csv(f.path).names[1] == "b\nc");
  CHECK(csv_complaint(f, "a,\"b\nc\"\n1,2\n3,x\n") == "line 4, column 3: 'x' is no float64");
}

TEST_CASE("missing values are NaN, and integers have none") {
  const temporary_file f;
  f.write("a,b,c\n1,,3\nNA,5,\n");
  const auto x = sn::load_csv<float>(f.path).values;
  CHECK(sn::sum(sn::astype<int>(sn::isnan(x))).item() == 3);
  CHECK(sn::nansum(x).item() == 9);
  CHECK(csv_complaint<int>(f, "a,b\n1,2\n3,\n") ==
        "line 3, column 3: nothing, where int32 has no NaN");
  CHECK(csv_complaint(f, "a\nmissing\n") == "line 2, column 1: 'missing' is no float64");
  f.write("a\nmissing\n");
  CHECK(std::isnan(sn::load_csv(f.path, {.missing = {"missing"}}).values.item()));
}

TEST_CASE("other delimiters, no header, some columns, some rows") {
  const temporary_file f;
  f.write("junk\n1;2;3\n4;5;6\n7;8;9\n");
  const auto t = sn::load_csv<int>(f.path, {.delimiter = ';',
                                            .header = false,
                                            .usecols = {2, 0},
                                            .skiprows = 1,
                                            .max_rows = 2});
  CHECK(t.names.empty());
  CHECK(t.values.to_host() == std::vector<int>{3, 1, 6, 4});
  f.write("% remark\na\tb\n1\t\n% another\n");
  const auto tabs = sn::load_csv(f.path, {.delimiter = '\t', .comments = "%"});
  CHECK(tabs.names == std::vector<std::string>{"a", "b"});
  CHECK(shape_of(tabs.values) == shape_list{1, 2});
  f.write("");
  CHECK(shape_of(sn::load_csv(f.path).values) == shape_list{0, 0});
  f.write("a,b\n");
  CHECK(shape_of(sn::load_csv(f.path).values) == shape_list{0, 2});
}

TEST_CASE("tables that are none are refused where they are wrong") {
  const temporary_file f;
  CHECK(csv_complaint(f, "a,b\n1,2\n3\n") == "line 3: 1 fields, where line 1 has 2");
  CHECK(csv_complaint(f, "a,b\n1,2,3\n") == "line 2: 3 fields, where line 1 has 2");
  CHECK(csv_complaint(f, "a,b\n1,2x\n") == "line 2, column 3: '2x' is no float64");
  CHECK(csv_complaint<std::int8_t>(f, "a\n128\n") == "line 2, column 1: '128' is no int8");
  CHECK(csv_complaint<std::uint8_t>(f, "a\n-1\n") == "line 2, column 1: '-1' is no uint8");
  CHECK(csv_complaint<bool>(f, "a\nyes\n") == "line 2, column 1: 'yes' is no bool");
  CHECK(csv_complaint(f, "a\n\"1\n") == "line 3: the quote that line 2 opens is not closed");
  CHECK(csv_complaint(f, "a\n\"1\"2\n") == "line 2: text behind a closing quote");
  CHECK(csv_complaint(f, "a,b\n1,2\n", {.usecols = {2}}) ==
        "line 1: 2 fields, and column 2 is wanted");
  CHECK(csv_complaint(f, "a\n" + std::string(60, 'z') + "\n") ==
        "line 2, column 1: '" + std::string(40, 'z') + "...' is no float64");
  CHECK_THROWS_AS(sn::load_csv("/no/such/file.csv"), sn::file_error);
  CHECK_THROWS_WITH(sn::loadtxt(f.path, {.delimiter = "::"}),
                    says("[loadtxt] the delimiter '::' is more than one character (text.cpp:"));
}

TEST_CASE("numbers are rounded once, in any spelling") {
  const temporary_file f;
  f.write("1e400 -1e400 1e-400 -1e-5000 1e5000 4.9e-324 0.1 +7 .5 5. INF NaN\n");
  const auto x = sn::loadtxt(f.path).to_host();
  CHECK(std::vector<double>(x.begin(), x.end() - 1) ==
        std::vector<double>{INFINITY, -INFINITY, 0, -0.0, INFINITY, 4.9e-324, 0.1, 7, .5, 5,
                            INFINITY});
  CHECK(std::signbit(x[3]));
  f.write("9223372036854775807 -9223372036854775808\n");
  CHECK(sn::loadtxt<std::int64_t>(f.path).to_host() ==
        std::vector<std::int64_t>{INT64_MAX, INT64_MIN});
  f.write("18446744073709551615\n");
  CHECK(sn::loadtxt<std::uint64_t>(f.path).item() == UINT64_MAX);
  f.write("1+2j (3-4.5j) -2j 7\n");
  using c = std::complex<double>;
  CHECK(sn::loadtxt<c>(f.path).to_host() == std::vector<c>{{1, 2}, {3, -4.5}, {0, -2}, {7, 0}});
  f.write("1.0009765625 65520\n");
  const auto halves = sn::astype<double>(sn::loadtxt<sn::float16>(f.path)).to_host();
  CHECK(halves == std::vector<double>{1.0009765625, INFINITY});
}

TEST_CASE("loadtxt drops axes of one element as NumPy does") {
  const temporary_file f;
  const auto shape = [&](const std::string& text, const sn::loadtxt_options& o) {
    f.write(text);
    return shape_of(sn::loadtxt(f.path, o));
  };
  using s = shape_list;
  CHECK(shape("1 2\n3 4\n", {}) == s{2, 2});
  CHECK(shape("1 2 3\n", {}) == s{3});
  CHECK(shape("1\n2\n", {}) == s{2});
  CHECK(shape("1\n", {}) == s{});
  CHECK(shape("1\n", {.ndmin = 1}) == s{1});
  CHECK(shape("1\n2\n", {.ndmin = 2}) == s{2, 1});
  CHECK(shape("1 2 3\n4 5 6\n", {.unpack = true}) == s{3, 2});
  CHECK(shape("# nothing\n", {}) == s{0});
  f.write("1,,3\n4,x,6\n");
  const auto x = sn::genfromtxt(f.path, {.delimiter = ",", .missing_values = {"x"}});
  CHECK(sn::nansum(x).item() == 14);
  CHECK(sn::genfromtxt<int>(f.path, {.delimiter = ",", .missing_values = {"x"}}).to_host() ==
        std::vector<int>{1, -1, 3, 4, -1, 6});
  const auto fault = complaint(f, "genfromtxt", [&] {
    sn::genfromtxt(f.path, {.delimiter = ",", .loose = false});
  });
  CHECK(fault == "line 2, column 3: 'x' is no float64");
  f.write("a b c\n1 2 3\n");
  CHECK(sn::loadtxt<int>(f.path, {.skiprows = 1, .usecols = {-1, 0}}).to_host() ==
        std::vector<int>{3, 1});
  CHECK(complaint(f, "loadtxt", [&] { sn::loadtxt(f.path, {.skiprows = 1, .usecols = {-4}}); }) ==
        "line 2: 3 fields, and column -4 is wanted");
}

TEMPLATE_TEST_CASE("every dtype survives a CSV file to the last bit", "", bool, std::int8_t,
                   std::int64_t, std::uint64_t, sn::float16, sn::bfloat16, float, double,
                   std::complex<float>, std::complex<double>) {
  const temporary_file f;
  sn::array<TestType> x;
  if constexpr (std::is_same_v<TestType, bool>) {
    x = sn::random::uniform<float>({50, 4}, {.seed = 3}) < 0.5f;
  } else if constexpr (sn::is_integer(sn::dtype_of<TestType>)) {
    x = sn::astype<TestType>(sn::random::uniform<double>({50, 4}, {.seed = 3}) * 200 - 100);
  } else {
    x = sn::astype<TestType>(sn::tan(sn::random::uniform<double>({50, 4}, {.seed = 3}) * 100));
  }
  sn::save_csv(f.path, x, {.names = {"a", "b c", "d,e", "f\"g"}});
  const auto t = sn::load_csv<TestType>(f.path);
  CHECK(t.names == std::vector<std::string>{"a", "b c", "d,e", "f\"g"});
  CHECK(sn::array_equal(t.values, x).item());
}

TEST_CASE("what is no table is not written") {
  const temporary_file f;
  CHECK_THROWS_WITH(sn::save_csv(f.path, sn::zeros({2, 2, 2})),
                    says("[save_csv] shape (2, 2, 2) is no table: one or two dimensions are"));
  CHECK_THROWS_WITH(sn::save_csv(f.path, sn::zeros({2, 2}), {.names = {"a"}}),
                    says("[save_csv] 1 names for 2 columns"));
  CHECK_THROWS_WITH(sn::savetxt(f.path, sn::zeros({2}), {.fmt = "%s"}),
                    says("[savetxt] '%s' is no format of one number"));
  for (const char* fmt : {"", "3", "%", "%n", "%d %d", "%.5.5f", "%99999f", "%*d", "%lld"}) {
    CHECK_THROWS_AS(sn::savetxt(f.path, sn::zeros({2}), {.fmt = fmt}), sn::value_error);
  }
  CHECK_THROWS_WITH(sn::savetxt(f.path, sn::zeros<std::complex<float>>({2})),
                    says("[savetxt] complex64 has two numbers an element"));
}

TEST_CASE("savetxt writes C's formats") {
  const temporary_file f;
  const auto text = [&](const auto& x, const sn::savetxt_options& o) {
    sn::savetxt(f.path, x, o);
    return f.read();
  };
  const sn::array<double> x{{1, -2.5}, {1e10, 0}};
  CHECK(text(x, {.fmt = "%.2f", .delimiter = ","}) == "1.00,-2.50\n10000000000.00,0.00\n");
  CHECK(text(x, {}) == "1.000000000000000000e+00 -2.500000000000000000e+00\n"
                       "1.000000000000000000e+10 0.000000000000000000e+00\n");
  CHECK(text(sn::astype<std::int64_t>(x), {.fmt = "%5d"}) == "    1    -2\n10000000000     0\n");
  CHECK(text(sn::array<std::uint64_t>{UINT64_MAX}, {.fmt = "<%d>"}) == "<18446744073709551615>\n");
  CHECK(text(sn::array<int>{1, 2}, {.fmt = "%g", .header = "a\nb", .footer = "end"}) ==
        "# a\n# b\n1\n2\n# end\n");
}

}  // namespace text_test
