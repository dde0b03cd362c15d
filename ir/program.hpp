#pragma once
// Scalar programs: what a map node does to one element, as a short list of ops in SSA form.
//
// The C++ type of an expression holds its program as a constant, so this header is constexpr
// throughout and public: standard library only.

#include <cstdint>
#include <span>

#include "ops.hpp"

namespace sinter::ir {

/// One op. Values are numbered: the program's inputs first, then its instructions in order.
struct instruction {
  op code;
  dtype type;    // the type it computes in
  dtype result;  // the type of its value
  std::int16_t args[3] = {-1, -1, -1};
  constexpr bool operator==(const instruction&) const = default;
};

constexpr int arity(const instruction& i) { return info(i.code).arity; }

/// A scalar program by reference. Inputs are array elements and scalars alike; the last value is
/// the result.
struct program_view {
  std::span<const dtype> inputs;
  std::span<const instruction> code;
  std::uint64_t hash = 0;

  constexpr dtype value_type(int v) const {
    const int n = static_cast<int>(inputs.size());
    return v < n ? inputs[static_cast<std::size_t>(v)]
                 : code[static_cast<std::size_t>(v - n)].result;
  }
  constexpr dtype result_type() const {
    return value_type(static_cast<int>(inputs.size() + code.size()) - 1);
  }
};

/// FNV-1a, 64 bit (Fowler, Noll, Vo).
constexpr std::uint64_t hash_step(std::uint64_t h, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) h = (h ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3ull;
  return h;
}
inline constexpr std::uint64_t hash_seed = 0xcbf29ce484222325ull;

constexpr std::uint64_t hash_of(std::span<const dtype> inputs, std::span<const instruction> code) {
  std::uint64_t h = hash_step(hash_seed, inputs.size());
  for (dtype t : inputs) h = hash_step(h, static_cast<std::uint64_t>(t));
  for (const instruction& i : code) {
    std::uint64_t word = static_cast<std::uint64_t>(i.code) |
                         static_cast<std::uint64_t>(i.type) << 8 |
                         static_cast<std::uint64_t>(i.result) << 12;
    for (int k = 0; k < 3; ++k) {
      word |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(i.args[k])) << (16 + 16 * k);
    }
    h = hash_step(h, word);
  }
  return h;
}

/// A scalar program with storage of a fixed size.
template <int Inputs, int Instructions>
struct fixed_program {
  dtype inputs[Inputs > 0 ? Inputs : 1] = {};
  instruction code[Instructions > 0 ? Instructions : 1] = {};
  std::uint64_t hash = 0;
  constexpr program_view view() const {
    return {{inputs, static_cast<std::size_t>(Inputs)},
            {code, static_cast<std::size_t>(Instructions)},
            hash};
  }
};

}  // namespace sinter::ir
