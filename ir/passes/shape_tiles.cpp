#include "ir/passes/shape_tiles.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

/// What the tiles of turned operands may take of a block's shared memory.
constexpr extent shared_bytes = 48 << 10;

/// Instructions of a thread of a tile, all elements taken together. A map of 113 with ten divisions
/// of doubles compiled for 470 ms with four elements a thread, 125 with one.
constexpr int most_instructions = 320;

/// Of a tile, where the arrays are small.
constexpr int least_tile = 512;

class tiler {
 public:
  tiler(kernel& k, const shape_t& extents)
      : k_(k), s_(k.schedule), across_(extents.back()), down_(extents[extents.size() - 2]) {}

  void run(int size) {
    const bool long_body = k_.body.size() > 32;
    const bool scalar = s_.vector == 1 || s_.turn_vector == 1;
    int side = size == 1 ? 128 : size == 2 || (size == 4 && !long_body && !scalar) ? 64 : 32;
    if (size == 1) s_.threads = 512;
    set_sides(side);
    while (side > 8 && shared() > shared_bytes) set_sides(side /= 2);
    const int code = static_cast<int>(k_.body.size());
    while (side > 16 && code * points() / s_.threads > most_instructions) set_sides(side /= 2);
    const int widest = std::max(s_.vector, s_.turn_vector);
    s_.threads = std::min(s_.threads, points() / widest);
    s_.unroll = points() / (s_.threads * s_.vector);
  }

 private:
  int points() const { return s_.tile_rows * s_.tile_columns; }

  /// A square, unless one of the axes is shorter; then the other side is longer, if its axis is.
  void set_sides(int side) {
    s_.tile_rows = s_.tile_columns = side;
    const auto fit = [](extent n, int& narrow, extent m, int& wide) {
      for (; narrow > 2 && narrow / 2 >= n; narrow /= 2) {
        wide *= wide < m || wide * narrow <= least_tile ? 2 : 1;
      }
    };
    if (across_ < down_)
      fit(across_, s_.tile_columns, down_, s_.tile_rows);
    else
      fit(down_, s_.tile_rows, across_, s_.tile_columns);
  }

  extent shared() const {
    extent bytes = 0;
    for (const operand& o : k_.operands) {
      if (o.reach != reach::turned) continue;
      bytes += static_cast<extent>(size_of(o.type)) * s_.tile_columns * (s_.tile_rows + 1);
    }
    return bytes;
  }

  kernel& k_;
  schedule& s_;
  const extent &across_, &down_;
};

}  // namespace

void choose_tile(kernel& k, const shape_t& extents, int size) {
  tiler(k, extents).run(size);
}

}  // namespace sinter::ir
