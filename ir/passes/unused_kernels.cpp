#include "ir/passes/unused_kernels.hpp"

#include <utility>

namespace sinter::ir {

void drop_unused_kernels(plan& p) {
  std::vector<std::int32_t> number(p.kernels.size(), -1);
  std::vector<kernel> kernels;
  std::vector<kernel_report> reports;
  for (plan_step& s : p.steps) {
    if (s.kernel < 0) continue;
    const auto old = static_cast<std::size_t>(s.kernel);
    if (number[old] < 0) {
      number[old] = static_cast<std::int32_t>(kernels.size());
      kernels.push_back(std::move(p.kernels[old]));
      reports.push_back(std::move(p.reports[old]));
    }
    s.kernel = number[old];
  }
  p.kernels = std::move(kernels);
  p.reports = std::move(reports);
}

}  // namespace sinter::ir
