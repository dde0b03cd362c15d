#include "codegen/cuda_text/combine.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "codegen/cuda_text/forms.hpp"
#include "codegen/cuda_text/spelling.hpp"
#include "ir/reference.hpp"

namespace sinter::codegen::cuda_text {
namespace {

constexpr int few_lanes = 4;  // up to here every lane has an accumulator, whatever the reduction

}  // namespace

std::string combine_writer::type(int r) const {
  const ir::inst& at = body_.inst(r);
  const std::string_view value = value_type(at.type);
  return at.arg ? cat("sinter_best<", value, ">") : std::string(value);
}

std::string combine_writer::combined(int r, const std::string& a, const std::string& b) const {
  const ir::inst& at = body_.inst(r);
  const std::string function = combiner_name(at.code);
  if (!at.arg) return cat(function, "(", a, ", ", b, ")");
  return cat("sinter_pick(", a, ", ", b, ", ", function, "(", a, ".value, ", b, ".value))");
}

std::string combine_writer::neutral(int r) const {
  const ir::inst& at = body_.inst(r);
  const std::string value = literal(at.type, ir::identity_of(at.code, at.type).bits[0]);
  // in a row of neutral values only, the first extremum is at the first element
  const std::string_view first = kernel_.schedule.split ? "begin" : "0";
  return at.arg ? cat(type(r), "{", value, ", ", first, "}") : value;
}

/// Integers give the same result in any order: a thread accumulates the lanes of a long vector one
/// by one, since an accumulator per lane would need a fold of as many.
bool combine_writer::merges_lanes(int r) const {
  const ir::inst& at = body_.inst(r);
  const bool along = !layout_.columns && !layout_.resident && layout_.vector > few_lanes;
  return along && !at.arg && !is_real(at.type);
}

/// Are values accumulated as words? Extrema of bytes and halfwords take several instructions each.
bool combine_writer::widens(int r) const {
  const ir::inst& at = body_.inst(r);
  const bool extremum = at.code == ir::op::maximum || at.code == ir::op::minimum;
  return merges_lanes(r) && extremum && !is_bool(at.type) && size_of(at.type) < sizeof(int);
}

/// The byte, halfword or truth value that is summed in 64 bits, and whose vectors can be summed in
/// 32 first; -1: other values.
int combine_writer::narrow_addend(int r) const {
  const ir::inst& at = body_.inst(r);
  if (!merges_lanes(r) || at.code != ir::op::add || size_of(at.type) != 8) return -1;
  const ir::inst& cast = body_.inst(at.args[0]);
  const bool widened = cast.kind == ir::inst_kind::compute && cast.code == ir::op::cast;
  const bool narrow = widened && !is_real(cast.type) && size_of(cast.type) < sizeof(int);
  return narrow ? cast.args[0] : -1;
}

void combine_writer::begin_vector(int r) {
  if (narrow_addend(r) >= 0) out_.line("int ", body_.label(r), "_lanes = 0;");
}

void combine_writer::end_vector(int r) {
  if (narrow_addend(r) < 0) return;
  const std::string part = body_.label(r) + "_part";
  out_.line(part, " = ", combined(r, part, cat("(", type(r), ")", body_.label(r), "_lanes")), ";");
}

void combine_writer::begin(int r) {
  const int count = accumulators(r);
  const std::string name = body_.label(r) + "_part";
  if (count == 1) {
    return out_.line(widens(r) ? "int" : type(r), " ", name,
                     takes_one(r) ? "" : " = " + neutral(r), ";");
  }
  out_.line(type(r), " ", name, "[", count, "];");
  if (takes_one(r)) return;
  const auto lanes = out_.lanes("k", count);
  out_.line(name, "[k] = ", neutral(r), ";");
}

/// Lanes out of range accumulate the neutral element: a branch would keep the compiler from sharing
/// the value with a later walk.
std::string combine_writer::counted(const frame& f, const std::string& value,
                                    const std::string& neutral) const {
  if (!f.first.empty()) return cat("k >= ", f.first, " ? ", value, " : ", neutral);
  if (!f.guarded()) return value;
  return cat(f.partial ? "k < left ? " : "left > 0 ? ", value, " : ", neutral);
}

void combine_writer::accumulate(int r, const frame& f) {
  const ir::inst& at = body_.inst(r);
  std::string name = body_.label(r) + "_part";
  const bool own = layout_.resident && f.unroll > 1;
  if (own && f.vector > 1)
    name += cat("[u * ", f.vector, " + k]");
  else if (own)
    name += "[u]";
  else if (f.vector > 1 && !merges_lanes(r))
    name += "[k]";
  if (const int addend = narrow_addend(r); addend >= 0) {
    const std::string value = counted(f, cat("(int)", body_.value(addend)), "0");
    return body_.statement(r, cat(body_.label(r), "_lanes += ", value, ";"));
  }
  std::string value = body_.value(at.args[0]);
  if (widens(r)) {
    const std::string next = body_.label(r) + "_next";
    body_.statement(r, cat("const int ", next, " = ", counted(f, value, neutral(r)), ";"));
    const std::string_view sign = at.code == ir::op::maximum ? " < " : " > ";
    return body_.statement(r, cat(name, " = ", name, sign, next, " ? ", next, " : ", name, ";"));
  }
  if (at.arg) value = cat(type(r), "{", value, ", j}");
  value = counted(f, value, neutral(r));
  if (takes_one(r)) return body_.statement(r, cat(name, " = ", value, ";"));
  if (at.arg || f.guarded() || !f.first.empty()) {
    body_.statement(r, cat("const ", type(r), " ", body_.label(r), "_next = ", value, ";"));
    value = body_.label(r) + "_next";
  }
  const std::string right =
      at.arg ? cat("sinter_take(", name, ", ", value, ", ", name, ".value ",
                   at.code == ir::op::maximum ? ">" : "<", "= ", value, ".value)")
             : combined(r, name, value);
  body_.statement(r, cat(name, " = ", right, ";"));
}

/// Along rows, positions are accumulated as those of the vector; each lane adds its own at the end.
void combine_writer::add_lanes(int r) {
  if (layout_.columns || layout_.vector == 1) return;
  const auto lanes = out_.lanes("k", layout_.accumulators());
  const bool own = layout_.accumulators() > layout_.vector;
  out_.line(body_.label(r), "_part[k].at += k", own ? cat(" % ", layout_.vector) : "", ";");
}

/// Halves one thread's accumulators until those of its results are left; of an odd number, the
/// middle one waits.
void combine_writer::fold(int r) {
  const std::string name = body_.label(r) + "_part";
  for (int count = accumulators(r); count > layout_.results();) {
    const int half = (count + 1) / 2, pairs = count - half;
    const std::string from = pairs == 1 ? "[0]" : "[k]";
    const std::string with = pairs == 1 ? cat("[", half, "]") : cat("[k + ", half, "]");
    const auto lanes = out_.lanes("k", pairs);
    out_.line(name, from, " = ", combined(r, name + from, name + with), ";");
    count = half;
  }
}

/// Do both threads of a pair compute the same, whichever of them is first?
bool combine_writer::either_first(int r) const {
  const ir::inst& at = body_.inst(r);
  return (ir::info(at.code).traits & ir::commutative) && !at.arg;
}

void combine_writer::across_threads(int r, const std::string& value, int first, int end) {
  out_.line("#pragma unroll");
  const auto steps = out_.block("for (int s = ", first, "; s < ", end, "; s *= 2)");
  const std::string other = cat("sinter_across(", value, ", s)");
  if (either_first(r)) return out_.line(value, " = ", combined(r, value, other), ";");
  out_.line("const ", type(r), " other = ", other, ";");
  out_.line(value, " = threadIdx.x & s ? ", combined(r, "other", value), " : ",
            combined(r, value, "other"), ";");
}

void combine_writer::across_warp(int r, const std::string& value, int threads) {
  if (threads > 1) across_threads(r, value, 1, threads);
}

/// If the number of warps is no power of two, neutral values pad it.
void combine_writer::across_block(int r, const std::string& value) {
  const int own = layout_.row_threads / warp;
  const int warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(own)));
  const std::string shared = body_.label(r) + "_shared";
  out_.line("__shared__ ", type(r), " ", shared, "[", layout_.groups * warps, "];");
  if (own < warps || layout_.elastic) {
    const std::string first = layout_.elastic ? cat("blockDim.x / ", warp) : cat(own);
    out_.line("if (threadIdx.x >= ", first, " && threadIdx.x < ", warps, ") ", shared,
              "[threadIdx.x] = ", neutral(r), ";");
  }
  out_.line("if (threadIdx.x % ", warp, " == 0) ", shared, "[threadIdx.x / ", warp, "] = ", value,
            ";");
  out_.line(layout_.meet);
  const std::string first = layout_.groups > 1
                                ? cat("threadIdx.x / ", layout_.row_threads, " * ", warps, " + ")
                                : std::string();
  out_.line(value, " = ", shared, "[", first, "threadIdx.x % ", warps, "];");
  across_warp(r, value, warps);
}

/// Words that one block sends another.
int combine_writer::words(int r) const {
  const ir::inst& at = body_.inst(r);
  return at.arg ? 4 : static_cast<int>(std::max<std::size_t>(size_of(at.type), 4) / 4);
}

/// A barrier of all threads of a cluster takes longer than the exchange itself, so each block
/// counts arrivals instead. H200, softmax of 2048 rows of 131072 floats: 638 us with the barrier,
/// 525 without (a copy 510).
void combine_writer::begin_cluster() {
  std::vector<int> reduces;
  for (const phase& p : layout_.phases) {
    reduces.insert(reduces.end(), p.reduces.begin(), p.reduces.end());
  }
  out_.line("__shared__ unsigned long long arrivals[", reduces.size(), "];");
  {
    const auto one = out_.block("if (threadIdx.x == 0)");
    for (std::size_t i = 0; i < reduces.size(); ++i) {
      out_.line("sinter_expect(arrivals + ", i, ", ", layout_.cluster * words(reduces[i]) * 4,
                ");");
    }
  }
  out_.line("sinter_cluster_arrive();");
}

/// Every block sends its result to all; each combines them in the same order. Each reduction has a
/// slot of its own, so no block writes where others may still read, or to a block that has ended.
void combine_writer::across_cluster(int r, const std::string& value) {
  const std::string place = body_.label(r) + "_given", arrivals = cat("arrivals + ", met_);
  out_.line("__shared__ unsigned ", place, "[", layout_.cluster, "][", words(r), "];");
  if (met_ == 0) out_.line("sinter_cluster_wait();");
  ++met_;
  out_.line("if (threadIdx.x < ", layout_.cluster, ") sinter_give(", place, "[rank], ", value,
            ", threadIdx.x, ", arrivals, ");");
  out_.line("sinter_arrived(", arrivals, ");");
  out_.line(value, " = sinter_given<", type(r), ">(", place, "[threadIdx.x % ", layout_.cluster,
            "]);");
  across_warp(r, value, layout_.cluster);
}

/// The walkers of a column combine their values within warps, then in shared memory; each of them
/// folds the results of all warps.
void combine_writer::across_walkers(int r, const std::string& value) {
  const int columns = layout_.groups, beside = columns < warp ? warp / columns : 1;
  const int parts = layout_.row_threads / beside;
  const std::string shared = body_.label(r) + "_shared";
  if (parts > 1) out_.line("__shared__ ", type(r), " ", shared, "[", parts, "][", columns, "];");
  const auto lanes = out_.lanes("k", layout_.vector);
  if (beside > 1) across_threads(r, value, columns, warp);
  if (parts == 1) return;
  out_.line(beside > 1 ? cat("if (threadIdx.x % ", warp, " < ", columns, ") ") : "", shared, "[",
            beside > 1 ? cat("threadIdx.x / ", warp) : "t", "][x] = ", value, ";");
  out_.line(layout_.meet);
  out_.line(value, " = ", shared, "[0][x];");
  {
    const auto walkers = out_.block("for (int s = 1; s < ", parts, "; ++s)");
    out_.line(value, " = ", combined(r, value, shared + "[s][x]"), ";");
  }
  if (layout_.vector > 1) out_.line(layout_.meet);
}

void combine_writer::finish(int r) {
  const ir::inst& at = body_.inst(r);
  const bool several = accumulators(r) > 1;
  if (at.arg) add_lanes(r);
  if (several) fold(r);
  std::string part = body_.label(r) + "_part";
  if (layout_.results() > 1) {
    part += "[k]";
    if (layout_.row_threads > 1) across_walkers(r, part);
    body_.rename(r, at.arg ? part + ".at" : part);
    return;
  }
  const std::string value = at.arg ? body_.label(r) + "_best" : body_.label(r);
  part += several ? "[0]" : "";
  // As if each had been combined with the neutral value: sums of -0 alone are +0.
  if (takes_one(r)) part = combined(r, neutral(r), part);
  out_.line(type(r), " ", value, " = ", part, ";");
  if (layout_.columns) {
    if (layout_.row_threads > 1) across_walkers(r, value);
  } else {
    across_warp(r, value, layout_.row_threads < warp ? layout_.row_threads : warp);
    if (layout_.row_threads > warp) across_block(r, value);
    if (layout_.cluster > 1) across_cluster(r, value);
  }
  body_.rename(r, at.arg ? value + ".at" : value);
}

void write_combiners(const ir::kernel& k, writer& out) {
  std::set<std::pair<ir::op, dtype>> wanted;
  for (const ir::inst& i : k.body) {
    const bool combines = i.kind == ir::inst_kind::reduce || i.kind == ir::inst_kind::scan;
    if (combines) wanted.emplace(i.code, i.type);
  }
  for (const auto& [code, type] : wanted) write_combiner(code, type, out);
}

}  // namespace sinter::codegen::cuda_text
