#include <algorithm>
#include <sstream>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/report.hpp"
#include "ir/product.hpp"

namespace sinter::detail {

namespace {

std::string bytes_text(std::int64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double x = static_cast<double>(bytes);
  int u = 0;
  while (x >= 1024 && u < 4) {
    x /= 1024;
    ++u;
  }
  std::ostringstream s;
  s.precision(u ? 4 : 12);
  s << x << ' ' << units[u];
  return s.str();
}

std::string origin_text(const ready_kernel& k) {
  std::ostringstream s;
  s.precision(3);
  switch (k.from) {
    case ready_kernel::origin::compiled:
      s << "compiled in " << k.seconds * 1e3 << " ms";
      break;
    case ready_kernel::origin::disk:
      s << "from the disk cache in " << k.seconds * 1e3 << " ms";
      break;
    case ready_kernel::origin::interpreted:
      s << "interpreted: there is no compiler";
      break;
  }
  return s.str();
}

/// The tuning of a kernel, if it has finished.
const kernel_tuning* tuning_of(const ready_plan& p, std::size_t i) {
  const bool known = i < p.tuning.size() && p.tuning[i] && !text_of(*p.tuning[i]).empty();
  return known ? p.tuning[i].get() : nullptr;
}

/// The kernel as it runs now: with its own schedule, or with a faster one.
const ir::kernel& running(const ready_plan& p, std::size_t i) {
  const kernel_tuning* t = tuning_of(p, i);
  return t && p.kernels[i] != p.of->kernels[i] ? t->candidates[t->best].kernel
                                               : p.of->plan.kernels[i];
}

void kernel_text(std::ostream& s, const ready_plan& p, std::size_t i) {
  const ir::kernel& k = p.of->plan.kernels[i];
  const ir::kernel_report& r = p.of->plan.reports[i];
  s << "kernel " << i << ": " << k.name << "\n  ops:";
  for (const std::string& op : r.ops) s << ' ' << op;
  s << "\n  reads " << bytes_text(p.read[i]) << ", writes " << bytes_text(p.written[i])
    << "; " << origin_text(*p.kernels[i]) << '\n';
  if (const kernel_tuning* t = tuning_of(p, i)) s << "  " << text_of(*t) << '\n';
  for (const std::string& why : r.refusals) s << "  not merged: " << why << '\n';
}

/// The epilogue folded into a product, in order of application.
std::string epilogue_note(const ir::matmul_epilogue& e) {
  std::string note;
  const auto add = [&](bool there, const char* text) {
    if (there) note += (note.empty() ? "" : ", ") + std::string(text);
  };
  add(e.alpha, "a scale");
  add(e.addend, e.beta ? "a scaled addend" : "an addend");
  add(e.bias, "a bias");
  add(e.activation == ir::matmul_activation::relu, "relu");
  add(e.activation == ir::matmul_activation::gelu, "gelu");
  return note;
}

/// How a product reads its operands, if not plainly.
std::string product_note(const ir::plan_step& x) {
  if (x.routine == "syrk") return ": half of a symmetric product, the rest is mirrored";
  if (x.routine != "matmul" || x.attributes.empty()) return "";
  constexpr const char* modes[] = {"", "tf32", "bfloat16", "float16"};
  const ir::matmul_form f = ir::matmul_form_of(x.shapes[0], x.shapes[1], ir::plain(x.attributes));
  std::string note;
  const auto add = [&](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  const auto read = [&](const char* name, const ir::matmul_operand& o) {
    if (o.transpose) add(std::string(name) + " read transposed");
    if (o.conjugate) add(std::string(name) + " read conjugated");
    if (o.batch == 0 && f.batch > 1) add(std::string(name) + " read by every product");
  };
  if (f.mode != ir::matmul_mode::ieee) add(modes[static_cast<int>(f.mode)]);
  read("a", f.a);
  read("b", f.b);
  if (is_half(x.types[0]) && !is_half(x.types.back())) {
    add("of halves, summed and stored in float32");
  }
  const std::string folded = epilogue_note(f.epilogue);
  if (!folded.empty()) add("folded into it: " + folded);
  return note.empty() ? "" : ": " + note;
}

/// Does a step produce the product's operand from x: x itself, or a kernel that checks for NaN?
bool leads_to(const ir::plan& p, std::int32_t x, const ir::plan_step& product) {
  if (std::ranges::count(product.inputs, x) > 0) return true;
  return std::ranges::any_of(p.steps, [&](const ir::plan_step& k) {
    if (k.what != ir::plan_step::kind::kernel || std::ranges::count(k.inputs, x) == 0) return false;
    return std::ranges::any_of(
        k.outputs, [&](std::int32_t y) { return std::ranges::count(product.inputs, y) > 0; });
  });
}

/// Products with vectors are sums of products in a kernel.
bool is_product(const ir::plan& p, const ir::plan_step& x) {
  if (x.what != ir::plan_step::kind::kernel) return x.routine == "matmul";
  const auto& ops = p.reports[static_cast<std::size_t>(x.kernel)].ops;
  return std::ranges::count(ops, "reduce_add") > 0 && std::ranges::count(ops, "multiply") > 0;
}

/// Is an operand of this product an inverse that was computed for it?
bool reads_inverse(const ir::plan& p, const ir::plan_step& x) {
  if (!is_product(p, x)) return false;
  return std::ranges::any_of(p.steps, [&](const ir::plan_step& made) {
    const std::vector<std::int64_t> a = ir::plain(made.attributes);
    if (made.routine == "matinv" || made.routine == "getri") return leads_to(p, made.outputs[1], x);
    const bool inverse = (made.routine == "getrs" && a.size() > 1 && a[1]) ||
                         (made.routine == "trsm" && a.size() > 3 && a[3]);
    return inverse && leads_to(p, made.outputs[0], x);
  });
}

std::string plan_text(const ready_plan& p, const target& t, bool source) {
  std::ostringstream s;
  s.precision(3);
  s << p.of->plan.kernels.size() << (p.of->plan.kernels.size() == 1 ? " kernel" : " kernels");
  std::size_t calls = 0;
  for (const auto& x : p.of->plan.steps) calls += x.what == ir::plan_step::kind::call;
  if (calls) s << " and " << calls << (calls == 1 ? " library call" : " library calls");
  s << " on " << t.device->properties().name << ", planned in " << p.of->seconds * 1e3
    << " ms, run " << p.runs << (p.runs == 1 ? " time\n" : " times\n");
  for (std::size_t i = 0; i < p.of->plan.kernels.size(); ++i) {
    kernel_text(s, p, i);
    if (source) s << t.kernels->source(running(p, i));
  }
  for (const auto& x : p.of->plan.steps) {
    if (x.what == ir::plan_step::kind::call) {
      s << "call: " << x.routine;
      for (const auto& shape : x.shapes) s << ' ' << text_of(ir::plain(shape));
      s << product_note(x) << '\n';
    }
    if (reads_inverse(p.of->plan, x))
      s << "  hint: inv(a) @ b: solve(a, b) costs a third and errs less\n";
  }
  return s.str();
}

}  // namespace

std::string explain_all(const any_array* first, std::size_t count, const explain_options& options,
                        location where) {
  evaluate_all(first, count, where);
  const std::scoped_lock lock(the_session().evaluation);  // plans count their runs
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const node& n = checked(first[i], "explain", where);
    if (!n.plan) {
      text += "an array of " + text_of(n.shape) + " that was given, not computed\n";
      continue;
    }
    text += plan_text(*n.plan, the_session().target_of(*n.device), options.source);
  }
  return text;
}

}  // namespace sinter::detail
