#include "ir/passes/shape_tiles.hpp"

#include <algorithm>

#include "ir/passes/shaper.hpp"

namespace sinter::ir {
namespace {

/// How much of a block's shared memory the tiles of transposed operands may take.
constexpr extent shared_bytes = 48 << 10;

/// The most instructions of a thread of a tile, over all its elements. A map of 113 with ten
/// divisions of doubles compiled for 470 ms with four elements a thread, 125 with one.
constexpr int most_instructions = 320;
/// The same for elements shorter than a word, of which a thread has many, with few instructions
/// each.
constexpr int most_of_short = 512;

/// Of rows that begin anywhere, 512 bytes are written at a time, as single words, as many per
/// thread as four blocks per SM have registers for: floats, 16383 x 16381, 69% of a copy by 32 x
/// 32, 84% so, by 64 x 64 81%; doubles by 32 x 64 91%, square 89% (H200).
constexpr int threads_of_lines = 256, crowd_of_lines = 4, lines_each = 8;
constexpr std::int64_t least_of_lines = 1 << 21;  // points: blocks for all SMs

/// The smallest tile, if the arrays are small.
constexpr int least_tile = 512;

class tiler {
 public:
  tiler(kernel& k, const shape_t& extents)
      : k_(k),
        s_(k.schedule),
        across_(extents.back()),
        down_(extents[extents.size() - 2]),
        many_(product(extents, 0, extents.size()) >= extent(least_of_lines)) {}

  void run(int size) {
    const bool long_body = k_.body.size() > 32;
    const bool scalar = s_.vector == 1 || s_.turn_vector == 1;
    const int together = turned_together(k_);
    if (scalar && size >= 4 && !long_body && many_) wide_ = std::max(1, 16 / size);
    if (together == 4) tall_ = 2;
    int side = size == 1 || together > 1 ? 128
               : size == 2 || (size == 4 && !long_body && !scalar) ? 64 : 32;
    if (together == 1 && (size == 1 || (size == 4 && side == 64))) s_.threads = 512;
    set_sides(side);
    while (side > 8 && shared() > shared_bytes) set_sides(side /= 2);
    const int code = static_cast<int>(k_.body.size());
    const int longest = together > 1 ? most_of_short : most_instructions;
    while (side > 16 && code * points() / s_.threads > longest) set_sides(side /= 2);
    const int most = std::max(s_.vector, s_.turn_vector * together);
    s_.threads = std::min(s_.threads, points() / most);
    s_.unroll = points() / (s_.threads * s_.vector);
    if (wide_ > 1 && s_.threads == threads_of_lines && points() >= lines_each * s_.threads) {
      s_.crowd = crowd_of_lines;
    }
  }

 private:
  int points() const { return s_.tile_rows * s_.tile_columns; }

  /// A square, with longer rows for single words and higher columns for bytes, unless one of the
  /// axes is shorter; then the other side is longer, if its axis is.
  void set_sides(int side) {
    s_.tile_rows = tall_ * side;
    s_.tile_columns = wide_ * side;
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
      const int together = turned_together(s_, o);
      const int points = together > 1 ? s_.tile_rows * (s_.tile_columns + together)
                                      : s_.tile_columns * (s_.tile_rows + 1);
      bytes += static_cast<extent>(size_of(o.type)) * points;
    }
    return bytes;
  }

  kernel& k_;
  schedule& s_;
  const extent &across_, &down_;
  const bool many_;
  int tall_ = 1, wide_ = 1;
};

}  // namespace

void choose_tile(kernel& k, const shape_t& extents, int size) {
  tiler(k, extents).run(size);
}

}  // namespace sinter::ir
