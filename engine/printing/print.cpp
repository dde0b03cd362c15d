#include "engine/printing/print.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/nodes/node.hpp"

namespace sinter::detail {
namespace {

/// Host memory per printed element: position, bits, word and text.
constexpr std::size_t text_bytes = 64;

/// The buffer that holds an array's elements, and the index map into it.
struct stored {
  any_array base;
  element_map map;
};

/// A view is read in its base: evaluating it would copy all of it.
stored store(const any_array& x, location where) {
  if (auto view = viewed(x)) {
    const bool is_stored = view->first.get()->depth.load(std::memory_order_acquire) == 0;
    if (is_stored || view->first.size() <= x.size()) {
      evaluate({&view->first, 1}, "print", where);
      return {std::move(view->first), std::move(view->second)};
    }
  }
  evaluate({&x, 1}, "print", where);
  return {x, {0, dense_strides(x.extents())}};
}

/// The indices along an axis that are shown.
std::vector<std::int64_t> shown_indices(std::int64_t extent, bool cut, int edgeitems) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(cut ? 2 * edgeitems : extent));
  std::iota(indices.begin(), indices.end(), 0);
  for (std::size_t i = static_cast<std::size_t>(edgeitems); cut && i < indices.size(); ++i) {
    indices[i] += extent - 2 * edgeitems;
  }
  return indices;
}

/// The linear index in the stored base of each shown element, row-major.
std::vector<std::int64_t> shown_places(const shown_elements& shown, shape_view shape,
                                       const element_map& map, int edgeitems) {
  std::vector<std::int64_t> places = {map.offset};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (std::int64_t place : places) {
      for (std::int64_t i : shown_indices(shape[d], shown.cut[d], edgeitems)) {
        next.push_back(place + i * map.strides[d]);
      }
    }
    places = std::move(next);
  }
  return places;
}

/// Copies the elements at `places`, consecutive ones in one copy.
void copy_places(const node& n, std::span<const std::int64_t> places, std::byte* to) {
  const std::size_t size = size_of(n.type);
  runtime::buffer& buffer = *n.buffer;
  if (buffer.home() != n.device->current_stream()) n.device->use(buffer);
  for (std::size_t i = 0; i < places.size();) {
    std::size_t run = 1;
    while (i + run < places.size() && places[i + run] == places[i] + static_cast<std::int64_t>(run))
      ++run;
    n.device->copy_to_host(to + i * size, buffer, static_cast<std::size_t>(places[i]) * size,
                           run * size);
    i += run;
  }
}

/// Adds a word to the line, or starts a new line if the word would exceed the width.
void extend_line(std::string& text, std::string& line, const std::string& word, int width,
                 const std::string& indent) {
  const bool full = static_cast<int>(line.size() + word.size()) > width;
  if (full && line.size() > indent.size()) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    line = indent;
  }
  line += word;
}

/// NumPy's _formatArray: one level of brackets per call.
class layout {
 public:
  layout(const std::vector<std::string>& words, const shown_elements& x, int edgeitems,
         const std::string& separator)
      : words_(words),
        x_(x),
        edge_(static_cast<std::size_t>(edgeitems)),
        separator_(separator),
        end_(separator.substr(0, separator.find(' '))) {}

  std::string operator()(std::size_t axis, const std::string& indent, int width) {
    const std::string inside = axis + 1 == x_.shape.size() ? row(axis, indent, width - 1)
                                                           : rows(axis, indent, width - 1);
    return '[' + inside.substr(indent.size()) + ']';
  }

 private:
  std::string row(std::size_t axis, const std::string& indent, int width) {
    const auto count = static_cast<std::size_t>(x_.shape[axis]);
    std::string text, line = indent;
    for (std::size_t i = 0; i < count; ++i) {
      if (x_.cut[axis] && i == edge_) {
        extend_line(text, line, "...", width, indent);
        line += separator_;
      }
      extend_line(text, line, words_[next_++], width, indent);
      if (i + 1 < count) line += separator_;
    }
    return text + line;
  }

  std::string rows(std::size_t axis, const std::string& indent, int width) {
    const auto count = static_cast<std::size_t>(x_.shape[axis]);
    const std::string separator = end_ + std::string(x_.shape.size() - axis - 1, '\n');
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      if (x_.cut[axis] && i == edge_) text += indent + "..." + separator;
      text += indent + (*this)(axis + 1, indent + ' ', width);
      if (i + 1 < count) text += separator;
    }
    return text;
  }

  const std::vector<std::string>& words_;
  const shown_elements& x_;
  std::size_t edge_, next_ = 0;
  const std::string separator_, end_;
};

}  // namespace

shown_elements fetch_shown(const any_array& x, const print_options& options, location where) {
  const auto shape = x.extents();
  const bool summary = x.size() > options.threshold;
  shown_elements shown;
  shown.type = x.dtype();
  std::size_t bytes = text_bytes;
  for (std::int64_t e : shape) {
    shown.cut.push_back(summary && e > 2 * options.edgeitems);
    shown.shape.push_back(shown.cut.back() ? 2 * options.edgeitems : e);
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(shown.shape.back()), &bytes)) {
      bytes = ~std::size_t{0};
    }
  }
  check_host_room(x, bytes, "print", where);
  if (x.size() == 0) return shown;
  return guarded("print", where, [&] {
    const stored s = store(x, where);
    const auto places = shown_places(shown, shape, s.map, options.edgeitems);
    shown.data.resize(places.size() * size_of(shown.type));
    copy_places(*s.base.get(), places, shown.data.data());
    verify_checks(s.base);
    verify_checks(x);
    return std::move(shown);
  });
}

std::string lay_out(const std::vector<std::string>& words, const shown_elements& x,
                    const print_options& options, const std::string& separator,
                    const std::string& indent) {
  return layout(words, x, options.edgeitems, separator)(0, indent, options.linewidth);
}

}  // namespace sinter::detail

namespace sinter {

std::string to_string(const any_array& x, const print_options& options, location where) {
  if (detail::checked(x, "print", where).size() == 0) return "[]";
  print_options o = options;
  o.edgeitems = std::max(o.edgeitems, 1);
  auto shown = detail::fetch_shown(x, o, where);
  shown.alone = shown.shape.empty();
  const auto words = detail::write_words(shown, o);
  return shown.shape.empty() ? words[0] : detail::lay_out(words, shown, o);
}

std::string array_repr(const any_array& x, const print_options& options, location where) {
  const dtype type = detail::checked(x, "print", where).type;
  const bool implied = x.size() > 0 && (type == dtype::bool_ || type == dtype::int64 ||
                                        type == dtype::float64 || type == dtype::complex128);
  const std::string prefix = "array(";
  print_options o = options;
  o.edgeitems = std::max(o.edgeitems, 1);
  o.linewidth -= 1;  // for the closing brackets
  std::string text = prefix;
  if (x.size() == 0) {
    text += x.ndim() == 1 ? "[]" : "[], shape=" + detail::text_of(x.extents());
  } else {
    const auto shown = detail::fetch_shown(x, o, where);
    const auto words = detail::write_words(shown, o);
    text += shown.shape.empty() ? words[0]
                                : detail::lay_out(words, shown, o, ", ",
                                                  std::string(prefix.size() + 1, ' '));
  }
  if (implied) return text + ')';
  text += ',';
  const std::string tail = "dtype=" + std::string(name(type)) + ')';
  const std::size_t last = text.size() - (text.rfind('\n') + 1);
  const bool fits = last + tail.size() + 1 <= static_cast<std::size_t>(options.linewidth);
  return text + (fits ? " " : '\n' + std::string(prefix.size(), ' ')) + tail;
}

namespace {

thread_local print_options in_force;  // set for a scope of the thread, not for the library

}  // namespace

print_scope::print_scope(const print_options& options)
    : previous_(std::exchange(in_force, options)) {}

print_scope::~print_scope() { in_force = previous_; }

void set_printoptions(const print_options& options) { in_force = options; }

const print_options& get_print_options() { return in_force; }

std::ostream& operator<<(std::ostream& out, const any_array& x) {
  return out << to_string(x, in_force);
}

std::ostream& operator<<(std::ostream& out, dtype type) { return out << name(type); }

std::string to_string(const array_shape& shape) { return detail::text_of(shape); }

std::ostream& operator<<(std::ostream& out, const array_shape& shape) {
  return out << to_string(shape);
}

}  // namespace sinter
