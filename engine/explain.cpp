#include <sstream>

#include "engine/evaluate.hpp"
#include "engine/report.hpp"
#include "engine/session.hpp"

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

void kernel_text(std::ostream& s, const ready_plan& p, std::size_t i) {
  const ir::kernel& k = p.of->plan.kernels[i];
  const ir::kernel_report& r = p.of->plan.reports[i];
  s << "kernel " << i << ": " << k.name << "\n  ops:";
  for (const std::string& op : r.ops) s << ' ' << op;
  s << "\n  reads " << bytes_text(p.read[i]) << ", writes " << bytes_text(p.written[i])
    << "; " << origin_text(*p.of->kernels[i]) << '\n';
  for (const std::string& why : r.refusals) s << "  not merged: " << why << '\n';
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
    if (source) s << t.kernels->source(p.of->plan.kernels[i]);
  }
  for (const auto& x : p.of->plan.steps) {
    if (x.what != ir::plan_step::kind::call) continue;
    s << "call: " << x.routine;
    for (const auto& shape : x.shapes) s << ' ' << text_of(ir::plain(shape));
    s << '\n';
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
