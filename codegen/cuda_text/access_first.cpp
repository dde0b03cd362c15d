// Rows whose vectors begin at an aligned address, up to one vector before the row.

#include "codegen/cuda_text/access.hpp"

namespace sinter::codegen::cuda_text {

std::string access_writer::begin_of(int which) const {
  return at(which).row.empty() ? name(which) : cat(name(which), " + ", at(which).row);
}

std::string access_writer::begin_of(int which, const std::string& row) const {
  std::string text = name(which);
  add_step(text, which, 0, row);
  return text;
}

std::string access_writer::address(int which) const {
  return at(which).offset.empty() ? array(which) : cat(array(which), " + ", at(which).offset);
}

/// If another operand's alignment decides where the vectors of a row begin, loads of single words
/// from the cache are as fast as shifted vectors; of half types only if few threads share a row.
bool access_writer::reads_lanes(int which) const {
  const bool small = size_of(operand(which).type) < 4;
  return kernel_.reduced > 0 && !(small && kernel_.schedule.elastic);
}

/// Loads the lanes before the row along with the others, if the aligned vector lies in the same
/// array.
void access_writer::fill_first(const frame& f, const operand_list& operands) {
  for (int which : operands) {
    if (is_scalar(f, which) || !is_shifted(which)) {
      load_vector(f, which, true);
      continue;
    }
    {
      const auto whole = out_.block("if (", f.first, " == 0)");
      load_vector(f, which, true);
    }
    const auto rest = out_.otherwise("else");
    out_.line("sinter_load_rest(", vector_of(f, which), ", ", address(which), ", ", f.first, ");");
  }
}

void access_writer::store_first(const frame& f, const operand_list& operands) {
  const auto row = f.empty ? out_.block("if (", f.left, " > 0)") : out_.block();
  {
    const auto whole = out_.block("if (", f.first, " == 0)");
    for (int which : operands) store_vector(f, which, true);
  }
  const auto rest = out_.otherwise("else");
  for (int which : operands) {
    out_.line("sinter_store_rest(", address(which), ", ", vector_of(f, which), ", ", f.first, ");");
  }
}

}  // namespace sinter::codegen::cuda_text
