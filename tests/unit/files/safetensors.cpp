#include <sinter/sinter.hpp>

#include "tests/unit/files/temporary.hpp"

namespace safetensors_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

std::string with_length(const std::string& header, const std::string& data) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> 8 * i);
  return text + header + data;
}

std::string complaint_of(const temporary_file& f, const std::string& header,
                         const std::string& data = "") {
  f.write(with_length(header, data));
  return complaint(f, "load_safetensors", [&] {
    for (const auto& entry : sn::load_safetensors(f.path)) (void)entry;
  });
}

/// The header of a single array 'x'.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{\"x\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
         "}}";
}

}  // namespace

TEMPLATE_TEST_CASE("every dtype but complex128 survives a safetensors file", "", bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, sn::float16, sn::bfloat16, float, double,
                   std::complex<float>) {
  const temporary_file f;
  const auto x = sn::astype<TestType>(sn::arange<double>(12) - 2).reshape({3, 4});
  const sn::array<TestType> point(x(1, 1)), none(sn::reshape(x(sn::slice(0, 0)), {2, 0, 3}));
  sn::save_safetensors(f.path, {{"x", x}, {"t", x.T()}, {"point", point}, {"none", none}});
  for (bool mmap : {false, true}) {
    const auto file = sn::load_safetensors(f.path, {.mmap = mmap});
    CHECK(file.size() == 4);
    CHECK(sn::all(file.get<TestType>("x") == x).item());
    CHECK(sn::all(file.get<TestType>("t") == x.T()).item());
    CHECK(file["point"].shape().empty());
    CHECK(file["none"].shape(2) == 3);
    CHECK(file["none"].dtype() == sn::dtype_of<TestType>);
  }
}

TEST_CASE("the header is the format's") {
  const temporary_file f;
  sn::save_safetensors(f.path,
                       {{"b", sn::array<std::int8_t>{1, 2, 3}}, {"a", sn::array<float>{1, 2}}},
                       {.metadata = {{"format", "pt"}, {"quoted \"", "line\n"}}});
  const std::string header =
      R"({"__metadata__":{"format":"pt","quoted \"":"line\n"},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"I8","shape":[3],"data_offsets":[8,11]}})";
  std::string padded = header;
  padded.append((8 - header.size() % 8) % 8, ' ');
  CHECK(f.read() == with_length(padded, bytes_of(std::vector<float>{1, 2}) + "\1\2\3"));
  const auto file = sn::load_safetensors(f.path);
  CHECK(file.names() == std::vector<std::string>{"a", "b"});
  CHECK(file.metadata().size() == 2);
  CHECK(file.metadata("quoted \"") == "line\n");
  CHECK_THROWS_AS(file.metadata("nothing"), sn::value_error);
  CHECK_THROWS_AS(sn::save_safetensors(f.path, {}, {.metadata = {{"a", "b"}, {"a", "c"}}}),
                  sn::value_error);
}

TEST_CASE("names of any text survive") {
  const temporary_file f;
  const std::string name = "layer.0/\"weights\" \\ \xc3\xa4\xe2\x82\xac\t";
  sn::save_safetensors(f.path, {{name, sn::arange(3)}});
  CHECK(sn::load_safetensors(f.path).names() == std::vector<std::string>{name});
  CHECK(sn::load_safetensors(f.path).get<int>(name).to_host() == std::vector<int>{0, 1, 2});
}

TEST_CASE("what others may write is read") {
  const temporary_file f;
  f.write(with_length("{ \"y\": {\"shape\":[], \"data_offsets\":[4,8], \"dtype\":\"I32\"},\n"
                      "  \"x\": {\"dtype\":\"I32\", \"data_offsets\":[0,4], \"shape\":[1,1]} }   ",
                      bytes_of(std::vector<std::int32_t>{7, 8})));
  CHECK(sn::load_safetensors(f.path).get<int>("x").item() == 7);
  CHECK(sn::load_safetensors(f.path).get<int>("y").item() == 8);
  f.write(with_length("{}", ""));
  CHECK(sn::load_safetensors(f.path).size() == 0);
  f.write(with_length(one("F8_E4M3", "[2]", "[0,2]"), "ab"));
  const auto file = sn::load_safetensors(f.path);
  CHECK(file.contains("x"));
  CHECK(complaint(f, "load_safetensors", [&] { file.at("x"); }) ==
        "'x' has dtype F8_E4M3, which is not supported");
}

TEST_CASE("headers that are wrong are refused") {
  const temporary_file f;
  const std::string data(24, 'x');
  CHECK(complaint_of(f, one("F32", "[2,3]", "[0,24]"), data) == "no error");
  CHECK(complaint_of(f, one("F32", "[2,3]", "[0,23]"), data) ==
        "the header gives 'x' 23 bytes, where F32 of shape (2, 3) has 24");
  CHECK(complaint_of(f, one("F32", "[2,3]", "[0,25]"), data) ==
        "the header puts 'x' at bytes 0 to 25 of 24");
  CHECK(complaint_of(f, one("F32", "[2,3]", "[24,0]"), data) ==
        "the header puts 'x' at bytes 24 to 0 of 24");
  CHECK(complaint_of(f, one("F32", "[1]", "[20,24]"), data) ==
        "the header leaves 20 bytes before 'x' unused");
  CHECK(complaint_of(f, one("F32", "[5]", "[0,20]"), data) ==
        "the header leaves 4 bytes at the end unused");
  CHECK(complaint_of(f, one("F32", "[0,9223372036854775807]", "[0,0]")) ==
        "the header says of 'x' that it has more than 2^63 - 1 bytes");
  CHECK(complaint_of(f, one("F32", "[9223372036854775808]", "[0,24]"), data) ==
        "the header has a shape of 'x' that is none");
  CHECK(complaint_of(f, one("F32", "[-1]", "[0,24]"), data) ==
        "the header has the number -1 where a size belongs");
  CHECK(complaint_of(f, one("F32", "[1.5]", "[0,24]"), data) ==
        "the header has the number 1.5 where a size belongs");
  CHECK(complaint_of(f, one("F32", "[[1]]", "[0,24]"), data) ==
        "the header has a list out of place");
  CHECK(complaint_of(f, one("F32", "[6]", "[0,12,24]"), data) ==
        "the header has more than two offsets for 'x'");
  CHECK(complaint_of(f, one("F32", "[6]", "[0]"), data) ==
        "the header lacks dtype, shape or data_offsets of 'x'");
  CHECK(complaint_of(f, "{\"x\":{\"dtype\":\"F32\",\"shape\":[6]}}", data) ==
        "the header lacks dtype, shape or data_offsets of 'x'");
  CHECK(complaint_of(f, "{\"x\":{\"color\":\"red\"}}", data) ==
        "the header has an unknown key 'color'");
  CHECK(complaint_of(f, "{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", data) ==
        "the header has dtype twice");
  CHECK(complaint_of(f, "{\"x\":7}", data) == "the header has a number out of place");
  CHECK(complaint_of(f, "{\"x\":null}", data) == "the header has a null");
  CHECK(complaint_of(f, "{\"__metadata__\":{\"a\":1}}", "") ==
        "the header has a number out of place");
  CHECK(complaint_of(f, "[]", data) == "the header does not begin with '{'");
  CHECK(complaint_of(f, "", data) == "the header does not begin with '{'");
  CHECK(complaint_of(f, "{\"x\"", data) == "the header is no JSON at byte 5");
  const std::string twice = one("F32", "[3]", "[0,12]");
  CHECK(complaint_of(f, twice.substr(0, twice.size() - 1) + "," + twice.substr(1), data) ==
        "the header has 'x' twice");
  CHECK(complaint_of(f,
                     "{\"a\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]},"
                     "\"b\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[8,24]}}",
                     data) == "the header lets 'b' overlap with what is before it");
}

TEST_CASE("lengths that are wrong are refused") {
  const temporary_file f;
  const auto load = [&] {
    return complaint(f, "load_safetensors", [&] { sn::load_safetensors(f.path); });
  };
  f.write("1234567");
  CHECK(load() == "too short for a safetensors file");
  f.write(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8) + "{}");
  CHECK(load() == "a header of 18446744073709551615 bytes");
  f.write(std::string("\3\0\0\0\0\0\0\0", 8) + "{}");
  CHECK(load() == "a header of 3 bytes");
}

TEST_CASE("mapped arrays are the file's memory, and need alignment") {
  const temporary_file f;
  sn::save_safetensors(f.path, {{"x", sn::arange(100)}});
  const auto scope = sn::use("cpu");
  const auto before = sn::memory().used;
  sn::array<int> x(sn::load_safetensors(f.path, {.mmap = true})["x"]);
  CHECK(sn::memory().used == before);
  x(3) = -1;  // a copy is written, the file is not
  CHECK(x.to_host()[3] == -1);
  CHECK(sn::load_safetensors(f.path).get<int>("x").to_host()[3] == 3);
  std::string header = one("I32", "[1]", "[0,4]");
  while (header.size() % 4 != 1) header += ' ';
  f.write(with_length(header, bytes_of(std::vector<int>{5})));
  CHECK(sn::load_safetensors(f.path).get<int>("x").item() == 5);
  const std::string text = complaint(f, "load_safetensors", [&] {
    sn::load_safetensors(f.path, {.mmap = true}).at("x");
  });
  CHECK(text.find("which is not aligned for int32: read them, without .mmap") != text.npos);
}

TEST_CASE("what safetensors has no room for is refused") {
  const temporary_file f;
  const auto z = sn::zeros<std::complex<double>>({2});
  CHECK_THROWS_WITH(sn::save_safetensors(f.path, {{"z", z}}),
                    says("[save_safetensors] safetensors has no complex128 ('z'): "
                         "save view<double>(x) (safetensors.cpp:"));
  CHECK_THROWS_WITH(sn::save_safetensors(f.path, {{"__metadata__", sn::arange(3)}}),
                    says("[save_safetensors] '__metadata__' is no name of an array"));
  CHECK_THROWS_WITH(sn::save_safetensors(f.path, {{"\xff", sn::arange(3)}}),
                    says("[save_safetensors] a name or a word of the metadata is no UTF-8"));
  CHECK(f.read().empty());
}

}  // namespace safetensors_test
