// Operands that take turns in one array: a thread reads and writes its rows as they lie, vector by
// vector, and parts them in registers. One by one each would touch every line of the array.
#include <algorithm>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {

bool access_writer::takes_turns(const frame& f, int which) const {
  return operand(which).apart > 0 && f.vector > 1;
}

/// Those that take turns with a base, first place first.
operand_list access_writer::turns_of(int base) const {
  operand_list all;
  for (int o = 0; o < static_cast<int>(kernel_.operands.size()); ++o) {
    if (operand(o).base == base) all.push_back(o);
  }
  std::ranges::sort(all, {}, [&](int o) { return operand(o).turn; });
  return all;
}

/// Lane `k` of a place, in the rows' own vectors.
std::string access_writer::turn_of(const frame& f, int base, std::size_t place) const {
  const std::string element = cat("(k * ", operand(base).apart, " + ", place, ")");
  return cat(name(base), "_run[", element, " / ", f.vector, "][", element, " % ", f.vector, "]");
}

void access_writer::load_turns(const frame& f, int base) {
  if (operand(base).base != base) return;  // the base's brought it along
  const operand_list all = turns_of(base);
  const std::string from = cat(name(all[0]), " + ", at(base).offset);
  out_.line(storage_type(operand(base).type), " ", name(base), "_run[", all.size(), "][", f.vector,
            "];");
  {
    const auto vectors = out_.lanes("c", static_cast<int>(all.size()));
    out_.line("sinter_load(", name(base), "_run[c], ", from, " + c * ", f.vector, ");");
  }
  const auto lanes = out_.lanes("k", f.vector);
  for (std::size_t p = 0; p < all.size(); ++p) {
    out_.line(vector_of(f, all[p]), "[k] = ", turn_of(f, base, p), ";");
  }
}

void access_writer::store_turns(const frame& f, int base) {
  if (operand(base).base != base) return;
  const operand_list all = turns_of(base);
  const std::string to = cat(name(all[0]), " + ", at(base).offset);
  out_.line(storage_type(operand(base).type), " ", name(base), "_run[", all.size(), "][", f.vector,
            "];");
  {
    const auto lanes = out_.lanes("k", f.vector);
    for (std::size_t p = 0; p < all.size(); ++p) {
      out_.line(turn_of(f, base, p), " = ", vector_of(f, all[p]), "[k];");
    }
  }
  const auto vectors = out_.lanes("c", static_cast<int>(all.size()));
  out_.line("sinter_store(", to, " + c * ", f.vector, ", ", name(base), "_run[c]);");
}

}  // namespace sinter::codegen::cuda_text
