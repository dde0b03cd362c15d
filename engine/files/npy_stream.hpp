#pragma once
// The .npy format as a stream of bytes, in a file of its own or a member of a .npz.

#include <string>
#include <string_view>

#include "engine/files/elements_io.hpp"

namespace sinter::detail {

/// Reads up to the first element. Throws file_error for data that is no .npy, or shorter than its
/// header says.
stored_elements read_npy_header(byte_source&);

/// Magic, version, length and dictionary, as NumPy would write them.
std::string format_npy_header(dtype type, shape_view shape);

/// The format's codes, which NumPy's array interfaces share: "f4", "b1"; "V2" is bfloat16.
std::string_view npy_code(dtype);
std::optional<dtype> dtype_of_npy(std::string_view code);
/// "<f4": the code with its byte order.
std::string typestr_of(dtype);

/// Evaluates all, and throws what their checks found, before a file is touched.
void settle_for_writing(std::span<const any_array> list, std::string_view op, location where);

}  // namespace sinter::detail
