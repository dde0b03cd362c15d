// Segments of the host's memory.

#include "runtime/cpu/memory.hpp"
#include "tests/catch.hpp"

namespace host_memory_test {

using namespace sinter::runtime;

TEST_CASE("behind a segment a megabyte can be read") {
  host_memory_source source;
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{3} << 20}) {
    char* const data = static_cast<char*>(source.allocate(bytes));
    REQUIRE(data);
    data[bytes - 1] = 1;
    int sum = 0;
    for (std::size_t i = bytes; i < bytes + (1u << 20); i += 512) {
      sum += *static_cast<volatile char*>(data + i);
    }
    CHECK(sum == 0);
    source.release(data, bytes);
  }
}

}  // namespace host_memory_test
