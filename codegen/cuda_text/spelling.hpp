#pragma once
// How types, constants and single operations are written in CUDA C++.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

/// The type an element has in memory. Half and complex types are structs of the prelude.
std::string_view storage_type(dtype);

/// The type a value has in the body: what `storage_type` gives, but for bool.
std::string_view value_type(dtype);

/// A value of the type with these bits, exactly, as an expression that binds tighter than any
/// operator.
std::string literal(dtype, std::uint64_t bits);

/// The number in decimal, where its literal is in hexadecimal; else nothing.
std::string decimal(dtype, std::uint64_t bits);

/// What a `compute` instruction computes. REQUIRES: arguments that bind tighter than any operator.
std::string expression(const ir::inst&, std::span<const std::string> args);

}  // namespace sinter::codegen::cuda_text
