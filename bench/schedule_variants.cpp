// Times variants of the schedules that ir/passes/shape.cpp chooses: the source of its constants.
// Without a GPU the texts are only compiled, for sm_90.
//
//   schedule_variants [--json FILE] [--quick]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "bench/support/bench.hpp"
#include "codegen/cuda_text/emit.hpp"
#include "codegen/nvrtc/compiler.hpp"
#include "engine/evaluation/session.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"

namespace ir = sinter::ir;

namespace {

using schedule_list = std::vector<std::pair<std::string, std::function<void(ir::schedule&)>>>;

struct experiment {
  std::string name, graph;
  double bytes;
  schedule_list variants;  // in addition to the pass's choice
};

std::string list(std::vector<std::int64_t> values) {
  std::string text;
  for (std::int64_t v : values) text += (text.empty() ? "[" : ", ") + std::to_string(v);
  return text + "]";
}

// ---- variants

auto tile(int rows, int columns, int vector, int turn_vector, int threads) {
  return [=](ir::schedule& s) {
    s.tile_rows = rows, s.tile_columns = columns, s.vector = vector, s.turn_vector = turn_vector;
    s.threads = threads;
    s.tile = std::int64_t{rows} * columns;
    s.unroll = rows * columns / (threads * vector);
  };
}

auto rows(int row_threads, int vector, int unroll, bool resident, int threads) {
  return [=](ir::schedule& s) {
    s.row_threads = row_threads, s.vector = vector, s.unroll = unroll, s.resident = resident;
    s.threads = std::max(threads, row_threads);
    s.rows = s.threads / s.row_threads;
  };
}

auto columns(int threads, int walkers, int vector, int unroll) {
  return [=](ir::schedule& s) {
    s.threads = threads, s.row_threads = walkers, s.vector = vector, s.unroll = unroll;
    s.rows = threads / walkers * vector;
  };
}

experiment transpose(const std::string& type, std::int64_t n, double size, schedule_list variants) {
  const std::string shape = list({n, n});
  return {"transpose of " + type,
          "%0 = source " + type + " " + shape + "\n%1 = view " + type + " " + shape +
              " (%0) strides " + list({1, n}) + "\n%2 = map " + type + " " + shape +
              " (%1) { v1 = minimum " + type + " v0 v0 }\nreturn %2\n",
          2 * size * static_cast<double>(n * n), std::move(variants)};
}

/// A map over a sum and a maximum of its row.
experiment softmax(const std::string& type, std::int64_t count, std::int64_t length,
                   schedule_list variants) {
  const std::string all = list({count, length}), one = list({count}), wide = " float32 ";
  const bool half = type != "float32";
  std::string text = "%0 = source " + type + " " + all + "\n";
  text += "%1 = map float32 " + all +
          " (%0) { v1 = " + (half ? "cast " + type + " -> float32 v0" : "add float32 v0 v0") +
          " }\n";
  text += "%2 = reduce float32 " + one + " (%1) maximum over [1]\n%3 = view float32 " + all +
          " (%2) strides [1, 0]\n%4 = map float32 " + all +
          " (%1, %3) { v2 = subtract float32 v0 v1; v3 = exp float32 v2 }\n%5 = reduce float32 " +
          one + " (%4) add over [1]\n%6 = view float32 " + all + " (%5) strides [1, 0]\n%7 = map " +
          type + " " + all + " (%4, %6) { v2 = divide float32 v0 v1" +
          (half ? "; v3 = cast float32 -> " + type + " v2" : "") + " }\nreturn %7\n";
  return {"softmax " + type + " " + all, text,
          (half ? 4.0 : 8.0) * static_cast<double>(count * length), std::move(variants)};
}

experiment sums(std::int64_t count, std::int64_t length, bool by_row, schedule_list variants) {
  const std::string one = list({by_row ? count : length});
  return {std::string("sums of ") + (by_row ? "rows " : "columns ") + list({count, length}),
          "%0 = source float32 " + list({count, length}) + "\n%1 = reduce float32 " + one +
              " (%0) add over " + (by_row ? "[1]" : "[0]") + "\nreturn %1\n",
          4.0 * static_cast<double>(count * length), std::move(variants)};
}

experiment jacobi(std::int64_t n, schedule_list variants) {
  const std::string shape = list({n - 2, n - 2}), strides = " strides " + list({n, 1});
  std::string text = "%0 = source float32 " + list({n, n}) + "\n";
  const std::int64_t offsets[] = {n + 1, n, n + 2, 1, 2 * n + 1};
  for (int i = 0; i < 5; ++i) {
    text += "%" + std::to_string(i + 1) + " = view float32 " + shape + " (%0) offset " +
            std::to_string(offsets[i]) + strides + "\n";
  }
  text += "%6 = map float32 " + shape + " (%1, %2, %3, %4, %5) { v5 = add float32 v0 v1; " +
          "v6 = add float32 v5 v2; v7 = add float32 v6 v3; v8 = add float32 v7 v4 }\nreturn %6\n";
  return {"jacobi " + list({n, n}), text, 8.0 * static_cast<double>(n * n), std::move(variants)};
}

std::vector<experiment> experiments(std::int64_t side) {
  const std::int64_t n = side * side;
  std::vector<experiment> all = {
      transpose("float32", side, 4,
                {{"32x32 v4", tile(32, 32, 4, 4, 256)},
                 {"32x32 v4 t128", tile(32, 32, 4, 4, 128)},
                 {"64x32 v4", tile(64, 32, 4, 4, 256)},
                 {"32x64 v4", tile(32, 64, 4, 4, 256)},
                 {"64x64 v4 t512", tile(64, 64, 4, 4, 512)},
                 {"64x64 v4 t1024", tile(64, 64, 4, 4, 1024)},
                 {"64x64 v2", tile(64, 64, 2, 2, 256)},
                 {"32x32 v1", tile(32, 32, 1, 1, 256)},
                 {"64x64 v1 t512", tile(64, 64, 1, 1, 512)}}),
      transpose("float64", side / 2, 8,
                {{"32x32 v1", tile(32, 32, 1, 1, 256)},
                 {"32x32 v2 t512", tile(32, 32, 2, 2, 512)},
                 {"64x32 v2", tile(64, 32, 2, 2, 256)},
                 {"32x16 v2", tile(32, 16, 2, 2, 256)}}),
      transpose("int16", side, 2,
                {{"64x64 v2 t512", tile(64, 64, 2, 2, 512)},
                 {"128x64 v2 t512", tile(128, 64, 2, 2, 512)},
                 {"64x64 v4 t256", tile(64, 64, 4, 4, 256)},
                 {"128x128 v2 t1024", tile(128, 128, 2, 2, 1024)},
                 {"128x128 v4 t1024", tile(128, 128, 4, 4, 1024)},
                 {"64x64 v8 t256", tile(64, 64, 8, 8, 256)}}),
      transpose("int8", side, 1,
                {{"128x128 v4 t1024", tile(128, 128, 4, 4, 1024)},
                 {"128x128 v4 t256", tile(128, 128, 4, 4, 256)},
                 {"128x128 v8 t512", tile(128, 128, 8, 8, 512)},
                 {"128x64 v4 t512", tile(128, 64, 4, 4, 512)},
                 {"64x64 v4 t256", tile(64, 64, 4, 4, 256)}}),
      jacobi(side, {{"4x256", tile(4, 256, 4, 1, 256)},
                    {"16x64", tile(16, 64, 4, 1, 256)},
                    {"16x128 u2", tile(16, 128, 4, 1, 256)},
                    {"32x128 u4", tile(32, 128, 4, 1, 256)},
                    {"8x128 v2 u2", tile(8, 128, 2, 1, 256)},
                    {"4x128 t128", tile(4, 128, 4, 1, 128)}}),
      sums(side, side, false,
           {{"256/32 v4 u4", columns(256, 32, 4, 4)},
            {"256/16 v4 u2", columns(256, 16, 4, 2)},
            {"256/16 v4 u4", columns(256, 16, 4, 4)},
            {"256/8 v4 u4", columns(256, 8, 4, 4)},
            {"512/32 v4 u2", columns(512, 32, 4, 2)},
            {"512/16 v4 u4", columns(512, 16, 4, 4)},
            {"512/64 v4 u2", columns(512, 64, 4, 2)},
            {"256/8 v2 u8", columns(256, 8, 2, 8)},
            {"256/8 v1 u8", columns(256, 8, 1, 8)}}),
      sums(1, n, true,
           {{"256 v4 u8", rows(256, 4, 8, false, 256)},
            {"512 v4 u4", rows(512, 4, 4, false, 512)},
            {"256 v4 u2", rows(256, 4, 2, false, 256)},
            {"128 v4 u4", rows(128, 4, 4, false, 128)}}),
      sums(n / 256, 256, true,
           {{"8 v4 u8", rows(8, 4, 8, false, 256)},
            {"16 v4 u4 t256", rows(16, 4, 4, false, 256)},
            {"32 v4 u2", rows(32, 4, 2, false, 128)}}),
  };
  for (const char* type : {"float32", "bfloat16"}) {
    const int v = type[0] == 'f' ? 4 : 8;
    const auto softmaxes = [&](std::int64_t length, schedule_list variants) {
      variants.push_back({"again 256 u4", rows(256, v, 4, false, 256)});
      variants.push_back({"again 512 u4", rows(512, v, 4, false, 512)});
      variants.push_back({"again 1024 u2", rows(1024, v, 2, false, 1024)});
      variants.push_back({"again 1024 u4", rows(1024, v, 4, false, 1024)});
      all.push_back(softmax(type, n / length, length, std::move(variants)));
    };
    const int w = v / 4;  // rows of halves need half the threads
    softmaxes(256, {{"32 u2", rows(32 / w, v, 2, true, 128)},
                    {"64 u1", rows(64 / w, v, 1, true, 128)},
                    {"16 u4 t256", rows(16 / w, v, 4, true, 256)},
                    {"32 u2 t256", rows(32 / w, v, 2, true, 256)}});
    softmaxes(1024, {{"32 u8", rows(32 / w, v, 8, true, 128)},
                     {"64 u4", rows(64 / w, v, 4, true, 128)},
                     {"128 u2", rows(128 / w, v, 2, true, 128)},
                     {"64 u4 t64", rows(64 / w, v, 4, true, 64)}});
    softmaxes(8192, {{"512 u4", rows(512 / w, v, 4, true, 128)},
                     {"256 u8", rows(256 / w, v, 8, true, 128)},
                     {"1024 u2", rows(1024 / w, v, 2, true, 128)}});
    softmaxes(10000, {{"512 u8", rows(512 / w, v, 8, true, 128)},
                      {"1024 u4", rows(1024 / w, v, 4, true, 128)}});
    softmaxes(16384, {{"1024 u4", rows(1024 / w, v, 4, true, 128)},
                      {"512 u8", rows(512 / w, v, 8, true, 128)}});
    softmaxes(32768, {{"1024 u8", rows(1024 / w, v, 8, true, 128)},
                      {"512 u16", rows(512 / w, v, 16, true, 128)}});
    softmaxes(131072, {});
  }
  return all;
}

// ---- one kernel, modified

class runner {
 public:
  runner(const std::string& graph, const ir::machine& m, sinter::runtime::device* device,
         const sinter::codegen::nvrtc_compiler& compiler)
      : plan_(ir::make_plan(ir::parse_graph(graph), m)), device_(device), compiler_(compiler) {
    for (const ir::plan_buffer& b : plan_.buffers) {
      if (!device_) break;
      const auto bytes = static_cast<std::size_t>(b.count) * sinter::size_of(b.type);
      buffers_.push_back(device_->allocate(bytes));
    }
  }

  const ir::schedule& chosen() const { return plan_.kernels[0].schedule; }

  /// All steps of the plan, with another schedule for the first kernel.
  std::function<void()> with(const ir::schedule& s) const {
    std::vector<std::function<void()>> launches;
    for (const ir::plan_step& step : plan_.steps) {
      ir::kernel k = plan_.kernels[static_cast<std::size_t>(step.kernel)];
      if (step.kernel == 0) k.schedule = s;
      ir::verify(k);
      const auto image = compiler_.compile_text(sinter::codegen::emit_cuda(k),
                                                sinter::codegen::nvrtc_library::image_kind::cubin);
      if (!device_) continue;
      launches.push_back([device = device_, code = device_->load(image, "kernel"),
                          blocks = blocks(k, step), threads = k.schedule.threads,
                          slots = slots(step)] {
        device->launch(*code, {blocks, threads, "variant", ""}, slots);
      });
    }
    return [launches] {
      for (const auto& launch : launches) launch();
    };
  }

 private:
  static std::int64_t blocks(const ir::kernel& k, const ir::plan_step& step) {
    std::vector<std::int64_t> extents;
    std::int64_t splits = 1;
    const auto kinds = ir::slots_of(k);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const auto number = static_cast<std::int64_t>(step.slots[i].bits);
      if (kinds[i].kind == ir::slot_kind::extent) extents.push_back(number);
      if (kinds[i].kind == ir::slot_kind::splits) splits = number;
    }
    return ir::blocks_of(k, extents, splits);
  }

  std::vector<std::uint64_t> slots(const ir::plan_step& step) const {
    std::vector<std::uint64_t> packed;
    for (const ir::slot_value& v : step.slots) {
      std::uint64_t word = v.bits;
      if (v.what == ir::slot_value::from::pointer) {
        void* const data = buffers_[static_cast<std::size_t>(v.index)]->data();
        word += reinterpret_cast<std::uintptr_t>(data);
      }
      packed.push_back(word);
    }
    return packed;
  }

  ir::plan plan_;
  sinter::runtime::device* device_;
  const sinter::codegen::nvrtc_compiler& compiler_;
  std::vector<std::shared_ptr<sinter::runtime::buffer>> buffers_;
};

std::string words(const ir::schedule& s) {
  std::string text = "chosen: v" + std::to_string(s.vector) + " u" + std::to_string(s.unroll) +
                     " t" + std::to_string(s.threads);
  if (s.row_threads) text += " r" + std::to_string(s.row_threads);
  if (s.tile_rows) text += " " + std::to_string(s.tile_rows) + "x" + std::to_string(s.tile_columns);
  return text + (s.resident ? " resident" : "") + (s.split ? " split" : "");
}

void compare(const experiment& e, const ir::machine& m, sinter::runtime::device* device,
             const sinter::codegen::nvrtc_compiler& compiler, const bench::options& o,
             bench::report& out) {
  const runner r(e.graph, m, device, compiler);
  std::vector<std::string> names = {words(r.chosen())};
  std::vector<std::function<void()>> turns = {r.with(r.chosen())};
  for (const auto& [name, change] : e.variants) {
    ir::schedule s = r.chosen();
    change(s);
    try {
      turns.push_back(r.with(s));
      names.push_back(name);
    } catch (const std::exception& problem) {
      std::printf("  %s: %s\n", name.c_str(), problem.what());
    }
  }
  std::printf("%s\n", e.name.c_str());
  if (!device) return;
  const auto seconds = bench::seconds_of(turns, o.quick ? 0.01 : 0.04);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("  %-34s %9.3f us %8.1f GB/s\n", names[i].c_str(), seconds[i] * 1e6,
                e.bytes / seconds[i] * 1e-9);
    bench::record line("schedule_variants");
    out.add(line.text("name", e.name)
                .text("variant", names[i])
                .number("seconds", seconds[i])
                .number("bytes_per_second", e.bytes / seconds[i]));
  }
  std::fflush(stdout);
}

int run(const bench::options& o) {
  bench::report out(o);
  ir::machine machine;
  sinter::runtime::device* device = nullptr;
  std::string architecture = "sm_90";
  if (sinter::current_device().what == sinter::device::kind::cuda) {
    auto& target = sinter::detail::the_session().current();
    machine = target.machine;
    device = target.device.get();
    architecture = device->properties().architecture;
  } else {
    machine = sinter::detail::nominal_machine();
  }
  const sinter::codegen::nvrtc_compiler compiler(architecture);
  for (const experiment& e : experiments(o.quick ? 2048 : 16384)) {
    compare(e, machine, device, compiler, o, out);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) { return bench::program(run, count, arguments); }
