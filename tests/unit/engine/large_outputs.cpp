// Outputs written by streaming stores on a CPU: rows at any address, of any length.
#include <cstdint>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace large_outputs_test {

namespace sn = sinter;

namespace {

/// Element (i, k) is 3 i + k, which identifies its place.
void check_rows(const std::vector<std::int32_t>& out, std::int64_t rows, std::int64_t columns) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) {
      const auto got = out[static_cast<std::size_t>(i * columns + k)];
      wrong += got != static_cast<std::int32_t>(3 * i + k);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("large outputs are whole however long their rows are") {
  for (const std::int64_t columns : {4096, 4095, 4097, 1000, 16, 3}) {
    const std::int64_t rows = (std::int64_t{4} << 20) / columns + 1;
    INFO(rows << " rows of " << columns);
    const auto i = sn::reshape(sn::arange<std::int32_t>(rows), {rows, 1});
    const auto k = sn::arange<std::int32_t>(columns);
    sn::eval(i, k);
    const sn::array<std::int32_t> sum = 3 * i + k;
    check_rows(sum.to_host<std::vector>(), rows, columns);
  }
}

TEST_CASE("a large output is whole behind rows that another kernel writes") {
  const std::int64_t rows = 1030, columns = 4099;
  const auto i = sn::reshape(sn::arange<std::int32_t>(rows), {rows, 1});
  sn::array<std::int32_t> x = sn::zeros<std::int32_t>({rows, columns});
  sn::eval(x);
  const auto k = sn::arange<std::int32_t>(columns);
  x(sn::slice(1, rows), sn::slice(0, columns)) = 3 * i(sn::slice(1, rows)) + k;
  x(0) = k;
  check_rows(x.to_host<std::vector>(), rows, columns);
}

}  // namespace large_outputs_test
