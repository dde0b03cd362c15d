// Operands that are interleaved in one array: their lanes are picked from whole vectors as they lie
// in memory, and interleaved again before they are stored. Rows of 3 floats take two shuffles per
// vector; a gather of 16 lanes takes an EPYC some 40 cycles.

#include <algorithm>

#include "codegen/llvm/body.hpp"

namespace sinter::codegen::cpu {

/// Not under a mask: the memory after the last active lane may not belong to the array.
bool body::takes_turns(int o) const {
  return kernel_.operands[at(o)].apart > 0 && lanes() > 1 && !mask_;
}

/// The turns of a base's first and last operand.
std::pair<int, int> body::turns_of(int base) const {
  int least = 0, most = 0;
  for (const ir::operand& o : kernel_.operands) {
    if (o.base == base) least = std::min(least, o.turn), most = std::max(most, o.turn);
  }
  return {least, most};
}

bool body::goes_first(int o) const {
  const ir::operand& operand = kernel_.operands[at(o)];
  return operand.base >= 0 && operand.turn == turns_of(operand.base).first;
}

/// Picks lanes from several vectors, two at a time; `elements` numbers all their lanes.
Value* body::picked(std::span<Value* const> from, llvm::ArrayRef<int> elements) {
  const int n = lanes();
  llvm::SmallVector<int, 64> place(elements.size(), -1);  // per lane: its place in `made`
  Value* made = nullptr;
  for (int s = 0; s < static_cast<int>(from.size()); ++s) {
    const auto here = [&](int e) { return e / n == s; };
    if (std::none_of(elements.begin(), elements.end(), here)) continue;
    llvm::SmallVector<int, 64> mix = place;
    for (std::size_t l = 0; l < elements.size(); ++l) {
      if (here(elements[l])) mix[l] = elements[l] % n + (made ? n : 0);
    }
    if (!made) {
      made = from[at(s)], place = mix;
      continue;
    }
    made = c_.b.CreateShuffleVector(made, from[at(s)], mix);
    for (std::size_t l = 0; l < mix.size(); ++l) place[l] = mix[l] < 0 ? -1 : static_cast<int>(l);
  }
  const auto identity = [&] {
    for (std::size_t l = 0; l < place.size(); ++l) {
      if (place[l] != static_cast<int>(l)) return false;
    }
    return true;
  };
  return identity() ? made : c_.b.CreateShuffleVector(made, place);
}

/// The vectors that hold a base and the operands interleaved with it, from the first one's first
/// lane to the last one's last; zeros where a condition of the piece is false.
std::span<Value* const> body::row_vectors(int base, int copy, int condition) {
  std::vector<Value*>& known = rows_[at(base)][at(copy)][condition];
  if (!known.empty()) return known;
  const ir::operand& operand = kernel_.operands[at(base)];
  llvm::Type* const element = c_.memory_type(operand.type);
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  const auto [least, most] = turns_of(base);
  Value* p = c_.b.CreateConstGEP1_64(element, cursor(base, home(base), copy),
                                     static_cast<std::uint64_t>(least));
  const int n = lanes(), all = (n - 1) * operand.apart + most - least + 1;
  if (condition >= 0) p = c_.b.CreateSelect(value(condition, 0), p, zeros(element, all));
  for (int first = 0; first < all; first += n) {
    const int count = std::min(n, all - first);
    Value* const place =
        c_.b.CreateConstInBoundsGEP1_64(element, p, static_cast<std::uint64_t>(first));
    Value* v = c_.b.CreateAlignedLoad(coder::with_lanes(element, count), place, align);
    if (count == 1) {
      v = c_.spread(v, n);
    } else if (count < n) {
      llvm::SmallVector<int, 64> wide(at(n), -1);
      for (int l = 0; l < count; ++l) wide[at(l)] = l;
      v = c_.b.CreateShuffleVector(v, wide);
    }
    known.push_back(v);
  }
  return known;
}

Value* body::load_turn(int o, int copy, int condition) {
  const ir::operand& operand = kernel_.operands[at(o)];
  const int first = operand.turn - turns_of(operand.base).first;
  llvm::SmallVector<int, 64> elements;
  for (int l = 0; l < lanes(); ++l) elements.push_back(l * operand.apart + first);
  return picked(row_vectors(operand.base, copy, condition), elements);
}

/// Stores all turns of a base at once: there are as many as elements from one lane to the next.
void body::store_turns(int base, std::span<const int> instructions, int copy, bool streaming) {
  const ir::operand& operand = kernel_.operands[at(base)];
  const int n = lanes(), least = turns_of(base).first;
  std::vector<Value*> turns(at(operand.apart));
  for (int s : instructions) {
    const int o = kernel_.body[at(s)].which;
    if (o < 0 || kernel_.operands[at(o)].base != base) continue;
    turns[at(kernel_.operands[at(o)].turn - least)] = stored(s, copy);
  }
  llvm::Type* const element = c_.memory_type(operand.type);
  Value* const p = c_.b.CreateConstInBoundsGEP1_64(element, cursor(base, home(base), copy),
                                                   static_cast<std::uint64_t>(least));
  for (int first = 0; first < n * operand.apart; first += n) {
    llvm::SmallVector<int, 64> elements;
    for (int e = first; e < first + n; ++e) {
      elements.push_back(e % operand.apart * n + e / operand.apart);
    }
    Value* const place =
        c_.b.CreateConstInBoundsGEP1_64(element, p, static_cast<std::uint64_t>(first));
    write_lanes(picked(turns, elements), place, nullptr, streaming);
  }
}

/// Does the operand run backwards, read as vectors? Under a mask only if masked loads are
/// instructions.
bool body::runs_back(int o) const {
  const ir::operand& operand = kernel_.operands[at(o)];
  if (operand.reach != ir::reach::backwards || lanes() == 1) return false;
  return !mask_ || c_.machine().masks(static_cast<unsigned>(size_of(operand.type)));
}

/// The last lane's element is the first in memory. 512 rows of 4096 floats took 343 us as gathers,
/// 173 as reversed vectors.
Value* body::load_backwards(int o, int copy, int condition) {
  llvm::Type* const element = c_.memory_type(kernel_.operands[at(o)].type);
  Value* last = c_.b.CreateGEP(element, cursor(o, home(o), copy), c_.integer(1 - lanes()));
  if (condition >= 0) {
    last = c_.b.CreateSelect(value(condition, 0), last, zeros(element, lanes()));
  }
  Value* const mask = mask_ ? c_.b.CreateVectorReverse(mask_) : nullptr;
  return c_.b.CreateVectorReverse(read(element, lanes(), last, mask));
}

void body::store_backwards(int o, Value* v, int copy) {
  llvm::Type* const element = v->getType()->getScalarType();
  Value* const last = c_.b.CreateGEP(element, cursor(o, home(o), copy), c_.integer(1 - lanes()));
  Value* const mask = mask_ ? c_.b.CreateVectorReverse(mask_) : nullptr;
  write_lanes(c_.b.CreateVectorReverse(v), last, mask, false);
}

}  // namespace sinter::codegen::cpu
