#pragma once
// Numbers as they appear in messages.

#include <cstddef>
#include <string>

namespace sinter::runtime {

/// "512 B", "1.5 KiB", "130.2 GiB", "1.0 PiB".
std::string byte_text(std::size_t bytes);

}  // namespace sinter::runtime
