#include "engine/evaluation/loop_bodies.hpp"

#include <string>

#include "ir/text.hpp"
#include "tests/catch.hpp"

namespace loop_bodies_test {

using namespace sinter;

namespace {

std::string body(const std::string& shape, const std::string& value, const std::string& op,
                 const std::string& outputs, const std::string& strides) {
  return "%0 = source float32 [" + shape + "]\n%1 = source float32 []\n%2 = scalar float32 [] " +
         value + "\n%3 = view float32 [" + shape + "] (%1) strides [" + strides +
         "]\n%4 = map float32 [" + shape + "] (%0, %3) { v2 = " + op +
         " float32 v0 v1 }\n%5 = map float32 [" + shape +
         "] (%4, %2) { v2 = multiply float32 v0 v1 }\nreturn " + outputs + "\n";
}

}  // namespace

TEST_CASE("loop bodies: the same one is found again, any other is not") {
  detail::loop_bodies known;
  const auto simplified = [&](const std::string& text) {
    return known.simplified(ir::parse_graph(text));
  };
  const auto first = simplified(body("8", "2", "add", "%5", "0"));
  CHECK(simplified(body("8", "2", "add", "%5", "0")) == first);
  for (const std::string& other :
       {body("9", "2", "add", "%5", "0"), body("8", "3", "add", "%5", "0"),
        body("8", "2", "subtract", "%5", "0"), body("8", "2", "add", "%4", "0"),
        body("8", "2", "add", "%5, %4", "0")}) {
    const auto made = simplified(other);
    CHECK(made != first);
    CHECK(simplified(other) == made);
  }
}

}  // namespace loop_bodies_test
