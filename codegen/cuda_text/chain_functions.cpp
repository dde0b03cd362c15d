// The functions with which the chunks of a row exchange their totals (see chain.cpp).

#include <set>
#include <utility>

#include "codegen/cuda_text/chain.hpp"
#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/scan.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {

std::string tell_name(ir::op code, dtype type) {
  return cat("sinter_tell_", ir::name(code), "_", name(type));
}

std::string look_name(ir::op code, dtype type) {
  return cat("sinter_look_", ir::name(code), "_", name(type));
}

namespace {

/// Declares pointers to the entries of a chunk's 32, of its 1024 and of all 1024s.
void write_tables(int words, writer& out) {
  out.line("const unsigned lane = threadIdx.x % 32, inner = piece % 32, outer = piece / 32 % 32;");
  out.line("unsigned long long* const tiles = table + (first + piece / 32 * 32) * ", words, ";");
  out.line("unsigned long long* const groups = table + (chunks + first + piece / 1024 * 32) * ",
           words, ";");
  out.line("unsigned long long* const fronts = table + (2 * chunks + first + piece / 1024) * ",
           words, ";");
}

/// Folds one value per lane, leftmost first; all lanes get the result.
void write_fold(const std::string& value, const std::string& function, writer& out) {
  out.line("#pragma unroll");
  const auto steps = out.block("for (int s = 1; s < ", warp, "; s *= 2)");
  const std::string other = cat("sinter_across(", value, ", s)");
  out.line("const auto other = ", other, ";");
  out.line(value, " = lane & s ? ", function, "(other, ", value, ") : ", function, "(", value,
           ", other);");
}

std::string parameters(const std::string& rest) {
  return "(unsigned long long* table, long long chunks, long long first, unsigned piece" + rest;
}

void write_tell(ir::op code, dtype type, writer& out) {
  const std::string_view t = value_type(type);
  const std::string f = combiner_name(code), neutral = start_of(code, type);
  const int words = size_of(type) > 4 ? 2 : 1;
  out.blank();
  out.line("// chunk `piece` comes to `total`; the row's chunks stand from `first` on in three");
  out.line("// tables of `chunks` entries");
  const auto function = out.block("__device__ __forceinline__ void ", tell_name(code, type),
                                  parameters(cat(", ", t, " total)")));
  write_tables(words, out);
  out.line("if (lane == 0) sinter_publish(tiles + inner * ", words, ", total);");
  out.line("if (inner < 31) return;");
  out.line(t, " tile = ", neutral, ", group = ", neutral, ", front = ", neutral, ";");
  out.line("unsigned long long a[", words, "] = {}, b[", words, "] = {}, c[", words, "] = {};");
  out.line("if (lane < 31) tile = sinter_await<", t, ">(tiles + lane * ", words, ", a);");
  write_fold("tile", f, out);
  out.line("tile = ", f, "(tile, total);");
  out.line("if (lane == 0) sinter_publish(groups + outer * ", words, ", tile);");
  out.line("if (outer < 31) return;");
  out.line("if (lane < 31) group = sinter_await<", t, ">(groups + lane * ", words, ", b);");
  write_fold("group", f, out);
  out.line("if (piece >= 1024) front = sinter_await<", t, ">(fronts - ", words, ", c);");
  out.line("if (lane == 0) sinter_publish(fronts, ", f, "(front, ", f, "(group, tile)));");
}

void write_look(ir::op code, dtype type, writer& out) {
  const std::string_view t = value_type(type);
  const std::string f = combiner_name(code), neutral = start_of(code, type);
  const int words = size_of(type) > 4 ? 2 : 1;
  out.blank();
  out.line("// what the chunks of the row come to before chunk `piece`");
  const auto function =
      out.block("__device__ __forceinline__ ", t, " ", look_name(code, type), parameters(")"));
  write_tables(words, out);
  out.line("const bool wants_tile = lane < inner, wants_group = lane < outer;");
  out.line("const bool wants_front = piece >= 1024;");
  out.line("unsigned long long a[", words, "] = {}, b[", words, "] = {}, c[", words, "] = {};");
  for (int w = 0; w < words; ++w) {
    const auto ask = [&](const char* wanted, char to, const std::string& from) {
      out.line("if (", wanted, ") ", std::string(1, to), "[", w,
               "] = ((volatile unsigned long long*)", from, ")[", w, "];");
    };
    ask("wants_tile", 'a', cat("(tiles + lane * ", words, ")"));
    ask("wants_group", 'b', cat("(groups + lane * ", words, ")"));
    ask("wants_front", 'c', cat("(fronts - ", words, ")"));
  }
  out.line(t, " tile = ", neutral, ", group = ", neutral, ", front = ", neutral, ";");
  out.line("if (wants_tile) tile = sinter_await<", t, ">(tiles + lane * ", words, ", a);");
  out.line("if (wants_group) group = sinter_await<", t, ">(groups + lane * ", words, ", b);");
  out.line("if (wants_front) front = sinter_await<", t, ">(fronts - ", words, ", c);");
  write_fold("tile", f, out);
  write_fold("group", f, out);
  out.line("return ", f, "(front, ", f, "(group, tile));");
}

}  // namespace

void write_chain_functions(const ir::kernel& k, writer& out) {
  if (!k.schedule.split) return;
  std::set<std::pair<ir::op, dtype>> wanted;
  for (const ir::inst& i : k.body) {
    if (is_scan(i)) wanted.emplace(i.code, i.type);
  }
  for (const auto& [code, type] : wanted) {
    write_tell(code, type, out);
    write_look(code, type, out);
  }
}

}  // namespace sinter::codegen::cuda_text
