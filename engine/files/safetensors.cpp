// safetensors: an eight-byte length, a JSON header, then the elements of all tensors.

#include <algorithm>

#include "engine/evaluation/guard.hpp"
#include "engine/files/array_archive.hpp"
#include "engine/files/npy_stream.hpp"
#include "engine/files/safetensors_header.hpp"

namespace sinter {
namespace detail {
namespace {

/// The format's own limit.
constexpr std::uint64_t longest_description = 100'000'000;
constexpr std::string_view metadata_key = "__metadata__";

[[noreturn]] void lacks_json(const file_task& task) {
  fail<device_error>(error_code::library_missing, task.op,
                     "safetensors needs nlohmann/json.hpp, which was not there when sinter was "
                     "built: install nlohmann-json3-dev and configure again",
                     task.where);
}

class safetensors_archive final : public array_archive {
 public:
  safetensors_archive(file_task t, bool mapped)
      : file_((task = std::move(t)), file::mode::read) {
    read_header();
    if (mapped) map_ = file_.map();
  }

  any_array load(std::size_t i, location where) override {
    const tensor_entry& t = header_.tensors[i];
    const file_task now{task.op, task.path, where};
    const auto type = dtype_of_safetensors(t.code);
    if (!type) now.refuse("'" + t.name + "' has dtype " + t.code + ", which is not supported");
    const stored_elements e{*type, t.shape, false, false,
                            static_cast<std::int64_t>(t.end - t.begin)};
    const std::scoped_lock lock(mutex_);
    if (map_) return map_elements(map_, start_ + t.begin, e, now);
    file_.seek(start_ + t.begin);
    return read_elements(file_, e, now);
  }

 private:
  void read_header() {
    unsigned char bytes[8] = {};
    if (file_.size() < sizeof bytes) task.refuse("too short for a safetensors file");
    file_.read(bytes, sizeof bytes);
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | bytes[i];
    if (length > longest_description || length > file_.left()) {
      task.refuse("a header of " + std::to_string(length) + " bytes");
    }
    std::string text(static_cast<std::size_t>(length), ' ');
    file_.read(text.data(), text.size());
    start_ = file_.position();
    try {
      header_ = parse_safetensors_header(text, file_.left());
    } catch (const std::string& why) {
      task.refuse("the header " + why);
    } catch (const json_missing&) {
      lacks_json(task);
    }
    for (const tensor_entry& t : header_.tensors) names.push_back(t.name);
    metadata.assign(header_.metadata.begin(), header_.metadata.end());
  }

  std::mutex mutex_;  // guards the file's position
  file file_;
  std::uint64_t start_ = 0;
  safetensors_header header_;
  std::shared_ptr<const mapped_file> map_;
};

/// Wide elements first, so that all are aligned; then by name.
std::vector<const named_array*> in_order(const std::vector<named_array>& arrays) {
  std::vector<const named_array*> order;
  for (const named_array& a : arrays) order.push_back(&a);
  std::ranges::sort(order, [](const named_array* a, const named_array* b) {
    const auto of_a = size_of(a->value.dtype()), of_b = size_of(b->value.dtype());
    return of_a != of_b ? of_a > of_b : a->name < b->name;
  });
  return order;
}

safetensors_header header_of(const std::vector<const named_array*>& arrays,
                             const safetensors_options& options, const file_task& task) {
  safetensors_header h;
  for (const named_text& t : options.metadata) {
    if (h.metadata.insert(t).second) continue;
    fail<value_error>(error_code::bad_argument, task.op,
                      "the metadata names '" + t.first + "' twice", task.where);
  }
  std::uint64_t at = 0;
  for (const named_array* a : arrays) {
    const auto code = safetensors_code(a->value.dtype());
    if (!code) {
      fail<dtype_error>(error_code::bad_dtype, task.op,
                        "safetensors has no " + std::string(name(a->value.dtype())) + " ('" +
                            a->name + "'): save view<double>(x)",
                        task.where);
    }
    if (a->name == metadata_key) {
      fail<value_error>(error_code::bad_argument, task.op,
                        "'__metadata__' is no name of an array: safetensors keeps it", task.where);
    }
    const auto bytes = static_cast<std::uint64_t>(a->value.nbytes());
    const auto shape = a->value.extents();
    h.tensors.push_back(
        {a->name, std::string(*code), {shape.begin(), shape.end()}, at, at + bytes});
    at += bytes;
  }
  return h;
}

/// The length and the JSON, padded with spaces to align elements of eight bytes.
std::string header_text(const safetensors_header& h, const file_task& task) {
  std::string text;
  try {
    text = format_safetensors_header(h);
  } catch (const std::string& why) {
    fail<value_error>(error_code::bad_argument, task.op, why, task.where);
  } catch (const json_missing&) {
    lacks_json(task);
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i) {
    length += static_cast<char>(static_cast<std::uint64_t>(text.size()) >> 8 * i & 0xff);
  }
  return length + text;
}

}  // namespace
}  // namespace detail

array_file load_safetensors(const std::string& path, const load_options& options, location where) {
  const detail::file_task task{"load_safetensors", path, where};
  return detail::guarded(task.op, where, [&] {
    return array_file(std::make_shared<detail::safetensors_archive>(task, options.mmap));
  });
}

void save_safetensors(const std::string& path, const std::vector<named_array>& arrays,
                      const safetensors_options& options, location where) {
  const detail::file_task task{"save_safetensors", path, where};
  detail::check_names(arrays, task.op, where);
  detail::settle_for_writing(detail::values_of(arrays), task.op, where);
  const auto order = detail::in_order(arrays);
  const auto text = detail::header_text(detail::header_of(order, options, task), task);
  detail::file f(task, detail::file::mode::write);
  f.write(text.data(), text.size());
  for (const auto* a : order) {
    detail::write_elements(f, detail::element_stream(a->value, task.op, where));
  }
  f.finish();
}

}  // namespace sinter
