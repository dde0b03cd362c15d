#pragma once
// Gathers columns of an array into rows for a transform, and scatters them back.
//
// Why: if the rows of an array are a large power of two apart, all elements of a column map to a
// few cache sets, and FFTW, planning by heuristics, walks them in place: 2048 transforms of 2048
// complex floats take 220 ms, 24 through rows (one core of an EPYC; 11 if they are rows to begin
// with).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace sinter::runtime {

/// How transforms down adjacent columns go through rows of scratch memory.
struct column_block {
  std::int64_t in_count, out_count;  // elements of a column, before and after
  std::int64_t in_step, out_step;    // distance between these in the array, in elements
  int in_size, out_size;             // bytes of an element: 4, 8 or 16
  std::int64_t in_pitch, out_pitch;  // row pitch of the scratch memory, in elements
  std::int64_t width;                // columns at a time

  column_block(std::int64_t in_count, std::int64_t out_count, std::int64_t in_step,
               std::int64_t out_step, int in_size, int out_size);

  std::size_t in_bytes() const { return static_cast<std::size_t>(width * in_pitch * in_size); }
  std::size_t out_bytes() const { return static_cast<std::size_t>(width * out_pitch * out_size); }

  /// Do columns of this many elements, this many bytes apart, take longer than the way through
  /// rows, because they exceed the L2 or map to too few of its sets?
  static bool pays(std::int64_t count, std::int64_t bytes_apart);

  /// Copies `columns` of the array's columns, at most `width`, from `from` on to rows.
  void gather(char* rows, const char* from, std::int64_t columns) const;
  /// Copies rows to the array's columns from `to` on.
  void scatter(char* to, const char* rows, std::int64_t columns) const;
};

/// Memory aligned for every vector unit; one owner.
class column_scratch {
 public:
  explicit column_scratch(std::size_t bytes)
      : data_(static_cast<char*>(::operator new(bytes, alignment))) {}
  char* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(char* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<char, release> data_;
};

}  // namespace sinter::runtime
