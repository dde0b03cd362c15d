#include "ir/loop_runner.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "ir/loop_tables.hpp"
#include "ir/reference.hpp"

namespace sinter::ir::detail {

void run_instruction(const instruction& i, std::vector<std::vector<std::byte>>& values,
                     std::size_t at, std::size_t n) {
  const void* args[3] = {};
  for (int k = 0; k < arity(i); ++k) args[k] = values[static_cast<std::size_t>(i.args[k])].data();
  std::byte* const v = values[at].data();
  const auto length = static_cast<std::int64_t>(n);
  if (i.code == op::bitcast) std::memcpy(v, args[0], n * size_of(i.result));
  else if (i.code == op::cast) convert_strip_of(i.type, i.result)(v, args, length);
  else strip_of(i.code, i.type)(v, args, length);
}

namespace {

class loop_runner {
 public:
  loop_runner(const node& n, const std::vector<const tensor*>& inputs,
              const std::vector<tensor*>& outputs)
      : n_(n), l_(n.loop), inputs_(inputs), outputs_(outputs),
        size_(static_cast<std::size_t>(size_of(n.shape))), active_(size_, std::byte{1}),
        before_(writes_before(n)) {
    const std::size_t tables = static_cast<std::size_t>(l_.tables);
    for (std::size_t t = tables; t > 0; --t) tables_.push_back(*inputs[inputs.size() - t]);
  }

  void run() {
    if (size_ == 0) return;
    const program& p = n_.program;
    for (dtype t : p.inputs) values_.emplace_back(size_ * size_of(t));
    for (const instruction& i : p.code) values_.emplace_back(size_ * size_of(i.result));
    const std::size_t whole = whole_inputs(n_);
    for (std::size_t k = 0; k < whole; ++k) fill(place_in_program(l_, k), *inputs_[k]);
    for (std::int64_t round = 0;; ++round) {
      for (std::size_t e = 0; e < size_; ++e) {
        std::memcpy(carries_of(round_place()) + e * sizeof round, &round, sizeof round);
      }
      compute(0);
      if (!goes_on()) break;
      for (std::size_t w = 0; w < l_.writes.size(); ++w) {
        write(l_.writes[w]);
        compute(static_cast<int>(w) + 1);
      }
      step(round);
    }
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (tensor* const to = outputs_[l_.results.size() + t]) to->data = tables_[t].data;
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(l_.carries); ++k) {
      if (outputs_[k]) outputs_[k]->data = values_[k];
    }
  }

 private:
  /// Computes all values that are known after so many writes, and no earlier.
  void compute(int writes) {
    const std::size_t inputs = n_.program.inputs.size(), whole = whole_inputs(n_);
    for (std::size_t v = 0; v <= whole && writes == 0; ++v) slices_by(v, writes);
    for (std::size_t k = 0; k < l_.by.size() && writes > 0; ++k) {
      const bool known = before_[static_cast<std::size_t>(l_.by[k])] < writes;
      if (known && before_[whole + k + 1] == writes) take(k, writes);
    }
    for (std::size_t i = 0; i < n_.program.code.size(); ++i) {
      if (before_[inputs + i] != writes) continue;
      run_instruction(n_.program.code[i], values_, inputs + i, size_);
      slices_by(inputs + i, writes);
    }
  }
  void take(std::size_t k, int writes) {
    slice(k);
    slices_by(whole_inputs(n_) + k + 1, writes);
  }

  void write(const table_write& w) {
    tensor& to = tables_[static_cast<std::size_t>(w.table)];
    const std::int64_t at = w.offset.peek() + which(w.by, 0);
    if (at < 0 || at >= size_of(to.shape).peek()) {
      throw std::invalid_argument("interpret: a loop writes beyond its table");
    }
    const std::size_t size = size_of(to.type);
    std::memcpy(to.data.data() + static_cast<std::size_t>(at) * size,
                values_[static_cast<std::size_t>(w.value)].data(), size);
  }

  std::size_t round_place() const { return static_cast<std::size_t>(l_.carries); }
  std::byte* carries_of(std::size_t v) { return values_[v].data(); }

  void fill(std::size_t to, const tensor& from) {
    const std::size_t size = size_of(from.type);
    for (std::size_t e = 0; e < size_; ++e) {
      std::memcpy(values_[to].data() + e * size,
                  from.data.data() + (from.shape.empty() ? 0 : e * size), size);
    }
  }

  /// The offset of element e of the shape under a map.
  std::int64_t mapped(std::size_t e, const index_map& m) const {
    std::int64_t at = m.offset.peek();
    auto rest = static_cast<std::int64_t>(e);
    for (std::size_t d = n_.shape.size(); d-- > 0;) {
      at += rest % n_.shape[d].peek() * m.strides[d].peek();
      rest /= n_.shape[d].peek();
    }
    return at;
  }

  /// A value, int32 or int64, as an integer.
  std::int64_t which(int by, std::size_t e) const {
    const std::byte* const from = values_[static_cast<std::size_t>(by)].data();
    if (program_view{n_.program.inputs, n_.program.code, 0}.value_type(by) == dtype::int32) {
      std::int32_t v = 0;
      std::memcpy(&v, from + e * sizeof v, sizeof v);
      return v;
    }
    std::int64_t v = 0;
    std::memcpy(&v, from + e * sizeof v, sizeof v);
    return v;
  }

  /// Reads the slices indexed by a value, and those indexed by these.
  void slices_by(std::size_t value, int writes) {
    for (std::size_t k = 0; k < l_.by.size(); ++k) {
      const bool now = before_[whole_inputs(n_) + k + 1] == writes;
      if (now && static_cast<std::size_t>(l_.by[k]) == value) take(k, writes);
    }
  }

  /// Reads the slices of the elements that have not stopped; the round after the last reads
  /// nothing.
  void slice(std::size_t k) {
    const std::size_t whole = whole_inputs(n_), own = sliced_inputs(l_);
    const tensor& from = k < own
                             ? *inputs_[whole + k]
                             : tables_[static_cast<std::size_t>(l_.reads[k - own].table)];
    const std::size_t size = size_of(from.type);
    std::byte* const to = values_[whole + k + 1].data();
    for (std::size_t e = 0; e < size_; ++e) {
      const std::int64_t at = mapped(e, l_.maps[k]) + which(l_.by[k], e) * l_.along[k].peek();
      if (at < 0 || at >= size_of(from.shape).peek()) continue;
      std::memcpy(to + e * size, from.data.data() + static_cast<std::size_t>(at) * size, size);
    }
  }

  bool goes_on() {
    const std::byte* const holds = values_[static_cast<std::size_t>(l_.condition)].data();
    bool any = false;
    for (std::size_t e = 0; e < size_; ++e) {
      active_[e] &= holds[e];
      any |= active_[e] != std::byte{0};
    }
    return any;
  }

  void step(std::int64_t round) {
    const auto carries = static_cast<std::size_t>(l_.carries);
    for (std::size_t k = carries; k < l_.results.size(); ++k) emit(k, round);
    std::vector<std::vector<std::byte>> next;
    for (std::size_t k = 0; k < carries; ++k) {
      next.push_back(values_[static_cast<std::size_t>(l_.results[k])]);
    }
    for (std::size_t k = 0; k < carries; ++k) {
      const std::size_t size = size_of(n_.program.inputs[k]);
      for (std::size_t e = 0; e < size_; ++e) {
        if (active_[e] == std::byte{0}) continue;
        std::memcpy(values_[k].data() + e * size, next[k].data() + e * size, size);
      }
    }
  }

  void emit(std::size_t k, std::int64_t round) {
    if (!outputs_[k]) return;
    tensor& to = *outputs_[k];
    const std::size_t size = size_of(to.type);
    const std::size_t first = static_cast<std::size_t>(round) * size_;
    if ((first + size_) * size > to.data.size()) {
      throw std::invalid_argument("interpret: a loop has more rounds than its output");
    }
    const std::byte* const from = values_[static_cast<std::size_t>(l_.results[k])].data();
    for (std::size_t e = 0; e < size_; ++e) {
      if (active_[e] == std::byte{0}) continue;
      std::memcpy(to.data.data() + (first + e) * size, from + e * size, size);
    }
  }

  const node& n_;
  const ir::loop& l_;
  const std::vector<const tensor*>& inputs_;
  const std::vector<tensor*>& outputs_;
  std::size_t size_;
  std::vector<std::byte> active_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<int> before_;  // see writes_before
  std::vector<tensor> tables_;
};

}  // namespace

void run_loop(const node& n, const std::vector<const tensor*>& inputs,
              const std::vector<tensor*>& outputs) {
  loop_runner(n, inputs, outputs).run();
}

}  // namespace sinter::ir::detail
