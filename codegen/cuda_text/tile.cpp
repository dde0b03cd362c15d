// Maps whose blocks are rectangles: for transposed operands, which are transposed in shared memory,
// and for rows that begin anywhere in memory.

#include <algorithm>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/gathered_rows.hpp"
#include "codegen/cuda_text/guarded.hpp"
#include "codegen/cuda_text/operands.hpp"
#include "codegen/cuda_text/quick.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// A line of memory that adjacent threads share. If a tile's pitch is one word more than its
/// height, and a warp covers as many such lines as vectors have lanes, neither way through shared
/// memory has bank conflicts.
constexpr int line_bytes = 128;

class tile_writer {
 public:
  tile_writer(const ir::kernel& k, const char* block, const char* thread, writer& out)
      : kernel_(k),
        block_(block),
        thread_(thread),
        out_(out),
        accesses_(k, out),
        body_(k, out),
        s_(k.schedule),
        together_(ir::turned_together(k)) {
    frame_.axis = k.kept - 1;
    frame_.vector = s_.vector;
    frame_.unroll = s_.unroll;
    frame_.partial = s_.vector > 1 && (s_.lead >= 0 || k.kept == 1);
    frame_.empty = true;
    frame_.left = "left";
    turn_frame_ = frame_;
    turn_frame_.axis = k.kept - 2;
    turn_frame_.vector = s_.turn_vector;
    turn_frame_.unroll = s_.tile_rows * s_.tile_columns / (s_.threads * s_.turn_vector);
    turn_frame_.partial = false;
    const operand_sets used = operands_of(k, every_inst(k));
    indices_ = used.indices, outputs_ = used.outputs, gathered_ = used.gathered;
    for (int which : used.inputs) {
      (at(which).reach == ir::reach::turned ? turned_ : inputs_).push_back(which);
    }
  }

  void write() {
    begin();
    const auto planes = each_plane();
    load_turned();
    load();
    turn();
    compute();
  }

 private:
  const ir::operand& at(int which) const {
    return kernel_.operands[static_cast<std::size_t>(which)];
  }
  std::string axis_name(int back) const { return cat("n", kernel_.kept - back); }

  /// Declares the corner of the block.
  void begin() {
    const int early = s_.lead < 0 ? 0 : s_.early >= 0 ? s_.early : s_.vector - 1;
    const int width = s_.tile_columns;
    write_distances(kernel_, out_);
    out_.line("const unsigned across = ((unsigned)", axis_name(1), " + ", width - 1 + early, ") / ",
              width, ";");
    out_.line("const unsigned down = ", block_, " / across;");
    out_.line("const unsigned x0 = (", block_, " - down * across) * ", width, ";");
    if (s_.planes > 1) return begin_box();
    if (!ir::turns(kernel_)) {
      if (kernel_.kept == 1) return;
      out_.line("const unsigned rows = (unsigned)", product_of_extents(0, kernel_.kept - 1), ";");
      out_.line("const unsigned y0 = down * ", s_.tile_rows, ";");
      return;
    }
    if (kernel_.kept == 2) {
      out_.line("const unsigned y0 = down * ", s_.tile_rows, ";");
      return;
    }
    out_.line("const unsigned tall = ((unsigned)", axis_name(2), " + ", s_.tile_rows - 1, ") / ",
              s_.tile_rows, ";");
    out_.line("const unsigned batch = down / tall;");
    out_.line("const unsigned y0 = (down - batch * tall) * ", s_.tile_rows, ";");
    accesses_.coordinates("batch", 0, kernel_.kept - 2);
  }

  /// Declares the corner of a block that covers several planes.
  void begin_box() {
    out_.line("const unsigned rows = (unsigned)", axis_name(2), ";");
    out_.line("const unsigned tall = (rows + ", s_.tile_rows - 1, ") / ", s_.tile_rows, ";");
    out_.line("const unsigned box = down / tall;");
    out_.line("const unsigned y0 = (down - box * tall) * ", s_.tile_rows, ";");
    if (kernel_.kept == 3) {
      out_.line("const unsigned z0 = box * ", s_.planes, ";");
      return;
    }
    out_.line("const unsigned deep = ((unsigned)", axis_name(3), " + ", s_.planes - 1, ") / ",
              s_.planes, ";");
    out_.line("const unsigned volume = box / deep;");
    out_.line("const unsigned z0 = (box - volume * deep) * ", s_.planes, ";");
    accesses_.coordinates("volume", 0, kernel_.kept - 3);
  }

  /// Opens the loop around all that a block does in one plane. Unrolled, the planes' values would
  /// take registers.
  writer::scope each_plane() {
    if (s_.planes == 1) return out_.once();
    accesses_.place(kernel_.kept - 3, "z");
    out_.line("#pragma unroll 1");
    return out_.block("for (unsigned z = z0; z < z0 + ", s_.planes, " && z < (unsigned)",
                      axis_name(3), "; ++z)");
  }

  /// How many of the vectors in a line of the tile a warp takes side by side.
  int side_by_side(int vectors, int vector, int together) const {
    if (turned_.empty()) return vectors;
    if (together > 1) return std::clamp(warp / vector, 1, vectors);
    std::size_t size = 1;
    for (int which : turned_) size = std::max(size, size_of(at(which).type));
    return std::clamp(line_bytes / (vector * static_cast<int>(size)), 1, vectors);
  }

  /// Declares where vector `u` of the thread lies in the tile: `along`, in elements, and `other`,
  /// along which `together` consecutive vectors are adjacent.
  void place(const frame& f, int lengths, int others, std::string_view along,
             std::string_view other, int together = 1) {
    const int vectors = lengths / f.vector, near = side_by_side(vectors, f.vector, together);
    const std::string set = together > 1 ? cat("u / ", together) : "u";
    out_.line("const unsigned w = ", thread_,
              f.unroll > 1 ? cat(" + ", set, " * ", s_.threads) : std::string(), ";");
    others /= together;
    std::string first = cat("w % ", near), line = cat("w / ", near);
    if (near < vectors) {
      // Consecutive warps write both halves of a line of 256 bytes: the second write finds the page
      // of the first open. (Floats, 16384 x 16384, H200: 90% of a copy, 95 so.)
      const int lines = vectors / near, rows = std::clamp(warp / near, 1, others);
      const int group = rows * near;
      first = cat("(w / ", group, " % ", lines, " * ", near, " + ", first, ")");
      line = cat("w / ", group * lines, " * ", rows, " + ", line, " % ", rows);
    }
    out_.line("const unsigned ", along, " = ", first,
              f.vector > 1 ? cat(" * ", f.vector) : std::string(), ", ", other, " = ",
              together > 1 ? cat("(", line, ") * ", together, " + u % ", together) : line, ";");
  }

  // ---- transposed operands

  void place_turned() {
    place(turn_frame_, s_.tile_rows, s_.tile_columns, "r", "c", together_);
  }
  int words_of(int which) const { return ir::turned_together(s_, at(which)); }

  void load_turned() {
    if (turned_.empty()) return;
    for (int which : turned_) {
      const int n = words_of(which);
      const std::string type(n > 1 ? "unsigned" : storage_type(at(which).type));
      const std::string sides = n > 1 ? cat(s_.tile_rows, "][", s_.tile_columns / n + 1)
                                      : cat(s_.tile_columns, "][", s_.tile_rows + 1);
      out_.line("__shared__ ", type, " ", accesses_.name(which), "_tile[", sides, "];");
    }
    operand_list one_by_one;
    for (int which : turned_) {
      const int n = words_of(which);
      if (n == 1) one_by_one.push_back(which);
      else out_.line("unsigned ", accesses_.name(which), "_v", sides_of_words(n), " = {};");
    }
    accesses_.registers(turn_frame_, one_by_one);
    const auto vectors =
        turn_frame_.unroll > 1 ? out_.lanes("u", turn_frame_.unroll) : out_.block();
    place_turned();
    out_.line("const unsigned x = x0 + c, y = y0 + r;");
    out_.line("const int left = x < ", axis_name(1), " && y < ", axis_name(2), " ? ",
              turn_frame_.vector, " : 0;");
    accesses_.place(kernel_.kept - 1, "x");
    accesses_.place(kernel_.kept - 2, "y");
    accesses_.offsets(turned_, 0, kernel_.kept);
    accesses_.fill(turn_frame_, one_by_one);
    for (int which : turned_) {
      if (words_of(which) == 1) continue;
      out_.line("if (left > 0) sinter_load(", accesses_.name(which), "_v[u], (const unsigned*)(",
                accesses_.address(which), "));");
    }
  }
  /// The sizes of registers that hold whole words: elements would be taken apart and joined again.
  std::string sides_of_words(int n) const {
    return cat("[", turn_frame_.unroll, "][", turn_frame_.vector / n, "]");
  }

  void turn() {
    if (turned_.empty()) return;
    {
      const auto vectors =
          turn_frame_.unroll > 1 ? out_.lanes("u", turn_frame_.unroll) : out_.block();
      place_turned();
      for (int which : turned_) words_of(which) > 1 ? put_words(which) : put(which);
    }
    out_.line("__syncthreads();");
    const std::string_view lane = s_.vector > 1 ? " + k" : "";
    for (int which : turned_) {
      const std::string name = accesses_.name(which);
      accesses_.supply(which, words_of(which) > 1 ? cat(name, "_turned[k]")
                                                  : cat(name, "_tile[c", lane, "][r]"));
    }
  }

  void put(int which) {
    const auto lanes = out_.lanes("k", turn_frame_.vector);
    out_.line(accesses_.name(which), "_tile[c][r", turn_frame_.vector > 1 ? " + k" : "",
              "] = ", accesses_.lane(turn_frame_, which), ";");
  }

  /// For elements shorter than a word: as many rows as a word has elements are transposed in
  /// registers.
  void put_words(int which) {
    const int n = words_of(which);
    const std::string name = accesses_.name(which);
    const auto first = out_.block("if (u % ", n, " == 0)");
    const auto lanes = out_.lanes("k", turn_frame_.vector / n);
    out_.line("unsigned turned[", n, "];");
    out_.line("sinter_turn(turned, ", name, "_v + u, ", turn_frame_.vector > n ? "k" : "0", ");");
    const auto words = out_.lanes("i", n);
    out_.line(name, "_tile[r + ", turn_frame_.vector > n ? cat("k * ", n, " + ") : "",
              "i][c / ", n, "] = turned[i];");
  }

  /// Declares the vectors of operands whose tiles hold words.
  void take_words() {
    for (int which : turned_) {
      const int n = words_of(which);
      if (n == 1) continue;
      const std::string name = accesses_.name(which);
      out_.line(storage_type(at(which).type), " ", name, "_turned[", s_.vector, "];");
      out_.line("sinter_take_words(", name, "_turned, ", name, "_tile[r] + c / ", n, ");");
    }
  }

  // ---- the other operands

  /// Declares the vector's first element, and how many follow in its row.
  void position() {
    place(frame_, s_.tile_columns, s_.tile_rows, "c", "r");
    const std::string n = axis_name(1);
    if (ir::turns(kernel_)) {
      out_.line("const unsigned x = x0 + c, y = y0 + r;");
      out_.line("const int left = x < ", n, " && y < ", axis_name(2), " ? ", s_.vector, " : 0;");
      accesses_.place(kernel_.kept - 2, "y");
      accesses_.place(kernel_.kept - 1, "x");
      return;
    }
    if (kernel_.kept > 1) {
      out_.line("const unsigned y = y0 + r;");
      if (s_.planes > 1)
        accesses_.place(kernel_.kept - 2, "y");
      else
        accesses_.coordinates("y", 0, kernel_.kept - 1);
    }
    const std::string live = kernel_.kept > 1 ? "y >= rows ? 0 : " : "";
    if (s_.lead < 0) {
      out_.line("const unsigned x = x0 + c;");
      out_.line("const int left = ", live, "(int)", n, " - (int)x;");
    } else {
      out_.line("const unsigned early = ",
                s_.early >= 0 ? std::to_string(s_.early)
                              : cat("sinter_beyond<", s_.vector, ">(",
                                    accesses_.row_of(s_.lead), ")"),
                ";");
      out_.line("const unsigned x = x0 + c > early ? x0 + c - early : 0;");
      out_.line("const unsigned stop = x0 + c + ", s_.vector, " - early;");
      out_.line("const int left = ", live, "(int)(stop < ", n, " ? stop : (unsigned)", n,
                ") - (int)x;");
    }
    accesses_.place(kernel_.kept - 1, "x");
  }

  /// All loads precede the first store: a dying input may be an output.
  void load() {
    if (inputs_.empty()) return;
    accesses_.registers(frame_, inputs_);
    const auto vectors = frame_.unroll > 1 ? out_.lanes("u", frame_.unroll) : out_.block();
    position();
    accesses_.offsets(inputs_, 0, kernel_.kept);
    accesses_.inside(frame_, inputs_);
    accesses_.fill(frame_, inputs_);
  }

  void compute() {
    const inst_list all = every_inst(kernel_);
    frame one = frame_;
    one.unroll = 1;
    const auto vectors = frame_.unroll > 1 ? out_.lanes("u", frame_.unroll) : out_.block();
    position();
    accesses_.offsets(indices_, 0, kernel_.kept);
    accesses_.offsets(gathered_, 0, kernel_.kept);
    accesses_.offsets(outputs_, 0, kernel_.kept);
    accesses_.registers(one, outputs_);
    take_words();
    bind_operands(body_, accesses_, frame_, all);
    write_random_runs(body_, accesses_, frame_, all, out_);
    write_guarded_vectors(body_, accesses_, frame_, all, out_);
    write_gathered_rows(body_, accesses_, frame_, all, out_);
    write_lanes(body_, accesses_, one, all, out_);
    accesses_.store(one, outputs_);
  }

  const ir::kernel& kernel_;
  const char* const block_;
  const char* const thread_;
  writer& out_;
  access_writer accesses_;
  body_writer body_;
  const ir::schedule& s_;
  const int together_;  // rows of a transposed operand, in registers
  frame frame_, turn_frame_;
  operand_list turned_, inputs_, gathered_, indices_, outputs_;
};

}  // namespace

void write_tiles(const ir::kernel& k, const char* block, const char* thread, writer& out) {
  tile_writer(k, block, thread, out).write();
}

}  // namespace sinter::codegen::cuda_text
