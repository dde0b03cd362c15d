#pragma once
// Tables of numbers as text: CSV with a header, and NumPy's loadtxt, genfromtxt and savetxt. Errors
// name the line and the column in the file, counted from 1.

#include <string>
#include <string_view>
#include <vector>

#include <sinter/arguments.hpp>

namespace sinter {
namespace detail {

/// The options of all text readers together.
struct text_format {
  std::string delimiter;             // one character; empty: any spaces and tabs
  std::string comments;              // start of a comment, up to the end of the line; empty: none
  bool quotes = false;               // fields may stand in "", with "" for a quote inside
  bool header = false;               // the first row is names
  bool fill = false;                 // missing fields become NaN, or -1
  bool loose = false;                // so do fields that are not numbers
  std::vector<std::string> missing;  // words for missing fields, besides empty fields
  std::int64_t skip = 0;             // lines at the start
  std::int64_t most_rows = -1;
  std::vector<std::int64_t> columns;  // the columns to read, in order; empty: all
};
struct text_table {
  std::vector<std::string> names;
  any_array values;  // (rows, columns)
};
text_table read_table(const std::string& path, dtype type, const text_format& format,
                      const char* op, location where);
any_array squeezed(const any_array& x, int ndmin, location where);
any_array column_named(const std::vector<std::string>& names, const any_array& values,
                       std::string_view name, location where);

}  // namespace detail

/// A table with names for its columns.
template <element T>
struct table {
  std::vector<std::string> names;
  array<T> values;  // (rows, columns)

  /// The column of that name: shape (rows,), a view. Throws value_error if there is none.
  /// `load_csv("t.csv").column("price")`
  array<T> column(std::string_view name, location where = location::current()) const {
    return array<T>(detail::column_named(names, values, name, where), where);
  }
};

struct csv_options {
  char delimiter = ',';
  bool header = true;  // the first row is names
  std::string comments = {};
  /// Words for a missing value, which becomes NaN, as an empty field does. Integers have none.
  std::vector<std::string> missing = {"NA", "N/A", "null", "NULL"};
  std::vector<std::int64_t> usecols = {};  // the columns to read, in order; -1: the last
  std::int64_t skiprows = 0;               // lines at the start
  std::int64_t max_rows = -1;
};

/// Reads a CSV file (RFC 4180: quoted fields may contain delimiters, line ends and doubled quotes):
/// values of shape (rows, columns), and the names. Blank lines are skipped; numbers are rounded
/// once. Throws file_error, naming line and column, for a field that is not a T and for rows that
/// differ in length; memory_error. `load_csv<float>("table.csv", {.delimiter = ';'})`
template <element T = double>
table<T> load_csv(const std::string& path, const csv_options& o = {},
                  location where = location::current()) {
  auto t = detail::read_table(path, dtype_of<T>,
                              {std::string(1, o.delimiter), o.comments, true, o.header,
                               is_inexact(dtype_of<T>), false, o.missing, o.skiprows, o.max_rows,
                               o.usecols},
                              "load_csv", where);
  return {std::move(t.names), array<T>(std::move(t.values), where)};
}

struct save_csv_options {
  std::vector<std::string> names = {};  // of the columns; empty: no header
  char delimiter = ',';
};

/// Writes x, of shape (rows, columns) or (rows,), as CSV, with the fewest digits that read back as
/// the same number. Evaluates. Throws shape_error for more dimensions or the wrong number of names,
/// file_error. `save_csv("t.csv", x, {.names = {"a", "b"}})`
void save_csv(const std::string& path, const any_array& x, const save_csv_options& options = {},
              location where = location::current());
template <detail::expression X>
void save_csv(const std::string& path, const X& x, const save_csv_options& options = {},
              location where = location::current()) {
  save_csv(path, static_cast<const any_array&>(x.to_array(where)), options, where);
}

struct loadtxt_options {
  std::string comments = "#";
  std::string delimiter = {};  // empty: any spaces and tabs
  std::int64_t skiprows = 0;
  std::vector<std::int64_t> usecols = {};
  std::int64_t max_rows = -1;
  bool unpack = false;  // returns the transpose: shape (columns, rows)
  int ndmin = 0;        // the minimum number of axes when axes of extent 1 are removed
};

/// Reads rows of numbers like NumPy's loadtxt: shape (rows, columns) without axes of extent 1.
/// Throws file_error, naming line and column, for a field that is not a T and for rows that differ
/// in length; value_error for a delimiter of several characters.
/// `loadtxt("t.txt", {.usecols = {0, 2}, .unpack = true})`
template <element T = double>
array<T> loadtxt(const std::string& path, const loadtxt_options& o = {},
                 location where = location::current()) {
  const auto t = detail::read_table(
      path, dtype_of<T>,
      {o.delimiter, o.comments, false, false, false, false, {}, o.skiprows, o.max_rows, o.usecols},
      "loadtxt", where);
  const array<T> x(detail::squeezed(t.values, o.ndmin, where));
  return o.unpack ? x.T(where) : x;
}

struct genfromtxt_options {
  std::string comments = "#";
  std::string delimiter = {};
  std::int64_t skip_header = 0;
  std::vector<std::string> missing_values = {};
  std::vector<std::int64_t> usecols = {};
  std::int64_t max_rows = -1;
  bool unpack = false;
  bool loose = true;  // fields that are not numbers count as missing
};

/// loadtxt for files with missing values: a field that is empty, one of `missing_values` or, if
/// `loose`, not a number becomes NaN, or -1 if T has no NaN. Throws as loadtxt does.
/// `genfromtxt("t.csv", {.delimiter = ","})`
template <element T = double>
array<T> genfromtxt(const std::string& path, const genfromtxt_options& o = {},
                    location where = location::current()) {
  const auto t =
      detail::read_table(path, dtype_of<T>,
                         {o.delimiter, o.comments, false, false, true, o.loose, o.missing_values,
                          o.skip_header, o.max_rows, o.usecols},
                         "genfromtxt", where);
  const array<T> x(detail::squeezed(t.values, 0, where));
  return o.unpack ? x.T(where) : x;
}

struct savetxt_options {
  std::string fmt = "%.18e";  // C's, for one number: d, i, u, x, e, f, g and their capitals
  std::string delimiter = " ";
  std::string newline = "\n";
  std::string header = {};
  std::string footer = {};
  std::string comments = "# ";  // before each line of header and footer
};

/// Writes x, of shape (rows, columns) or (rows,), like NumPy's savetxt. Complex numbers are not
/// supported: write real(x) and imag(x). Throws shape_error, dtype_error, value_error for an
/// invalid format, file_error. `savetxt("t.txt", x, {.fmt = "%.3f", .delimiter = ","})`
void savetxt(const std::string& path, const any_array& x, const savetxt_options& options = {},
             location where = location::current());
template <detail::expression X>
void savetxt(const std::string& path, const X& x, const savetxt_options& options = {},
             location where = location::current()) {
  savetxt(path, static_cast<const any_array&>(x.to_array(where)), options, where);
}

}  // namespace sinter
