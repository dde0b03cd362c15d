// Every rule of the kernel verifier rejects a kernel that breaks only this rule.
#include <functional>

#include "ir/error.hpp"
#include "ir/kernel.hpp"
#include "tests/catch.hpp"

namespace kernel_verify_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

constexpr std::string_view sum_text = R"(
kernel sum
target gpu, kept 1, reduced 1
schedule vector 4 unroll 1 threads 128 row_threads 32 lanes reduced rows 4
ix0 = index int64 [any, one]
in0 = input float32 [any, one]
in1 = input complex64 [any, zero]
out0 = output float32 [any, zero]
out1 = output float32 [any, one]
s0 = scalar float32
v0 = each load float32 in0
v1 = scalar float32 s0
v2 = each multiply float32 v0 v1
v3 = reduce add float32 v2
v4 = load float32 in1 im
v5 = add float32 v3 v4
v6 = store float32 out0 v5
v7 = each index int64 ix0
v8 = constant uint64 7
v9 = each random uint32 v7 v8
v10 = each cast uint32 -> float32 v9
v11 = each add float32 v10 v5
v12 = each store float32 out1 v11
)";

std::string message_of(const kernel& k) {
  try {
    verify(k);
  } catch (const verify_error& e) {
    return e.what();
  }
  return "";
}

/// The rule that the sum above breaks after an edit.
std::string rule_of(const std::function<void(kernel&)>& edit) {
  kernel k = parse_kernel(sum_text);
  edit(k);
  const std::string message = message_of(k);
  return message.substr(0, message.find(']') + 1);
}

}  // namespace

TEST_CASE("A correct kernel passes") {
  CHECK(message_of(parse_kernel(sum_text)) == "");
  CHECK(message_of(parse_kernel("kernel k\ntarget gpu, kept 2, reduced 0\n"
                                "schedule vector 2 unroll 2 threads 64 lanes kept tile 256 rows 1\n"
                                "in0 = input int8 [one, any] unravel 3\n")) == "");
}

TEST_CASE("The message of a kernel names rule, instruction and reason") {
  kernel k = parse_kernel(sum_text);
  k.body[1].which = 1;
  CHECK(message_of(k) == "[scalar] v1: no such scalar, or of another type");
  k.name = "1st";
  CHECK(message_of(k) == "[name] kernel 1st: the name is no C identifier");
}

TEST_CASE("Kernel as a whole") {
  CHECK(rule_of([](kernel& k) { k.name = "a b"; }) == "[name]");
  CHECK(rule_of([](kernel& k) { k.kept = 0; }) == "[ranks]");
  CHECK(rule_of([](kernel& k) { k.operands[1].access.steps.pop_back(); }) == "[steps]");
  CHECK(rule_of([](kernel& k) { k.operands[1].access.unravel = -1; }) == "[unravel]");
  CHECK(rule_of([](kernel& k) { k.operands[1].access.narrow = true; }) == "[narrow]");
  CHECK(rule_of([](kernel& k) { k.operands[0].type = dtype::int32; }) == "[index-type]");
  CHECK(rule_of([](kernel& k) { k.scalars[0] = dtype::complex64; }) == "[scalar-type]");
}

TEST_CASE("Schedules") {
  CHECK(rule_of([](kernel& k) { k.schedule.vector = 3; }) == "[schedule-lanes]");
  CHECK(rule_of([](kernel& k) { k.schedule.unroll = 0; }) == "[schedule-lanes]");
  CHECK(rule_of([](kernel& k) { k.schedule.rows = 0; }) == "[schedule-block]");
  CHECK(rule_of([](kernel& k) { k.schedule.threads = 2048; }) == "[schedule-threads]");
  CHECK(rule_of([](kernel& k) { k.schedule.crowd = 64; }) == "[schedule-threads]");
  CHECK(rule_of([](kernel& k) { k.schedule.resident = true; }) == "");
  CHECK(rule_of([](kernel& k) { k.schedule.pieces = true; }) == "");
  CHECK(rule_of([](kernel& k) {
          k.schedule.pieces = true;
          k.schedule.target = target::cpu;
          k.schedule.lanes = lane_axis::kept;
        }) == "[schedule-pieces]");
  CHECK(rule_of([](kernel& k) { k.schedule.quick = true; }) == "[schedule-quick]");
  CHECK(rule_of([](kernel& k) { k.schedule.row_lanes = 1; }) == "[schedule-row-lanes]");
  CHECK(rule_of([](kernel& k) { k.schedule.abreast = 64; }) == "[schedule-abreast]");
  const auto abreast = [](int vector, int unroll, int longest) {
    return rule_of([=](kernel& k) {
      k.schedule = {.vector = vector, .unroll = unroll, .lanes = lane_axis::reduced};
      k.schedule.abreast = longest;
    });
  };
  CHECK(abreast(4, 1, 64) == "");
  CHECK(abreast(4, 1, 63) == "[schedule-abreast]");
  CHECK(abreast(4, 2, 64) == "[schedule-abreast]");
  CHECK(abreast(1, 1, 16) == "[schedule-abreast]");
  CHECK(rule_of([](kernel& k) { k.schedule.filled = 1; }) == "[schedule-filled]");
  CHECK(rule_of([](kernel& k) {
          k.schedule.resident = true;
          k.schedule.filled = k.schedule.unroll + 1;
        }) == "[schedule-filled]");
  CHECK(rule_of([](kernel& k) {
          k.schedule.resident = true;
          k.schedule.lanes = lane_axis::kept;
        }) == "[schedule-resident]");
  CHECK(rule_of([](kernel& k) {
          k.schedule.resident = true;
          k.schedule.target = target::cpu;
        }) == "[schedule-resident]");
  const auto share = [](kernel& k, int blocks) {
    k.schedule.cluster = blocks;
    k.schedule.row_threads = k.schedule.threads;
    k.schedule.rows = 1;
  };
  CHECK(rule_of([&](kernel& k) { share(k, 8); }) == "");
  CHECK(rule_of([&](kernel& k) { share(k, 3); }) == "[schedule-cluster]");
  CHECK(rule_of([&](kernel& k) {
          share(k, 8);
          k.schedule.split = true;
        }) == "[schedule-cluster]");
  CHECK(rule_of([&](kernel& k) {
          share(k, 8);
          k.schedule.lanes = lane_axis::kept;
        }) == "[schedule-cluster]");
  CHECK(rule_of([](kernel& k) { k.schedule.row_threads = 48; }) == "[schedule-rows]");
  const auto whole = [](kernel& k, int threads) {
    k.schedule.resident = true;
    k.schedule.threads = k.schedule.row_threads = threads;
    k.schedule.rows = 1;
  };
  CHECK(rule_of([&](kernel& k) { whole(k, 96); }) == "");
  CHECK(rule_of([&](kernel& k) { whole(k, 48); }) == "[schedule-rows]");
  CHECK(rule_of([&](kernel& k) {
          whole(k, 96);
          k.schedule.resident = false;
        }) == "[schedule-rows]");
  CHECK(rule_of([](kernel& k) { k.schedule.row_threads = 256; }) == "[schedule-rows]");
  const auto elastic = [&](kernel& k, int threads) {
    whole(k, threads);
    k.schedule.elastic = true;
  };
  CHECK(rule_of([&](kernel& k) { elastic(k, 96); }) == "");
  CHECK(rule_of([&](kernel& k) { elastic(k, 48); }) == "[schedule-elastic]");
  CHECK(rule_of([&](kernel& k) {
          elastic(k, 128);
          k.schedule.row_threads = 32;
        }) == "[schedule-elastic]");
  CHECK(rule_of([](kernel& k) { k.schedule.elastic = true; }) == "[schedule-elastic]");
  CHECK(rule_of([](kernel& k) { k.schedule.ahead = 1024; }) == "[schedule-ahead]");
  kernel map = parse_kernel("kernel k\ntarget gpu, kept 1, reduced 0\n"
                            "schedule vector 2 unroll 2 threads 64 lanes kept tile 256 rows 1\n");
  CHECK(message_of(map) == "");
  kernel split = map, lanes = map, tile = map, none = map;
  split.schedule.split = true;
  CHECK(message_of(split).substr(0, 14) == "[schedule-map]");
  lanes.schedule.lanes = lane_axis::reduced;
  CHECK(message_of(lanes).substr(0, 14) == "[schedule-map]");
  tile.schedule.tile = 128;
  CHECK(message_of(tile).substr(0, 15) == "[schedule-tile]");
  none.schedule.tile = 0;
  CHECK(message_of(none).substr(0, 16) == "[schedule-block]");
}

TEST_CASE("Operands that move alike") {
  const std::string head =
      "kernel k\ntarget gpu, kept 2, reduced 0\nschedule vector 1 unroll 1 threads 64 lanes kept "
      "tile 64 rows 1\nin0 = input float32 [any, one]\n";
  const auto rule = [&](const std::string& operands) {
    const std::string m = message_of(parse_kernel(head + operands));
    return m.substr(0, m.find(']') + 1);
  };
  const std::string one = "in1 = input int8 [any, one] like in0\n";
  CHECK(rule(one + "out0 = output float32 [any, one] like in0\n") == "");
  CHECK(rule(one + "in2 = input int8 [any, one] like in1\n") == "[like]");
  CHECK(rule("in1 = input float32 [zero, one] like in0\n") == "[like]");
  CHECK(rule("ix0 = index int64 [any, one] like in0\n") == "[like]");
  CHECK(rule("in1 = input int8 [any, one] like in1\n") == "[like]");
  CHECK_THROWS_WITH(parse_kernel(head + "in1 = input int8 [any, one] like in2\n"),
                    says("an operand before this one expected"));
}

TEST_CASE("Inputs a few elements from each other") {
  const std::string head =
      "kernel k\ntarget gpu, kept 1, reduced 0\nschedule vector 4 unroll 1 lanes kept threads 256 "
      "tile 1024 rows 1\nin0 = input float32 [one]\n";
  const auto rule = [&](const std::string& operands) {
    const std::string m = message_of(parse_kernel(head + operands));
    return m.substr(0, m.find(']') + 1);
  };
  const std::string next = "in1 = input float32 [one] shifted by 3 like in0 turn -1 of in0\n";
  CHECK(rule(next) == "");
  CHECK(print(parse_kernel(head + next)).find(next) != std::string::npos);
  CHECK(rule(next + "in2 = input float32 [one] turn 2 of in1\n") == "[beside-base]");
  CHECK(rule("in1 = input int32 [one] turn 1 of in0\n") == "[beside-base]");
  CHECK(rule("in1 = input float32 [zero] turn 1 of in0\n") == "[beside]");
  CHECK(rule("out0 = output float32 [one] turn 1 of in0\n") == "[beside]");
}

TEST_CASE("Operands that take turns") {
  const std::string head =
      "kernel k\ntarget cpu, kept 1, reduced 0\nschedule vector 8 unroll 1 lanes kept tile 64 "
      "rows 1\nin0 = input float32 [any] apart 3\n";
  const auto rule = [&](const std::string& operands) {
    const std::string m = message_of(parse_kernel(head + operands));
    return m.substr(0, m.find(']') + 1);
  };
  const std::string next = "in1 = input float32 [any] apart 3 turn 1 of in0\n";
  CHECK(rule("") == "");
  CHECK(rule(next + "in2 = input float32 [any] apart 3 turn -1 of in0\n") == "");
  CHECK(rule(next + "in2 = input float32 [any] apart 3 turn -2 of in0\n") == "[turns]");
  CHECK(rule("in1 = input float32 [any] apart 3 turn 3 of in0\n") == "[turns]");
  CHECK(rule(next + "in2 = input float32 [any] apart 3 turn 1 of in1\n") == "[turn]");
  CHECK(rule("in1 = input int32 [any] apart 3 turn 1 of in0\n") == "[turn]");
  CHECK(rule("in1 = input float32 [any] apart 4 turn 1 of in0\n") == "[turn]");
  CHECK(rule("out0 = output float32 [any] apart 3 turn 1 of in0\n") == "[turn]");
  CHECK(rule("in1 = input float32 [any] apart 1\n") == "[apart]");
  CHECK(rule("in1 = input float32 [any] apart 17\n") == "[apart]");
  CHECK(rule("in1 = input float32 [one] apart 3\n") == "[apart]");
  CHECK(rule("in1 = input complex64 [any] apart 3\n") == "[apart]");
  CHECK(rule("in1 = input float32 [any] unravel 2 apart 3\n") == "[apart]");
  const kernel k = parse_kernel(head + next);
  CHECK(print(parse_kernel(print(k))) == print(k));
}

TEST_CASE("Flat maps") {
  const std::string head = "kernel k\ntarget gpu, kept 2, reduced 0\n";
  const std::string flat =
      "schedule vector 2 unroll 1 threads 64 lanes kept tile 128 flat rows 1\n";
  const std::string run = "out0 = output float32 [any, one]\n";
  const std::string row = "in0 = input float32 [zero, one] picked\n";
  const auto rule = [&](const std::string& text) {
    const std::string m = message_of(parse_kernel(text));
    return m.substr(0, m.find(']') + 1);
  };
  CHECK(rule(head + flat + run + row) == "");
  CHECK(rule(head + flat + run + "ix0 = index int64 [one, zero] picked\n") == "");
  CHECK(rule(head + flat + "out0 = output float32 [any, one] picked\n") == "[reach]");
  CHECK(rule(head + flat + "in0 = input float32 [one, any] unravel 2 picked\n") == "[reach]");
  const auto with = [&](const std::string& was, const std::string& is) {
    std::string text = flat;
    return text.replace(text.find(was), was.size(), is);
  };
  CHECK(rule(head + with(" flat", "") + run + row) == "[reach]");
  CHECK(rule(head + with("vector 2", "vector 1") + run) == "[schedule-flat]");
  CHECK(rule(head + with("flat", "tile_rows 2 tile_columns 64 flat") + run) == "[schedule-flat]");
  CHECK(rule("kernel k\ntarget gpu, kept 1, reduced 0\n" + flat) == "[schedule-flat]");
  CHECK(rule(head + flat + run + "in0 = input float32 [any, one]\n"
             "v0 = gather float32 -> float32 in0\n") == "[schedule-flat]");
  const kernel k = parse_kernel(head + flat + run + row);
  CHECK(print(parse_kernel(print(k))) == print(k));
  // A CPU's vector crosses the end of one row at most.
  const auto of_cpu = [&](const std::string& lanes, const std::string& operand) {
    return rule("kernel k\ntarget cpu, kept 2, reduced 0\nschedule vector 8 " + lanes +
                " tile 512 flat row_lanes 1 rows 1\n" + run + operand);
  };
  CHECK(of_cpu("unroll 1 lanes kept", row) == "");
  CHECK(of_cpu("unroll 2 lanes kept", row) == "[schedule-flat]");
  CHECK(of_cpu("unroll 1 lanes kept", "in0 = input float32 [one, any] picked\n") == "[reach]");
  CHECK(of_cpu("unroll 1 lanes kept", "in0 = input complex64 [zero, one] picked\n") == "[reach]");
}

TEST_CASE("Tiles of maps") {
  const std::string head = "kernel k\ntarget gpu, kept 2, reduced 0\n";
  const std::string tile = "schedule vector 2 unroll 2 threads 64 lanes kept tile 256 ";
  const std::string turned = "in0 = input float32 [one, any] turned\n";
  const std::string shifted = "in0 = input float32 [any, one] shifted\n";
  const std::string out = "out0 = output float32 [any, one]\n";
  const auto rule = [&](const std::string& rest, const std::string& operands) {
    const std::string m = message_of(parse_kernel(head + tile + rest + operands));
    return m.substr(0, m.find(']') + 1);
  };
  CHECK(rule("tile_rows 16 tile_columns 16 turn_vector 4 rows 1\n", turned) == "");
  CHECK(rule("tile_rows 8 tile_columns 32 lead 0 rows 1\n", out + shifted) == "");
  CHECK(rule("rows 1\n", shifted) == "");
  const std::string by = "in0 = input float32 [any, one] shifted by ";
  CHECK(rule("rows 1\n", by + "1\n") == "");
  CHECK(rule("rows 1\n", by + "2\n") == "[beyond]");
  CHECK(rule("tile_rows 8 tile_columns 16 rows 1\n", out) == "[schedule-tile]");
  CHECK(rule("tile_rows 256 tile_columns 1 rows 1\n", out) == "[schedule-tile]");
  CHECK(rule("rows 1\n", turned) == "[schedule-turn]");
  CHECK(rule("tile_rows 2 tile_columns 128 turn_vector 4 rows 1\n", turned) == "[schedule-turn]");
  CHECK(rule("lead 0 rows 1\n", out) == "[schedule-lead]");
  CHECK(rule("tile_rows 8 tile_columns 32 lead 1 rows 1\n", out) == "[schedule-lead]");
  CHECK(rule("tile_rows 8 tile_columns 32 lead 0 early 1 rows 1\n", out) == "");
  CHECK(rule("tile_rows 8 tile_columns 32 lead 0 early 2 rows 1\n", out) == "[schedule-early]");
  CHECK(rule("tile_rows 8 tile_columns 32 planes 4 rows 1\n", out) == "[schedule-planes]");
  CHECK(rule("planes 4 rows 1\n", out) == "[schedule-planes]");
  CHECK(rule("early 0 rows 1\n", out) == "[schedule-early]");
  CHECK(rule("tile_rows 16 tile_columns 16 lead 1 rows 1\n", turned + out) == "[schedule-lead]");
  CHECK(rule("rows 1\n", "in0 = input float32 [any, any] shifted\n") == "[reach]");
  CHECK(rule("rows 1\n", "out0 = output float32 [any, one] shifted\n") == "[reach]");
  CHECK(rule("tile_rows 16 tile_columns 16 rows 1\n", "in0 = input float32 [any, any] turned\n") ==
        "[reach]");
}

TEST_CASE("Arguments and types of instructions") {
  CHECK(rule_of([](kernel& k) { k.body[2].args[1] = 2; }) == "[arguments]");
  CHECK(rule_of([](kernel& k) { k.body[2].args[1] = -1; }) == "[arguments]");
  CHECK(rule_of([](kernel& k) { k.body[2].args[2] = 0; }) == "[arguments]");
  CHECK(rule_of([](kernel& k) { k.body[11].args[1] = 6; }) == "[arguments]");
  CHECK(rule_of([](kernel& k) { k.body[8].type = dtype::complex64; }) == "[complex]");
  CHECK(rule_of([](kernel& k) { k.body[8].note = 0; }) == "[note]");
  CHECK(rule_of([](kernel& k) { k.body[2].args[1] = 8; }) == "[arguments]");
  CHECK(rule_of([](kernel& k) { k.body[5].args[1] = 1, k.body[5].args[0] = 4; }) == "");
  CHECK(rule_of([](kernel& k) { k.body[11].args[0] = 7; }) == "[argument-type]");
  CHECK(rule_of([](kernel& k) { k.body[2].result = dtype::float64; }) == "[result]");
  CHECK(rule_of([](kernel& k) { k.body[2].code = op::fmax; }) == "[primitive]");
  CHECK(rule_of([](kernel& k) { k.body[2].code = op::bitwise_and; }) == "[primitive]");
  CHECK(rule_of([](kernel& k) { k.body[2].type = dtype::float16; }) == "[half]");
  CHECK(rule_of([](kernel& k) { k.body[8].result = dtype::int64; }) == "[constant]");
}

TEST_CASE("Operands of instructions") {
  CHECK(rule_of([](kernel& k) { k.body[0].which = 3; }) == "[operand]");
  CHECK(rule_of([](kernel& k) { k.body[0].which = 9; }) == "[operand]");
  CHECK(rule_of([](kernel& k) { k.body[6].which = 1; }) == "[operand]");
  CHECK(rule_of([](kernel& k) { k.body[7].which = 1; }) == "[operand]");
  CHECK(rule_of([](kernel& k) { k.body[7].result = dtype::int32; }) == "[index-type]");
  CHECK(rule_of([](kernel& k) { k.body[0].result = dtype::float64; }) == "[operand-type]");
  CHECK(rule_of([](kernel& k) { k.body[0].part = 1; }) == "[part]");
  CHECK(rule_of([](kernel& k) { k.body[1].which = -1; }) == "[scalar]");
  CHECK(rule_of([](kernel& k) { k.scalars[0] = dtype::int8; }) == "[scalar]");
  CHECK(rule_of([](kernel& k) { k.body[6].type = dtype::float64; }) == "[store-type]");
}

TEST_CASE("Random bits and reductions of a kernel") {
  CHECK(rule_of([](kernel& k) { k.body[9].result = dtype::int32; }) == "[random]");
  CHECK(rule_of([](kernel& k) { k.body[9].args[1] = 7; }) == "[random]");
  CHECK(rule_of([](kernel& k) { k.body[3].code = op::subtract; }) == "[reduce-op]");
  CHECK(rule_of([](kernel& k) {
          k.body[3].arg = true;
          k.body[3].result = dtype::int64;
        }) == "[reduce-arg]");
  CHECK(rule_of([](kernel& k) { k.body[3].result = dtype::float64; }) == "[result]");
  CHECK(rule_of([](kernel& k) { k.body[3].args[0] = 1; }) == "");
  const kernel map = parse_kernel(
      "kernel k\ntarget cpu, kept 1, reduced 0\n"
      "schedule vector 1 unroll 1 lanes kept tile 8 rows 1\n"
      "v0 = constant int8 1\nv1 = reduce add int8 v0\n");
  CHECK(message_of(map).substr(0, 8) == "[reduce]");
}

TEST_CASE("Stores that combine") {
  const std::string head =
      "kernel k\ntarget cpu, kept 1, reduced 0\n"
      "schedule vector 1 unroll 1 lanes kept tile 8 rows 1\n"
      "in0 = input int64 [one]\nin1 = input float16 [one]\n"
      "out0 = output int64 [zero]\nout1 = output float16 [zero]\n"
      "v0 = load int64 in0\nv1 = load float16 in1\n";
  const auto rule = [&](const std::string& line) {
    const kernel k = parse_kernel(head + line);
    CHECK(print(k) == head + line);
    const std::string m = message_of(k);
    return m.substr(0, m.find(']') + 1);
  };
  CHECK(rule("v2 = store by add int64 out0 v0 none v0\n") == "");
  CHECK(rule("v2 = store by add int64 out0 v0\n") == "[combine]");
  CHECK(rule("v2 = store by logical_not int64 out0 v0 none v0\n") == "[combine-op]");
  CHECK(rule("v2 = store by less int64 out0 v0 none v0\n") == "[combine-op]");
  CHECK(rule("v2 = store by add float16 out1 v1 none v0\n") == "[combine-op]");
}

TEST_CASE("Levels, and what a chunk may know") {
  CHECK(rule_of([](kernel& k) { k.body[2].inner = false; }) == "[level]");
  CHECK(rule_of([](kernel& k) { k.body[4].inner = true; }) == "[level]");
  CHECK(rule_of([](kernel& k) {
          k.body[6].args[0] = 2;
          k.body[6].inner = true;
        }) == "[store-level]");
  CHECK(rule_of([](kernel& k) { k.schedule.split = true; }) == "[split]");
  CHECK(rule_of([](kernel& k) {
          k.schedule.split = true;
          k.body[6].args[0] = 3;
        }) == "[split]");
  CHECK(rule_of([](kernel& k) {
          k.schedule.split = true;
          k.body[6].args[0] = 3;
          k.body[12].args[0] = 10;
        }) == "");
}

}  // namespace kernel_verify_test
