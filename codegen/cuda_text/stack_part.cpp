#include "codegen/cuda_text/stack_part.hpp"

#include <algorithm>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/operands.hpp"
#include "codegen/cuda_text/parameters.hpp"
#include "codegen/cuda_text/spelling.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::codegen::cuda_text {

std::vector<ir::slot> slots_of_part(const ir::kernel& part) {
  std::vector<ir::slot> slots = ir::slots_of(part);
  std::erase_if(slots, [](const ir::slot& s) { return s.kind == ir::slot_kind::divisor; });
  return slots;
}

std::string over_axes(int axes, std::string_view by, const std::function<std::string(int)>& one) {
  std::string text;
  for (int a = 0; a < axes; ++a) text += cat(a > 0 ? by : "", one(a));
  return text;
}

bool is_told_within(const ir::kernel& part) {
  return part.around && std::ranges::all_of(part.operands, [](const ir::operand& o) {
           return o.role == ir::operand_role::tile;
         });
}

namespace {

/// The function of a part. In its text `y0` is where the widened box begins in the part's domain,
/// `b0` a place in the box and `c0` a point of the domain; `h0` and `m0` are the same for the
/// domain of the part within, if that is left out.
class stack_part_writer {
 public:
  stack_part_writer(const ir::kernel& stack, std::size_t number, writer& out)
      : stack_(stack), number_(number), part_(stack.parts[number]), out_(out),
        accesses_(part_, out), body_(part_, out), sides_(ir::widened(stack.box, part_.beyond)),
        run_(std::max(part_.kept - 2, 0)) {
    frame_.axis = part_.kept - 1;
    frame_.empty = true;
    frame_.left = "live";
    for (int i = 0; i < static_cast<int>(part_.body.size()); ++i) {
      const ir::inst& x = part_.body[static_cast<std::size_t>(i)];
      if (x.kind != ir::inst_kind::store) rest_.push_back(i);
      else (ir::in_tile(part_, x.which) ? tile_stores_ : stores_).push_back(i);
    }
  }

  void write() {
    out_.line("__device__ __forceinline__ void run(");
    std::vector<std::string> words;
    for (int a = 0; a < part_.kept; ++a) words.push_back(cat("const int y", a));
    for (int a = 0; part_.around && a < part_.kept; ++a) {
      words.push_back(cat("const int h", a));
      words.push_back(cat("const int m", a));
    }
    for (std::size_t t = 0; t < stack_.tiles.size(); ++t) {
      words.push_back(cat(storage_type(stack_.tiles[t].type), "* tile", t));
    }
    const std::vector<std::string> own = declarations(part_, slots_of_part(part_));
    words.insert(words.end(), own.begin(), own.end());
    const auto function = out_.block(listed(words), ")");
    if (part_.around) strips();
    else runs();
  }

 private:
  int side(int axis) const { return sides_[static_cast<std::size_t>(axis)]; }
  int unroll() const { return part_.schedule.unroll; }
  int groups() const { return (side(run_) + unroll() - 1) / unroll(); }

  // ---- the part itself: each thread has a short column, whose points share loads

  void runs() {
    int count = groups();
    for (int a = 0; a < part_.kept; ++a) count *= a == run_ ? 1 : side(a);
    out_.line("#pragma unroll 1");
    const auto loop = out_.block("for (int i = threadIdx.x; i < ", count, "; i += ",
                                 stack_.schedule.threads, ")");
    std::string rest = "i";
    for (int a = part_.kept - 1; a > 0; --a) {
      const int n = a == run_ ? groups() : side(a);
      const std::string place = a == run_ ? "group" : cat("b", a);
      const std::string quotient = a > 1 ? cat("q", a) : run_ == 0 ? "group" : "b0";
      out_.line("const int ", quotient, " = ", rest, " / ", n, ", ", place, " = ", rest, " - ",
                quotient, " * ", n, ";");
      rest = quotient;
    }
    for (int i : tile_stores_) {
      const int which = body_.inst(i).which;
      out_.line(storage_type(operand(which).type), " ", accesses_.name(which), "_v[", unroll(),
                "];");
    }
    {
      const auto elements = out_.lanes("u", 0, unroll());
      place_of_run();
      const bool over = side(run_) % unroll() != 0;
      position(over ? cat("b", run_, " < ", side(run_), " && ") : "");
      load();
      compute();
    }
    if (tile_stores_.empty()) return;
    // Points outside the domain may store too: nothing reads them from the tile, or what surrounds
    // the part is written afterwards.
    const auto elements = out_.lanes("u", 0, unroll());
    place_of_run();
    const bool over = side(run_) % unroll() != 0;
    for (int i : tile_stores_) {
      const int which = body_.inst(i).which;
      out_.line(over ? cat("if (b", run_, " < ", side(run_), ") ") : "", element(which), " = ",
                accesses_.name(which), "_v[u];");
    }
  }

  /// Points in the rows of a column, or, if there is only one axis, far apart.
  void place_of_run() {
    if (part_.kept == 1) return out_.line("const int b0 = i + u * ", groups(), ";");
    out_.line("const int b", run_, " = group * ", unroll(), " + u;");
  }

  // ---- the surroundings of a part: before and after it along each axis

  void strips() {
    const int axes = part_.kept;
    out_.line("#pragma unroll 1");
    const auto loop = out_.block("for (int s = 0; s < ", 2 * axes, "; ++s)");
    for (int a = 0; a < axes; ++a) {
      out_.line("const int lo", a, " = max(0, -y", a, "), hi", a, " = min(", side(a), ", (int)n", a,
                " - y", a, ");");
      out_.line("const int from", a, " = s < ", 2 * a + 1, " ? lo", a, " : max(lo", a, ", s == ",
                2 * a + 1, " ? m", a, " - h", a, " : -h", a, ");");
      out_.line("const int size", a, " = (s < ", 2 * a, " || s == ", 2 * a + 1, " ? hi", a,
                " : min(hi", a, ", s == ", 2 * a, " ? -h", a, " : m", a, " - h", a, ")) - from", a,
                ";");
    }
    out_.line("if (", over_axes(axes, " || ", [](int a) { return cat("size", a, " <= 0"); }),
              ") continue;");
    out_.line("#pragma unroll 1");
    const auto points = out_.block(
        "for (int i = threadIdx.x; i < ",
        over_axes(axes, " * ", [](int a) { return cat("size", a); }), "; i += ",
        stack_.schedule.threads, ")");
    std::string rest = "i";
    for (int a = axes - 1; a >= 0; --a) {
      if (a > 0) out_.line("const int q", a, " = ", rest, " / size", a, ";");
      out_.line("const int b", a, " = from", a, " + ", rest,
                a > 0 ? cat(" - q", a, " * size", a) : std::string(), ";");
      rest = cat("q", a);
    }
    for (int i : tile_stores_) accesses_.supply(body_.inst(i).which, element(body_.inst(i).which));
    position("");
    load();
    compute();
    write_store_registers(body_, accesses_, frame_, tile_stores_);
  }

  // ---- a point

  void position(const std::string& also) {
    for (int a = 0; a < part_.kept; ++a) {
      out_.line("const unsigned c", a, " = y", a, " + b", a, ";");
      accesses_.place(a, cat("c", a));
    }
    out_.line("const int live = ", also, over_axes(part_.kept, " && ", [](int a) {
                return cat("c", a, " < (unsigned)n", a);
              }), ";");
  }

  const ir::operand& operand(int which) const {
    return part_.operands[static_cast<std::size_t>(which)];
  }

  /// The index of an operand's element in its tile.
  std::string place_in_tile(const ir::operand& o) const {
    const auto t = static_cast<std::size_t>(o.tile);
    const std::vector<int> strides = ir::tile_strides(stack_, t);
    int constant = 0;
    std::string text;
    for (std::size_t a = 0; a < sides_.size(); ++a) {
      constant += (stack_.tiles[t].margins.before[a] - part_.beyond.before[a] + o.shift[a]) *
                  strides[a];
      text += cat(a > 0 ? " + " : "", "b", a, strides[a] > 1 ? cat(" * ", strides[a]) : "");
    }
    if (constant != 0) text += cat(constant > 0 ? " + " : " - ", std::abs(constant));
    return text;
  }

  std::string element(const ir::operand& o) const {
    return cat("tile", o.tile, "[", place_in_tile(o), "]");
  }
  std::string element(int which) const { return element(operand(which)); }

  void load() {
    operand_sets used = operands_of(part_, every_inst(part_));
    for (operand_list* list : {&used.inputs, &used.gathered}) {
      for (int which : *list) {
        if (ir::in_tile(part_, which)) accesses_.supply(which, element(which));
      }
    }
    for (operand_list* list : {&used.inputs, &used.gathered, &used.outputs}) {
      std::erase_if(*list, [&](int which) { return ir::in_tile(part_, which); });
    }
    accesses_.offsets(used.inputs, 0, part_.kept);
    accesses_.load(frame_, used.inputs);
    accesses_.offsets(used.indices, 0, part_.kept);
    accesses_.offsets(used.gathered, 0, part_.kept);
    outputs_ = used.outputs;
  }

  void compute() {
    bind_operands(body_, accesses_, frame_, rest_);
    for (int i : rest_) {
      const ir::inst& x = body_.inst(i);
      if (x.kind != ir::inst_kind::gather || !ir::in_tile(part_, x.which)) continue;
      const ir::operand& o = operand(x.which);
      body_.aim(i, {cat("tile", o.tile), place_in_tile(o), "live"});
    }
    body_.statements(rest_);
    if (!part_.around) {
      for (int i : tile_stores_) {
        const int which = body_.inst(i).which;
        accesses_.supply(which, cat(accesses_.name(which), "_v[u]"));
      }
      write_store_registers(body_, accesses_, frame_, tile_stores_);
      for (int i : tile_stores_) {
        const int which = body_.inst(i).which;
        const std::string kept = kept_around(which);
        if (kept.empty()) continue;
        out_.line("if (!live) ", accesses_.name(which), "_v[u] = ", kept, ";");
      }
    }
    if (stores_.empty()) return;
    const std::string own = inside_box();
    const auto block = out_.block("if (live", own.empty() ? "" : " && ", own, ")");
    frame whole = frame_;
    whole.empty = false;
    accesses_.offsets(outputs_, 0, part_.kept);
    accesses_.registers(whole, outputs_);
    write_store_registers(body_, accesses_, whole, stores_);
    accesses_.store(whole, outputs_);
  }

  /// The element that an operand's tile must have at points outside the part; empty if nothing
  /// reads it.
  std::string kept_around(int which) const {
    if (is_rewritten(which)) return element(which);
    for (std::size_t p = number_ + 1; p < stack_.parts.size() && stack_.parts[p].around; ++p) {
      const std::vector<ir::operand>& copied = stack_.parts[p].operands;
      const bool own = is_told_within(stack_.parts[p]) && copied[1].tile == operand(which).tile;
      if (own) return element(copied[0]);
    }
    return {};
  }

  /// Does an earlier part write the tile of an operand?
  bool is_rewritten(int which) const {
    const int tile = operand(which).tile;
    for (const ir::kernel& p : stack_.parts) {
      if (&p == &part_) return false;
      for (const ir::inst& i : p.body) {
        const bool stores = i.kind == ir::inst_kind::store && ir::in_tile(p, i.which);
        if (stores && p.operands[static_cast<std::size_t>(i.which)].tile == tile) return true;
      }
    }
    return false;
  }

  /// The condition that a point lies in the box itself; empty if that is not widened.
  std::string inside_box() const {
    std::string text;
    for (std::size_t a = 0; a < sides_.size(); ++a) {
      if (sides_[a] == stack_.box[a]) continue;
      const int before = part_.beyond.before[a];
      text += cat(text.empty() ? "" : " && ", "(unsigned)(b", a,
                  before > 0 ? cat(" - ", before) : "", ") < ", stack_.box[a]);
    }
    return text;
  }

  const ir::kernel& stack_;
  std::size_t number_;
  const ir::kernel& part_;
  writer& out_;
  access_writer accesses_;
  body_writer body_;
  std::vector<int> sides_;
  int run_;  // the axis along which a thread's points lie
  frame frame_;
  inst_list rest_, tile_stores_, stores_;
  operand_list outputs_;
};

}  // namespace

void write_stack_part(const ir::kernel& stack, std::size_t number, writer& out) {
  stack_part_writer(stack, number, out).write();
}

}  // namespace sinter::codegen::cuda_text
