#include "codegen/llvm/kernel_writer.hpp"

#include <algorithm>

#include <llvm/IR/IntrinsicsX86.h>

namespace sinter::codegen::cpu {
namespace {

// Outputs of more bytes are streamed past the caches. At 16 MB that gains 6% on two cores of an
// EPYC (32 MB of last-level cache) and 36% on two of a Xeon; at 4 MB it costs a third on the
// former.
constexpr std::int64_t streaming_bytes = std::int64_t{12} << 20;

// Shorter runs, in bytes, are not worth the fence after them.
constexpr std::int64_t streaming_run_bytes = 4096;

// The most outputs that are streamed together: a core has some ten lines in flight to memory.
constexpr std::ptrdiff_t most_streams = 16;

/// A body of at least this many operations is emitted once more for the rest after `unroll` vectors
/// at a time, not three times (streamed, whole vectors, masked): each copy is compiled.
constexpr std::ptrdiff_t large_body = 96;

// Rows that are processed together if an operand is transposed.
constexpr int turned_rows = 128;

}  // namespace

llvm::Function* begin_function(coder& c, std::string_view name) {
  llvm::Type* const word = c.b.getInt64Ty();
  auto* const type = llvm::FunctionType::get(c.b.getVoidTy(), {c.b.getPtrTy(), word, word}, false);
  const auto linkage = name == entry_name ? llvm::GlobalValue::ExternalLinkage
                                          : llvm::GlobalValue::InternalLinkage;
  auto* const f = llvm::Function::Create(type, linkage, llvm::StringRef(name), c.module());
  c.set_attributes(*f);
  f->getArg(0)->setName("slots");
  f->getArg(1)->setName("block_begin");
  f->getArg(2)->setName("block_end");
  c.b.SetInsertPoint(llvm::BasicBlock::Create(c.b.getContext(), "entry", f));
  return f;
}

kernel_writer::kernel_writer(coder& c, const ir::kernel& k, std::string_view name)
    : c_(c), kernel_(k), function_(begin_function(c, name)), loops_(c.b, function_),
      body_(c, k, function_->getArg(0)), reducer_(c, loops_, body_) {
  c.expect(k);
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const bool stores = k.body[i].kind == ir::inst_kind::loop &&
                        std::any_of(k.loops[static_cast<std::size_t>(k.body[i].which)].body.begin(),
                                    k.loops[static_cast<std::size_t>(k.body[i].which)].body.end(),
                                    [](const auto& x) { return x.kind == ir::inst_kind::store; });
    if (k.body[i].kind != ir::inst_kind::store && !stores) continue;
    if (k.reduced == 0 || !k.body[i].inner) stores_.push_back(static_cast<int>(i));
  }
}

Value* kernel_writer::total(int first, int count) {
  Value* product = c_.integer(1);
  for (Value* n : body_.extents(first, count)) product = c_.times(product, n);
  return product;
}

Value* kernel_writer::smaller(Value* a, Value* b) {
  return c_.b.CreateSelect(c_.b.CreateICmpSLT(a, b), a, b);
}

void kernel_writer::write() {
  Value* const first = function_->getArg(1);
  Value* const last = function_->getArg(2);
  if (kernel_.reduced > 0) {
    reduced_begin_ = c_.integer(0);
    reduced_end_ = total(kernel_.kept, kernel_.reduced);
  }
  if (function_->hasExternalLinkage()) passes_ = passes_caches();  // boxes of stacks are small
  if (reducer_.chained()) {
    write_chain(first, last);
  } else if (kernel_.schedule.split) {
    write_split(first, last);
  } else {
    Value* const elements = total(0, kernel_.kept);
    Value* const size =
        c_.integer(kernel_.reduced > 0 ? kernel_.schedule.rows : kernel_.schedule.tile);
    write_range(c_.b.CreateMul(first, size, "begin"),
                smaller(c_.b.CreateMul(last, size), elements));
  }
  c_.b.CreateRetVoid();
  loops_.promote();
}

/// Each block is one chunk of the reduced range for a group of rows.
void kernel_writer::write_split(Value* first_block, Value* last_block) {
  Value* const splits = body_.slot(ir::slot_kind::splits);
  Value* const size = body_.slot(ir::slot_kind::chunk);
  Value* const range = reduced_end_;
  Value* const rows = c_.integer(kernel_.schedule.rows);
  Value* const all = total(0, kernel_.kept);
  loops_.count(first_block, last_block, c_.integer(1), "block", [&](Value* block) {
    Value* const chunk = c_.b.CreateURem(block, splits, "chunk.number");
    Value* const begin = c_.b.CreateMul(c_.b.CreateUDiv(block, splits), rows);
    reduced_begin_ = smaller(c_.b.CreateMul(chunk, size), range);
    reduced_end_ = smaller(c_.b.CreateAdd(reduced_begin_, size), range);
    body_.set_chunk(chunk);
    write_range(begin, smaller(c_.b.CreateAdd(begin, rows), all));
  });
}

/// Each block takes the next chunk in the order of the state's first word, whichever thread runs
/// it.
void kernel_writer::write_chain(Value* first_block, Value* last_block) {
  const auto o = std::find_if(kernel_.operands.begin(), kernel_.operands.end(), [](const auto& x) {
    return x.role == ir::operand_role::state;
  });
  Value* const state =
      body_.slot(ir::slot_kind::pointer, static_cast<int>(o - kernel_.operands.begin()));
  Value* const splits = body_.slot(ir::slot_kind::splits);
  Value* const size = body_.slot(ir::slot_kind::chunk);
  Value* const length = reduced_end_;
  Value* const rows = total(0, kernel_.kept);
  llvm::Type* const word = c_.b.getInt64Ty();
  loops_.count(first_block, last_block, c_.integer(1), "block", [&](Value*) {
    Value* const number =
        c_.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, state, c_.integer(1), llvm::Align(8),
                             llvm::AtomicOrdering::Monotonic);
    Value* const row = c_.b.CreateURem(number, rows, "row");
    chunk_ = c_.b.CreateUDiv(number, rows, "chunk.number");
    reduced_begin_ = smaller(c_.b.CreateMul(chunk_, size), length);
    reduced_end_ = smaller(c_.b.CreateAdd(reduced_begin_, size), length);
    Value* const place = c_.b.CreateAdd(c_.b.CreateMul(row, splits), chunk_);
    Value* const first = c_.b.CreateMul(place, c_.integer(reducer_.record_words()));
    record_ = c_.b.CreateGEP(word, state, c_.b.CreateAdd(first, c_.integer(1)), "record");
    write_range(row, c_.b.CreateAdd(row, c_.integer(1)));
  });
}

/// Is an operand transposed, its neighbours closer along the axis before the last? Null if none can
/// be.
Value* kernel_writer::is_turned() {
  if (kernel_.kept < 2 || kernel_.reduced > 0) return nullptr;
  const int last = kernel_.kept - 1;
  const auto size = [&](int o, int axis) {
    Value* const stride = body_.slot(ir::slot_kind::stride, o, axis);
    return c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, stride, c_.b.getFalse());
  };
  Value* turned = nullptr;
  for (std::size_t o = 0; o < kernel_.operands.size(); ++o) {
    const ir::operand& operand = kernel_.operands[o];
    const ir::step* const steps = operand.access.steps.data() + last;
    const bool array = operand.role != ir::operand_role::index && operand.access.unravel == 0;
    if (!array || steps[0] != ir::step::any || steps[-1] == ir::step::zero) continue;
    const int n = static_cast<int>(o);
    Value* const closer = steps[-1] == ir::step::one
                              ? static_cast<Value*>(c_.b.getTrue())
                              : c_.b.CreateICmpSLT(size(n, last - 1), size(n, last));
    turned = turned ? c_.b.CreateOr(turned, closer) : closer;
  }
  return turned;
}

void kernel_writer::write_range(Value* begin, Value* end) {
  const std::vector<Value*> extents = body_.extents(0, kernel_.kept);
  if (kernel_.schedule.flat) return write_flat(extents, begin, end);
  if (kernel_.schedule.whole_row > 0) return write_whole_rows(extents, begin, end);
  if (!body_.strip_inputs().empty()) return write_strips(extents, begin, end);
  if (Value* const turned = is_turned()) {
    write_turned(extents, begin, end, turned);
    return;
  }
  loops_.walk(extents, begin, end, "c", [&](std::span<Value* const> coordinates, Value* length) {
    body_.enter(level::run, coordinates);
    write_run(length);
  });
}

/// In narrow columns, so that each cache line of a transposed operand is used up while it is
/// cached. Copying a transposed float32 array takes 0.4 ns an element at 1024 x 1024 and 0.8 at
/// 4096 x 4096; row by row it takes 2.9 and 9.8.
void kernel_writer::write_turned(std::span<Value* const> extents, Value* begin, Value* end,
                                 Value* turned) {
  const auto last = static_cast<std::size_t>(kernel_.kept) - 1;
  Value* const zero = c_.integer(0);
  Value* const one = c_.integer(1);
  Value* const most = c_.b.CreateSelect(turned, c_.integer(turned_rows), one);
  const auto block = [&](std::span<Value* const> corner, Value* length, Value* rows) {
    const std::vector<Value*> at(corner.begin(), corner.end());
    Value* const side = c_.b.CreateSelect(turned, c_.integer(body_.lanes()), length);
    loops_.count(zero, length, side, "column", [&](Value* column) {
      Value* const width = smaller(c_.b.CreateSub(length, column), side);
      loops_.count(zero, rows, one, "row", [&](Value* row) {
        std::vector<Value*> coordinates = at;
        coordinates[last - 1] = c_.b.CreateAdd(at[last - 1], row);
        coordinates[last] = c_.b.CreateAdd(at[last], column);
        body_.enter(level::run, coordinates);
        in_pieces(width, [&](Value* first, Value* end) { write_vectors(first, end, 1); });
      });
    });
  };
  loops_.walk_blocks(extents, begin, end, most, "c", block);
}

void kernel_writer::write_run(Value* length) {
  if (body_.lane_level() == level::inner_point) {
    Value* const left = write_abreast(length);
    loops_.count(left, length, c_.integer(1), "i", [&](Value* i) {
      body_.enter(level::point, {&i, 1});
      write_point(1, false);
    });
    return;
  }
  in_pieces(length, [&](Value* first, Value* last) {
    const int unroll = kernel_.schedule.unroll;
    if (!is_large()) return write_vectors(write_streaming(first, last), last, unroll);
    write_large(unroll > 1 ? write_whole(first, last, unroll, "i.whole") : first, last);
  });
}

/// Rows of a run, as many at a time as there are lanes. Returns the first one left.
Value* kernel_writer::write_abreast(Value* length) {
  if (kernel_.schedule.abreast == 0) return c_.integer(0);
  Value* const rows = c_.integer(body_.lanes());
  Value* const end = c_.b.CreateSub(length, c_.b.CreateURem(length, rows));
  body_.set_abreast(body_.lanes());
  loops_.count(c_.integer(0), end, rows, "i.abreast", [&](Value* i) {
    body_.enter(level::point, {&i, 1});
    write_point(1, false);
  });
  body_.set_abreast(1);
  return end;
}

/// Splits the run into pieces within which no edge changes; without edges it stays whole.
void kernel_writer::in_pieces(Value* length,
                              const std::function<void(Value* first, Value* last)>& write) {
  if (!kernel_.schedule.pieces) return write(c_.integer(0), length);
  const auto end = [&](Value* first) { return body_.end_of_piece(first, length); };
  loops_.cut(length, "piece", end, [&](Value* first, Value* last) {
    body_.enter(level::piece, {&first, 1});
    write(first, last);
  });
}

/// Elements or rows [first, length) of a run, `unroll` vectors at a time, then the rest under a
/// mask. A map's whole vectors need none: a masked store takes an AMD 12 cycles, and rows are
/// short.
void kernel_writer::write_vectors(Value* first, Value* length, int unroll) {
  const int lanes = body_.lanes();
  Value* const first_left = write_whole(first, length, unroll, "i");
  const bool singly = unroll > 1 && kernel_.reduced == 0 && !reducer_.chained();
  Value* const done = singly ? write_whole(first_left, length, 1, "i.one") : first_left;
  loops_.count(done, length, c_.integer(lanes), "i.end", [&](Value* i) {
    body_.enter(level::point, {&i, 1});
    body_.set_lanes(1, smaller(c_.b.CreateSub(length, i), c_.integer(lanes)));
    write_point(1, false);
  });
}

bool kernel_writer::is_large() {
  const auto computes = [](const ir::inst& i) { return i.kind == ir::inst_kind::compute; };
  return kernel_.reduced == 0 && kernel_.loops.empty() && !reducer_.chained() &&
         std::count_if(kernel_.body.begin(), kernel_.body.end(), computes) >= large_body &&
         body_.may_store_twice(stores_);
}

/// Elements [first, length) of a run, all under a mask except the stores of whole vectors.
void kernel_writer::write_large(Value* first, Value* length) {
  Value* const lanes = c_.integer(body_.lanes());
  loops_.count(first, length, lanes, "i", [&](Value* i) {
    Value* const left = c_.b.CreateSub(length, i);
    body_.enter(level::point, {&i, 1});
    body_.set_lanes(1, smaller(left, lanes));
    body_.ready(stores_);
    const auto store = [&] { body_.store(stores_, 0, false); };
    const auto unmasked = [&] {
      body_.forget_mask();
      store();
    };
    loops_.either(c_.b.CreateICmpSLT(left, lanes), "some", store, unmasked);
  });
}

/// Whole vectors from `first` on, `unroll` at a time. Returns the first element left.
Value* kernel_writer::write_whole(Value* first, Value* length, int unroll, const char* name) {
  Value* const stride = c_.integer(body_.lanes() * unroll);
  Value* const left = c_.b.CreateURem(c_.b.CreateSub(length, first), stride);
  Value* const end = c_.b.CreateSub(length, left);
  loops_.count(first, end, stride, name, [&](Value* i) {
    body_.enter(level::point, {&i, 1});
    body_.set_lanes(unroll);
    write_point(unroll, false);
  });
  return end;
}

void kernel_writer::write_point(int copies, bool streaming) {
  if (reducer_.chained()) {
    reducer_.write_chunk(chunk_, record_, reduced_begin_, reduced_end_);
    return;
  }
  if (kernel_.reduced > 0) reducer_.write(reduced_begin_, reduced_end_, copies);
  for (int copy = 0; copy < copies; ++copy) body_.store(stores_, copy, streaming);
}

/// Streams past the caches if the outputs are too large to stay in them. Returns the first element
/// left.
Value* kernel_writer::write_streaming(Value* first, Value* length) {
  if (!passes_) return first;
  Value* const stream = may_stream(first, length);
  const variable done = loops_.make(c_.b.getInt64Ty(), "done");
  done.set(c_.b, first);
  loops_.when(stream, "stream", [&] {
    Value* const lanes = c_.integer(body_.lanes());
    Value* const left = c_.b.CreateURem(c_.b.CreateSub(length, first), lanes);
    Value* const whole = c_.b.CreateSub(length, left);
    loops_.count(first, whole, lanes, "i.stream", [&](Value* i) {
      body_.enter(level::point, {&i, 1});
      body_.set_lanes(1);
      write_point(1, true);
    });
    c_.b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    done.set(c_.b, whole);
  });
  body_.resume(kernel_.schedule.pieces ? level::piece : level::run);
  return done.get(c_.b);
}

/// Is the operand a flag, raised rather than written?
bool kernel_writer::is_flag(int o) const {
  return std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const ir::inst& i) {
    return i.kind == ir::inst_kind::store && i.which == o && i.args[1] >= 0 && i.args[2] < 0;
  });
}

/// For a map: are its outputs too large to stay in the caches, and not in place, where the lines
/// are cached anyway? The same for all its runs. Null: never.
Value* kernel_writer::passes_caches() {
  if (kernel_.kept == 0 || kernel_.reduced > 0 || !c_.machine().x86) return nullptr;
  std::vector<Value*> outputs, inputs;
  for (std::size_t o = 0; o < kernel_.operands.size(); ++o) {
    const ir::operand& operand = kernel_.operands[o];
    if (operand.role == ir::operand_role::index || is_flag(static_cast<int>(o))) continue;
    Value* const pointer = body_.slot(ir::slot_kind::pointer, static_cast<int>(o));
    (operand.role == ir::operand_role::output ? outputs : inputs).push_back(pointer);
    if (operand.role == ir::operand_role::input) continue;
    const auto last = static_cast<std::size_t>(kernel_.kept) - 1;
    const bool dense = operand.access.steps[last] == ir::step::one || operand.apart > 0;
    if (operand.access.unravel || !dense || streamed_vector(operand) < 16) return nullptr;
    streamed_bytes_ += static_cast<std::int64_t>(size_of(operand.type));
  }
  if (streamed_bytes_ == 0 || std::ssize(outputs) > most_streams) return nullptr;
  Value* large = c_.b.CreateICmpSGT(total(0, kernel_.kept),
                                    c_.integer(streaming_bytes / streamed_bytes_), "large");
  for (Value* out : outputs) {
    for (Value* in : inputs) large = c_.b.CreateAnd(large, c_.b.CreateICmpNE(in, out));
  }
  return large;
}

/// The bytes of a streamed vector, which is also its alignment.
std::int64_t kernel_writer::streamed_vector(const ir::operand& operand) const {
  return std::min<std::int64_t>(64,
                                static_cast<std::int64_t>(size_of(operand.type)) * body_.lanes());
}

/// Is this run long enough to stream, and aligned?
Value* kernel_writer::may_stream(Value* first, Value* length) {
  Value* misaligned = c_.integer(0);
  for (std::size_t o = 0; o < kernel_.operands.size(); ++o) {
    const ir::operand& operand = kernel_.operands[o];
    const int n = static_cast<int>(o);
    if (operand.role != ir::operand_role::output || is_flag(n)) continue;
    const auto size = static_cast<std::int64_t>(size_of(operand.type));
    if (operand.apart > 0 && !body_.goes_first(n)) continue;
    Value* const run = body_.cursor(n, level::run, 0);
    Value* const skipped =
        c_.times(first, c_.integer(operand.apart > 0 ? size * operand.apart : size));
    Value* const start = c_.b.CreateAdd(c_.b.CreatePtrToInt(run, c_.b.getInt64Ty()), skipped);
    misaligned = c_.b.CreateOr(
        misaligned, c_.b.CreateAnd(start, c_.integer(streamed_vector(operand) - 1)));
  }
  Value* streams = c_.b.CreateAnd(passes_, c_.b.CreateICmpEQ(misaligned, c_.integer(0)));
  if (kernel_.kept == 1) return streams;
  Value* const least = c_.integer(streaming_run_bytes / streamed_bytes_);
  return c_.b.CreateAnd(streams, c_.b.CreateICmpSGT(c_.b.CreateSub(length, first), least));
}

}  // namespace sinter::codegen::cpu
