#include "ir/philox.hpp"

#include "tests/catch.hpp"

namespace philox_test {

using namespace sinter::ir;

// kat_vectors of Random123 1.14.
static_assert(philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
              philox_block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                            {0xffffffff, 0xffffffff}) ==
              philox_block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                            {0xa4093822, 0x299f31d0}) ==
              philox_block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

TEST_CASE("Random elements are words of consecutive blocks") {
  const std::uint64_t key = 0x0123456789abcdef;
  for (std::uint64_t block : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
    const philox_block words = philox4x32_10({static_cast<std::uint32_t>(block),
                                              static_cast<std::uint32_t>(block >> 32), 0, 0},
                                             {0x89abcdef, 0x01234567});
    for (std::uint64_t w = 0; w < 4; ++w) CHECK(random_uint32(4 * block + w, key) == words[w]);
    for (std::uint64_t h = 0; h < 2; ++h) {
      CHECK(random_uint64(2 * block + h, key) ==
            (words[2 * h] | std::uint64_t{words[2 * h + 1]} << 32));
    }
  }
}

}  // namespace philox_test
