#include "engine/files/array_archive.hpp"

#include <algorithm>
#include <set>

#include "engine/nodes/report.hpp"

namespace sinter {
namespace detail {
namespace {

/// "'a', 'b' and 40 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i > 0 ? ", '" : "'") + names[i].substr(0, 80) + "'";
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace

void check_names(const std::vector<named_array>& arrays, std::string_view op, location where) {
  std::set<std::string_view> seen;
  for (const named_array& a : arrays) {
    if (a.name.empty()) {
      fail<value_error>(error_code::bad_argument, op, "an array has no name", where);
    }
    if (!seen.insert(a.name).second) {
      fail<value_error>(error_code::bad_argument, op, "two arrays are named '" + a.name + "'",
                        where);
    }
  }
}

std::vector<any_array> values_of(const std::vector<named_array>& arrays) {
  std::vector<any_array> values;
  for (const named_array& a : arrays) values.push_back(a.value);
  return values;
}

}  // namespace detail

const std::vector<std::string>& array_file::names() const { return archive_->names; }

const std::vector<named_text>& array_file::metadata() const { return archive_->metadata; }

const std::string& array_file::metadata(std::string_view name, location where) const {
  const auto found = std::ranges::find(archive_->metadata, name, &named_text::first);
  if (found != archive_->metadata.end()) return found->second;
  detail::fail<value_error>(error_code::bad_argument, archive_->task.op,
                            "the metadata says nothing of '" + std::string(name) + "'", where);
}

bool array_file::contains(std::string_view name) const {
  return std::ranges::find(names(), name) != names().end();
}

any_array array_file::at(std::string_view name, location where) const {
  const auto found = std::ranges::find(names(), name);
  if (found == names().end()) {
    const std::string there =
        names().empty() ? "nothing" : detail::listed(names());
    detail::fail<value_error>(
        error_code::bad_argument, archive_->task.op,
        archive_->task.path + " has no array '" + std::string(name) + "': it has " + there, where);
  }
  return archive_->load(static_cast<std::size_t>(found - names().begin()), where);
}

}  // namespace sinter
