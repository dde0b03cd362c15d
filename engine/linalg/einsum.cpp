// NumPy's einsum: parses the format; engine/linalg/contraction.hpp computes the sums.

#include <map>

#include <sinter/products.hpp>

#include "engine/linalg/contraction.hpp"

namespace sinter::detail {
namespace {

/// A list of labels; `dots` is the ellipsis' position, or -1.
struct subscript {
  std::vector<int> labels;
  int dots = -1;
};

struct equation {
  std::vector<subscript> operands;
  subscript output;
  bool has_output = false;
};

class reader {
 public:
  explicit reader(const einsum_format& f) : f_(f) {}

  equation run() {
    equation e;
    e.operands.push_back(list());
    while (take(',')) e.operands.push_back(list());
    if (take('-')) {
      if (!take('>')) refuse("'-' without '>'");
      e.output = list();
      e.has_output = true;
    }
    if (at_ < f_.text.size()) refuse("unexpected '" + std::string(1, f_.text[at_]) + "'");
    return e;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    fail<value_error>(error_code::bad_argument, "einsum",
                      "\"" + std::string(f_.text) + "\": " + why, f_.where);
  }

 private:
  void skip_blanks() {
    while (at_ < f_.text.size() && f_.text[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= f_.text.size() || f_.text[at_] != c) return false;
    ++at_;
    return true;
  }
  subscript list() {
    subscript s;
    for (;;) {
      skip_blanks();
      const char c = at_ < f_.text.size() ? f_.text[at_] : '\0';
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (letter) {
        s.labels.push_back(c);
        ++at_;
      } else if (c == '.') {
        if (f_.text.substr(at_, 3) != "...") refuse("a '.' that is no part of \"...\"");
        if (s.dots >= 0) refuse("two ellipses in one term");
        s.dots = static_cast<int>(s.labels.size());
        at_ += 3;
      } else {
        return s;
      }
    }
  }

  const einsum_format& f_;
  std::size_t at_ = 0;
};

/// The labels of an ellipsis' axes, counted from the last: all below every letter.
int ellipsis_label(std::size_t from_the_end) {
  return -1 - static_cast<int>(from_the_end);
}

/// The labels, with `count` labels in place of the ellipsis.
std::vector<int> expanded(const subscript& s, std::size_t count) {
  std::vector<int> labels = s.labels;
  if (s.dots < 0) return labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.insert(labels.begin() + s.dots, ellipsis_label(i));
  }
  return labels;
}

/// The ellipsis, then the labels that occur once, sorted.
subscript implicit_output(const equation& e) {
  std::map<int, int> uses;
  subscript output;
  for (const subscript& s : e.operands) {
    for (int l : s.labels) ++uses[l];
    if (s.dots >= 0) output.dots = 0;
  }
  for (const auto& [label, count] : uses) {
    if (count == 1) output.labels.push_back(label);
  }
  return output;
}

std::string spelled(int label) {
  return label < 0 ? "an axis of \"...\"" : "'" + std::string(1, static_cast<char>(label)) + "'";
}

void check_output(const reader& r, const equation& e) {
  for (int l : e.output.labels) {
    if (std::ranges::count(e.output.labels, l) > 1) {
      r.refuse("the output has " + spelled(l) + " twice");
    }
    const bool known = std::ranges::any_of(e.operands, [&](const subscript& s) {
      return std::ranges::find(s.labels, l) != s.labels.end();
    });
    if (!known) r.refuse("no operand has the output's " + spelled(l));
  }
}

/// Checks that a label's extents agree. An extent of 1 broadcasts against other operands, not
/// within one.
void check_extents(const std::vector<labelled>& operands, location where) {
  std::map<int, std::int64_t> known;
  const auto refuse = [&](int label, std::int64_t a, std::int64_t b) {
    fail<shape_error>(error_code::shape_mismatch, "einsum",
                      spelled(label) + " is " + std::to_string(a) + " against " + std::to_string(b),
                      where);
  };
  for (const labelled& t : operands) {
    std::map<int, std::int64_t> own;
    for (std::size_t i = 0; i < t.labels.size(); ++i) {
      const std::int64_t extent = t.x.extents()[i];
      const auto [at, fresh] = own.try_emplace(t.labels[i], extent);
      if (!fresh && at->second != extent) refuse(t.labels[i], at->second, extent);
      std::int64_t& all = known.try_emplace(t.labels[i], 1).first->second;
      if (all != 1 && extent != 1 && all != extent) refuse(t.labels[i], all, extent);
      if (extent != 1) all = extent;
    }
  }
}

}  // namespace

any_array einsum(const einsum_format& format, std::vector<any_array> operands) {
  const reader r(format);
  equation e = reader(format).run();
  if (e.operands.size() != operands.size()) {
    r.refuse(std::to_string(e.operands.size()) + " terms for " + std::to_string(operands.size()) +
             " operands");
  }
  std::vector<labelled> terms;
  std::size_t dots = 0;
  dtype type = dtype::bool_;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t rank = checked(operands[i], "einsum", format.where).shape.size();
    const std::size_t named = e.operands[i].labels.size();
    if (rank < named || (rank > named && e.operands[i].dots < 0)) {
      r.refuse("term " + std::to_string(i) + " has " + std::to_string(named) +
               " labels, the operand " + text_of(operands[i].extents()));
    }
    if (e.operands[i].dots >= 0) dots = std::max(dots, rank - named);
    type = i == 0 ? operands[i].dtype() : promote(type, operands[i].dtype());
    terms.push_back({operands[i], expanded(e.operands[i], rank - named)});
  }
  if (!e.has_output) e.output = implicit_output(e);
  if (dots > 0 && e.output.dots < 0) r.refuse("the output has no \"...\" for the operands' axes");
  check_output(r, e);
  check_extents(terms, format.where);
  // Before anything is summed: a partial sum in a narrower dtype would wrap or overflow.
  for (labelled& t : terms) t.x = make_cast(t.x, type, format.where);
  const auto result = expanded(e.output, dots);
  return contract(std::move(terms), result, type, format.where);
}

}  // namespace sinter::detail
