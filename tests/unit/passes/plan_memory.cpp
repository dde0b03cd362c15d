// Which buffers of a plan share memory. Buffers are named by role: "source 0", ...
#include "ir/passes/plan_memory.hpp"

#include <map>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace plan_memory_test {

using namespace passes_tests;

namespace {

using role = ir::plan_buffer::role;

/// Allocated buffers: no sources, and none that share memory.
int allocated(const ir::plan& p) {
  int n = 0;
  for (const ir::plan_buffer& b : p.buffers) n += b.what != role::source && b.shares < 0;
  return n;
}

/// The source whose memory the first output may take, or -1.
int donor(const std::string& text) {
  const ir::plan p = plan_of(text);
  const std::int32_t d = p.buffers[static_cast<std::size_t>(p.outputs.at(0))].donor;
  return d < 0 ? -1 : p.buffers[static_cast<std::size_t>(d)].index;
}

std::string products(int n) {
  std::string text = "%0 = source float32 [64, 64]\n";
  for (int i = 1; i <= n; ++i) {
    text += "%" + std::to_string(i) + " = call float32 [64, 64] (%" + std::to_string(i - 1) +
            ", %0) matmul\n";
  }
  return text + "return %" + std::to_string(n) + "\n";
}

}  // namespace

TEST_CASE("plan_memory: a chain of products takes turns in two buffers") {
  CHECK(allocated(plan_of(products(2))) == 2);
  CHECK(allocated(plan_of(products(10))) == 3);  // the output has its own memory
}

TEST_CASE("plan_memory: shared memory belongs to a buffer that has some") {
  const ir::plan p = plan_of(products(10));
  for (const ir::plan_buffer& b : p.buffers) {
    if (b.shares < 0) continue;
    const ir::plan_buffer& owner = p.buffers[static_cast<std::size_t>(b.shares)];
    CHECK(owner.shares < 0);
    CHECK(owner.what != role::source);
    CHECK(owner.count * static_cast<ir::extent>(size_of(owner.type)) >=
          b.count * static_cast<ir::extent>(size_of(b.type)));
  }
}

TEST_CASE("plan_memory: much larger memory is not wasted on a small buffer") {
  const ir::plan p = plan_of(R"(%0 = source float32 [512, 512]
%1 = call float32 [512, 512] (%0, %0) matmul
%2 = view float32 [4, 4] (%1) strides [512, 1]
%3 = map float32 [4, 4] (%2) { v1 = exp float32 v0 }
%4 = call float32 [4, 4] (%3, %3) matmul
%5 = call float32 [4, 4] (%4, %3) matmul
return %5
)");
  for (const ir::plan_buffer& b : p.buffers) {
    if (b.shares >= 0) CHECK(p.buffers[static_cast<std::size_t>(b.shares)].count == b.count);
  }
}

TEST_CASE("plan_memory: a source that is read where the output is written may be donated") {
  CHECK(donor(R"(%0 = source float32 [64]
%1 = source float32 [64]
%2 = map float32 [64] (%1) { v1 = exp float32 v0 }
return %2
)") == 1);
}

TEST_CASE("plan_memory: no donation of another size, read elsewhere, or needed later") {
  CHECK(donor(R"(%0 = source float32 [64]
%1 = map float64 [64] (%0) { v1 = cast float32 -> float64 v0 }
return %1
)") == -1);
  CHECK(donor(R"(%0 = source float32 [64]
%1 = view float32 [64] (%0) offset 63 strides [-1]
%2 = map float32 [64] (%0, %1) { v2 = add float32 v0 v1 }
return %2
)") == -1);
  CHECK(donor(R"(%0 = source float32 [64]
%1 = map float32 [64] (%0) { v1 = exp float32 v0 }
return %1, %0
)") == -1);
  CHECK(donor(R"(%0 = source float32 [64]
%1 = map float32 [64] (%0) { v1 = exp float32 v0 }
%2 = view float32 [63] (%0) offset 1 strides [1]
%3 = map float32 [63] (%2) { v1 = sin float32 v0 }
return %1, %3
)") == -1);
}

TEST_CASE("plan_memory: what is loaded behind the first output's store is not written over by it") {
  const std::string pair = R"(%0 = source int32 [64]
%1 = source float32 [64]
%2 = map float32 [64] (%0) { v1 = cast int32 -> float32 v0; v2 = exp float32 v1 }
%3 = map int32 [64] (%0, %1) { v2 = cast float32 -> int32 v1; v3 = add int32 v0 v2 }
)";
  CHECK(donor(pair + "return %2, %3\n") == 0);  // both have loaded it by then
  const ir::plan p = plan_of(R"(%0 = source uint8 [64]
%1 = source int64 [64]
%2 = source bool [64]
%3 = gather uint8 [64] (%0, %1, %2) strides [0] check 0
return %3
)");
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.buffers[static_cast<std::size_t>(p.outputs.at(0))].donor == -1);
}

TEST_CASE("plan_memory: a source is given away once") {
  const ir::plan p = plan_of(R"(%0 = source float32 [64]
%1 = map float32 [64] (%0) { v1 = exp float32 v0 }
%2 = map float32 [64] (%0) { v1 = sin float32 v0 }
return %1, %2
)");
  REQUIRE(p.kernels.size() == 1);
  int given = 0;
  for (const ir::plan_buffer& b : p.buffers) given += b.donor >= 0;
  CHECK(given == 1);
}

TEST_CASE("plan_memory: an update takes over its base, if the value does not read it") {
  const std::string base = "%0 = source float32 [64]\n%1 = source float32 [8]\n";
  CHECK(donor(base + R"(%2 = update float32 [64] (%0, %1) strides [2]
return %2
)") == 0);
  CHECK(donor(base + R"(%2 = view float32 [8] (%0) offset 1 strides [1]
%3 = update float32 [64] (%0, %2) strides [1]
return %3
)") == -1);
}

TEST_CASE("plan_memory: values at places take over their base, also if they are made of it") {
  const auto of = [](const std::string& extent, const std::string& read) {
    return "%0 = source float32 [" + extent +
           "]\n%1 = source int64 [8]\n%2 = gather float32 [8] (" + read +
           ", %1) strides [0]\n%3 = map float32 [8] (%2) { v1 = exp float32 v0 }\n" +
           "%4 = scatter float32 [" + extent + "] (%0, %1, %3) cast strides [0]\nreturn %4\n";
  };
  CHECK(donor(of("64", "%0")) == 0);
  CHECK(plan_of(of("64", "%0")).kernels.size() == 2);
  CHECK(donor(of("16", "%0")) == -1);  // a copy is as cheap
  CHECK(plan_of(of("16", "%0")).kernels.size() == 1);
}

TEST_CASE("plan_memory: so does one by a scan, whose threads read what others write") {
  const auto of = [](const std::string& read) {
    return donor("%0 = source float32 [8, 200]\n%1 = source float32 [8, 100]\n"
                 "%2 = view float32 [8, 100] (" + read + ") strides [100, 1]\n"
                 "%3 = map float32 [8, 100] (%1, %2) { v2 = add float32 v0 v1 }\n"
                 "%4 = scan float32 [8, 100] (%3) add over [1]\n"
                 "%5 = update float32 [8, 200] (%0, %4) offset 100 strides [200, 1]\nreturn %5\n");
  };
  CHECK(of("%1") == 0);
  CHECK(of("%0") == -1);
  // The state words of a chunked scan are cleared after the copy of the base.
  const ir::plan chained = plan_of(R"(%0 = source float32 [20000000]
%1 = source float32 [10000000]
%2 = scan float32 [10000000] (%1) add over [0]
%3 = update float32 [20000000] (%0, %2) strides [1]
return %3
)",
                                   gpu());
  CHECK(chained.kernels.size() == 2);
  CHECK(chained.buffers[static_cast<std::size_t>(chained.outputs.at(0))].donor == 0);
}

TEST_CASE("plan_memory: what rows come to is written into memory that its kernel does not read") {
  const std::string arrays = "%0 = source float32 [64]\n%1 = source float32 [8, 100]\n";
  const std::string sums = arrays + R"(%2 = reduce float32 [8] (%1) add over [1]
%3 = update float32 [64] (%0, %2) offset 3 strides [2]
return %3
)";
  CHECK(plan_of(sums).kernels.size() == 1);
  CHECK(donor(sums) == 0);
  // Added to or computed from the old elements: a kernel of its own, in place.
  const std::string more = arrays + R"(%2 = reduce float32 [8] (%1) add over [1]
%3 = view float32 [8] (%0) offset 3 strides [2]
%4 = map float32 [8] (%2, %3) { v2 = add float32 v0 v1 }
%5 = update float32 [64] (%0, %4) offset 3 strides [2]
return %5
)";
  CHECK(plan_of(more).kernels.size() == 2);
  CHECK(donor(more) == 0);
  const std::string made = arrays + R"(%2 = view float32 [8, 100] (%0) strides [1, 0]
%3 = map float32 [8, 100] (%1, %2) { v2 = add float32 v0 v1 }
%4 = reduce float32 [8] (%3) add over [1]
%5 = update float32 [64] (%0, %4) offset 3 strides [2]
return %5
)";
  CHECK(plan_of(made).kernels.size() == 2);
  CHECK(donor(made) == 0);
}

TEST_CASE("plan_memory: parts of a sum stay out of the array that it is written into") {
  // as long as the summed array, which once made the base look like one of the results
  const ir::plan p = plan_of("%0 = source float32 [1000000]\n%1 = source float32 [1000000]\n"
                             "%2 = reduce float32 [] (%0) add over [0]\n"
                             "%3 = update float32 [1000000] (%1, %2) offset 7 strides []\n"
                             "return %3\n",
                             gpu());
  REQUIRE(p.kernels.size() == 2);
  const ir::plan_step& parts = p.steps[p.steps.size() - 2];
  REQUIRE(parts.outputs.size() == 1);
  const auto& to = p.buffers[static_cast<std::size_t>(parts.outputs[0])];
  CHECK(to.what == ir::plan_buffer::role::temporary);
  CHECK(p.steps.back().inputs == parts.outputs);
}

TEST_CASE("plan_memory: rows are normalised into a slice by the kernel that sums them") {
  const std::string text = R"(%0 = source float32 [8, 300]
%1 = source float32 [8, 100]
%2 = reduce float32 [8] (%1) add over [1]
%3 = view float32 [8, 100] (%2) strides [1, 0]
%4 = map float32 [8, 100] (%1, %3) { v2 = divide float32 v0 v1 }
%5 = update float32 [8, 300] (%0, %4) offset 7 strides [300, 2]
return %5
)";
  CHECK(plan_of(text).kernels.size() == 1);
  CHECK(donor(text) == 0);
}

TEST_CASE("plan_memory: a temporary that dies where an output is written gives it its memory") {
  const ir::plan p = plan_of(R"(%0 = source float32 [64, 64]
%1 = call float32 [64, 64] (%0, %0) matmul
%2 = map float32 [64, 64] (%1) { v1 = exp float32 v0 }
return %2
)");
  CHECK(allocated(p) == 1);
}

TEST_CASE("plan_memory: what is returned is kept, however early it was made") {
  const ir::plan p = plan_of(R"(%0 = source float32 [64, 64]
%1 = call float32 [64, 64] (%0, %0) matmul
%2 = call float32 [64, 64] (%1, %0) matmul
%3 = call float32 [64, 64] (%2, %0) matmul
return %1, %3
)");
  for (const ir::plan_buffer& b : p.buffers) {
    if (b.what == role::temporary && b.shares >= 0) {
      CHECK(p.buffers[static_cast<std::size_t>(b.shares)].what == role::temporary);
    }
  }
  CHECK(allocated(p) == 3);
}

TEST_CASE("plan_memory: of the free memory that fits the smallest is taken") {
  ir::plan p;
  const auto buffer = [&](role what, ir::extent count) {
    ir::plan_buffer b;
    b.what = what;
    b.type = sinter::dtype::float32;
    b.count = count;
    p.buffers.push_back(b);
    return static_cast<std::int32_t>(p.buffers.size()) - 1;
  };
  const auto step = [&](std::vector<std::int32_t> inputs, std::int32_t output) {
    ir::plan_step s;
    s.what = ir::plan_step::kind::call;
    s.inputs = std::move(inputs);
    s.outputs = {output};
    p.steps.push_back(s);
  };
  const auto x = buffer(role::source, 1000);
  const auto large = buffer(role::temporary, 1600), small = buffer(role::temporary, 1024);
  const auto both = buffer(role::temporary, 100000), next = buffer(role::temporary, 1000);
  const auto out = buffer(role::output, 1000);
  step({x}, large);
  step({x}, small);
  step({large, small}, both);
  step({both}, next);
  step({next}, out);
  p.outputs = {out};
  ir::plan_memory(p);
  CHECK(p.buffers[static_cast<std::size_t>(next)].shares == small);
  CHECK(p.buffers[static_cast<std::size_t>(both)].shares < 0);
  CHECK(p.buffers[static_cast<std::size_t>(out)].shares < 0);
}

TEST_CASE("plan_memory: memory of a source is never a temporary's") {
  const ir::plan p = plan_of(R"(%0 = source float32 [64, 64]
%1 = call float32 [64, 64] (%0, %0) matmul
%2 = call float32 [64, 64] (%1, %1) matmul
%3 = call float32 [64, 64] (%2, %2) matmul
return %3
)");
  for (const ir::plan_buffer& b : p.buffers) {
    if (b.shares >= 0) {
      CHECK(p.buffers[static_cast<std::size_t>(b.shares)].what != role::source);
    }
    CHECK(b.donor < 0);
  }
}

}  // namespace plan_memory_test
