#pragma once
// How types, constants and single operations are written in CUDA C++.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// The type of an element in memory. Half and complex types are structs of the prelude.
std::string_view storage_type(dtype);

/// The type of a value in the body: `storage_type`, except for bool.
std::string_view value_type(dtype);

/// A value of the type with exactly these bits, as an expression that binds tighter than any
/// operator.
std::string literal(dtype, std::uint64_t bits);

/// The number in decimal if its literal is hexadecimal; else nothing.
std::string decimal(dtype, std::uint64_t bits);

/// The expression of a `compute` instruction. REQUIRES: arguments bind tighter than any operator.
std::string expression(const ir::inst&, std::span<const std::string> args);

}  // namespace sinter::codegen::cuda_text
