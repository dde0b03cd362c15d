#include "runtime/zip.hpp"

#if defined(SINTER_HAVE_ZIP)

#include <algorithm>
#include <cstring>
#include <exception>
#include <type_traits>

#include <zip.h>

#include "runtime/library_table.hpp"

namespace sinter::runtime {
namespace {

#define SINTER_ZIP_FUNCTIONS(X) \
  X(zip_open)                   \
  X(zip_close)                  \
  X(zip_discard)                \
  X(zip_get_error)              \
  X(zip_get_num_entries)        \
  X(zip_stat_index)             \
  X(zip_stat_init)              \
  X(zip_fopen_index)            \
  X(zip_fread)                  \
  X(zip_fclose)                 \
  X(zip_file_get_error)         \
  X(zip_error_init_with_code)   \
  X(zip_error_strerror)         \
  X(zip_error_fini)             \
  X(zip_error_init)             \
  X(zip_error_set)              \
  X(zip_error_to_data)          \
  X(zip_source_function)        \
  X(zip_source_free)            \
  X(zip_file_add)               \
  X(zip_set_file_compression)   \
  X(zip_file_set_dostime)

struct zip_library {
  SINTER_LIBRARY_TABLE(SINTER_ZIP_FUNCTIONS)
  std::string problem;

  zip_library() {
    const auto library = dynamic_library::open({"libzip.so.5", "libzip.so.4", "libzip.so"});
    problem = find_functions(library, *this);
  }
};

const zip_library& the_zip() {
  static const zip_library one;
  if (!one.problem.empty()) {
    throw zip_missing("archives need libzip (" + one.problem + "): install libzip4");
  }
  return one;
}

[[noreturn]] void fail(zip_error_t* e) {
  throw zip_failure(the_zip().zip_error_strerror(e));
}

[[noreturn]] void fail_code(int code) {
  zip_error_t e;
  the_zip().zip_error_init_with_code(&e, code);
  const std::string words = the_zip().zip_error_strerror(&e);
  the_zip().zip_error_fini(&e);
  throw zip_failure(words);
}

struct discard {
  void operator()(zip_t* archive) const { the_zip().zip_discard(archive); }
};
using archive = std::unique_ptr<zip_t, discard>;

archive open_archive(const std::string& path, int flags) {
  int code = 0;
  archive a(the_zip().zip_open(path.c_str(), flags, &code));
  if (!a) fail_code(code);
  return a;
}

class member_stream final : public zip_stream {
 public:
  member_stream(zip_t* a, std::size_t member)
      : file_(the_zip().zip_fopen_index(a, member, 0)) {
    if (!file_) fail(the_zip().zip_get_error(a));
  }
  ~member_stream() override { the_zip().zip_fclose(file_); }
  member_stream(const member_stream&) = delete;
  member_stream& operator=(const member_stream&) = delete;

  std::size_t read(void* to, std::size_t bytes) override {
    const zip_int64_t got = the_zip().zip_fread(file_, to, bytes);
    if (got < 0) fail(the_zip().zip_file_get_error(file_));
    return static_cast<std::size_t>(got);
  }

 private:
  zip_file_t* file_;
};

class reader final : public zip_reader {
 public:
  explicit reader(const std::string& path) : archive_(open_archive(path, ZIP_RDONLY)) {
    const zip_int64_t count = the_zip().zip_get_num_entries(archive_.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      zip_stat_t about;
      the_zip().zip_stat_init(&about);
      if (the_zip().zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(i), 0, &about) != 0) {
        fail(the_zip().zip_get_error(archive_.get()));
      }
      members_.push_back({about.valid & ZIP_STAT_NAME ? about.name : "",
                          about.valid & ZIP_STAT_SIZE ? about.size : 0,
                          about.valid & ZIP_STAT_COMP_SIZE ? about.comp_size : 0});
    }
  }

  const std::vector<zip_member>& members() const override { return members_; }
  std::unique_ptr<zip_stream> open(std::size_t member) override {
    return std::make_unique<member_stream>(archive_.get(), member);
  }

 private:
  archive archive_;
  std::vector<zip_member> members_;
};

/// The source that libzip reads a member's bytes from. No exception may pass through it.
struct feed {
  zip_input input;
  std::exception_ptr fault;
  zip_error_t error;

  zip_int64_t answer(void* data, zip_uint64_t bytes, zip_source_cmd_t command) noexcept {
    switch (command) {
      case ZIP_SOURCE_OPEN:
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_READ:
        return fill(data, bytes);
      case ZIP_SOURCE_STAT:
        return describe(data, bytes);
      case ZIP_SOURCE_ERROR:
        return the_zip().zip_error_to_data(&error, data, bytes);
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE | ZIP_SOURCE_MAKE_COMMAND_BITMASK(ZIP_SOURCE_SUPPORTS);
      default:
        break;
    }
    the_zip().zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
  }

 private:
  zip_int64_t fill(void* data, zip_uint64_t bytes) noexcept try {
    return static_cast<zip_int64_t>(input.fill(data, bytes));
  } catch (...) {
    fault = std::current_exception();
    the_zip().zip_error_set(&error, ZIP_ER_READ, 0);
    return -1;
  }
  zip_int64_t describe(void* data, zip_uint64_t bytes) const noexcept {
    if (bytes < sizeof(zip_stat_t)) return -1;
    auto& about = *static_cast<zip_stat_t*>(data);
    the_zip().zip_stat_init(&about);
    about.valid = ZIP_STAT_SIZE;
    about.size = input.bytes;
    return sizeof(zip_stat_t);
  }
};

zip_int64_t answer(void* state, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
  return static_cast<feed*>(state)->answer(data, bytes, command);
}

// Equal contents give equal bytes, so the modification time is fixed: 1980-01-01, the earliest that
// the format can express.
constexpr zip_uint16_t first_day = 0x21;

void add(zip_t* a, feed& f, bool compressed) {
  const zip_library& zip = the_zip();
  zip_source_t* source = zip.zip_source_function(a, answer, &f);
  if (!source) fail(zip.zip_get_error(a));
  const zip_int64_t index = zip.zip_file_add(a, f.input.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip.zip_source_free(source);
    fail(zip.zip_get_error(a));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_int32_t method = compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
  if (zip.zip_set_file_compression(a, at, method, 0) != 0 ||
      zip.zip_file_set_dostime(a, at, 0, first_day, 0) != 0) {
    fail(zip.zip_get_error(a));
  }
}

}  // namespace

std::unique_ptr<zip_reader> open_zip(const std::string& path) {
  return std::make_unique<reader>(path);
}

void write_zip(const std::string& path, std::vector<zip_input> members, bool compressed) {
  const zip_library& zip = the_zip();
  std::vector<feed> feeds;
  for (zip_input& m : members) {
    feeds.push_back({std::move(m), nullptr, {}});
    zip.zip_error_init(&feeds.back().error);
  }
  archive a = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  for (feed& f : feeds) add(a.get(), f, compressed);
  if (zip.zip_close(a.get()) == 0) {
    a.release();  // closing has freed it
    return;
  }
  for (const feed& f : feeds) {
    if (f.fault) std::rethrow_exception(f.fault);
  }
  fail(zip.zip_get_error(a.get()));
}

}  // namespace sinter::runtime

#else

namespace sinter::runtime {

constexpr const char* missing =
    "archives need libzip, which was not there when sinter was built: install libzip-dev and "
    "configure again";

std::unique_ptr<zip_reader> open_zip(const std::string&) {
  throw zip_missing(missing);
}
void write_zip(const std::string&, std::vector<zip_input>, bool) {
  throw zip_missing(missing);
}

}  // namespace sinter::runtime

#endif
