#pragma once
// The header of a safetensors file: a JSON object of names.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/elements_io.hpp"

namespace sinter::detail {

struct tensor_entry {
  std::string name;
  std::string code;  // of the dtype
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // offsets after the header
};

struct safetensors_header {
  std::vector<tensor_entry> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// There is no JSON library.
struct json_missing {};

/// Throws std::string, a description of what is wrong with the text; json_missing. Offsets and
/// shapes are checked against each other and against `bytes`, the length of all elements.
safetensors_header parse_safetensors_header(std::string_view text, std::uint64_t bytes);

/// JSON. Throws std::string for a name or metadata that is not UTF-8; json_missing.
std::string format_safetensors_header(const safetensors_header&);

/// The format's name of a dtype and the reverse; nothing if there is none.
std::optional<std::string_view> safetensors_code(dtype);
std::optional<dtype> dtype_of_safetensors(std::string_view code);

}  // namespace sinter::detail
