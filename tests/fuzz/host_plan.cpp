#include "tests/fuzz/host_plan.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/shim/host_kernels.hpp"

namespace sinter::fuzz {
namespace {

constexpr std::size_t guard = 64;
constexpr std::byte untouched{0xa5};

/// Bytes between two guards, aligned like a pool's.
class guarded {
 public:
  explicit guarded(std::size_t bytes) : bytes_(bytes), all_(bytes + 4 * guard, untouched) {}
  std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(all_.data()) + guard;
    return all_.data() + guard + (guard - address % guard) % guard;
  }
  std::size_t bytes() const { return bytes_; }
  bool intact() {
    const auto held = [](std::byte b) { return b == untouched; };
    std::byte* const begin = data();
    return std::all_of(all_.data(), begin, held) &&
           std::all_of(begin + bytes_, all_.data() + all_.size(), held);
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> all_;
};

/// Runs all blocks of a step's kernel.
using launcher =
    std::function<void(const ir::plan_step&, const std::uint64_t* slots, std::int64_t blocks)>;

class runner {
 public:
  runner(const ir::graph& g, const ir::plan& p, const std::vector<ir::tensor>& sources, bool donate,
         launcher run)
      : g_(g),
        p_(p),
        sources_(sources),
        donate_(donate),
        run_(std::move(run)),
        taken_(sources.size()) {
    for (const ir::node& n : g.nodes) {
      if (n.kind == ir::node_kind::scalar || n.kind == ir::node_kind::random) {
        scalars_.push_back(&n);
      }
    }
  }

  std::vector<ir::tensor> run() {
    for (const ir::plan_buffer& b : p_.buffers) memory_.push_back(memory(b));
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::int32_t owner = p_.buffers[i].shares;
      if (owner < 0) continue;
      memory_[i] = memory_.at(static_cast<std::size_t>(owner));
      if (!memory_[i]) throw std::runtime_error("a buffer shares memory that another one shares");
    }
    for (const ir::plan_step& s : p_.steps) {
      switch (s.what) {
        case ir::plan_step::kind::kernel: launch(s); break;
        case ir::plan_step::kind::call: call(s); break;
        case ir::plan_step::kind::copy: copy(s); break;
      }
      check(s);
    }
    check_sources();
    check_statuses();
    std::vector<ir::tensor> out;
    for (std::size_t i = 0; i < p_.outputs.size(); ++i) {
      const ir::node& n = g_[g_.outputs[i]];
      out.push_back(tensor_of(p_.outputs[i], n.shape));
    }
    return out;
  }

 private:
  guarded& at(std::int32_t b) { return *memory_.at(static_cast<std::size_t>(b)); }
  const ir::plan_buffer& buffer(std::int32_t b) const {
    return p_.buffers.at(static_cast<std::size_t>(b));
  }

  std::shared_ptr<guarded> memory(const ir::plan_buffer& b) {
    if (b.shares >= 0) return nullptr;
    if (b.donor >= 0 && donate_) {
      taken_.at(static_cast<std::size_t>(buffer(b.donor).index)) = true;
      return memory_.at(static_cast<std::size_t>(b.donor));
    }
    const auto bytes = static_cast<std::size_t>(b.count) * size_of(b.type);
    auto made = std::make_shared<guarded>(bytes);
    if (b.what == ir::plan_buffer::role::status) std::memset(made->data(), 0, bytes);
    // Elements that compress leaves unwritten may be read, but not used; a bool must be valid.
    if (b.type == dtype::bool_) std::memset(made->data(), 1, bytes);
    if (b.what != ir::plan_buffer::role::source) return made;
    const ir::tensor& s = sources_.at(static_cast<std::size_t>(b.index));
    if (s.data.size() != bytes) throw std::runtime_error("a source's buffer has another size");
    if (bytes > 0) std::memcpy(made->data(), s.data.data(), bytes);
    return made;
  }

  std::uint64_t slot(const ir::slot_value& v) {
    switch (v.what) {
      case ir::slot_value::from::constant: return v.bits;
      case ir::slot_value::from::pointer:
        return reinterpret_cast<std::uintptr_t>(at(v.index).data()) + v.bits;
      case ir::slot_value::from::scalar: break;
    }
    const std::uint64_t word =
        scalars_.at(static_cast<std::size_t>(v.index))->value[v.word] >> v.shift;
    if (v.divides) return ir::scalar_divisor(word, v.type);
    return v.narrow ? word & 0xffffffffu : word;
  }

  void launch(const ir::plan_step& s) {
    const ir::kernel& k = p_.kernels.at(static_cast<std::size_t>(s.kernel));
    std::vector<std::uint64_t> slots;
    for (const ir::slot_value& v : s.slots) slots.push_back(slot(v));
    const std::int64_t blocks = ir::block_count(k, slots.data());
    if (takes_chunks(k) ? s.blocks > blocks : s.blocks != blocks) {
      throw std::runtime_error(k.name + " has " + std::to_string(blocks) +
                               " blocks, planned are " + std::to_string(s.blocks));
    }
    run_(s, slots.data(), blocks);
  }

  /// A GPU's chained scan processes chunks in blocks; the interpreter runs one per block.
  static bool takes_chunks(const ir::kernel& k) {
    return k.schedule.target == ir::target::gpu &&
           std::any_of(k.operands.begin(), k.operands.end(),
                       [](const auto& o) { return o.role == ir::operand_role::state; });
  }

  void call(const ir::plan_step& s) {
    const std::size_t in = s.inputs.size();
    std::vector<ir::tensor> inputs, outputs(s.outputs.size());
    for (std::size_t i = 0; i < in; ++i) {
      inputs.push_back(tensor_of(s.inputs[i], s.shapes.at(i)));
    }
    // Scale factors are two words each, in the compute type.
    for (std::size_t i = 0; i + 1 < s.slots.size(); i += 2) {
      const std::uint64_t words[] = {slot(s.slots[i]), slot(s.slots[i + 1])};
      const dtype type = compute_of(s.types.at(0));
      inputs.push_back({type, {}, std::vector<std::byte>(size_of(type))});
      std::memcpy(inputs.back().data.data(), words, size_of(type));
    }
    ir::routine_call c{{inputs.begin(), inputs.end()}, ir::plain(s.attributes), {}};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      c.outputs.push_back(nullptr);
      if (s.outputs[i] < 0) continue;
      outputs[i] = {s.types.at(in + i), s.shapes.at(in + i),
                    std::vector<std::byte>(at(s.outputs[i]).bytes())};
      c.outputs.back() = &outputs[i];
    }
    ir::find_routine(s.routine)(c);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (s.outputs[i] < 0) continue;
      std::memcpy(at(s.outputs[i]).data(), outputs[i].data.data(), outputs[i].data.size());
    }
  }

  void copy(const ir::plan_step& s) {
    const ir::plan_buffer &to = buffer(s.outputs.at(0)), &from = buffer(s.inputs.at(0));
    if (to.count != from.count || to.type != from.type) {
      throw std::runtime_error("a copy between buffers of other sizes");
    }
    std::memmove(at(s.outputs[0]).data(), at(s.inputs[0]).data(),
                 static_cast<std::size_t>(to.count) * size_of(to.type));
  }

  ir::tensor tensor_of(std::int32_t b, const ir::shape_t& shape) {
    const ir::plan_buffer& p = buffer(b);
    if (p.count != ir::size_of(shape)) throw std::runtime_error("a buffer has another size");
    const auto bytes = static_cast<std::size_t>(p.count) * size_of(p.type);
    if (at(b).bytes() < bytes) throw std::runtime_error("a buffer shares too little memory");
    return {p.type, shape, std::vector<std::byte>(at(b).data(), at(b).data() + bytes)};
  }

  void check(const ir::plan_step& s) {
    const bool intact = std::ranges::all_of(memory_, [](auto& m) { return m->intact(); });
    if (intact) return;
    const std::string who = s.kernel >= 0 ? p_.kernels[static_cast<std::size_t>(s.kernel)].name
                                          : std::string("a call or copy");
    throw std::runtime_error(who + " writes beside its buffers");
  }

  void check_sources() {
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const ir::plan_buffer& b = p_.buffers[i];
      if (b.what != ir::plan_buffer::role::source) continue;
      const auto which = static_cast<std::size_t>(b.index);
      const ir::tensor& s = sources_[which];
      if (taken_[which] || s.data.empty()) continue;
      if (std::memcmp(memory_[i]->data(), s.data.data(), s.data.size()) != 0) {
        throw std::runtime_error("source " + std::to_string(b.index) + " was written to");
      }
    }
  }

  /// A check must report exactly its own out-of-range indices.
  void check_statuses() {
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      if (p_.buffers[i].what != ir::plan_buffer::role::status) continue;
      std::uint64_t told = 0;
      std::memcpy(&told, memory_[i]->data(), sizeof told);
      const std::uint64_t wanted = status(p_.buffers[i].index);
      if (told == wanted) continue;
      throw std::runtime_error("status " + std::to_string(p_.buffers[i].index) + " is " +
                               std::to_string(told) + ", not " + std::to_string(wanted));
    }
  }

  /// The largest fault word of out-of-range indices, 1 if they have no words; 0: none.
  std::uint64_t status(std::int32_t check) const {
    for (const ir::node& n : g_.nodes) {
      const std::size_t first = ir::inputs_before_range(n.kind);
      const bool places = n.kind == ir::node_kind::gather || n.kind == ir::node_kind::scatter;
      if (!places || n.inputs.size() <= first) continue;
      if (n.value[0] != static_cast<std::uint64_t>(check)) continue;
      ir::graph asked = g_;
      asked.outputs = {n.inputs.begin() + static_cast<std::ptrdiff_t>(first), n.inputs.end()};
      const std::vector<ir::tensor> said = ir::interpret(asked, {sources_.begin(), sources_.end()});
      return worst(said);
    }
    throw std::runtime_error("status " + std::to_string(check) + " is of no node");
  }

  static std::uint64_t worst(const std::vector<ir::tensor>& said) {
    std::uint64_t most = 0;
    for (std::size_t e = 0; e < said[0].data.size(); ++e) {
      std::uint64_t word = 1;
      if (said.size() > 1) {
        const std::size_t at = said[1].shape.empty() ? 0 : e;
        std::memcpy(&word, said[1].data.data() + at * sizeof word, sizeof word);
      }
      if (said[0].data[e] != std::byte{0}) most = std::max(most, word);
    }
    return most;
  }

  const ir::graph& g_;
  const ir::plan& p_;
  const std::vector<ir::tensor>& sources_;
  const bool donate_;
  const launcher run_;
  std::vector<bool> taken_;
  std::vector<const ir::node*> scalars_;
  std::vector<std::shared_ptr<guarded>> memory_;
};

}  // namespace

std::vector<ir::tensor> run_interpreted(const ir::graph& g, const ir::plan& p,
                                        const std::vector<ir::tensor>& sources, bool donate) {
  // Blocks are independent: run the later ones first.
  const launcher run = [&](const ir::plan_step& s, const std::uint64_t* slots, std::int64_t all) {
    const ir::kernel& k = p.kernels[static_cast<std::size_t>(s.kernel)];
    const std::int64_t cut = all * 2 / 3;
    ir::run_kernel(k, slots, cut, all);
    ir::run_kernel(k, slots, 0, cut);
  };
  return runner(g, p, sources, donate, run).run();
}

std::vector<ir::tensor> run_simulated(const ir::graph& g, const ir::plan& p,
                                      const std::vector<ir::tensor>& sources, bool donate) {
  tests::host_kernels host;
  for (const ir::kernel& k : p.kernels) host.add(k);
  if (!p.kernels.empty()) host.build();
  const launcher run = [&](const ir::plan_step& s, const std::uint64_t* slots, std::int64_t) {
    host.run(s.kernel, slots, s.blocks);
  };
  return runner(g, p, sources, donate, run).run();
}

}  // namespace sinter::fuzz
