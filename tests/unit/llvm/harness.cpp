#include "harness.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "../../catch.hpp"
#include "ir/interpreter.hpp"

namespace llvm_tests {
namespace {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

#ifdef SINTER_LLVM_LINKED
extern "C" codegen::compiler* sinter_llvm_compiler();
extern "C" codegen::compiler* sinter_llvm_compiler_for(const char*);
extern "C" runtime::object_loader* sinter_llvm_loader();
void* open_door(const std::string& name) {
  if (name == "sinter_llvm_compiler") return reinterpret_cast<void*>(sinter_llvm_compiler);
  if (name == "sinter_llvm_compiler_for") return reinterpret_cast<void*>(sinter_llvm_compiler_for);
  return reinterpret_cast<void*>(sinter_llvm_loader);
}
#else
void* open_door(const char* name) {
  void* const module = dlopen(SINTER_BINARY_DIR "/lib/libsinter_llvm.so", RTLD_NOW | RTLD_LOCAL);
  return module ? dlsym(module, name) : nullptr;
}
#endif

module_doors open_doors() {
  module_doors d;
  using make_compiler = codegen::compiler* (*)();
  using make_for = codegen::compiler* (*)(const char*);
  using make_loader = runtime::object_loader* (*)();
  if (void* f = open_door("sinter_llvm_compiler")) {
    d.compiler.reset(reinterpret_cast<make_compiler>(f)());
  }
#ifdef __x86_64__
  if (void* f = open_door("sinter_llvm_compiler_for")) {
    d.others.emplace_back(reinterpret_cast<make_for>(f)("x86-64"));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      d.others.emplace_back(reinterpret_cast<make_for>(f)("x86-64-v3"));
    }
  }
#endif
  if (void* f = open_door("sinter_llvm_loader")) d.loader.reset(reinterpret_cast<make_loader>(f)());
  return d;
}

}  // namespace

const module_doors* doors() {
  static const module_doors d = open_doors();
  if (d.compiler && d.loader) return &d;
  WARN("left out: there is no LLVM module");
  return nullptr;
}

builder::builder(int kept, int reduced) {
  k.name = "test";
  k.kept = kept;
  k.reduced = reduced;
  k.schedule.vector = 8;
  k.schedule.unroll = 2;
  k.schedule.tile = 64;
  k.schedule.rows = 16;
}

int builder::operand(ir::operand_role role, dtype t, std::vector<ir::step> steps, int unravel) {
  k.operands.push_back({role, t, {std::move(steps), unravel}});
  return static_cast<int>(k.operands.size()) - 1;
}

ir::inst& builder::add(ir::inst_kind kind, dtype type, dtype result) {
  ir::inst i;
  i.kind = kind;
  i.type = type;
  i.result = result;
  k.body.push_back(i);
  return k.body.back();
}

std::int32_t builder::load(int o, int part) {
  const dtype t = real_of(k.operands[at(o)].type);
  ir::inst& i = add(ir::inst_kind::load, t, t);
  i.which = o;
  i.part = static_cast<std::uint8_t>(part);
  return static_cast<std::int32_t>(k.body.size()) - 1;
}

std::int32_t builder::number(int o) {
  add(ir::inst_kind::index, dtype::int64, dtype::int64).which = o;
  return static_cast<std::int32_t>(k.body.size()) - 1;
}

std::int32_t builder::scalar(dtype t) {
  k.scalars.push_back(t);
  add(ir::inst_kind::scalar, t, t).which = static_cast<int>(k.scalars.size()) - 1;
  return static_cast<std::int32_t>(k.body.size()) - 1;
}

std::int32_t builder::op(ir::op code, dtype t, std::int32_t a, std::int32_t b, std::int32_t c) {
  const std::int32_t args[] = {a, b, c};
  return ir::emit(k.body, code, t, args);
}

std::int32_t builder::cast(std::int32_t v, dtype to) { return ir::emit_cast(k.body, v, to); }

std::int32_t builder::random(std::int32_t counter, std::int32_t key, dtype t) {
  ir::inst& i = add(ir::inst_kind::random, t, t);
  i.args[0] = counter;
  i.args[1] = key;
  return static_cast<std::int32_t>(k.body.size()) - 1;
}

std::int32_t builder::reduce(ir::op code, std::int32_t v, bool arg) {
  const dtype t = k.body[at(v)].result;
  ir::inst& i = add(ir::inst_kind::reduce, t, arg ? dtype::int64 : t);
  i.code = code;
  i.args[0] = v;
  i.arg = arg;
  return static_cast<std::int32_t>(k.body.size()) - 1;
}

void builder::store(int o, std::int32_t v, int part) {
  const dtype t = real_of(k.operands[at(o)].type);
  ir::inst& i = add(ir::inst_kind::store, t, t);
  i.which = o;
  i.args[0] = v;
  i.part = static_cast<std::uint8_t>(part);
}

std::vector<std::int64_t> dense(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

namespace {

/// The smallest and largest element offset that an operand accesses.
std::pair<std::int64_t, std::int64_t> range_of(const problem& p, const ir::operand& o,
                                               const layout& l) {
  std::int64_t low = 0, high = 0;
  const auto reach = [&](std::int64_t extent, std::int64_t stride) {
    const std::int64_t far = std::max<std::int64_t>(extent - 1, 0) * stride;
    (far < 0 ? low : high) += far;
  };
  if (o.access.unravel > 0) {
    for (int d = 0; d < o.access.unravel; ++d) reach(l.extents[at(d)], l.steps[at(d)]);
  } else {
    for (std::size_t d = 0; d < p.extents.size(); ++d) {
      const ir::step s = o.access.steps[d];
      if (s != zero) reach(p.extents[d], s == one ? 1 : l.strides[d]);
    }
  }
  return {low, high};
}

std::int64_t product(const std::vector<std::int64_t>& extents, int first, int last) {
  std::int64_t n = 1;
  for (int d = first; d < last; ++d) n *= extents[at(d)];
  return n;
}

constexpr std::int64_t margin = 64;

memory make_memory(const problem& p, int which, std::mt19937_64& random) {
  const ir::operand& o = p.k.operands[at(which)];
  auto [low, high] = range_of(p, o, p.layouts[at(which)]);
  if (p.k.schedule.split && o.role == ir::operand_role::output) {
    low = 0;
    high = product(p.extents, 0, p.k.kept) * p.splits - 1;
  }
  const std::size_t size = size_of(o.type);
  memory m;
  m.bytes.resize(at(high - low + 1 + 2 * margin) * size);
  m.origin = at(margin - low) * size;
  fill_elements(m.bytes, o.type, o.role == ir::operand_role::input ? p.contents : fill::small,
                random);
  return m;
}

std::uint64_t slot_value(const problem& p, const ir::slot& s, std::vector<memory>& memories) {
  const auto l = [&]() -> const layout& { return p.layouts[at(s.which)]; };
  switch (s.kind) {
    case ir::slot_kind::extent: return static_cast<std::uint64_t>(p.extents[at(s.axis)]);
    case ir::slot_kind::splits: return static_cast<std::uint64_t>(p.splits);
    case ir::slot_kind::chunk: {
      const std::int64_t range = product(p.extents, p.k.kept, p.k.kept + p.k.reduced);
      return static_cast<std::uint64_t>((range + p.splits - 1) / p.splits);
    }
    case ir::slot_kind::start: return static_cast<std::uint64_t>(l().start);
    case ir::slot_kind::stride: return static_cast<std::uint64_t>(l().strides[at(s.axis)]);
    case ir::slot_kind::unravel_extent: return static_cast<std::uint64_t>(l().extents[at(s.axis)]);
    case ir::slot_kind::unravel_stride: return static_cast<std::uint64_t>(l().steps[at(s.axis)]);
    case ir::slot_kind::scalar: return p.scalars[at(s.which)];
    case ir::slot_kind::pointer: {
      const ir::operand& o = p.k.operands[at(s.which)];
      memory& m = memories[at(o.base < 0 ? s.which : o.base)];
      const std::ptrdiff_t behind = o.turn * static_cast<std::ptrdiff_t>(size_of(o.type));
      return reinterpret_cast<std::uint64_t>(m.bytes.data() + m.origin + behind);
    }
    case ir::slot_kind::divisor:
    case ir::slot_kind::unravel_divisor:
    case ir::slot_kind::over:
    case ir::slot_kind::blocks:
    case ir::slot_kind::origin:
    case ir::slot_kind::corner:
    case ir::slot_kind::across:
    case ir::slot_kind::test:
    case ir::slot_kind::rounds:
    case ir::slot_kind::told: break;
  }
  return 0;
}

template <class T> bool close(const std::byte* a, const std::byte* b, double tolerance) {
  T x, y;
  std::memcpy(&x, a, sizeof(T));
  std::memcpy(&y, b, sizeof(T));
  const double p = static_cast<double>(static_cast<float>(0) + x),
               q = static_cast<double>(0.0f + y);
  if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
  if (std::memcmp(a, b, sizeof(T)) == 0) return true;
  if (tolerance == 0 || std::isinf(p) || std::isinf(q)) return p == q && tolerance > 0;
  return std::abs(p - q) <= tolerance * std::max({1.0, std::abs(p), std::abs(q)});
}

bool same(const std::byte* a, const std::byte* b, dtype t, double tolerance) {
  if (t == dtype::float16) return close<float16>(a, b, tolerance);
  if (t == dtype::bfloat16) return close<bfloat16>(a, b, tolerance);
  if (t == dtype::float32) return close<float>(a, b, tolerance);
  if (t == dtype::float64) return close<double>(a, b, tolerance);
  return std::memcmp(a, b, size_of(t)) == 0;
}

void compare(const problem& p, int which, const memory& expected, const memory& got) {
  const ir::operand& o = p.k.operands[at(which)];
  const dtype part = real_of(o.type);
  const std::size_t size = size_of(part);
  for (std::size_t i = 0; i < got.bytes.size(); i += size) {
    if (same(expected.bytes.data() + i, got.bytes.data() + i, part, p.tolerance)) continue;
    std::ostringstream message;
    message << "operand " << which << ", part "
            << static_cast<std::int64_t>(i - got.origin) / static_cast<std::int64_t>(size)
            << " from the origin: expected";
    for (const memory* m : {&expected, &got}) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, m->bytes.data() + i, size);
      message << " 0x" << std::hex << bits << (m == &expected ? ", got" : "");
    }
    FAIL(message.str() << "\n" << describe(p));
  }
}

void run_compiled(const codegen::compiler& compiler, const problem& p,
                  const std::vector<std::uint64_t>& slots, std::int64_t blocks) {
  const codegen::compiled c = compiler.compile(p.k, {});
  const auto code = doors()->loader->load(c.image, c.entry);
  // Uneven ranges, as threads would process them.
  std::int64_t length = 1;
  for (std::int64_t begin = 0; begin < blocks; begin += length, length = length % 3 + 1) {
    code->entry()(slots.data(), begin, std::min(blocks, begin + length));
  }
}

}  // namespace

problem complete(problem p) {
  p.layouts.resize(p.k.operands.size());
  for (layout& l : p.layouts) {
    if (l.strides.empty()) l.strides = dense(p.extents);
  }
  ir::infer_levels(p.k);
  return p;
}

std::vector<memory> memories_of(const problem& p) {
  std::mt19937_64 random(p.seed);
  std::vector<memory> memories;
  for (std::size_t o = 0; o < p.k.operands.size(); ++o) {
    memories.push_back(make_memory(p, static_cast<int>(o), random));
  }
  return memories;
}

std::vector<std::uint64_t> slots_in(const problem& p, std::vector<memory>& memories) {
  std::vector<std::uint64_t> slots;
  for (const ir::slot& s : ir::slots_of(p.k)) {
    ir::slot from = s;
    const bool output = s.which >= 0 && s.kind == ir::slot_kind::pointer &&
                        p.k.operands[at(s.which)].role == ir::operand_role::output;
    if (p.in_place >= 0 && output) from.which = p.in_place;
    slots.push_back(slot_value(p, from, memories));
  }
  return slots;
}

void check(const problem& given) {
  if (!doors()) return;
  const problem p = complete(given);
  const std::vector<memory> untouched = memories_of(p);
  std::vector<memory> expected = untouched;
  const std::vector<std::uint64_t> slots = slots_in(p, expected);
  const std::int64_t blocks = ir::block_count(p.k, slots.data());
  ir::run_kernel(p.k, slots.data(), 0, blocks);
  const auto run_with = [&](const codegen::compiler& compiler) {
    std::vector<memory> got = untouched;
    run_compiled(compiler, p, slots_in(p, got), blocks);
    for (std::size_t o = 0; o < got.size(); ++o) {
      if (p.k.operands[o].role == ir::operand_role::index) continue;
      compare(p, static_cast<int>(o), expected[o], got[o]);
    }
    SUCCEED();
  };
  run_with(*doors()->compiler);
  // Each of the others runs part of the problems; all of them would take too long.
  static std::size_t turn = 0;
  const auto& others = doors()->others;
  if (!others.empty() && ++turn % 2 == 0) run_with(*others[turn / 2 % others.size()]);
}

std::string describe(const problem& p) {
  std::ostringstream out;
  out << "kept " << p.k.kept << " reduced " << p.k.reduced << " vector " << p.k.schedule.vector
      << " unroll " << p.k.schedule.unroll << " extents";
  for (std::int64_t n : p.extents) out << ' ' << n;
  for (std::size_t i = 0; i < p.k.body.size(); ++i) {
    const ir::inst& n = p.k.body[i];
    out << "\n  " << i << ": kind " << static_cast<int>(n.kind) << ' ' << ir::name(n.code) << ' '
        << name(n.type) << " -> " << name(n.result) << " (" << n.args[0] << ' ' << n.args[1] << ' '
        << n.args[2] << ") which " << n.which;
  }
  return out.str();
}

namespace {

template <class T> void put(std::byte* to, T value) { std::memcpy(to, &value, sizeof(T)); }

double real_value(fill f, std::mt19937_64& random) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double edges[] = {
      0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, inf, -inf, NAN, 1e-40, -1e-40, 1e-45, 5e-324,
      1e308, 3.4e38, -3e38, 65504, 65519.9, 65520, 6e-8, 2e-8, 127.5, -128.5, 255.9, 32767,
      65535.5, 2147483647.0, 4294967295.0, 9.2233720368547758e18, 1.8446744073709552e19, -9.3e18,
      1.0009765625};
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  if (f == fill::positive) return unit * 8 + 0.125;
  if (f == fill::small) return std::floor(unit * 200 - 100) / 8;
  if (random() % 4 == 0) return edges[random() % std::size(edges)];
  if (random() % 2 == 0) return (unit - 0.5) * 64;
  return std::ldexp(unit - 0.5, static_cast<int>(random() % 160) - 80);
}

std::uint64_t integer_value(fill f, dtype t, std::mt19937_64& random) {
  const auto small = static_cast<std::uint64_t>(static_cast<std::int64_t>(random() % 23) - 11);
  if (f == fill::small) return is_signed(t) ? small : random() % 23;
  if (f == fill::positive) return random() % 11 + 1;
  const std::uint64_t top = std::uint64_t{1} << (8 * size_of(t) - 1);
  const std::uint64_t edges[] = {0, 1, ~std::uint64_t{0}, top, top - 1, top + 1, 2};
  if (random() % 4 == 0) return edges[random() % std::size(edges)];
  return random() % 2 ? small : random();
}

}  // namespace

void fill_elements(std::span<std::byte> bytes, dtype t, fill f, std::mt19937_64& random) {
  const dtype part = real_of(t);
  const std::size_t size = size_of(part);
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::byte* const to = bytes.data() + i;
    if (is_bool(part)) put(to, static_cast<std::uint8_t>(random() % 2));
    else if (part == dtype::float16) put(to, float16(real_value(f, random)));
    else if (part == dtype::bfloat16) put(to, bfloat16(real_value(f, random)));
    else if (part == dtype::float32) put(to, static_cast<float>(real_value(f, random)));
    else if (part == dtype::float64) put(to, real_value(f, random));
    else {
      const std::uint64_t v = integer_value(f, part, random);
      std::memcpy(to, &v, size);
    }
  }
}

}  // namespace llvm_tests

TEST_CASE("The LLVM module offers a compiler and a loader") {
  if (!llvm_tests::doors()) return;
  CHECK(llvm_tests::doors()->compiler->fingerprint().rfind("llvm ", 0) == 0);
}
