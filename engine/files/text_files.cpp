#include <sinter/text_files.hpp>

#include <algorithm>

#include "engine/evaluation/guard.hpp"
#include "engine/files/file.hpp"
#include "engine/files/npy_stream.hpp"
#include "engine/files/text_fields.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/numbers.hpp"

namespace sinter {
namespace detail {
namespace {

/// A field, truncated for a message.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'" + std::string(text.substr(0, most)) + (text.size() > most ? "...'" : "'");
  for (char& c : out) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return out;
}

class table_reader {
 public:
  table_reader(std::string_view text, dtype type, const text_format& format, const file_task& task)
      : fields_(text, {format.delimiter.empty() ? '\0' : format.delimiter[0], format.comments,
                       format.quotes}),
        type_(type),
        size_(size_of(type)),
        format_(format),
        columns_(format.columns),
        task_(task) {
    fields_.skip_lines(format.skip);
  }

  std::vector<std::string> names;
  std::vector<std::byte> elements;
  std::int64_t rows = 0;

  void read() {
    if (std::ranges::any_of(columns_, [](std::int64_t c) { return c < 0; })) count_from_the_end();
    if (format_.header) read_names();
    text_field f;
    while (rows != format_.most_rows && next(f)) read_row(f);
  }
  std::int64_t columns() const {
    if (!columns_.empty()) return static_cast<std::int64_t>(columns_.size());
    return std::max<std::int64_t>(count_, 0);
  }

 private:
  bool next(text_field& f) {
    try {
      return fields_.next(f);
    } catch (const std::string& why) {
      task_.refuse("line " + std::to_string(fields_.line()) + ": " + why);
    }
  }

  /// Resolves negative columns by the length of the first row, be it of names or elements.
  void count_from_the_end() {
    const text_fields start = fields_;
    text_field f;
    std::int64_t count = 0;
    for (bool more = next(f); more; more = !f.last && next(f)) ++count;
    fields_ = start;
    for (std::int64_t& c : columns_) c += c < 0 ? count : 0;
  }

  void read_names() {
    text_field f;
    std::vector<std::string> all;
    do {
      if (!next(f)) return;
      if (all.empty()) first_line_ = f.line;
      all.emplace_back(f.text);
    } while (!f.last);
    settle_columns(static_cast<std::int64_t>(all.size()));
    if (columns_.empty()) {
      names = std::move(all);
    } else {
      for (std::int64_t c : columns_) names.push_back(all[static_cast<std::size_t>(c)]);
    }
  }

  /// The first row defines the number of columns, and all requested ones must be among them.
  void settle_columns(std::int64_t count) {
    count_ = count;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] >= 0 && columns_[i] < count) continue;
      task_.refuse("line " + std::to_string(first_line_) + ": " + std::to_string(count) +
                   " fields, and column " + std::to_string(format_.columns[i]) + " is wanted");
    }
  }

  /// Reads to the end of f's row.
  void read_row(text_field& f) {
    const std::int64_t line = f.line;
    if (count_ < 0) first_line_ = line;
    const std::size_t start = elements.size();
    std::int64_t at = 0;
    for (;; ++at) {
      place(f, at, start);
      if (f.last) break;
      if (!next(f)) task_.refuse("line " + std::to_string(line) + ": the row has no end");
    }
    const std::int64_t got = at + 1;
    if (count_ < 0) settle_columns(got);
    if (got != count_) {
      task_.refuse("line " + std::to_string(line) + ": " + std::to_string(got) +
                   " fields, where line " + std::to_string(first_line_) + " has " +
                   std::to_string(count_));
    }
    ++rows;
  }

  void place(const text_field& f, std::int64_t at, std::size_t start) {
    if (columns_.empty()) {
      elements.resize(elements.size() + size_);
      parse(f, elements.data() + elements.size() - size_);
      return;
    }
    elements.resize(start + columns_.size() * size_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == at) parse(f, elements.data() + start + i * size_);
    }
  }

  void parse(const text_field& f, std::byte* to) {
    const bool empty = f.text.empty() ||
                       std::ranges::find(format_.missing, f.text) != format_.missing.end();
    if (empty && format_.fill) return put_missing(type_, to);
    if (parse_number(f.text, type_, to)) return;
    if (format_.loose) return put_missing(type_, to);
    task_.refuse("line " + std::to_string(f.line) + ", column " + std::to_string(f.column) + ": " +
                 (empty ? "nothing, where " + std::string(name(type_)) + " has no NaN"
                        : shown(f.text) + " is no " + std::string(name(type_))));
  }

  text_fields fields_;
  dtype type_;
  std::size_t size_;
  const text_format& format_;
  std::vector<std::int64_t> columns_;  // requested columns
  const file_task& task_;
  std::int64_t count_ = -1, first_line_ = 1;  // fields per row, and the line that defined it
};

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// The elements of x on the host, with the numbers of rows and columns.
struct host_table {
  std::vector<std::byte> elements;
  std::int64_t rows = 0, columns = 0;
};

host_table fetch(const any_array& x, const char* op, location where) {
  const auto& shape = checked(x, op, where).shape;
  if (shape.size() != 1 && shape.size() != 2) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "shape " + text_of(x.extents()) + " is no table: one or two dimensions are",
                      where);
  }
  host_table t;
  t.rows = shape[0];
  t.columns = shape.size() == 2 ? shape[1] : 1;
  const std::size_t count = host_size(x, op, where);
  guarded(op, where, [&] { t.elements.resize(count * size_of(x.dtype())); });
  read(x, t.elements.data(), where, op);
  return t;
}

/// Buffers lines for the file.
class line_writer {
 public:
  explicit line_writer(file& to) : to_(to) {}
  std::string text;
  void spill(std::size_t above = 1 << 20) {
    if (text.size() <= above) return;
    to_.write(text.data(), text.size());
    text.clear();
  }

 private:
  file& to_;
};

/// A name, quoted if necessary.
std::string csv_name(const std::string& name, char delimiter) {
  const bool plain = name.find_first_of("\"\r\n") == name.npos && !name.empty() &&
                     name.find(delimiter) == name.npos && name.front() != ' ' &&
                     name.back() != ' ';
  if (plain) return name;
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// Rows of elements, each written by `append`.
template <class Append>
void write_rows(line_writer& out, const host_table& t, dtype type, std::string_view delimiter,
                std::string_view newline, Append&& append) {
  const std::byte* element = t.elements.data();
  for (std::int64_t i = 0; i < t.rows; ++i) {
    for (std::int64_t j = 0; j < t.columns; ++j, element += size_of(type)) {
      if (j > 0) out.text += delimiter;
      append(out.text, element);
    }
    out.text += newline;
    out.spill();
  }
}

void add_remark(std::string& text, const std::string& remark, const savetxt_options& o) {
  if (remark.empty()) return;
  text += o.comments;
  for (char c : remark) {
    text += c;
    if (c == '\n') text += o.comments;
  }
  text += o.newline;
}

}  // namespace

text_table read_table(const std::string& path, dtype type, const text_format& format,
                      const char* op, location where) {
  if (format.delimiter.size() > 1) {
    fail<value_error>(error_code::bad_argument, op,
                      "the delimiter '" + format.delimiter + "' is more than one character", where);
  }
  const file_task task{op, path, where};
  file f(task, file::mode::read);
  return guarded(op, where, [&] {
    std::shared_ptr<const mapped_file> mapped;
    std::string_view text;
    if (f.size() > 0) {
      mapped = f.map();
      text = {reinterpret_cast<const char*>(mapped->data()), mapped->bytes()};
    }
    table_reader r(without_mark(text), type, format, task);
    r.read();
    const std::int64_t shape[] = {r.rows, r.columns()};
    return text_table{std::move(r.names), from_host(r.elements.data(), type, shape, where)};
  });
}

any_array squeezed(const any_array& x, int ndmin, location where) {
  std::vector<std::int64_t> shape(x.extents().begin(), x.extents().end());
  if (x.size() == 0 && ndmin < 2) return make_reshape(x, std::vector<std::int64_t>{0}, where);
  for (std::size_t d = shape.size(); d-- > 0 && static_cast<int>(shape.size()) > ndmin;) {
    if (shape[d] == 1) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  }
  return make_reshape(x, shape, where);
}

any_array column_named(const std::vector<std::string>& names, const any_array& values,
                       std::string_view name, location where) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string all;
    for (const auto& n : names) all += (all.empty() ? "'" : ", '") + n + "'";
    fail<value_error>(error_code::bad_argument, "column",
                      "there is no column '" + std::string(name) + "': there are " +
                          (all.empty() ? "no names" : all),
                      where);
  }
  const std::int64_t shape[] = {values.shape(0)};
  return make_view(values, shape, {found - names.begin(), {values.shape(1)}}, where);
}

}  // namespace detail

void save_csv(const std::string& path, const any_array& x, const save_csv_options& o,
              location where) {
  const auto t = detail::fetch(x, "save_csv", where);
  if (!o.names.empty() && static_cast<std::int64_t>(o.names.size()) != t.columns) {
    detail::fail<shape_error>(error_code::shape_mismatch, "save_csv",
                              std::to_string(o.names.size()) + " names for " +
                                  std::to_string(t.columns) + " columns",
                              where);
  }
  detail::file f({"save_csv", path, where}, detail::file::mode::write);
  detail::line_writer out(f);
  for (std::size_t i = 0; i < o.names.size(); ++i) {
    if (i > 0) out.text += o.delimiter;
    out.text += detail::csv_name(o.names[i], o.delimiter);
  }
  if (!o.names.empty()) out.text += '\n';
  detail::write_rows(out, t, x.dtype(), std::string_view(&o.delimiter, 1), "\n",
                     [&](std::string& text, const std::byte* element) {
                       detail::append_number(text, x.dtype(), element);
                     });
  out.spill(0);
  f.finish();
}

void savetxt(const std::string& path, const any_array& x, const savetxt_options& o,
             location where) {
  const auto format = detail::parse_format(o.fmt);
  if (!format) {
    detail::fail<value_error>(error_code::bad_argument, "savetxt",
                              "'" + o.fmt + "' is no format of one number", where);
  }
  if (is_complex(detail::checked(x, "savetxt", where).type)) {
    detail::fail<dtype_error>(error_code::bad_dtype, "savetxt",
                              std::string(name(x.dtype())) +
                                  " has two numbers an element: write real(x) and imag(x)",
                              where);
  }
  const auto t = detail::fetch(x, "savetxt", where);
  detail::file f({"savetxt", path, where}, detail::file::mode::write);
  detail::line_writer out(f);
  detail::add_remark(out.text, o.header, o);
  detail::write_rows(out, t, x.dtype(), o.delimiter, o.newline,
                     [&](std::string& text, const std::byte* element) {
                       detail::append_formatted(text, *format, x.dtype(), element);
                     });
  detail::add_remark(out.text, o.footer, o);
  out.spill(0);
  f.finish();
}

}  // namespace sinter
