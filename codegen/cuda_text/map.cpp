#include <string_view>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/brought_rows.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/gathered_rows.hpp"
#include "codegen/cuda_text/guarded.hpp"
#include "codegen/cuda_text/operands.hpp"
#include "codegen/cuda_text/quick.hpp"
#include "ir/kernel_condition.hpp"

namespace sinter::codegen::cuda_text {
namespace {

class map_writer {
 public:
  map_writer(const ir::kernel& k, const char* block, const char* thread, writer& out)
      : kernel_(k),
        block_(block),
        thread_(thread),
        out_(out),
        accesses_(k, out),
        body_(k, out),
        used_(operands_of(k, every_inst(k))) {
    frame_.axis = k.kept - 1;
    frame_.vector = k.schedule.vector;
    frame_.unroll = k.schedule.unroll;
    frame_.partial = (k.kept == 1 || k.schedule.flat) && frame_.vector > 1;
    frame_.empty = frame_.unroll > 1;
    frame_.left = "left";
    const bool beside = k.kept == 1 && thread_ == std::string_view("threadIdx.x");
    if (beside) accesses_.write_runs_by_warps(k.schedule.threads);
  }

  void write() {
    if (ir::brings_rows(kernel_)) return write_by_rows();
    begin();
    leave_where_nothing_is_stored();
    load();
    compute();
  }

 private:
  /// Declares the thread's first element, and returns if there is none.
  void begin() {
    const int threads = kernel_.schedule.threads, vector = frame_.vector;
    const std::string first = frame_.unroll > 1 ? "first" : "i";
    const std::string thread = frame_.unroll > 1
                                   ? cat(block_, " * ", threads * frame_.unroll, " + ", thread_)
                                   : cat(block_, " * ", threads, " + ", thread_);
    out_.line("const unsigned n = (unsigned)", product_of_extents(0, kernel_.kept), ";");
    out_.line("const unsigned ", first, " = ",
              vector > 1 ? cat("(", thread, ") * ", vector) : thread, ";");
    out_.line("if (", first, " >= n) return;");
    write_distances(kernel_, out_);
    if (frame_.unroll == 1) position();
  }

  /// One thread per row; threads without a row help to load them.
  void write_by_rows() {
    const int threads = kernel_.schedule.threads;
    out_.line("const unsigned n = (unsigned)n0, first = ", block_, " * ", threads, ";");
    out_.line("const unsigned rows = n - first < ", threads, " ? n - first : ", threads, ";");
    write_brought_rows(kernel_, accesses_, out_);
    {
      const auto live = out_.block("if (", thread_, " < rows)");
      out_.line("const unsigned i = first + ", thread_, ";");
      position();
      load();
      compute();
    }
    write_rows_back(kernel_, out_);
  }

  void leave_where_nothing_is_stored() {
    const int condition = ir::condition_of(kernel_);
    if (condition < 0) return;
    const inst_list list = needed_for(kernel_, {condition}, every_inst(kernel_));
    const operand_list inputs = operands_of(kernel_, list).inputs;
    const auto before = out_.block();
    access_writer accesses(kernel_, out_);
    body_writer body(kernel_, out_);
    const frame one;
    accesses.offsets(inputs, 0, kernel_.kept);
    accesses.load(one, inputs);
    bind_operands(body, accesses, one, list);
    body.statements(list);
    out_.line("if (!(", body.value(condition), ")) return;");
  }

  /// Declares the vector's first element, how many follow, and its coordinates.
  void position() {
    if (frame_.unroll > 1) {
      out_.line("const unsigned i = first + u * ", kernel_.schedule.threads * frame_.vector, ";");
    }
    if (frame_.guarded()) out_.line("const int left = (int)(n - i);");
    accesses_.coordinates("i", 0, kernel_.kept);
    if (kernel_.schedule.row_lanes > 0) {
      accesses_.next_row(frame_);
    } else if (kernel_.schedule.flat) {
      accesses_.lane_coordinates(frame_);
    }
  }

  /// All loads precede the first store: a dying input may be an output.
  void load() {
    if (used_.inputs.empty()) return;
    if (frame_.unroll > 1) accesses_.registers(frame_, used_.inputs);
    const auto vectors = out_.lanes("u", frame_.unroll);
    if (frame_.unroll > 1) position();
    accesses_.offsets(used_.inputs, 0, kernel_.kept);
    accesses_.inside(frame_, used_.inputs);
    accesses_.load(frame_, used_.inputs);
  }

  void compute() {
    const inst_list all = every_inst(kernel_);
    const auto vectors = out_.lanes("u", frame_.unroll);
    if (frame_.unroll > 1) position();
    accesses_.offsets(used_.indices, 0, kernel_.kept);
    accesses_.offsets(used_.gathered, 0, kernel_.kept);
    accesses_.offsets(used_.outputs, 0, kernel_.kept);
    accesses_.registers(one_vector(), used_.outputs);
    bind_operands(body_, accesses_, frame_, all);
    write_random_runs(body_, accesses_, frame_, all, out_);
    write_guarded_vectors(body_, accesses_, frame_, all, out_);
    write_gathered_rows(body_, accesses_, frame_, all, out_);
    write_lanes(body_, accesses_, one_vector(), all, out_);
    accesses_.store(one_vector(), used_.outputs);
  }

  /// Outputs are in registers for one vector only.
  frame one_vector() const {
    frame f = frame_;
    f.unroll = 1;
    return f;
  }

  const ir::kernel& kernel_;
  const char* const block_;
  const char* const thread_;
  writer& out_;
  access_writer accesses_;
  body_writer body_;
  frame frame_;
  operand_sets used_;
};

}  // namespace

void write_map(const ir::kernel& k, const char* block, const char* thread, writer& out) {
  map_writer(k, block, thread, out).write();
}

}  // namespace sinter::codegen::cuda_text
