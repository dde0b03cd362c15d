#include "codegen/cuda_text/stages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinter::codegen::cuda_text {
namespace {

constexpr int most_registers = 64;  // of a thread's 255, between two stages

/// x / 2 is x * 0.5 to any compiler.
bool is_power_of_two(const ir::inst& i) {
  if (i.kind != ir::inst_kind::constant) return false;
  int exponent = 0;
  const float value = std::bit_cast<float>(static_cast<std::uint32_t>(i.bits));
  return std::isnormal(value) && std::abs(std::frexp(value, &exponent)) == 0.5F;
}

/// Is it a division whose lanes have divisors of their own?
bool has_own_divisor(const ir::kernel& k, const ir::inst& i) {
  if (i.code != ir::op::divide) return false;
  const ir::inst_kind by = k.body[static_cast<std::size_t>(i.args[1])].kind;
  return by != ir::inst_kind::scalar && by != ir::inst_kind::constant;
}

class stager {
 public:
  stager(const ir::kernel& k, const inst_list& all)
      : kernel_(k), all_(all), number_(k.body.size()), last_use_(k.body.size()) {}

  std::vector<stage> run(int lanes) {
    find_earliest();
    const int count = 1 + *std::max_element(number_.begin(), number_.end());
    find_latest(count - 1);
    std::vector<stage> stages(static_cast<std::size_t>(count));
    for (int i : all_) {
      stage& s = stages[static_cast<std::size_t>(number(i))];
      (is_together(i) ? s.together : s.lanes).push_back(i);
    }
    find_divisors(stages);
    const bool one = lanes == 1 || registers(count) * lanes > most_registers || has_loops();
    return one ? std::vector<stage>{{all_, {}, {}}} : stages;
  }

 private:
  const ir::inst& inst(int i) const { return kernel_.body[static_cast<std::size_t>(i)]; }
  int& number(int i) { return number_[static_cast<std::size_t>(i)]; }

  bool is_together(int i) const {
    const ir::inst& at = inst(i);
    if (at.kind != ir::inst_kind::compute || at.type != dtype::float32) return false;
    if (at.code == ir::op::sqrt) return true;
    return at.code == ir::op::divide && !is_power_of_two(inst(at.args[1]));
  }

  bool has_loops() const {
    return std::ranges::any_of(all_, [&](int i) {
      return inst(i).kind == ir::inst_kind::loop || inst(i).kind == ir::inst_kind::pick;
    });
  }

  void find_earliest() {
    for (int i : all_) {
      for (int a : arguments_of(inst(i))) {
        number(i) = std::max(number(i), number(a) + (is_together(a) ? 1 : 0));
      }
    }
  }

  /// Single values move to where they are needed first: fewer live from stage to stage.
  void find_latest(int last) {
    std::vector<int> first_use(kernel_.body.size(), last);
    std::fill(last_use_.begin(), last_use_.end(), -1);
    for (auto it = all_.rbegin(); it != all_.rend(); ++it) {
      const auto i = static_cast<std::size_t>(*it);
      if (inst(*it).kind == ir::inst_kind::store) number(*it) = last;
      if (!is_together(*it)) number(*it) = first_use[i];
      for (int a : arguments_of(inst(*it))) {
        const auto from = static_cast<std::size_t>(a);
        first_use[from] = std::min(first_use[from], number(*it));
        last_use_[from] = std::max(last_use_[from], number(*it));
      }
    }
  }

  void find_divisors(std::vector<stage>& stages) const {
    std::vector<bool> known(kernel_.body.size());
    for (stage& s : stages) {
      for (int i : s.together) {
        if (!has_own_divisor(kernel_, inst(i))) continue;
        const auto by = static_cast<std::size_t>(inst(i).args[1]);
        if (!known[by]) s.divisors.push_back(inst(i).args[1]);
        known[by] = true;
      }
    }
  }

  /// The most values that live between two stages.
  int registers(int stages) const {
    int most = 0;
    for (int s = 0; s + 1 < stages; ++s) {
      most = std::max(most, static_cast<int>(std::ranges::count_if(all_, [&](int i) {
                        const auto at = static_cast<std::size_t>(i);
                        const bool made = is_statement(inst(i)) && number_[at] <= s;
                        return made && last_use_[at] > s;
                      })));
    }
    return most;
  }

  const ir::kernel& kernel_;
  const inst_list& all_;
  std::vector<int> number_, last_use_;  // by instruction
};

}  // namespace

std::vector<stage> stages_of(const ir::kernel& k, const inst_list& all, int lanes) {
  return stager(k, all).run(lanes);
}

void keep_between(body_writer& body, const std::vector<stage>& stages, int lanes, writer& out) {
  const std::size_t count = body.kernel().body.size();
  std::vector<bool> kept(count);
  const auto keep = [&](int i) {
    if (!kept[static_cast<std::size_t>(i)]) body.keep(i, lanes);
    kept[static_cast<std::size_t>(i)] = true;
  };
  std::vector<std::size_t> made(count, stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (const inst_list* list : {&stages[s].lanes, &stages[s].together}) {
      for (int i : *list) {
        const bool written = is_statement(body.inst(i)) && !body.is_supplied(i);
        if (written) made[static_cast<std::size_t>(i)] = s;
        for (int a : arguments_of(body.inst(i))) {
          if (made[static_cast<std::size_t>(a)] < s) keep(a);
        }
      }
    }
    for (int i : stages[s].together) keep(i);
    for (int by : stages[s].divisors) {
      out.line("float by_", by, "[", lanes, "];");
      out.line("sinter_inverse over_", by, "[", lanes, "];");
    }
  }
}

void write_arguments(body_writer& body, const stage& s, writer& out) {
  for (int by : s.divisors) out.line("by_", by, "[k] = ", body.value(by), ";");
  for (int i : s.together) {
    body.statement(i, cat(body.value(i), " = ", body.value(body.inst(i).args[0]), ";"));
  }
}

void write_together(const body_writer& body, const stage& s, writer& out) {
  for (int by : s.divisors) out.line("sinter_reciprocals(over_", by, ", by_", by, ");");
  for (int i : s.together) {
    const ir::inst& at = body.inst(i);
    const std::string label = body.label(i);
    if (at.code == ir::op::sqrt) {
      out.line("sinter_roots(", label, ");");
    } else if (has_own_divisor(body.kernel(), at)) {
      out.line("sinter_quotients(", label, ", by_", at.args[1], ", over_", at.args[1], ");");
    } else {
      const std::string& by = body.value(at.args[1]);
      out.line("sinter_ratios(", label, ", ", by, ", sinter_reciprocal(", by, "));");
    }
  }
}

}  // namespace sinter::codegen::cuda_text
