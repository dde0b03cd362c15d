#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace numpy_print_test {

namespace sn = sinter;
using namespace sinter::test;

TEST_CASE("arrays print as NumPy prints them") {
  const auto folder = oracle_folder("printing.py");
  if (folder.empty()) return;
  int compared = 0, wrong = 0;
  for (const oracle_line& line : oracle_lines(folder / "prints.txt")) {
    sn::print_options o;
    o.precision = line.number("precision", o.precision);
    o.threshold = line.number("threshold", static_cast<int>(o.threshold));
    o.edgeitems = line.number("edgeitems", o.edgeitems);
    o.linewidth = line.number("linewidth", o.linewidth);
    o.suppress = line.number("suppress", 0) != 0;
    o.nanstr = line.text("nanstr", o.nanstr);
    o.infstr = line.text("infstr", o.infstr);
    o.sign = static_cast<char>(line.number("sign", o.sign));
    o.floatmode = static_cast<sn::float_mode>(line.number("floatmode", 2));
    const sn::any_array x = sn::load_npy((folder / line.fields[0]).string());
    const std::string expected = read_text(folder / line.fields[2]);
    std::string got = line.number("repr", 0) ? sn::array_repr(x, o) : sn::to_string(x, o);
    if (!line.number("repr", 0) && compared % 2 == 1) {
      got = sn::visit(x, [&](const auto& a) { return sn::array_str(a, o); });
    }
    ++compared;
    if (got == expected) continue;
    if (++wrong > 10) continue;  // enough to diagnose
    INFO(sinter::name(x.dtype()) << ' ' << line.fields[1]);
    CHECK(got == expected);
  }
  CHECK(wrong == 0);
  CHECK(compared > 1000);
}

}  // namespace numpy_print_test
