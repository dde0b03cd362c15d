// NumPy's .npz: an archive whose members are .npy files.

#include <algorithm>
#include <cstring>

#include "engine/evaluation/guard.hpp"
#include "engine/files/array_archive.hpp"
#include "engine/files/npy_stream.hpp"
#include "runtime/zip.hpp"

namespace sinter {
namespace detail {
namespace {

constexpr std::string_view suffix = ".npy";
/// Deflate's maximum ratio: 258 bytes for two bits (RFC 1951), and one more.
constexpr std::uint64_t most_inflated = 1032;

/// The value of `work`; libzip's errors become errors of the task.
template <class Work>
auto with_archive(const file_task& task, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const runtime::zip_failure& e) {
    task.refuse(e.what());
  } catch (const runtime::zip_missing& e) {
    fail<device_error>(error_code::library_missing, task.op, e.what(), task.where);
  } catch (const std::bad_alloc&) {
    fail<memory_error>(error_code::out_of_memory, task.op, "no host memory left", task.where);
  }
}

class member_source final : public byte_source {
 public:
  member_source(file_task task, runtime::zip_reader& archive, std::size_t i)
      : task_(std::move(task)), left_(archive.members()[i].bytes) {
    task_.path += ": " + archive.members()[i].name;
    const std::uint64_t stored = archive.members()[i].stored;
    if (left_ / most_inflated > stored + 1) {
      refuse(std::to_string(stored) + " bytes cannot be deflated from " + std::to_string(left_));
    }
    stream_ = with_archive(task_, [&] { return archive.open(i); });
  }

  void read(void* to, std::size_t bytes) override {
    for (auto* p = static_cast<char*>(to); bytes > 0;) {
      const std::size_t n = with_archive(task_, [&] { return stream_->read(p, bytes); });
      if (n == 0) refuse("the member ends too early");
      p += n;
      bytes -= n;
      left_ -= std::min<std::uint64_t>(left_, n);
    }
  }
  std::uint64_t left() const override { return left_; }
  [[noreturn]] void refuse(const std::string& why) const override { task_.refuse(why); }
  const file_task& task() const { return task_; }

  /// libzip compares the checksum at the end, so the rest must be read.
  void finish() {
    char more[1 << 12];
    while (with_archive(task_, [&] { return stream_->read(more, sizeof more); }) > 0) {
    }
  }

 private:
  file_task task_;
  std::uint64_t left_;
  std::unique_ptr<runtime::zip_stream> stream_;
};

class npz_archive final : public array_archive {
 public:
  explicit npz_archive(file_task t) {
    task = std::move(t);
    archive_ = with_archive(task, [&] { return runtime::open_zip(task.path); });
    const auto& members = archive_->members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string_view name = members[i].name;
      if (!name.ends_with(suffix)) continue;  // NumPy ignores other members too
      names.emplace_back(name.substr(0, name.size() - suffix.size()));
      places_.push_back(i);
    }
  }

  any_array load(std::size_t i, location where) override {
    const std::scoped_lock lock(mutex_);
    member_source from({task.op, task.path, where}, *archive_, places_[i]);
    const auto e = read_npy_header(from);
    any_array x = read_elements(from, e, from.task());
    from.finish();
    return x;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<runtime::zip_reader> archive_;
  std::vector<std::size_t> places_;
};

/// Header, then elements.
runtime::zip_input member_of(const named_array& a, const std::string& op, location where) {
  struct state {
    std::string header;
    std::size_t at = 0;
    element_stream elements;
  };
  auto s = std::make_shared<state>(state{format_npy_header(a.value.dtype(), a.value.extents()), 0,
                                         element_stream(a.value, op, where)});
  const std::uint64_t bytes = s->header.size() + s->elements.left();
  return {a.name + std::string(suffix), bytes, [s](void* to, std::size_t room) {
            if (s->at == s->header.size()) return s->elements.read(to, room);
            const std::size_t count = std::min(room, s->header.size() - s->at);
            std::memcpy(to, s->header.data() + s->at, count);
            s->at += count;
            return count;
          }};
}

void save_archive(const std::string& path, const std::vector<named_array>& arrays, bool compressed,
                  const std::string& op, location where) {
  check_names(arrays, op, where);
  if (arrays.empty()) {
    fail<value_error>(error_code::bad_argument, op, "no arrays: an empty archive is no file",
                      where);
  }
  settle_for_writing(values_of(arrays), op, where);
  std::vector<runtime::zip_input> members;
  for (const named_array& a : arrays) members.push_back(member_of(a, op, where));
  with_archive({op, path, where},
               [&] { runtime::write_zip(path, std::move(members), compressed); });
}

}  // namespace
}  // namespace detail

array_file load_npz(const std::string& path, location where) {
  return array_file(
      std::make_shared<detail::npz_archive>(detail::file_task{"load_npz", path, where}));
}

void savez(const std::string& path, const std::vector<named_array>& arrays, location where) {
  detail::save_archive(path, arrays, false, "savez", where);
}

void savez_compressed(const std::string& path, const std::vector<named_array>& arrays,
                      location where) {
  detail::save_archive(path, arrays, true, "savez_compressed", where);
}

}  // namespace sinter
