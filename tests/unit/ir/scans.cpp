// Scans in both IRs: their text, their rules, and their results in the interpreters.

#include <cstring>

#include "ir/interpreter.hpp"
#include "ir/verify.hpp"
#include "tests/catch.hpp"

namespace scans_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

template <class T> tensor tensor_of(shape_t shape, const std::vector<T>& values) {
  tensor t{dtype_of<T>, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

template <class T> std::vector<T> values_of(const tensor& t) {
  std::vector<T> values(t.data.size() / sizeof(T));
  std::memcpy(values.data(), t.data.data(), t.data.size());
  return values;
}

std::string rule_of(const std::string& graph) {
  try {
    verify(parse_graph(graph));
  } catch (const verify_error& e) {
    return e.what();
  }
  return "";
}

std::string kernel_rule(const std::string& text) {
  try {
    verify(parse_kernel(text));
  } catch (const verify_error& e) {
    return e.what();
  }
  return "";
}

constexpr const char* sums =
    "%0 = source int32 [2, 3]\n%1 = scan int32 [2, 3] (%0) add over [1]\nreturn %1\n";

std::string kernel_text(const std::string& schedule, const std::string& state,
                        const std::string& body) {
  return "kernel k\ntarget cpu, kept 1, reduced 1\nschedule vector 8 unroll 1 lanes reduced" +
         schedule + " rows 1\nin0 = input float32 [any, one]\nout0 = output float32 [any, one]\n" +
         state + body;
}

const std::string plain_scan =
    "v0 = each load float32 in0\nv1 = each scan add float32 v0\nv2 = each store float32 out0 v1\n";
const std::string state = "state0 = state uint64 [zero, zero]\n";

}  // namespace

TEST_CASE("scan: a graph's text is the graph again") {
  CHECK(print(parse_graph(sums)) == sums);
  CHECK_NOTHROW(verify(parse_graph(sums)));
}

TEST_CASE("scan: along either axis") {
  const tensor x = tensor_of<std::int32_t>({2, 3}, {1, 2, 3, 10, 20, 30});
  CHECK(values_of<std::int32_t>(interpret(parse_graph(sums), {x})[0]) ==
        std::vector<std::int32_t>{1, 3, 6, 10, 30, 60});
  graph down = parse_graph(sums);
  down.nodes[1].reduction.axes = {0};
  CHECK(values_of<std::int32_t>(interpret(down, {x})[0]) ==
        std::vector<std::int32_t>{1, 2, 3, 11, 22, 33});
}

TEST_CASE("scan: sums of floats keep what each addition loses, and the sign of zeros") {
  const graph g = parse_graph(
      "%0 = source float32 [4]\n%1 = scan float32 [4] (%0) add over [0]\n"
      "return %1\n");
  CHECK(values_of<float>(interpret(g, {tensor_of<float>({4}, {1e8f, 1, 1, -1e8f})})[0]) ==
        std::vector<float>{1e8f, 1e8f, 1e8f, 2});
  const auto zeros =
      values_of<float>(interpret(g, {tensor_of<float>({4}, {-0.0f, -0.0f, 0.0f, -0.0f})})[0]);
  CHECK((std::signbit(zeros[0]) && std::signbit(zeros[1]) && !std::signbit(zeros[2])));
}

TEST_CASE("scan: graphs that are refused") {
  const std::string from = "%0 = source float32 [2, 3]\n%1 = scan float32 ";
  CHECK(rule_of(from + "[2, 3] (%0) add over [2]\nreturn %1\n").find("scan-axis") == 1);
  CHECK(rule_of(from + "[2, 3] (%0) add over [0, 1]\nreturn %1\n").find("scan-axis") == 1);
  CHECK(rule_of(from + "[3, 2] (%0) add over [0]\nreturn %1\n").find("scan-type") == 1);
  CHECK(rule_of(from + "[2, 3] (%0) arg maximum over [0]\nreturn %1\n").find("scan-type") == 1);
  CHECK(rule_of(from + "[2, 3] (%0) subtract over [0]\nreturn %1\n").find("scan-op") == 1);
  CHECK(rule_of("%0 = source complex64 [2]\n%1 = scan complex64 [2] (%0) multiply over [0]\n"
                "return %1\n")
            .find("scan-op") == 1);
}

TEST_CASE("scan: a kernel's text is the kernel again") {
  for (const std::string& text :
       {kernel_text("", "", plain_scan), kernel_text(" split", state, plain_scan)}) {
    CHECK(print(parse_kernel(text)) == text);
    CHECK(kernel_rule(text) == "");
  }
}

TEST_CASE("scan: kernels that are refused") {
  CHECK(kernel_rule(kernel_text(" split", "", plain_scan)).find("[state]") == 0);
  CHECK(kernel_rule(kernel_text("", state, plain_scan)).find("[state]") == 0);
  const std::string twice =
      "v0 = each load float32 in0\nv1 = each scan add float32 v0\n"
      "v2 = each scan add float32 v1\nv3 = each store float32 out0 v2\n";
  CHECK(kernel_rule(kernel_text("", "", twice)) == "");
  CHECK(kernel_rule(kernel_text(" split", state, twice)).find("[chain]") == 0);
  const std::string type = "v0 = each load float32 in0\nv1 = each scan add float64 v0\n";
  CHECK(kernel_rule(kernel_text("", "", type)).find("[argument-type]") == 0);
  const std::string code = "v0 = each load float32 in0\nv1 = each scan subtract float32 v0\n";
  CHECK(kernel_rule(kernel_text("", "", code)).find("[scan-op]") == 0);
}

TEST_CASE("scan: the interpreter walks a row whose chunks meet, and what the scan reads is there") {
  for (const bool split : {false, true}) {
    const kernel k =
        parse_kernel(kernel_text(split ? " split" : "", split ? state : "", plain_scan));
    const std::int64_t rows = 3, length = 1000, splits = 4;
    std::vector<float> in(static_cast<std::size_t>(rows * length), 1), out(in.size());
    std::vector<std::uint64_t> words(static_cast<std::size_t>(state_words(1, rows * splits)));
    std::vector<std::uint64_t> slots;
    for (const slot& s : slots_of(k)) {
      std::uint64_t word = 0;
      if (s.kind == slot_kind::extent) word = static_cast<std::uint64_t>(s.axis ? length : rows);
      if (s.kind == slot_kind::splits) word = static_cast<std::uint64_t>(splits);
      if (s.kind == slot_kind::chunk) word = 256;
      if (s.kind == slot_kind::stride) word = static_cast<std::uint64_t>(length);
      if (s.kind == slot_kind::pointer) {
        word = s.which == 0   ? reinterpret_cast<std::uintptr_t>(in.data())
               : s.which == 1 ? reinterpret_cast<std::uintptr_t>(out.data())
                              : reinterpret_cast<std::uintptr_t>(words.data());
      }
      slots.push_back(word);
    }
    const std::int64_t blocks = block_count(k, slots.data());
    CHECK(blocks == (split ? rows * splits : rows));
    run_kernel(k, slots.data(), blocks / 2, blocks);
    run_kernel(k, slots.data(), 0, blocks / 2);
    bool right = true;
    for (std::size_t i = 0; i < out.size(); ++i) {
      right = right && out[i] == static_cast<float>(i % static_cast<std::size_t>(length) + 1);
    }
    CHECK(right);
  }
}

namespace {

/// Compacts the elements greater than 3; `schedule` and the stores as given.
std::string selection_text(const std::string& schedule, const std::string& stores) {
  return "kernel k\ntarget gpu, kept 1, reduced 1\nschedule vector 4 unroll 2 threads 64 "
         "row_threads 64 lanes reduced" +
         schedule +
         " rows 1\nin0 = input float32 [any, one]\nout0 = output float32 [zero, zero]\n" + state +
         "v0 = each load float32 in0\nv1 = constant float32 3\n"
         "v2 = each greater float32 v0 v1\nv3 = each cast bool -> int32 v2\n"
         "v4 = each scan add int32 v3\nv5 = each cast int32 -> int64 v4\nv6 = constant int64 1\n"
         "v7 = each subtract int64 v5 v6\nv8 = each cast int32 -> float32 v4\n" +
         stores;
}

const std::string chosen_store = "v9 = each store float32 out0 v0 v2 v7\n";

std::int32_t packed_of(const std::string& stores) {
  return packed_store(parse_kernel(selection_text(" split", stores)));
}

}  // namespace

TEST_CASE("scan: what is stored at its count comes one behind the other") {
  CHECK(packed_of(chosen_store) == 9);
  CHECK(packed_of("v9 = each store float32 out0 v0 v2 v5\n") == -1);
  CHECK(packed_of("v9 = each store float32 out0 v8 v2 v7\n") == -1);
  CHECK(packed_of("v9 = each store float32 out0 v0 none v7\n") == -1);
  CHECK(packed_of(chosen_store + "v10 = each store float32 out0 v0 v2 v7\n") == -1);
  CHECK(packed_of("v9 = each less float32 v0 v1\nv10 = each store float32 out0 v0 v9 v7\n") ==
        -1);
}

TEST_CASE("scan: what is packed is stored so by a chained scan of a GPU") {
  CHECK(kernel_rule(selection_text(" split packs", chosen_store)).empty());
  const std::string anywhere = "v9 = each store float32 out0 v0 none v7\n";
  CHECK(kernel_rule(selection_text(" split packs", anywhere)).find("[schedule-packs]") == 0);
  const kernel k = parse_kernel(selection_text(" split packs", chosen_store));
  CHECK(parse_kernel(print(k)).schedule == k.schedule);
  CHECK(key_of(k) != key_of(parse_kernel(selection_text(" split", chosen_store))));
}

}  // namespace scans_test
