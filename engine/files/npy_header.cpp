// The header of a .npy file: a Python dictionary literal.

#include "engine/files/npy_stream.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

/// The format's codes, and the one that NumPy's extension types use for bfloat16.
struct type_code {
  std::string_view code;
  dtype type;
};
constexpr type_code type_codes[] = {
    {"b1", dtype::bool_},   {"i1", dtype::int8},    {"i2", dtype::int16},
    {"i4", dtype::int32},   {"i8", dtype::int64},   {"u1", dtype::uint8},
    {"u2", dtype::uint16},  {"u4", dtype::uint32},  {"u8", dtype::uint64},
    {"f2", dtype::float16}, {"V2", dtype::bfloat16}, {"f4", dtype::float32},
    {"f8", dtype::float64}, {"c8", dtype::complex64}, {"c16", dtype::complex128},
};

class header_parser {
 public:
  explicit header_parser(std::string_view text) : rest_(text) {}

  stored_elements parse() {
    stored_elements h;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") once(descr), read_descr(h);
      else if (key == "fortran_order") once(order), h.columns = boolean();
      else if (key == "shape") once(shape), h.shape = tuple();
      else throw "has an unknown key '" + std::string(key.substr(0, 40)) + "'";
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) throw std::string("goes on after the dictionary");
    if (!descr || !order || !shape)
      throw std::string("lacks one of descr, fortran_order and shape");
    return h;
  }

 private:
  static void once(bool& seen) {
    if (seen) throw std::string("has a key twice");
    seen = true;
  }
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw std::string("lacks a '") + c + "'";
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const auto end = rest_.find(quote);
    if (end == rest_.npos) throw std::string("lacks a closing quote");
    const auto text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    throw std::string("has a fortran_order that is neither True nor False");
  }
  void read_descr(stored_elements& h) {
    skip_space();
    if (rest_.starts_with('[') || rest_.starts_with('(')) {
      throw "has the structured dtype " + nested() +
          ", which is not supported: save its fields as arrays of their own";
    }
    const std::string_view text = quoted();
    const char order = text.empty() ? ' ' : text[0];
    const auto code = text.empty() ? text : text.substr(1);
    const auto found = dtype_of_npy(code);
    if (!found ||
        std::string_view("<>=|").find(order) == std::string_view::npos) {
      throw "has dtype '" + std::string(text.substr(0, 40)) + "', which is not supported";
    }
    h.type = *found;
    h.big_endian = order == '>';
  }
  /// The text of a list of fields, truncated for a message.
  std::string nested() const {
    int open = 0;
    std::size_t end = 0;
    for (; end < rest_.size(); ++end) {
      open += rest_[end] == '[' || rest_[end] == '(';
      open -= rest_[end] == ']' || rest_[end] == ')';
      if (open == 0) break;
    }
    constexpr std::size_t most = 80;
    return end < most ? std::string(rest_.substr(0, end + 1))
                      : std::string(rest_.substr(0, most)) + "...";
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = -1;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (fault != std::errc() || extent < 0)
        throw std::string("has a shape that is no tuple of sizes");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers with it
      shape.push_back(extent);
      if (shape.size() > 32) throw std::string("has more than 32 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest_;
};

constexpr std::size_t longest_header = std::size_t{1} << 20;

/// Throws a std::string that says what is wrong.
stored_elements parse_header(std::string_view text) {
  stored_elements h = header_parser(text).parse();
  const auto bytes = bytes_of(h.type, h.shape);
  if (!bytes) throw std::string("has a shape of more than 2^63 - 1 bytes");
  h.bytes = *bytes;
  return h;
}

}  // namespace

stored_elements read_npy_header(byte_source& from) {
  unsigned char start[8], length[4] = {};
  if (from.left() < sizeof start) from.refuse("too short for a .npy file");
  from.read(start, sizeof start);
  if (std::memcmp(start, "\x93NUMPY", 6) != 0) from.refuse("not a .npy file");
  if (start[6] < 1 || start[6] > 3) {
    from.refuse("version " + std::to_string(start[6]) + " of the format is not supported");
  }
  from.read(length, start[6] == 1 ? 2 : 4);
  const std::size_t count =
      length[0] | length[1] << 8 | length[2] << 16 | std::size_t{length[3]} << 24;
  if (count > longest_header || count > from.left()) {
    from.refuse("a header of " + std::to_string(count) + " bytes");
  }
  std::string text(count, ' ');
  from.read(text.data(), count);
  stored_elements h;
  try {
    h = parse_header(text);
  } catch (const std::string& why) {
    from.refuse("the header " + why);
  }
  if (static_cast<std::uint64_t>(h.bytes) > from.left()) {
    from.refuse("shape " + text_of(h.shape) + " of " + std::string(name(h.type)) + " needs " +
                std::to_string(h.bytes) + " bytes, the file has " + std::to_string(from.left()));
  }
  return h;
}

std::string_view npy_code(dtype type) {
  return std::ranges::find(type_codes, type, &type_code::type)->code;
}

std::optional<dtype> dtype_of_npy(std::string_view code) {
  const auto found = std::ranges::find(type_codes, code, &type_code::code);
  return found == std::end(type_codes) ? std::nullopt : std::optional(found->type);
}

std::string typestr_of(dtype type) {
  return (size_of(type) == 1 ? "|" : "<") + std::string(npy_code(type));
}

std::string format_npy_header(dtype type, shape_view shape) {
  std::string text = "{'descr': '" + typestr_of(type) + "', 'fortran_order': False, 'shape': (";
  for (std::int64_t e : shape) text += std::to_string(e) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  // The data starts at a multiple of 64 bytes.
  const std::size_t prefix = 10;
  text.append(64 - (prefix + text.size() + 1) % 64, ' ').push_back('\n');
  const auto length = static_cast<unsigned>(text.size());
  std::string head = "\x93NUMPY";
  head += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return head + text;
}

}  // namespace sinter::detail
