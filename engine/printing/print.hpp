#pragma once
// The steps of printing: fetch the elements to show, format each number, lay out the words.

#include <cstddef>
#include <string>
#include <vector>

#include <sinter/print.hpp>

namespace sinter::detail {

/// The elements to show, row-major.
struct shown_elements {
  dtype type = dtype::float32;
  std::vector<std::int64_t> shape;
  std::vector<bool> cut;  // axes whose middle is elided
  std::vector<std::byte> data;
  bool alone = false;  // of no dimensions, and to be formatted as by Python's str()

  std::size_t count() const { return data.size() / size_of(type); }
};

shown_elements fetch_shown(const any_array& x, const print_options& options, location where);

/// Each element as text, padded so that columns align.
std::vector<std::string> write_words(const shown_elements& x, const print_options& options);

/// Brackets, line breaks and "..." around the words. `indent` precedes all lines but the first.
/// REQUIRES: rank > 0, not empty.
std::string lay_out(const std::vector<std::string>& words, const shown_elements& x,
                    const print_options& options, const std::string& separator = " ",
                    const std::string& indent = " ");

}  // namespace sinter::detail
