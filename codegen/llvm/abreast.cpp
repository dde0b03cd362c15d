// Trees over lanes, and rows that are walked abreast: the walk takes the rows one by one, as they
// lie in memory; the work once per row (its trees, and what follows them) has one row per lane.
#include <algorithm>

#include "codegen/llvm/flow.hpp"
#include "codegen/llvm/reducer.hpp"

namespace sinter::codegen::cpu {

using kind = ir::inst_kind;

Value* body::memory(llvm::Type* t, int count) {
  return scratch(llvm::ArrayType::get(t, static_cast<std::uint64_t>(count)));
}

/// The values that these inner stores and reductions need and that vary between rows only.
std::vector<int> body::read_inside(std::span<const int> walked) const {
  std::vector<bool> inside(kernel_.body.size()), across(kernel_.body.size());
  for (int i : walked) inside[at(i)] = true;
  for (std::size_t i = inside.size(); i-- > 0;) {
    if (!inside[i]) continue;
    for (std::int32_t a : kernel_.body[i].args) {
      if (a < 0) continue;
      if (kernel_.body[at(a)].inner) inside[at(a)] = true;
      else if (varies(a)) across[at(a)] = true;
    }
  }
  std::vector<int> found;
  for (std::size_t i = 0; i < across.size(); ++i) {
    if (across[i]) found.push_back(static_cast<int>(i));
  }
  return found;
}

/// Stores such values to memory, so that the walk of each row loads its own as a scalar.
void body::row_by_row(flow& loops, std::span<const int> walked,
                      const std::function<void(Value* row)>& write) {
  const int rows = abreast_;
  Value* const first = coordinates_[static_cast<std::size_t>(level::point)][0];
  std::vector<std::pair<int, Value*>> known, places;
  for (int i : read_inside(walked)) {
    Value* const v = c_.to_memory(value(i, 0), kernel_.body[at(i)].result);
    places.emplace_back(i, scratch(v->getType()));
    c_.b.CreateStore(v, places.back().second);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool outer = !kernel_.body[i].inner && values_[i][0];
    if (outer) known.emplace_back(static_cast<int>(i), values_[i][0]);
  }
  loops.count(c_.integer(0), c_.integer(rows), c_.integer(1), "row", [&](Value* row) {
    Value* const here = c_.b.CreateAdd(first, row);
    set_abreast(1, row);
    enter(level::point, {&here, 1});
    for (const auto& [i, place] : places) {
      const dtype t = kernel_.body[at(i)].result;
      llvm::Type* const element = c_.memory_type(t);
      Value* const from = c_.b.CreateInBoundsGEP(element, place, row);
      define(i, 0, c_.from_memory(c_.b.CreateLoad(element, from), t));
    }
    write(row);
  });
  set_abreast(rows);
  set_lanes(1);
  enter(level::point, {&first, 1});
  for (const auto& [i, v] : known) define(i, 0, v);
}

void reducer::write_rows(std::span<const int> reductions, Value* begin, Value* end,
                         Value* first) {
  const int rows = body_.abreast();
  std::vector<int> walked = stores_;
  std::vector<partial> places;  // per reduction: one vector per row
  for (int r : reductions) {
    const ir::inst& i = kernel_.body[at(r)];
    walked.push_back(r);
    llvm::Type* const number = coder::with_lanes(number_type(), body_.lanes());
    places.push_back({body_.memory(c_.type(i.type, body_.lanes()), rows),
                      i.arg ? body_.memory(number, rows) : nullptr});
  }
  body_.row_by_row(loops_, walked, [&](Value* row) {
    for (int r : reductions) accumulators_.push_back(make(r, 1, first));
    walk(begin, end, 1);
    const auto put = [&](const variable& v, Value* to) {
      Value* const lanes = v.get(c_.b);
      c_.b.CreateStore(lanes, c_.b.CreateInBoundsGEP(lanes->getType(), to, row));
    };
    for (std::size_t n = 0; n < places.size(); ++n) {
      put(accumulators_[n].values[0], places[n].value);
      if (places[n].index) put(accumulators_[n].indices[0], places[n].index);
    }
  });
  for (std::size_t n = 0; n < places.size(); ++n) finish_rows(reductions[n], places[n]);
}

/// The tree of `finish` for as many rows as there are lanes: combines one half of two vectors' rows
/// with the other half, until each lane is a row. A row has the same bits as alone.
void reducer::finish_rows(int instruction, const partial& places) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const auto vector = [&](Value* from, llvm::Type* element, int row) -> Value* {
    if (!from) return nullptr;
    llvm::Type* const t = coder::with_lanes(element, body_.lanes());
    Value* const p = c_.b.CreateConstInBoundsGEP1_64(t, from, static_cast<std::uint64_t>(row));
    return c_.b.CreateLoad(t, p);
  };
  std::vector<rows_of> parts;
  for (int row = 0; row < body_.abreast(); ++row) {
    parts.push_back({{vector(places.value, c_.type(i.type), row),
                      vector(places.index, number_type(), row)},
                     {row}});
  }
  while (parts.size() > 1) {
    std::vector<rows_of> next;
    for (std::size_t n = 0; n + 1 < parts.size(); n += 2) {
      next.push_back(join_rows(i, parts[n], parts[n + 1]));
    }
    parts = std::move(next);
  }
  llvm::SmallVector<int, 64> order(parts[0].rows.size());
  for (std::size_t l = 0; l < order.size(); ++l) order[at(parts[0].rows[l])] = static_cast<int>(l);
  Value* const rows = i.arg ? parts[0].lanes.index : parts[0].lanes.value;
  Value* const ordered = c_.b.CreateShuffleVector(rows, order);
  body_.define(instruction, 0, i.arg ? whole_number(ordered) : ordered);
}

/// Halves of less than 16 bytes alternate between both vectors within every 16 bytes: there a
/// shuffle takes one cycle.
reducer::rows_of reducer::join_rows(const ir::inst& i, const rows_of& a, const rows_of& b) {
  const int lanes = body_.lanes(), size = lanes / static_cast<int>(a.rows.size());
  const int bits = static_cast<int>(a.lanes.value->getType()->getScalarSizeInBits());
  const int bytes = std::max(bits / 8, 1);
  const int turn = size / 2 * bytes >= 16 ? lanes : std::min(lanes, 16 / bytes);
  llvm::SmallVector<int, 64> low, high;
  rows_of both;
  for (int first = 0; first < lanes; first += turn) {
    for (const rows_of* from : {&a, &b}) {
      const int behind = from == &b ? lanes : 0;
      for (int row = first; row < first + turn; row += size) {
        both.rows.push_back(from->rows[at(row / size)]);
        for (int l = 0; l < size / 2; ++l) low.push_back(behind + row + l);
        for (int l = size / 2; l < size; ++l) high.push_back(behind + row + l);
      }
    }
  }
  const auto half = [&](llvm::ArrayRef<int> mask) -> partial {
    const auto pick = [&](Value* x, Value* y) {
      return x ? c_.b.CreateShuffleVector(x, y, mask) : nullptr;
    };
    return {pick(a.lanes.value, b.lanes.value), pick(a.lanes.index, b.lanes.index)};
  };
  both.lanes = merge(i, half(low), half(high));
  return both;
}

// ---- shared by the trees of one row and of many

/// Strictly better: the first NaN wins over all, else the first extremum.
Value* reducer::better(const ir::inst& i, Value* candidate, Value* held) {
  const bool largest = ir::info(i.code).identity == ir::op_identity::lowest;
  const ir::op compare = largest ? ir::op::greater : ir::op::less;
  Value* const args[] = {candidate, held};
  Value* const wins = c_.apply(compare, i.type, dtype::bool_, args);
  if (!is_real(i.type)) return wins;
  Value* const nan =
      c_.b.CreateAnd(c_.b.CreateFCmpUNO(candidate, candidate), c_.b.CreateFCmpORD(held, held));
  return c_.b.CreateOr(wins, nan);
}

reducer::partial reducer::merge(const ir::inst& i, const partial& a, const partial& b) {
  if (!i.arg) return {c_.combine(i.code, i.type, a.value, b.value), nullptr};
  Value* same = nullptr;
  if (is_real(i.type)) {
    Value* const both =
        c_.b.CreateAnd(c_.b.CreateFCmpUNO(a.value, a.value), c_.b.CreateFCmpUNO(b.value, b.value));
    same = c_.b.CreateOr(c_.b.CreateFCmpOEQ(a.value, b.value), both);
  } else {
    same = c_.b.CreateICmpEQ(a.value, b.value);
  }
  Value* const earlier = c_.b.CreateAnd(same, c_.b.CreateICmpSLT(b.index, a.index));
  Value* const take = c_.b.CreateOr(better(i, b.value, a.value), earlier);
  return {c_.b.CreateSelect(take, b.value, a.value), c_.b.CreateSelect(take, b.index, a.index)};
}

/// The type of an element's number in its row: rows abreast are short.
llvm::IntegerType* reducer::number_type() {
  return kernel_.schedule.abreast > 0 ? c_.b.getInt32Ty() : c_.b.getInt64Ty();
}

Value* reducer::whole_number(Value* index) {
  return c_.b.CreateZExt(index, coder::with_lanes(c_.b.getInt64Ty(), lanes_of(index)));
}

}  // namespace sinter::codegen::cpu
