// Short rows: flat maps, whose vectors continue across row ends, and rows that are processed whole.

#include <algorithm>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/kernel_writer.hpp"

namespace sinter::codegen::cpu {

/// No loop runs along a row: its length is a constant, so its vectors are known.
void kernel_writer::write_whole_rows(std::span<Value* const> extents, Value* begin, Value* end) {
  const int elements = kernel_.schedule.whole_row;
  const auto rows = extents.first(extents.size() - 1);
  const auto row_of = [&](Value* element) {
    return c_.b.CreateUDiv(element, c_.integer(elements));
  };
  loops_.walk(rows, row_of(begin), row_of(end), "c", [&](std::span<Value* const> at, Value* n) {
    std::vector<Value*> corner(at.begin(), at.end());
    Value* const first = corner.back();
    corner.push_back(c_.integer(0));
    loops_.count(c_.integer(0), n, c_.integer(1), "row", [&](Value* i) {
      corner[corner.size() - 2] = c_.b.CreateAdd(first, i);
      body_.enter(level::run, corner);
      body_.enter(level::point, {&corner.back(), 1});
      const bool whole = elements == body_.lanes();
      body_.set_lanes(1, whole ? nullptr : c_.integer(elements));
      write_point(1, false);
    });
  });
}

// ---- vectors with lanes of two rows

void body::go_on(Value* left, std::span<Value* const> next) {
  left_ = left;
  next_.assign(next.begin(), next.end());
  before_ = c_.b.CreateICmpULT(c_.iota(32, lanes()),
                               c_.spread(c_.b.CreateTrunc(left, c_.b.getInt32Ty()), lanes()));
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (varies(static_cast<int>(i))) std::fill(values_[i].begin(), values_[i].end(), nullptr);
  }
}

/// Are this vector's elements of the operand in two places?
bool body::goes_on(int o) const {
  return left_ && kernel_.operands[at(o)].reach == ir::reach::picked;
}

/// Where the next row begins.
Value* body::next_row(int o) {
  Value* from = cursor(o, level::entry, 0);
  for (int d = 0; d < kernel_.kept; ++d) {
    if (Value* const step = stride(o, d)) from = advance(o, from, c_.times(next_[at(d)], step));
  }
  return from;
}

/// Lanes from `first` on of two concatenated vectors, as many as one has.
Value* body::lanes_from(Value* first, Value* a, Value* b) {
  llvm::Type* const t = a->getType();
  const unsigned bits = t->getScalarSizeInBits(), all = bits * static_cast<unsigned>(lanes());
  if (c_.machine().avx512bw && bits >= 32 && (all == 256 || all == 512)) {
    using namespace llvm::Intrinsic;
    const ID pick = bits == 32 ? (all == 256 ? x86_avx512_vpermi2var_d_256
                                             : x86_avx512_vpermi2var_d_512)
                               : (all == 256 ? x86_avx512_vpermi2var_q_256
                                             : x86_avx512_vpermi2var_q_512);
    llvm::Type* const word = c_.b.getIntNTy(bits);
    llvm::Type* const words = coder::with_lanes(word, lanes());
    Value* const places = c_.b.CreateAdd(
        c_.iota(bits, lanes()), c_.spread(c_.b.CreateTrunc(first, word), lanes()));
    Value* const picked = c_.b.CreateIntrinsic(
        pick, {}, {c_.b.CreateBitCast(a, words), places, c_.b.CreateBitCast(b, words)});
    return c_.b.CreateBitCast(picked, t);
  }
  Value* const both = scratch(llvm::ArrayType::get(t, 2));
  c_.b.CreateStore(a, both);
  c_.b.CreateStore(b, c_.b.CreateConstInBoundsGEP1_64(t, both, 1));
  return c_.b.CreateAlignedLoad(t, c_.b.CreateInBoundsGEP(t->getScalarType(), both, first),
                                llvm::Align(bits / 8));
}

/// Loads lanes of two rows. Rows are no shorter than vectors, so the last elements of one row are a
/// whole vector, and so are the first of the next.
Value* body::load_over(int o) {
  llvm::Type* const element = c_.memory_type(kernel_.operands[at(o)].type);
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  Value* const next = next_row(o);
  if (step_of_lanes(o).kind == ir::step::zero) {
    Value* const a = c_.b.CreateAlignedLoad(element, cursor(o, level::run, 0), align);
    Value* const b = c_.b.CreateAlignedLoad(element, next, align);
    return c_.b.CreateSelect(before_, c_.spread(a, lanes()), c_.spread(b, lanes()));
  }
  // Without masks: the memory before the first row, or after the last, may not be mapped yet, and
  // then a lane that is masked off costs a CPU hundreds of cycles.
  llvm::Type* const t = coder::with_lanes(element, lanes());
  Value* const skipped = c_.b.CreateSub(c_.integer(lanes()), left_);
  Value* const from = c_.b.CreateGEP(element, cursor(o, level::point, 0), c_.b.CreateNeg(skipped));
  return lanes_from(skipped, c_.b.CreateAlignedLoad(t, from, align),
                    c_.b.CreateAlignedLoad(t, next, align));
}

Value* body::linear_over(int o) {
  Value* const lane = c_.iota(64, lanes());
  Value* const past = c_.b.CreateSub(lane, c_.spread(left_, lanes()));
  const bool moves = step_of_lanes(o).kind != ir::step::zero;
  const auto numbers = [&](Value* first, Value* further) {
    Value* const all = c_.spread(first, lanes());
    return moves ? c_.b.CreateAdd(all, further) : all;
  };
  Value* const here = numbers(cursor(o, moves ? level::point : level::run, 0), lane);
  return c_.b.CreateSelect(before_, here, numbers(next_row(o), past));
}

// ---- loops of flat maps

/// Whole vectors, regardless of rows, then the elements after the last of them.
void kernel_writer::write_flat(std::span<Value* const> extents, Value* begin, Value* end) {
  Value* const lanes = c_.integer(body_.lanes());
  Value* const whole = c_.b.CreateSub(end, c_.b.CreateURem(c_.b.CreateSub(end, begin), lanes));
  if (Value* const streams = may_stream_from(begin)) {
    loops_.either(
        streams, "stream",
        [&] {
          write_flat_vectors(extents, begin, whole, true);
          c_.b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
        },
        [&] { write_flat_vectors(extents, begin, whole, false); });
  } else {
    write_flat_vectors(extents, begin, whole, false);
  }
  loops_.walk(extents, whole, end, "c.end", [&](std::span<Value* const> at, Value* length) {
    body_.enter(level::run, at);
    Value* const zero = c_.integer(0);
    body_.enter(level::point, {&zero, 1});
    body_.set_lanes(1, length);
    write_point(1, false);
  });
}

void kernel_writer::write_flat_vectors(std::span<Value* const> extents, Value* begin, Value* end,
                                       bool streaming) {
  Value* const lanes = c_.integer(body_.lanes());
  const auto row = [&](std::span<Value* const> at, Value* length, std::span<Value* const> next) {
    body_.enter(level::run, at);
    Value* const left = c_.b.CreateURem(length, lanes);
    Value* const whole = c_.b.CreateSub(length, left);
    loops_.count(c_.integer(0), whole, lanes, "i", [&](Value* i) {
      body_.enter(level::point, {&i, 1});
      body_.set_lanes(1);
      write_point(1, streaming);
    });
    loops_.when(c_.b.CreateICmpNE(left, c_.integer(0)), "over", [&] {
      body_.enter(level::point, {&whole, 1});
      body_.set_lanes(1);
      body_.go_on(left, next);
      write_point(1, streaming);
    });
  };
  loops_.walk_on(extents, begin, end, body_.lanes(), "c", row);
}

/// May vectors from this element on bypass the caches? Null: never.
Value* kernel_writer::may_stream_from(Value* begin) {
  if (!passes_) return nullptr;
  Value* misaligned = c_.integer(0);
  for (std::size_t o = 0; o < kernel_.operands.size(); ++o) {
    const ir::operand& operand = kernel_.operands[o];
    if (operand.role != ir::operand_role::output) continue;
    const auto size = static_cast<std::int64_t>(size_of(operand.type));
    Value* const first = c_.b.CreatePtrToInt(
        body_.slot(ir::slot_kind::pointer, static_cast<int>(o)), c_.b.getInt64Ty());
    Value* const start = c_.b.CreateAdd(first, c_.times(begin, c_.integer(size)));
    misaligned = c_.b.CreateOr(
        misaligned, c_.b.CreateAnd(start, c_.integer(streamed_vector(operand) - 1)));
  }
  return c_.b.CreateAnd(passes_, c_.b.CreateICmpEQ(misaligned, c_.integer(0)));
}

}  // namespace sinter::codegen::cpu
