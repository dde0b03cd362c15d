// Stacks: one function per part, with tiles in shared memory between them.

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/parameters.hpp"
#include "codegen/cuda_text/spelling.hpp"
#include "codegen/cuda_text/stack_part.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::codegen::cuda_text {
namespace {

class stack_writer {
 public:
  stack_writer(const ir::kernel& k, writer& out)
      : k_(k), out_(out), axes_(static_cast<int>(k.box.size())) {}

  void write() {
    for (std::size_t p = 0; p < k_.parts.size(); ++p) {
      if (is_told_within(k_.parts[p])) continue;
      out_.line("namespace part_", p, " {");
      write_unravel_functions(k_.parts[p], out_);
      out_.blank();
      write_stack_part(k_, p, out_);
      out_.line("}");
      out_.blank();
    }
    out_.line("extern \"C\" __global__ void __launch_bounds__(", k_.schedule.threads, ") kernel(");
    const auto body = out_.block(listed(declarations(k_, ir::slots_of(k_))), ")");
    out_.line("sinter_wait();");
    tiles();
    boxes();
    for (std::size_t p = 0; p < k_.parts.size(); ++p) {
      if (is_told_within(k_.parts[p])) continue;
      if (p > 0 && !k_.parts[p].around) out_.line("__syncthreads();");
      run(p);
    }
  }

 private:
  void tiles() {
    if (k_.tiles.empty()) return;
    const ir::tile_room room = ir::room_of(k_);
    out_.line("__shared__ unsigned long long room[", (room.bytes + 7) / 8, "];");
    for (std::size_t t = 0; t < k_.tiles.size(); ++t) {
      const std::string_view type = storage_type(k_.tiles[t].type);
      out_.line(type, "* const tile", t, " = (", type, "*)(room + ", room.begin[t] / 8, ");");
    }
  }

  void boxes() {
    out_.line("unsigned box = blockIdx.x;");
    for (int a = axes_ - 1; a >= 0; --a) {
      const int side = k_.box[static_cast<std::size_t>(a)];
      const std::string number = a == 0 ? "box" : cat("box % (unsigned)across", a);
      out_.line("const int at", a, " = (int)x", a, " + (int)(", number, ") * ", side, ";");
      if (a > 0) out_.line("box /= (unsigned)across", a, ";");
    }
  }

  void first(const std::string& name, std::size_t p) {
    const ir::kernel& part = k_.parts[p];
    for (int a = 0; a < axes_; ++a) {
      const int before = part.beyond.before[static_cast<std::size_t>(a)];
      out_.line("const int ", name, a, " = at", a, before > 0 ? cat(" - ", before) : "",
                " - (int)p", p, "_o", a, ";");
    }
  }

  void run(std::size_t p) {
    const ir::kernel& part = k_.parts[p];
    const std::vector<int> sides = ir::widened(k_.box, part.beyond);
    const auto scope = out_.block();
    first("y", p);
    std::vector<std::string> words;
    for (int a = 0; a < axes_; ++a) words.push_back(cat("y", a));
    const std::size_t within = ir::part_within(k_, p);
    if (part.around) {
      first("h", within);
      for (int a = 0; a < axes_; ++a) {
        words.push_back(cat("h", a));
        words.push_back(cat("(int)p", within, "_n", a));
      }
    }
    for (std::size_t t = 0; t < k_.tiles.size(); ++t) words.push_back(cat("tile", t));
    for (const std::string& name : names(part, slots_of_part(part))) {
      words.push_back(cat("p", p, "_", name));
    }
    if (!part.around) return call(p, words);
    // In most boxes the part within covers everything.
    const std::string covered = over_axes(axes_, " && ", [&](int a) {
      const int side = sides[static_cast<std::size_t>(a)];
      return cat("h", a, " >= 0 && h", a, " + ", side, " <= p", within, "_n", a);
    });
    const auto border = out_.block("if (!(", covered, "))");
    out_.line("__syncthreads();");
    call(p, words);
  }

  void call(std::size_t p, const std::vector<std::string>& words) {
    out_.line("part_", p, "::run(");
    out_.line(listed(words), ");");
  }

  const ir::kernel& k_;
  writer& out_;
  int axes_;
};

}  // namespace

void write_stack(const ir::kernel& k, writer& out) {
  stack_writer(k, out).write();
}

}  // namespace sinter::codegen::cuda_text
