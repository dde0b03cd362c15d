// Inputs that are read by strips (reach::strips): what a strip of columns reads of one is
// transposed in registers, square by square, into memory of its own, where the strip's rows find it
// as vectors.

#include <algorithm>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/flow.hpp"
#include "codegen/llvm/kernel_writer.hpp"

namespace sinter::codegen::cpu {
namespace {

/// The longest side of a square, in elements: for bytes a register of 16.
constexpr int most_side = 16;

/// Rows of a strip times its width in vectors: of 64 columns of bytes they read 8 KB.
constexpr int strip_size = 128;

/// Transposes by interleaving vectors, log2(side) times.
void turn_square(coder& c, llvm::SmallVector<Value*, 16>& rows) {
  const int n = static_cast<int>(rows.size());
  llvm::SmallVector<int, 64> low, high;
  for (int i = 0; i < n / 2; ++i) {
    low.append({i, n + i});
    high.append({n / 2 + i, n + n / 2 + i});
  }
  for (int stage = 1; stage < n; stage *= 2) {
    llvm::SmallVector<Value*, 16> next;
    for (int i = 0; i < n / 2; ++i) {
      for (const auto& lanes : {low, high}) {
        next.push_back(c.b.CreateShuffleVector(rows[static_cast<std::size_t>(i)],
                                               rows[static_cast<std::size_t>(i + n / 2)], lanes));
      }
    }
    rows = std::move(next);
  }
}

/// Writes a function of from, stride, to, rows and columns: to[row * lanes + column] =
/// from[row + column * stride], for these numbers of rows and columns.
class turning_writer {
 public:
  turning_writer(coder& c, llvm::Function* f, llvm::Type* element, int lanes)
      : c_(c), loops_(c.b, f), f_(f), element_(element), lanes_(lanes) {}

  void write() {
    Value *const rows = f_->getArg(3), *const columns = f_->getArg(4);
    Value *const zero = c_.integer(0), *const side = c_.integer(side_);
    Value *const most_rows = whole(rows), *const most = whole(columns);
    loops_.count(zero, most, side, "squares", [&](Value* column) {
      loops_.count(zero, most_rows, side, "square", [&](Value* row) { square(row, column); });
      rest(most_rows, column, side);
    });
    loops_.count(most, columns, masks() ? side : c_.integer(1), "beside", [&](Value* column) {
      if (!masks()) return singly(zero, column);
      loops_.count(zero, rows, side, "edge", [&](Value* row) { edge(row, column); });
    });
    c_.b.CreateRetVoid();
    loops_.promote();
  }

 private:
  /// The rows or columns that whole squares cover.
  Value* whole(Value* n) const { return c_.b.CreateAnd(n, c_.integer(-side_)); }

  Value* source(Value* row, Value* column) const {
    Value* const offset = c_.b.CreateAdd(row, c_.b.CreateMul(column, f_->getArg(1)));
    return c_.b.CreateGEP(element_, f_->getArg(0), offset);
  }

  Value* target(Value* row, Value* column) const {
    Value* const offset = c_.b.CreateAdd(c_.b.CreateMul(row, c_.integer(lanes_)), column);
    return c_.b.CreateGEP(element_, f_->getArg(2), offset);
  }

  void square(Value* row, Value* column) const {
    llvm::Type* const vector = coder::with_lanes(element_, side_);
    llvm::SmallVector<Value*, 16> v;
    for (int i = 0; i < side_; ++i) {
      Value* const place = source(row, c_.b.CreateAdd(column, c_.integer(i)));
      v.push_back(c_.b.CreateAlignedLoad(vector, place, align_));
    }
    store(v, row, column);
  }

  /// Bytes and halves would need AVX-512's masks: elsewhere such loads become branches.
  bool masks() const { return element_->getScalarSizeInBits() >= 32 && lanes_ >= 4; }

  /// Below the whole squares of some columns.
  void rest(Value* most_rows, Value* column, Value* side) {
    if (masks()) {
      return loops_.count(most_rows, f_->getArg(3), side, "corner",
                          [&](Value* row) { edge(row, column); });
    }
    loops_.count(c_.integer(0), side, c_.integer(1), "below",
                 [&](Value* i) { singly(most_rows, c_.b.CreateAdd(column, i)); });
  }

  /// A square that not all of the strip's rows and columns reach: its last column stands for those
  /// beyond it, and what it writes below the last row is not read. (1,000 matrices of 15 x 15
  /// doubles: 2.5 ns an element one by one, 0.44 so.)
  void edge(Value* row, Value* column) const {
    auto* const vector = coder::with_lanes(element_, side_);
    Value* const left = c_.b.CreateSub(f_->getArg(3), row);
    Value* const mask = c_.b.CreateICmpULT(c_.iota(64, side_), c_.spread(left, side_));
    Value* const last = c_.b.CreateSub(f_->getArg(4), c_.integer(1));
    const auto clamped = [&](int i) {
      Value* const at = c_.b.CreateAdd(column, c_.integer(i));
      return c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, last);
    };
    llvm::SmallVector<Value*, 16> v;
    for (int i = 0; i < side_; ++i) {
      Value* const from = source(row, clamped(i));
      v.push_back(c_.b.CreateMaskedLoad(vector, from, align_, mask,
                                        llvm::Constant::getNullValue(vector)));
    }
    store(v, row, column);
  }

  void store(llvm::SmallVector<Value*, 16>& v, Value* row, Value* column) const {
    turn_square(c_, v);
    for (int i = 0; i < side_; ++i) {
      Value* const place = target(c_.b.CreateAdd(row, c_.integer(i)), column);
      c_.b.CreateAlignedStore(v[static_cast<std::size_t>(i)], place, align_);
    }
  }

  /// One element after another of a column, from a row on.
  void singly(Value* first_row, Value* column) {
    loops_.count(first_row, f_->getArg(3), c_.integer(1), "row", [&](Value* row) {
      Value* const x = c_.b.CreateAlignedLoad(element_, source(row, column), align_);
      c_.b.CreateAlignedStore(x, target(row, column), align_);
    });
  }

  coder& c_;
  flow loops_;
  llvm::Function* f_;
  llvm::Type* element_;
  int lanes_;
  int side_ = std::min(most_side, lanes_);
  llvm::Align align_{element_->getScalarSizeInBits() / 8};
};

}  // namespace

std::vector<int> body::strip_inputs() const {
  std::vector<int> found;
  for (std::size_t o = 0; o < kernel_.operands.size(); ++o) {
    if (kernel_.operands[o].reach == ir::reach::strips) found.push_back(static_cast<int>(o));
  }
  return found;
}

/// Transposes what `rows` rows of `width` columns, from the run's first element on, read of an
/// input, into the strip from row `to` on.
void body::bring_strip(int o, Value* rows, Value* width, Value* to) {
  llvm::Type* const element = c_.memory_type(kernel_.operands[at(o)].type);
  llvm::Type *const pointer = c_.b.getPtrTy(), *const word = c_.b.getInt64Ty();
  const std::string name = coder::helper_name("turn", element, lanes());
  auto* const type = llvm::FunctionType::get(c_.b.getVoidTy(), {pointer, word, pointer, word, word},
                                             false);
  llvm::Function* const turn = c_.helper(
      name, type, [&](llvm::Function* f) { turning_writer(c_, f, element, lanes()).write(); });
  Value*& strip = strips_[at(o)];
  if (!strip) strip = scratch(llvm::ArrayType::get(element, std::uint64_t(strip_size * lanes())));
  Value* const from = cursor(o, level::run, 0);
  Value* const place = c_.b.CreateGEP(element, strip, c_.b.CreateMul(to, c_.integer(lanes())));
  c_.b.CreateCall(turn, {from, step_of_lanes(o).stride, place, rows, width});
}

/// What the current row of the strip reads of a transposed input.
Value* body::load_of_strip(int o) {
  llvm::Type* const element = c_.memory_type(kernel_.operands[at(o)].type);
  Value* const first = c_.b.CreateMul(strip_row_, c_.integer(lanes()));
  Value* const place = c_.b.CreateGEP(element, strips_[at(o)], first);
  return c_.b.CreateAlignedLoad(coder::with_lanes(element, lanes()), place,
                                llvm::Align(element->getScalarSizeInBits() / 8));
}

/// Splits the work into strips instead of elements, in the same proportion: a range of few rows
/// would contain no squares. A million elements, transposed: bytes in rows of 4096 take 6.4 ms with
/// a vector of gathers at a time, 0.23 by strips; floats in rows of 1000 0.42 and 0.13 (PyTorch
/// 0.58).
void kernel_writer::write_strips(std::span<Value* const> extents, Value* begin, Value* end) {
  const auto last = extents.size() - 1;
  const int rows = strip_rows(), columns = kernel_.schedule.unroll * body_.lanes();
  const auto over = [&](Value* n, int size) {
    return c_.b.CreateUDiv(c_.b.CreateAdd(n, c_.integer(size - 1)), c_.integer(size));
  };
  std::vector<Value*> strips(extents.begin(), extents.end());
  strips[last - 1] = over(extents[last - 1], rows);
  strips[last] = over(extents[last], columns);
  Value *elements = c_.integer(1), *all = c_.integer(1);
  for (Value* n : extents) elements = c_.times(elements, n);
  for (Value* n : strips) all = c_.times(all, n);
  elements = c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, elements, c_.integer(1));
  const auto strip_of = [&](Value* element) {
    return c_.b.CreateUDiv(c_.b.CreateMul(all, element), elements);
  };
  loops_.walk(strips, strip_of(begin), strip_of(end), "s",
              [&](std::span<Value* const> first, Value* length) {
                const std::vector<Value*> at(first.begin(), first.end());
                loops_.count(c_.integer(0), length, c_.integer(1), "strip", [&](Value* k) {
                  std::vector<Value*> corner = at;
                  corner[last - 1] = c_.b.CreateMul(at[last - 1], c_.integer(rows));
                  corner[last] = c_.b.CreateMul(c_.b.CreateAdd(at[last], k),
                                                c_.integer(columns));
                  const auto left = [&](std::size_t axis, int most) {
                    return smaller(c_.b.CreateSub(extents[axis], corner[axis]), c_.integer(most));
                  };
                  write_strip({corner, left(last - 1, rows), left(last, columns)});
                });
              });
}

int kernel_writer::strip_rows() const {
  return strip_size / kernel_.schedule.unroll;  // whole squares: the verifier allows eight vectors
}

/// The strip's vectors from `row` on that start at `column`: their part of the strip comes after
/// those of the columns before. `write` gets their width, and the row of the strip's memory.
void kernel_writer::in_strip(const strip& s, Value* row, Value* column,
                             const std::function<void(Value* width, Value* place)>& write) {
  std::vector<Value*> coordinates = s.corner;
  const auto last = coordinates.size() - 1;
  coordinates[last - 1] = c_.b.CreateAdd(s.corner[last - 1], row);
  coordinates[last] = c_.b.CreateAdd(s.corner[last], column);
  body_.enter(level::run, coordinates);
  if (kernel_.schedule.unroll == 1) return write(s.columns, row);
  Value* const lanes = c_.integer(body_.lanes());
  Value* const before = c_.b.CreateMul(c_.b.CreateUDiv(column, lanes), c_.integer(strip_rows()));
  write(smaller(c_.b.CreateSub(s.columns, column), lanes), c_.b.CreateAdd(before, row));
}

/// Transposes what the strip reads, then computes its rows.
void kernel_writer::write_strip(const strip& s) {
  Value *const zero = c_.integer(0), *const lanes = c_.integer(body_.lanes());
  const auto each_vector = [&](const std::function<void(Value*)>& visit) {
    if (kernel_.schedule.unroll == 1) return visit(zero);
    loops_.count(zero, s.columns, lanes, "vector", visit);
  };
  each_vector([&](Value* column) {
    in_strip(s, zero, column, [&](Value* width, Value* place) {
      for (int o : body_.strip_inputs()) body_.bring_strip(o, s.rows, width, place);
    });
  });
  loops_.count(zero, s.rows, c_.integer(1), "row", [&](Value* row) {
    each_vector([&](Value* column) {
      in_strip(s, row, column, [&](Value* width, Value* place) {
        body_.set_strip_row(place);
        write_vectors(zero, width, 1);
        body_.set_strip_row(nullptr);
      });
    });
  });
}

}  // namespace sinter::codegen::cpu
