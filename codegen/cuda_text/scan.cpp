#include "codegen/cuda_text/scan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "codegen/cuda_text/spelling.hpp"
#include "ir/reference.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Marks the instructions that `i` needs in its own part of a step: not through scans.
void mark(const ir::kernel& k, int i, std::vector<bool>& marks) {
  const ir::inst& at = k.body[static_cast<std::size_t>(i)];
  if (!at.inner || is_scan(at) || marks[static_cast<std::size_t>(i)]) return;
  marks[static_cast<std::size_t>(i)] = true;
  for (int a : arguments_of(at)) mark(k, a, marks);
}

/// The parts of a complex element are stored together, once the later one is known: a vector holds
/// whole elements.
void store_together(const ir::kernel& k, std::vector<int>& stage) {
  std::map<int, int> latest;
  for (const bool gives : {false, true}) {
    for (std::size_t i = 0; i < k.body.size(); ++i) {
      if (k.body[i].kind != ir::inst_kind::store || !k.body[i].inner) continue;
      int& last = latest[k.body[i].which];
      if (gives) stage[i] = last;
      last = std::max(last, stage[i]);
    }
  }
}

}  // namespace

scan_stages::scan_stages(const ir::kernel& k, const phase& p) {
  // The part in which a value is computed, and the part from which it can be used: after its scan.
  std::vector<int> stage(k.body.size(), 0), use(k.body.size(), 0);
  int last = 0;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    for (int a : arguments_of(k.body[i])) {
      stage[i] = std::max(stage[i], use[static_cast<std::size_t>(a)]);
    }
    if (!k.body[i].inner) stage[i] = k.body[i].kind == ir::inst_kind::reduce ? stage[i] : 0;
    use[i] = stage[i] + (is_scan(k.body[i]) ? 1 : 0);
    if (!k.body[i].inner) use[i] = 0;
  }
  store_together(k, stage);
  const auto stage_of = [&](int i) { return stage[static_cast<std::size_t>(i)]; };
  for (int i : p.walked) last = std::max(last, stage_of(i));
  for (int i : p.reduces) last = std::max(last, stage_of(i));
  for (int s = 0; s <= last; ++s) {
    scan_stage part;
    std::vector<bool> marks(k.body.size());
    for (int i : p.walked) {
      if (stage_of(i) != s) continue;
      const ir::inst& at = k.body[static_cast<std::size_t>(i)];
      if (is_scan(at)) {
        part.scans.push_back(i);
        mark(k, at.args[0], marks);
      }
      if (at.kind == ir::inst_kind::store) mark(k, i, marks);
    }
    for (int r : p.reduces) {
      if (stage_of(r) != s) continue;
      part.reduces.push_back(r);
      mark(k, k.body[static_cast<std::size_t>(r)].args[0], marks);
    }
    for (int i = 0; i < static_cast<int>(marks.size()); ++i) {
      if (marks[static_cast<std::size_t>(i)]) part.walked.push_back(i);
    }
    list.push_back(std::move(part));
  }
}

inst_list scan_stages::scans() const {
  inst_list all;
  for (const scan_stage& s : list) all.insert(all.end(), s.scans.begin(), s.scans.end());
  return all;
}

std::string start_of(ir::op code, dtype type) {
  return literal(type, ir::neutral_of(code, type).bits[0]);
}

std::string scan_writer::type(int s) const {
  return std::string(value_type(body_.inst(s).type));
}

std::string scan_writer::neutral(int s) const {
  return start_of(body_.inst(s).code, body_.inst(s).type);
}

std::string scan_writer::combined(int s, const std::string& a, const std::string& b) const {
  return cat(combiner_name(body_.inst(s).code), "(", a, ", ", b, ")");
}

/// The index of a lane's value among those of a step.
std::string scan_writer::place() const {
  if (layout_.unroll > 1 && layout_.vector > 1) return cat("[u * ", layout_.vector, " + k]");
  return layout_.unroll > 1 ? "[u]" : layout_.vector > 1 ? "[k]" : "[0]";
}

std::string scan_writer::name(int s, std::string_view suffix) const {
  return cat("scan_", s, suffix);
}

int scan_writer::sequences() const {
  if (layout_.columns) return layout_.groups * layout_.vector;
  return layout_.row_threads > warp ? layout_.groups : 0;
}

int scan_writer::entries() const {
  return layout_.columns ? layout_.row_threads : layout_.unroll * layout_.row_threads / warp;
}

/// How many sequences each warp has, or each thread that owns its columns.
int scan_writer::turns() const {
  if (has_columns()) return layout_.vector;
  const int warps = kernel_.schedule.threads / warp;
  return (sequences() + warps - 1) / warps;
}

void scan_writer::begin(int s) {
  const int count = std::max(1, turns());
  if (count == 1) return out_.line(type(s), " ", name(s, "_before"), " = ", neutral(s), ";");
  out_.line(type(s), " ", name(s, "_before"), "[", count, "];");
  const auto all = out_.lanes("n", count);
  out_.line(name(s, "_before"), "[n] = ", neutral(s), ";");
}

void scan_writer::declare(int s) {
  out_.line(type(s), " ", name(s, ""), "[", layout_.registers(), "];");
}

/// Lanes out of range take the neutral element.
void scan_writer::take_in(int s) {
  const frame& f = layout_.inner;
  const std::string value = body_.value(body_.inst(s).args[0]);
  const std::string in = f.partial ? "k < left" : "left > 0";
  body_.statement(s, cat(name(s, ""), place(), " = ", in, " ? ", value, " : ", neutral(s), ";"));
}

void scan_writer::combine(int s) {
  if (has_columns()) return down_columns(s);
  out_.line("// what each thread's values come to, then those of all");
  if (layout_.columns) {
    alone_in_columns(s);
  } else {
    alone_in_row(s);
    across_lanes(s);
    if (sequences() > 0) leave_totals(s);
  }
  if (sequences() > 0) across_entries(s);
  apply(s);
  body_.rename(s, name(s, "") + place());
}

void scan_writer::alone_in_row(int s) {
  const int vector = layout_.vector, unroll = layout_.unroll;
  out_.line(type(s), " ", name(s, "_total"), "[", unroll, "], ", name(s, "_ahead"), "[", unroll,
            "];");
  const auto vectors = out_.lanes("u", unroll);
  const std::string first = unroll > 1 ? cat("u * ", vector, " + ") : "",
                    u = unroll > 1 ? "u" : "0";
  if (vector > 1) {
    out_.line("#pragma unroll");
    const auto lanes = out_.block("for (int k = 1; k < ", vector, "; ++k)");
    const std::string value = name(s, "") + "[" + first;
    out_.line(value, "k] = ", combined(s, value + "k - 1]", value + "k]"), ";");
  }
  out_.line(name(s, "_total"), "[", u, "] = ", name(s, ""), "[", first, vector - 1, "];");
  out_.line(name(s, "_ahead"), "[", u, "] = ", neutral(s), ";");
}

void scan_writer::alone_in_columns(int s) {
  const int vector = layout_.vector, unroll = layout_.unroll;
  out_.line("__shared__ ", type(s), " ", name(s, "_totals"), "[", sequences(), "][", warp + 1,
            "], ", name(s, "_fronts"), "[", sequences(), "][", warp + 1, "];");
  const auto lanes = out_.lanes("k", vector);
  const std::string k = vector > 1 ? "k" : "0";
  const auto value = [&](const std::string& u) {
    return cat(name(s, ""), "[(", u, ") * ", vector, " + ", k, "]");
  };
  if (unroll > 1) {
    out_.line("#pragma unroll");
    const auto rows = out_.block("for (int u = 1; u < ", unroll, "; ++u)");
    out_.line(value("u"), " = ", combined(s, value("u - 1"), value("u")), ";");
  }
  const std::string t = layout_.row_threads > 1 ? "t" : "0";
  out_.line(name(s, "_totals"), "[x * ", vector, " + ", k, "][", t,
            "] = ", value(std::to_string(unroll - 1)), ";");
}

void scan_writer::down_columns(int s) {
  const std::string value = name(s, "") + place();
  const std::string before = name(s, "_before") + (layout_.vector > 1 ? "[k]" : "");
  {
    const auto lanes = out_.lanes("k", layout_.vector);
    const auto rows = out_.lanes("u", layout_.unroll);
    out_.line(value, " = ", before, " = ", combined(s, before, value), ";");
  }
  body_.rename(s, value);
}

/// `ahead`: the total of the lanes to the left; `total`: that of all lanes (Sklansky, IRE Trans.
/// EC-9, 1960).
void scan_writer::across_lanes(int s) {
  const int lanes = std::min(layout_.row_threads, warp);
  if (lanes > 1) {
    out_.line("#pragma unroll");
    const auto steps = out_.block("for (int s = 1; s < ", lanes, "; s *= 2)");
    const auto vectors = out_.lanes("u", layout_.unroll);
    const std::string u = layout_.unroll > 1 ? "[u]" : "[0]";
    const std::string total = name(s, "_total") + u, ahead = name(s, "_ahead") + u;
    out_.line("const ", type(s), " other = sinter_across(", total, ", s);");
    out_.line("if (threadIdx.x & s) ", ahead, " = ", combined(s, "other", ahead), ";");
    out_.line(total, " = threadIdx.x & s ? ", combined(s, "other", total), " : ",
              combined(s, total, "other"), ";");
  }
}

void scan_writer::leave_totals(int s) {
  const int warps = layout_.row_threads / warp;
  const std::string group =
      layout_.groups > 1 ? cat("threadIdx.x / ", layout_.row_threads) : std::string("0");
  out_.line("__shared__ ", type(s), " ", name(s, "_totals"), "[", sequences(), "][", warp, "], ",
            name(s, "_fronts"), "[", sequences(), "][", warp, "];");
  const auto first = out_.block("if (threadIdx.x % ", warp, " == 0)");
  const auto vectors = out_.lanes("u", layout_.unroll);
  const std::string u = layout_.unroll > 1 ? cat("u * ", warps, " + ") : "";
  out_.line(name(s, "_totals"), "[", group, "][", u, "t / ", warp, "] = ", name(s, "_total"),
            layout_.unroll > 1 ? "[u];" : "[0];");
}

void scan_writer::across_warp(int s, const std::string& total) {
  out_.line("#pragma unroll");
  const auto steps = out_.block("for (int s = 1; s < ", warp, "; s *= 2)");
  out_.line("const ", type(s), " other = sinter_across(", total, ", s);");
  out_.line("if (lane & s) ahead = ", combined(s, "other", "ahead"), ";");
  out_.line(total, " = lane & s ? ", combined(s, "other", total), " : ",
            combined(s, total, "other"), ";");
}

/// Each warp has some of the sequences, each lane an entry.
void scan_writer::across_entries(int s) {
  const int warps = kernel_.schedule.threads / warp, count = turns();
  out_.line(layout_.meet);
  {
    const auto all = out_.lanes("n", count);
    const std::string turn = count > 1 ? cat(" + n * ", warps) : "";
    const bool spare = sequences() % warps != 0;
    out_.line("const unsigned which = threadIdx.x / ", warp, turn, ", lane = threadIdx.x % ", warp,
              ";");
    const auto some = spare ? out_.block("if (which < ", sequences(), ")") : out_.block();
    const std::string total = name(s, "_totals") + "[which][lane]";
    out_.line(type(s), " all = ",
              entries() < warp ? cat("lane < ", entries(), " ? ", total, " : ", neutral(s)) : total,
              ", ahead = ", neutral(s), ";");
    across_warp(s, "all");
    const std::string before = name(s, "_before") + (count > 1 ? "[n]" : "");
    out_.line("const ", type(s), " before = ", before, ";");
    out_.line(name(s, "_fronts"), "[which][lane] = ", combined(s, "before", "ahead"), ";");
    out_.line(before, " = ", combined(s, "before", "all"), ";");
  }
  out_.line(layout_.meet);
}

/// Combines each value with the prefix of its thread.
void scan_writer::apply(int s) {
  const std::string value = name(s, "") + place(), u = layout_.unroll > 1 ? "[u]" : "[0]";
  if (layout_.columns) {
    const auto lanes = out_.lanes("k", layout_.vector);
    const std::string t = layout_.row_threads > 1 ? "t" : "0";
    out_.line("const ", type(s), " front = ", name(s, "_fronts"), "[x * ", layout_.vector, " + ",
              layout_.vector > 1 ? "k" : "0", "][", t, "];");
    const auto rows = out_.lanes("u", layout_.unroll);
    return out_.line(value, " = ", combined(s, "front", value), ";");
  }
  const auto vectors = out_.lanes("u", layout_.unroll);
  const auto scope = out_.block();
  std::string front = name(s, "_before");
  if (sequences() > 0) {
    const int warps = layout_.row_threads / warp;
    const std::string group =
        layout_.groups > 1 ? cat("threadIdx.x / ", layout_.row_threads) : std::string("0");
    front = cat(name(s, "_fronts"), "[", group, "][",
                layout_.unroll > 1 ? cat("u * ", warps, " + ") : "", "t / ", warp, "]");
  }
  out_.line("const ", type(s), " front = ", combined(s, front, name(s, "_ahead") + u), ";");
  {
    const auto lanes = out_.lanes("k", layout_.vector);
    out_.line(value, " = ", combined(s, "front", value), ";");
  }
  if (sequences() > 0) return;
  out_.line(front, " = ", combined(s, front, name(s, "_total") + u), ";");
}

}  // namespace sinter::codegen::cuda_text
