#include "engine/files/safetensors_header.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "engine/nodes/report.hpp"

#if defined(SINTER_HAVE_JSON)
#include <nlohmann/json.hpp>
#endif

namespace sinter::detail {
namespace {

struct code_row {
  std::string_view code;
  dtype type;
};
constexpr code_row codes[] = {
    {"BOOL", dtype::bool_},   {"I8", dtype::int8},     {"I16", dtype::int16},
    {"I32", dtype::int32},    {"I64", dtype::int64},   {"U8", dtype::uint8},
    {"U16", dtype::uint16},   {"U32", dtype::uint32},  {"U64", dtype::uint64},
    {"F16", dtype::float16},  {"BF16", dtype::bfloat16}, {"F32", dtype::float32},
    {"F64", dtype::float64},  {"C64", dtype::complex64},
};

/// The size must match dtype and shape, if the dtype is supported.
[[maybe_unused]] void check_size(const tensor_entry& t) {
  const auto type = dtype_of_safetensors(t.code);
  if (!type) return;
  const auto bytes = bytes_of(*type, t.shape);
  if (!bytes) throw "says of '" + t.name + "' that it has more than 2^63 - 1 bytes";
  if (static_cast<std::uint64_t>(*bytes) == t.end - t.begin) return;
  throw "gives '" + t.name + "' " + std::to_string(t.end - t.begin) + " bytes, where " + t.code +
      " of shape " + text_of(t.shape) + " has " + std::to_string(*bytes);
}

/// The elements must fill everything after the header: no overlap, no hole. Sorts by position.
[[maybe_unused]] void check_places(std::vector<tensor_entry>& tensors, std::uint64_t bytes) {
  std::ranges::sort(tensors, [](const tensor_entry& a, const tensor_entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t at = 0;
  for (const tensor_entry& t : tensors) {
    if (t.begin > t.end || t.end > bytes) {
      throw "puts '" + t.name + "' at bytes " + std::to_string(t.begin) + " to " +
          std::to_string(t.end) + " of " + std::to_string(bytes);
    }
    if (t.begin < at) throw "lets '" + t.name + "' overlap with what is before it";
    if (t.begin > at) {
      throw "leaves " + std::to_string(t.begin - at) + " bytes before '" + t.name + "' unused";
    }
    check_size(t);
    at = t.end;
  }
  if (at != bytes) throw "leaves " + std::to_string(bytes - at) + " bytes at the end unused";
}

}  // namespace

std::optional<std::string_view> safetensors_code(dtype t) {
  const auto found = std::ranges::find(codes, t, &code_row::type);
  return found == std::end(codes) ? std::nullopt : std::optional(found->code);
}

std::optional<dtype> dtype_of_safetensors(std::string_view code) {
  const auto found = std::ranges::find(codes, code, &code_row::code);
  return found == std::end(codes) ? std::nullopt : std::optional(found->type);
}

#if defined(SINTER_HAVE_JSON)

namespace {

using nlohmann::json;

/// Parses the text as a stream: it builds no tree, and it sees duplicate names.
class header_reader final : public nlohmann::json_sax<json> {
 public:
  safetensors_header header;
  std::string problem;

  bool null() override { return refuse("has a null"); }
  bool boolean(bool) override { return refuse("has a boolean"); }
  bool number_float(number_float_t, const string_t& text) override {
    return refuse("has the number " + text.substr(0, 40) + " where a size belongs");
  }
  bool binary(json::binary_t&) override { return refuse("has bytes"); }
  bool number_integer(number_integer_t v) override {
    return refuse("has the number " + std::to_string(v) + " where a size belongs");
  }
  bool number_unsigned(number_unsigned_t v) override {
    if (state_ != in_shape && state_ != in_offsets) return refuse("has a number out of place");
    tensor_entry& t = header.tensors.back();
    if (state_ == in_offsets) {
      if (offsets_ == 2) return refuse("has more than two offsets for '" + t.name + "'");
      (offsets_++ == 0 ? t.begin : t.end) = v;
      return true;
    }
    if (v > static_cast<number_unsigned_t>(INT64_MAX) || t.shape.size() == 32) {
      return refuse("has a shape of '" + t.name + "' that is none");
    }
    t.shape.push_back(static_cast<std::int64_t>(v));
    return true;
  }
  bool string(string_t& v) override {
    if (state_ == in_metadata) return metadata(v);
    if (state_ != in_tensor || key_ != "dtype") return refuse("has a text out of place");
    header.tensors.back().code = v.substr(0, 40);
    return true;
  }
  bool key(string_t& v) override {
    key_ = v;
    if (state_ == in_tensor) return part(v);
    if (state_ == in_metadata) return true;
    if (!names_.insert(v).second) return refuse("has '" + v.substr(0, 80) + "' twice");
    return true;
  }
  bool start_object(std::size_t) override {
    if (state_ == before) return enter(top);
    if (state_ != top) return refuse("has an object out of place");
    if (key_ == "__metadata__") return enter(in_metadata);
    header.tensors.push_back({key_, {}, {}, 0, 0});
    parts_ = offsets_ = 0;
    return enter(in_tensor);
  }
  bool end_object() override {
    if (state_ == in_tensor && (parts_ != 7 || offsets_ != 2 || header.tensors.back().code.empty()))
      return refuse("lacks dtype, shape or data_offsets of '" + header.tensors.back().name + "'");
    return enter(state_ == top ? after : top);
  }
  bool start_array(std::size_t) override {
    if (state_ == in_tensor && key_ == "shape") return enter(in_shape);
    if (state_ == in_tensor && key_ == "data_offsets") return enter(in_offsets);
    return refuse("has a list out of place");
  }
  bool end_array() override { return enter(in_tensor); }
  bool parse_error(std::size_t at, const std::string&, const json::exception&) override {
    return refuse("is no JSON at byte " + std::to_string(at));
  }

 private:
  enum state { before, top, in_metadata, in_tensor, in_shape, in_offsets, after };

  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool enter(state s) {
    state_ = s;
    return true;
  }
  bool metadata(const std::string& v) {
    if (!header.metadata.emplace(key_, v).second) return refuse("has '" + key_ + "' twice");
    return true;
  }
  bool part(const std::string& v) {
    const int bit = v == "dtype" ? 1 : v == "shape" ? 2 : v == "data_offsets" ? 4 : 0;
    if (bit == 0) return refuse("has an unknown key '" + v.substr(0, 40) + "'");
    if (parts_ & bit) return refuse("has " + v + " twice");
    parts_ |= bit;
    return true;
  }

  state state_ = before;
  std::string key_;
  std::set<std::string> names_;
  int parts_ = 0, offsets_ = 0;
};

}  // namespace

safetensors_header parse_safetensors_header(std::string_view text, std::uint64_t bytes) {
  if (text.empty() || text[0] != '{') throw std::string("does not begin with '{'");
  header_reader reader;
  const bool read = json::sax_parse(text.begin(), text.end(), &reader);
  if (!read || !reader.problem.empty()) throw reader.problem;
  check_places(reader.header.tensors, bytes);
  return std::move(reader.header);
}

std::string format_safetensors_header(const safetensors_header& h) try {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  if (!h.metadata.empty()) all["__metadata__"] = h.metadata;
  for (const tensor_entry& t : h.tensors) {
    auto& entry = all[t.name];
    entry["dtype"] = t.code;
    entry["shape"] = t.shape;
    entry["data_offsets"] = {t.begin, t.end};
  }
  return all.dump();
} catch (const json::exception&) {
  throw std::string("a name or a word of the metadata is no UTF-8");
}

#else

safetensors_header parse_safetensors_header(std::string_view, std::uint64_t) {
  throw json_missing();
}
std::string format_safetensors_header(const safetensors_header&) {
  throw json_missing();
}

#endif

}  // namespace sinter::detail
