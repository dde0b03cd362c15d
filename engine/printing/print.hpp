#pragma once
// The steps of printing: fetch what is shown, write each number, lay the words out.

#include <cstddef>
#include <string>
#include <vector>

#include <sinter/print.hpp>

namespace sinter::detail {

/// The elements that are shown, row-major.
struct shown_elements {
  dtype type = dtype::float32;
  std::vector<std::int64_t> shape;
  std::vector<bool> cut;  // axes of which the middle was left out
  std::vector<std::byte> data;
  bool alone = false;  // of no dimensions, and to be written as Python's str() does

  std::size_t count() const { return data.size() / size_of(type); }
};

shown_elements fetch_shown(const any_array& x, const print_options& options, location where);

/// Each element as text, padded so that columns align.
std::vector<std::string> write_words(const shown_elements& x, const print_options& options);

/// Brackets, line breaks and "..." around the words. `indent` is what stands before all lines but
/// the first. REQUIRES: rank > 0, not empty.
std::string lay_out(const std::vector<std::string>& words, const shown_elements& x,
                    const print_options& options, const std::string& separator = " ",
                    const std::string& indent = " ");

}  // namespace sinter::detail
