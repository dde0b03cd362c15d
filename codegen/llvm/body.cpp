#include "codegen/llvm/body.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "codegen/compiler.hpp"

namespace sinter::codegen::cpu {
namespace {

constexpr std::size_t index(level l) { return static_cast<std::size_t>(l); }
constexpr std::uint8_t bit(level l) { return static_cast<std::uint8_t>(1u << index(l)); }
constexpr level deepest(std::uint8_t needs) {
  return needs ? static_cast<level>(std::bit_width(needs) - 1) : level::entry;
}

}  // namespace

body::body(coder& c, const ir::kernel& k, Value* slots)
    : c_(c), kernel_(k), slots_(slots), order_(ir::slots_of(k)) {
  const std::size_t copies = at(std::max(k.schedule.unroll, 1));
  slot_values_.resize(order_.size());
  values_.assign(k.body.size(), std::vector<Value*>(copies));
  wide_.assign(k.operands.size(), std::vector<Value*>(copies));
  rows_.assign(k.operands.size(), std::vector<vectors_under>(copies));
  for (auto& level_cursors : cursors_) level_cursors.resize(k.operands.size());
  strides_.resize(k.operands.size());
  strips_.resize(k.operands.size());
  spots_.resize(k.body.size());
  edge_of_.assign(k.body.size(), -1);
  if (k.schedule.pieces) edges_ = ir::find_edges(k).edges;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    edge_of_[at(edges_[e].instruction)] = static_cast<int>(e);
  }
  keep({}, {}, {}, {});
  blocks_[0] = c.b.GetInsertBlock();
  infer();
}

level body::lane_level() const {
  const bool reduced = kernel_.reduced > 0 && kernel_.schedule.lanes == ir::lane_axis::reduced;
  return reduced && abreast_ == 1 ? level::inner_point : level::point;
}

level body::piece_level() const {
  return lane_level() == level::point ? level::piece : level::inner_piece;
}

level body::run_level() const {
  return lane_level() == level::point ? level::run : level::inner_run;
}

std::uint8_t body::needs(const ir::access& a) const {
  std::uint8_t result = 0;
  for (int d = 0; d < kernel_.kept + kernel_.reduced; ++d) {
    if (a.steps[at(d)] == ir::step::zero) continue;
    const level l = d < kernel_.kept - 1                     ? level::run
                    : d == kernel_.kept - 1                  ? level::point
                    : d < kernel_.kept + kernel_.reduced - 1 ? level::inner_run
                                                             : level::inner_point;
    result |= bit(l);
  }
  return result;
}

void body::infer() {
  for (const ir::inst& i : kernel_.body) {
    std::uint8_t n = 0;
    const bool reads = i.kind == ir::inst_kind::load || i.kind == ir::inst_kind::gather ||
                       i.kind == ir::inst_kind::index;
    if (reads) n = needs(kernel_.operands[at(i.which)].access);
    if (i.kind == ir::inst_kind::loop) {
      for (const ir::inst& x : kernel_.loops[at(i.which)].body) {
        const bool reaches = x.kind == ir::inst_kind::gather || x.kind == ir::inst_kind::store;
        if (reaches) n |= needs(kernel_.operands[at(x.which)].access);
      }
    }
    for (std::int32_t a : i.args) n |= a < 0 ? std::uint8_t{0} : needs_[at(a)];
    // Within a piece an edge has one value, at whatever point.
    if (edge_of_[needs_.size()] >= 0) n = (n & ~bit(lane_level())) | bit(piece_level());
    if (i.kind == ir::inst_kind::reduce) n = (n & bit(level::run)) | bit(level::point);
    if (i.kind == ir::inst_kind::scan) n |= bit(level::inner_point) | bit(level::point);
    needs_.push_back(n);
  }
}

bool body::varies(int i) const {
  return needs_[at(i)] & (left_ ? bit(level::run) | bit(level::point) : bit(lane_level()));
}

/// The level at which its code is emitted: a row's common values differ between the lanes of two
/// rows.
level body::level_of(int i) const {
  const level l = deepest(needs_[at(i)]);
  return left_ && l == level::run ? level::point : l;
}

Value* body::slot(ir::slot_kind kind, int which, int axis) {
  const auto found = std::find(order_.begin(), order_.end(), ir::slot{kind, which, axis});
  if (found == order_.end()) throw compile_error("[llvm] kernel without a slot it needs");
  const std::size_t n = static_cast<std::size_t>(found - order_.begin());
  if (slot_values_[n]) return slot_values_[n];
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  place(level::entry);
  const std::string name = ir::name_of(kernel_, *found);
  Value* const address = c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt64Ty(), slots_, n);
  llvm::Type* type = c_.b.getInt64Ty();
  if (kind == ir::slot_kind::pointer) type = c_.b.getPtrTy();
  if (kind == ir::slot_kind::scalar) type = c_.memory_type(kernel_.scalars[at(which)]);
  Value* v = c_.b.CreateLoad(type, address, name);
  if (kind == ir::slot_kind::scalar) v = c_.from_memory(v, kernel_.scalars[at(which)]);
  return slot_values_[n] = v;
}

std::vector<Value*> body::extents(int first, int count) {
  std::vector<Value*> result;
  for (int d = first; d < first + count; ++d) result.push_back(slot(ir::slot_kind::extent, -1, d));
  return result;
}

void body::place(level l) {
  llvm::BasicBlock* const block = blocks_[index(l)];
  if (llvm::Instruction* end = block->getTerminator()) c_.b.SetInsertPoint(end);
  else c_.b.SetInsertPoint(block);
}

void body::enter(level l, std::span<Value* const> coordinates) {
  resume(l);
  coordinates_[index(l)].assign(coordinates.begin(), coordinates.end());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (deepest(needs_[i]) >= l) std::fill(values_[i].begin(), values_[i].end(), nullptr);
  }
  for (std::size_t o = 0; o < wide_.size(); ++o) {
    if (deepest(needs(kernel_.operands[o].access)) < l) continue;
    std::fill(wide_[o].begin(), wide_[o].end(), nullptr);
    for (auto& vectors : rows_[o]) vectors.clear();
  }
  if (l <= piece_level()) std::fill(spots_.begin(), spots_.end(), std::nullopt);
  if (l <= run_level()) changes_.clear(), wraps_ = nullptr;
  if (l <= level::run) left_ = nullptr;
  for (std::size_t n = index(l); n < level_count; ++n) {
    std::fill(cursors_[n].begin(), cursors_[n].end(), nullptr);
  }
}

void body::resume(level l) { blocks_[index(l)] = c_.b.GetInsertBlock(); }

void body::set_lanes(int copies, Value* active) {
  copies_ = copies;
  active_ = lanes() > 1 ? active : nullptr;
  mask_ = active_ ? wide_mask(1) : nullptr;
}

/// A mask over `count` parts per lane.
Value* body::wide_mask(int count) {
  if (!active_) return nullptr;
  // Bytes count far enough, and fill one register where words fill four.
  const int total = lanes() * count;
  const unsigned bits = c_.machine().avx512bw && total > 16 ? 8 : 32;
  Value* const number = c_.b.CreateTrunc(active_, c_.b.getIntNTy(bits));
  Value* const limit = c_.times(number, llvm::ConstantInt::get(number->getType(), count));
  return c_.b.CreateICmpULT(c_.iota(bits, total), c_.spread(limit, total), "mask");
}

void body::define(int instruction, int copy, Value* v) { values_[at(instruction)][at(copy)] = v; }

Value* body::row_memory(int instruction, int which, int elements) {
  llvm::Type* const element = c_.type(kernel_.body[at(instruction)].result);
  if (kernel_.schedule.abreast > 0) {
    elements = lanes() * kernel_.schedule.abreast;
    return scratch(llvm::ArrayType::get(element, static_cast<std::uint64_t>(elements)));
  }
  const std::int64_t bits = element->getPrimitiveSizeInBits().getFixedValue();
  return c_.thread_memory(which, std::int64_t{elements} * std::max<std::int64_t>(bits / 8, 1));
}

void body::keep(std::span<const int> written, std::span<Value* const> to, std::span<const int> read,
                std::span<Value* const> from) {
  written_.assign(kernel_.body.size(), nullptr);
  read_.assign(kernel_.body.size(), nullptr);
  for (std::size_t n = 0; n < written.size(); ++n) written_[at(written[n])] = to[n];
  for (std::size_t n = 0; n < read.size(); ++n) read_[at(read[n])] = from[n];
}

Value* body::kept_at(Value* memory, int instruction, int copy) {
  Value* const first = coordinates_[index(level::inner_point)][0];
  Value* number = c_.b.CreateAdd(first, c_.integer(copy * lanes()));
  if (row_) {
    number = c_.b.CreateAdd(number, c_.times(row_, c_.integer(kernel_.schedule.abreast)));
  }
  return c_.b.CreateInBoundsGEP(c_.type(kernel_.body[at(instruction)].result), memory, number);
}

Value* body::value(int instruction, int copy) {
  if (!varies(instruction)) copy = 0;
  if (Value* known = values_[at(instruction)][at(copy)]) return known;
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  place(level_of(instruction));
  llvm::Type* const type = c_.type(kernel_.body[at(instruction)].result, lanes());
  const llvm::Align align(std::max(type->getScalarSizeInBits() / 8, 1u));
  Value* made = nullptr;
  const bool each = varies(instruction);
  if (Value* const from = each ? read_[at(instruction)] : nullptr) {
    made = c_.b.CreateAlignedLoad(type, kept_at(from, instruction, copy), align);
  } else {
    made = write(instruction, copy);
    if (Value* const to = each ? written_[at(instruction)] : nullptr) {
      // A value that turned out the same for all lanes is a scalar here.
      c_.b.CreateAlignedStore(c_.spread(made, lanes()), kept_at(to, instruction, copy), align);
    }
  }
  if (!made->hasName() && !llvm::isa<llvm::Constant>(made)) {
    const ir::inst& i = kernel_.body[at(instruction)];
    made->setName(i.kind == ir::inst_kind::compute ? llvm::StringRef(ir::name(i.code)) : "v");
  }
  return values_[at(instruction)][at(copy)] = made;
}

Value* body::write(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  if (i.kind == ir::inst_kind::loop) return loop(instruction, copy);
  if (edge_of_[at(instruction)] >= 0) return at_piece(instruction);
  if (Value* const read = read_at_spot(instruction, copy)) return read;
  if (counts_in_doubles(i)) return count_in_doubles(i.args[0], copy);
  llvm::SmallVector<Value*, 3> args;
  for (std::int32_t a : i.args) {
    if (a >= 0) args.push_back(value(a, copy));
  }
  switch (i.kind) {
    case ir::inst_kind::load: return load(instruction, copy);
    case ir::inst_kind::gather: return gather(instruction, copy);
    case ir::inst_kind::index: {
      Value* const number = linear(i.which, copy);
      const bool unravel = kernel_.operands[at(i.which)].access.unravel > 0;
      return unravel ? offsets(i.which, number, 0) : number;
    }
    case ir::inst_kind::scalar: return slot(ir::slot_kind::scalar, i.which);
    case ir::inst_kind::constant: return c_.constant(i.result, i.bits);
    case ir::inst_kind::compute: return c_.apply(i.code, i.type, i.result, args);
    case ir::inst_kind::random: return c_.random(args[0], args[1], i.result);
    case ir::inst_kind::pick:
      return c_.b.CreateExtractValue(args[0], static_cast<unsigned>(i.which));
    case ir::inst_kind::loop:
    case ir::inst_kind::pack:
    case ir::inst_kind::carry:
    case ir::inst_kind::given:
    case ir::inst_kind::reduce:
    case ir::inst_kind::scan:
    case ir::inst_kind::store: break;
  }
  throw compile_error("[llvm] a reduction or scan is used before it is there");
}

/// Partial results are at [row * splits + chunk], whatever the operand's own strides; elements that
/// a walk stores along the row are where their operand says.
bool body::is_partial(int o) const {
  if (!kernel_.schedule.split || kernel_.operands[at(o)].role == ir::operand_role::state) {
    return false;
  }
  for (const ir::inst& i : kernel_.body) {
    if (i.kind == ir::inst_kind::store && i.which == o) return !i.inner;
  }
  return false;
}

Value* body::partial_distance(level l) {
  Value* const splits = slot(ir::slot_kind::splits);
  const auto& coordinates = coordinates_[index(l)];
  if (l == level::point) return c_.b.CreateMul(coordinates[0], splits);
  if (l != level::run) return nullptr;
  Value* row = coordinates[0];
  for (int d = 1; d < kernel_.kept; ++d) {
    Value* const extent = slot(ir::slot_kind::extent, -1, d);
    row = c_.b.CreateAdd(c_.b.CreateMul(row, extent), coordinates[at(d)]);
  }
  return c_.b.CreateAdd(c_.b.CreateMul(row, splits), chunk_);
}

Value* body::stride(int o, int axis) {
  if (is_partial(o)) return axis == kernel_.kept - 1 ? slot(ir::slot_kind::splits) : nullptr;
  switch (kernel_.operands[at(o)].access.steps[at(axis)]) {
    case ir::step::zero: return nullptr;
    case ir::step::one: return c_.integer(1);
    case ir::step::any: break;
  }
  return slot(ir::slot_kind::stride, o, axis);
}

body::lane_step body::step_of_lanes(int o) {
  const bool inner = lane_level() == level::inner_point;
  const int axis = (inner ? kernel_.kept + kernel_.reduced : kernel_.kept) - 1;
  Value* const step = stride(o, axis);
  if (is_partial(o)) return {step ? ir::step::any : ir::step::zero, step};
  return {kernel_.operands[at(o)].access.steps[at(axis)], step};
}

level body::home(int o) const {
  return is_partial(o) ? level::point : deepest(needs(kernel_.operands[at(o)].access));
}

/// How far a level advances an operand, in elements; null if it does not.
Value* body::distance(int o, level l) {
  if (is_partial(o)) return partial_distance(l);
  const bool inner = l >= level::inner_run;
  const int first = inner ? kernel_.kept : 0;
  const int last = (inner ? kernel_.kept + kernel_.reduced : kernel_.kept) - 1;
  const bool run = l == level::run || l == level::inner_run;
  Value* sum = nullptr;
  for (int d = run ? first : last; d <= last; ++d) {
    Value* const step = stride(o, d);
    if (!step) continue;
    Value* const coordinate = coordinates_[index(l)][at(run ? d - first : 0)];
    Value* const term = c_.times(coordinate, step);
    sum = sum ? c_.b.CreateAdd(sum, term) : term;
  }
  return sum;
}

Value* body::advance(int o, Value* from, Value* elements) {
  const ir::operand& operand = kernel_.operands[at(o)];
  if (from->getType()->isIntegerTy()) return c_.b.CreateAdd(from, elements);
  llvm::Type* element = c_.memory_type(operand.type);
  if (is_complex(operand.type)) element = llvm::ArrayType::get(element, 2);
  return c_.b.CreateInBoundsGEP(element, from, elements, ir::name_of(kernel_, o) + ".at");
}

/// A pointer for arrays; a linear index if there is no array, or if it has yet to be unravelled.
Value* body::cursor(int o, level l, int copy) {
  const ir::operand& operand = kernel_.operands[at(o)];
  if (l == level::entry) {
    const bool counts = operand.role == ir::operand_role::index || operand.access.unravel > 0;
    return slot(counts ? ir::slot_kind::start : ir::slot_kind::pointer, o);
  }
  // Points are relative to the run's first.
  if (l == level::piece) return cursor(o, level::run, 0);
  if (l == level::inner_piece) return cursor(o, level::inner_run, 0);
  Value*& known = cursors_[index(l)][at(o)];
  if (!known) {
    Value* const below = cursor(o, static_cast<level>(index(l) - 1), 0);
    llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
    place(l);
    Value* const moved = distance(o, l);
    known = moved ? advance(o, below, moved) : below;
  }
  if (copy == 0) return known;
  Value* const step = step_of_lanes(o).stride;
  if (!step) return known;
  Value* const lanes_before = c_.times(step, c_.integer(copy * lanes()));
  return advance(o, known, lanes_before);
}

/// Is it the index of adjacent lanes as a double? Those are exact, below 2^53.
bool body::counts_in_doubles(const ir::inst& i) {
  if (i.kind != ir::inst_kind::compute || i.code != ir::op::cast || i.type != dtype::int64 ||
      i.result != dtype::float64) {
    return false;
  }
  const ir::inst& from = kernel_.body[at(i.args[0])];
  return from.kind == ir::inst_kind::index && lanes() > 1 && !goes_on(from.which) &&
         kernel_.operands[at(from.which)].access.unravel == 0 &&
         step_of_lanes(from.which).kind == ir::step::one;
}

Value* body::count_in_doubles(int number, int copy) {
  const int o = kernel_.body[at(number)].which;
  Value* const first = c_.double_of(cursor(o, home(o), copy));
  Value* const numbers = c_.b.CreateUIToFP(c_.iota(32, lanes()),
                                           coder::with_lanes(first->getType(), lanes()));
  return c_.b.CreateFAdd(c_.spread(first, lanes()), numbers);
}

/// The row-major element number of an index, or of an operand that has yet to be unravelled.
Value* body::linear(int o, int copy) {
  if (goes_on(o)) return linear_over(o);
  Value* const first = cursor(o, home(o), copy);
  const lane_step lane = step_of_lanes(o);
  if (lane.kind == ir::step::zero || lanes() == 1) return first;
  Value* const each = c_.b.CreateMul(c_.iota(64, lanes()), c_.spread(lane.stride, lanes()));
  return c_.b.CreateAdd(c_.spread(first, lanes()), each);
}

}  // namespace sinter::codegen::cpu
