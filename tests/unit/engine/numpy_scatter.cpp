// NumPy's results for assignments to elements selected by indices and masks, as written by
// tests/numpy/scatter.py.

#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_scatter_test {

namespace sn = sinter;
using namespace sinter::test;
using sn::ir::op;

namespace {

sn::slice slice_of(const std::string& text) {
  std::int64_t parts[] = {sn::slice::unset, sn::slice::unset, 1};
  std::istringstream in(text);
  std::size_t i = 0;
  for (std::string word; i < 3 && std::getline(in, word, ':'); ++i) {
    if (!word.empty()) parts[i] = std::stoll(word);
  }
  return {parts[0], parts[1], parts[2]};
}

std::vector<sn::index_item> items_of(const std::string& text, const arrays& x) {
  std::vector<sn::index_item> items;
  std::istringstream in(text);
  std::size_t next = 2;
  for (std::string word; std::getline(in, word, ';');) {
    if (word == "a") items.emplace_back(x[next++]);
    else if (word == "n") items.emplace_back(sn::newaxis);
    else if (word == "e") items.emplace_back(sn::ellipsis);
    else if (word[0] == 'i') items.emplace_back(std::stoll(word.substr(1)));
    else items.emplace_back(slice_of(word.substr(1)));
  }
  return items;
}

constexpr std::pair<const char*, op> ops[] = {
    {"put", op::cast},        {"add", op::add},         {"subtract", op::subtract},
    {"multiply", op::multiply}, {"divide", op::divide},   {"minimum", op::minimum},
    {"maximum", op::maximum},
};

arrays written(const arrays& x, const oracle_line& l) {
  std::string name = l.fields[0];
  const bool every = name.ends_with("_at");
  if (every) name.resize(name.size() - 3);
  op code = op::cast;
  for (const auto& [known, o] : ops) {
    if (name == known) code = o;
  }
  return {sn::detail::write_at(x[0], items_of(l.text("items"), x), code, every, x[1], {})};
}

}  // namespace

TEST_CASE("writes to what is chosen are NumPy's") {
  compare_calls("scatter.py", "writes", false, 1200, written);
}

}  // namespace numpy_scatter_test
