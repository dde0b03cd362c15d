#include "codegen/cuda_text/walk.hpp"

#include <algorithm>
#include <iterator>

#include "codegen/cuda_text/gathered_rows.hpp"
#include "codegen/cuda_text/guarded.hpp"
#include "codegen/cuda_text/quick.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// The most statements of a walk that are emitted twice, to have a loop without conditions.
constexpr std::ptrdiff_t most_written_twice = 40;

/// Is an operand's part of a row the same for all rows?
bool is_shared(const ir::kernel& k, int which) {
  const auto& steps = k.operands[static_cast<std::size_t>(which)].access.steps;
  return std::all_of(steps.begin(), steps.begin() + k.kept,
                     [](ir::step s) { return s == ir::step::zero; });
}

}  // namespace

/// The distance between the vectors in flight, and between a thread's steps if there is only one.
/// With elastic threads, in units of their number.
int walk_writer::step() const {
  if (layout_.columns) return layout_.scans ? 1 : layout_.row_threads;
  return layout_.cluster * vector() * (layout_.elastic ? 1 : layout_.row_threads);
}

/// How far all threads of a row advance at a time.
int walk_writer::stride() const {
  const int walkers = layout_.row_threads * layout_.cluster;
  return layout_.unroll * walkers * (layout_.columns ? 1 : vector());
}

/// The element at which the thread's walk begins.
std::string walk_writer::first() const {
  const bool alone = layout_.row_threads == 1;
  const std::string own = !layout_.columns && vector() > 1 ? cat("t * ", vector()) : "t";
  if (split()) return alone ? "begin" : cat("begin + ", own);
  return alone ? "0" : own;
}

void walk_writer::load_row() {
  if (!layout_.resident) return;
  out_.blank();
  std::string begin = first();
  if (layout_.lead >= 0) {
    out_.line("const int early = (int)sinter_beyond<", vector(), ">(",
              accesses_.begin_of(layout_.lead), "), first = t == 0 ? early : 0;");
    begin = cat("(long long)(", begin, ") - early");
  }
  out_.line("const long long ", position_name(), " = ", begin, ";");
  const stretches all = layout_.stretches();
  if (layout_.unroll == 1) position(all.front().inner);
  load(layout_.kept_inputs, all);
}

void walk_writer::walk(const phase& p, std::size_t number) {
  begin_quotients(p);
  for (int r : p.reduces) combine_.begin(r);
  if (layout_.phases.size() > 2) out_.line("// walk ", number + 1);
  const operand_sets used = operands_of(kernel_, p.walked);
  if (layout_.resident) return walk_resident(p, used, is_last(number));
  if (!layout_.scans) return walk_in_steps(p, used);
  const auto scope = out_.block();
  walk_together(p, used);
}

void walk_writer::walk_resident(const phase& p, const operand_sets& used, bool last) {
  const auto scope = out_.block();
  const stretches all = layout_.stretches();
  if (last) {
    // Values that all rows share come from a cache: one vector of them at a time needs no register.
    beside_.clear();
    operand_list ahead;
    for (int which : layout_.late_inputs) {
      (layout_.unroll > 1 && is_shared(kernel_, which) ? beside_ : ahead).push_back(which);
    }
    load(ahead, all);
  }
  brief_ = last && layout_.unroll > 1 ? brief_quotient(p) : -1;
  if (brief_ >= 0) {
    const int divisor = body_.inst(quotients_.front()).args[1];
    out_.line("unsigned least = over_", divisor, ".near == over_", divisor, ".near ? ~0u : 0u;");
    compute(p, used, all);
    brief_ = -1;
    write_again(p, used, all);
  } else {
    compute(p, used, all);
  }
  beside_.clear();
}

void walk_writer::walk_in_steps(const phase& p, const operand_sets& used) {
  const std::string j = position_name();
  const auto statements = std::count_if(p.walked.begin(), p.walked.end(),
                                        [&](int i) { return is_statement(body_.inst(i)); });
  const stretches guarded = layout_.stretches();
  if (!layout_.inner.guarded() || statements > most_written_twice) {
    out_.line("#pragma unroll 1");
    const auto loop = out_.block("for (long long ", j, " = ", first(), "; ", j, " < end; ", j,
                                 " += ", stride(), ")");
    return take_step(p, used, guarded);
  }
  const auto scope = out_.block();
  const int reach = (layout_.unroll - 1) * step() + (layout_.columns ? 1 : vector());
  out_.line("long long ", j, " = ", first(), ";");
  {
    out_.line("#pragma unroll 1");
    const auto whole =
        out_.block("for (; ", j, " <= end - ", reach, "; ", j, " += ", stride(), ")");
    take_step(p, used, {layout_.whole_stretch()});
  }
  const auto rest = out_.block("if (", j, " < end)");
  take_step(p, used, guarded);
}

void walk_writer::take_step(const phase& p, const operand_sets& used, const stretches& all) {
  if (layout_.unroll == 1) position(all.front().inner);
  load(used.inputs, all);
  load_picked(p, used, all);
  compute(p, used, all);
  picked_.clear();
}

/// Loads gathered rows whose indices depend on the kept axes alone, before anything waits for one
/// of several vectors.
void walk_writer::load_picked(const phase& p, const operand_sets& used, const stretches& all) {
  if (layout_.unroll == 1) return;
  for (int i : gathered_rows(body_, accesses_, layout_.inner, p.walked)) {
    const ir::inst& at = body_.inst(i);
    if (!contains(p.walked, at.args[0]) && !contains(p.walked, at.args[1])) picked_.push_back(i);
  }
  if (picked_.empty()) return;
  declare_rows(body_, layout_.inner, picked_, out_);
  for (const stretch& s : all) {
    const auto loop = vectors(s);
    position(s.inner);
    accesses_.offsets(used.gathered, kernel_.kept, kernel_.kept + kernel_.reduced);
    take_first_lane(body_, out_);
    load_rows(body_, accesses_, s.inner, picked_);
  }
}

/// A walk with scans: all threads of a row take each step, in range or not, and what follows a scan
/// waits for it.
void walk_writer::walk_together(const phase& p, const operand_sets& used) {
  const scan_stages stages(kernel_, p);
  const stretches vectors = layout_.stretches();
  for (int s : stages.scans()) scan_.begin(s);
  const std::string all = product_of_extents(kernel_.kept, kernel_.kept + kernel_.reduced);
  out_.line("#pragma unroll 1");
  const auto loop =
      out_.block("for (long long base = 0; base < ", all, "; base += ", stride(), ")");
  const std::string own = layout_.columns ? cat("t * ", layout_.unroll)
                          : vector() > 1  ? cat("t * ", vector())
                                          : "t";
  out_.line("const long long ", position_name(), " = base",
            layout_.row_threads == 1 ? "" : " + " + own, ";");
  if (layout_.unroll == 1) position(layout_.inner);
  load(used.inputs, vectors);
  for (const scan_stage& s : stages.list) {
    for (int i : s.scans) scan_.declare(i);
    {
      const auto scope = out_.block();
      compute({{}, s.reduces, s.walked}, operands_of(kernel_, s.walked), vectors, s.scans);
    }
    for (int i : s.scans) {
      const auto scope = out_.block();
      scan_.combine(i);
    }
  }
}

/// Declares the vector's place in the reduced axes, and how much of it is in range.
void walk_writer::position(const frame& f) {
  if (f.unroll > 1) {
    // In 64 bits, the addresses of a thread's vectors stay in registers, side by side.
    const std::string far = cat("u * ", step(), layout_.elastic ? " * blockDim.x" : "");
    out_.line("const long long j = j0 + ", far, ";");
  }
  if (f.guarded()) {
    if (!layout_.columns) {
      out_.line("const int left = sinter_within(end - j, ", f.vector, ");");
    } else if (f.unroll > 1 || layout_.scans) {
      out_.line("const int left = j < end ? columns : 0;");
    }
  }
  const int first = kernel_.kept, last = kernel_.kept + kernel_.reduced;
  accesses_.coordinates(kernel_.reduced > 1 ? "(unsigned)j" : "j", first, last);
}

/// A loop over some of a thread's vectors.
writer::scope walk_writer::vectors(const stretch& s) {
  if (layout_.unroll == 1) return out_.lanes("u", 1);
  if (one_by_one_) return out_.each("u", s.first, s.last);
  return out_.lanes("u", s.first, s.last);
}

void walk_writer::load(const operand_list& inputs, const stretches& all) {
  if (inputs.empty()) return;
  // Vectors that are in range for all threads need no value before they are loaded.
  frame held = layout_.inner;
  held.empty = all.size() > 1 || all.front().inner.empty;
  if (layout_.unroll > 1) accesses_.registers(held, inputs);
  for (const stretch& s : all) {
    const auto loop = vectors(s);
    if (layout_.unroll > 1) position(s.inner);
    accesses_.offsets(inputs, kernel_.kept, kernel_.kept + kernel_.reduced);
    accesses_.load(s.inner, inputs);
  }
}

void walk_writer::begin_chunk(const phase& p) {
  reciprocals_.clear();
  begin_quotients(p);
  out_.line("const long long ", position_name(), " = ", first(), ";");
  if (layout_.unroll == 1) position(layout_.inner);
}

void walk_writer::declare(const operand_list& inputs) {
  accesses_.registers(layout_.inner, inputs);
}

void walk_writer::fill(const operand_list& inputs) {
  for (const stretch& s : layout_.stretches()) {
    const auto loop = vectors(s);
    if (layout_.unroll > 1) position(s.inner);
    accesses_.offsets(inputs, kernel_.kept, kernel_.kept + kernel_.reduced);
    accesses_.fill(s.inner, inputs);
  }
}

void walk_writer::load(const operand_list& inputs) {
  load(inputs, layout_.stretches());
}

void walk_writer::compute(const inst_list& walked, const inst_list& scans) {
  compute({{}, {}, walked}, operands_of(kernel_, walked), layout_.stretches(), scans);
}

void walk_writer::compute(const phase& p, const operand_sets& used, const stretches& all,
                          const inst_list& scans) {
  for (const stretch& s : all) {
    const auto loop = vectors(s);
    if (layout_.unroll > 1) position(s.inner);
    if (!passes_by(s.inner)) {
      compute_vector(s.inner, s.stored, p, used, scans);
      continue;
    }
    const auto some = out_.block("if (", s.inner.left, " > 0)");
    frame inner = s.inner, stored = s.stored;
    inner.empty = stored.empty = false;
    compute_vector(inner, stored, p, used, scans);
  }
}

/// Loads a vector of the inputs that only this walk reads.
void walk_writer::load_beside(const operand_list& inputs, const frame& inner,
                              const inst_list& walked) {
  if (inputs.empty()) return;
  frame one = inner;
  one.unroll = 1;
  accesses_.offsets(inputs, kernel_.kept, kernel_.kept + kernel_.reduced);
  accesses_.load(one, inputs);
  for (int i : walked) {
    const ir::inst& at = body_.inst(i);
    const bool here = at.kind == ir::inst_kind::load && contains(inputs, at.which);
    if (here) body_.bind(i, accesses_.lane(one, at.which));
  }
}

void walk_writer::compute_vector(const frame& inner, const frame& stored, const phase& p,
                                 const operand_sets& used, const inst_list& scans) {
  const int first = kernel_.kept, last = kernel_.kept + kernel_.reduced;
  accesses_.offsets(used.indices, first, last);
  accesses_.offsets(used.gathered, first, last);
  accesses_.offsets(used.outputs, first, last);
  accesses_.registers(stored, used.outputs);
  body_.withdraw_supplies(picked_);
  bind_operands(body_, accesses_, inner, p.walked);
  load_beside(beside_, inner, p.walked);
  write_random_runs(body_, accesses_, inner, p.walked, out_);
  if (!layout_.scans) write_guarded_vectors(body_, accesses_, inner, p.walked, out_);
  inst_list rest = p.walked;
  std::erase_if(rest, [this](int i) { return contains(picked_, i); });
  write_gathered_rows(body_, accesses_, inner, rest, out_);
  if (kernel_.schedule.quick) {
    write_walked_lanes(body_, p.walked, vector(), out_);
    for (int r : p.reduces) combine_.begin_vector(r);
    {
      const auto lanes = out_.lanes("k", vector());
      for (int r : p.reduces) combine_.accumulate(r, inner);
    }
    for (int r : p.reduces) combine_.end_vector(r);
    return;
  }
  const inst_list left = vector() > 1 && !layout_.scans ? write_quotients(p) : p.walked;
  for (int r : p.reduces) combine_.begin_vector(r);
  {
    const auto lanes = out_.lanes("k", vector());
    body_.statements(left);
    write_store_registers(body_, accesses_, stored, p.walked);
    for (int r : p.reduces) combine_.accumulate(r, inner);
    for (int i : scans) scan_.take_in(i);
    if (packed_ >= 0 && !scans.empty()) keep_packed();
  }
  for (int r : p.reduces) combine_.end_vector(r);
  accesses_.store(stored, used.outputs);
}

void walk_writer::keep_packed() {
  const std::string u = layout_.unroll > 1 ? cat("u * ", vector()) : "0";
  const std::string place = cat(u, vector() > 1 ? " + k" : "");
  const std::string in = layout_.inner.partial ? "k < left" : "left > 0";
  const auto bit = [&](int store, const char* name) {
    body_.statement(store, cat(name, " |= (unsigned)(", in, " && ",
                               body_.value(body_.inst(store).args[1]), ") << (", place, ");"));
  };
  body_.statement(packed_,
                  cat("packed_v[", place, "] = ", body_.value(body_.inst(packed_).args[0]), ";"));
  bit(packed_, "packed_bits");
  if (noted_ >= 0) bit(noted_, "noted_bits");
}

}  // namespace sinter::codegen::cuda_text
