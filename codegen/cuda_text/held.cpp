#include "codegen/cuda_text/held.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "codegen/cuda_text/body.hpp"
#include "codegen/cuda_text/spelling.hpp"
#include "ir/reference.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Bytes of shared memory that copies of the elements may take: eight blocks fit an SM.
constexpr std::int64_t most_bytes = 16384;

/// The stores into shared memory, one per operand.
std::vector<const ir::inst*> held_stores(const ir::kernel& k) {
  std::vector<const ir::inst*> all;
  for (const ir::inst& i : k.body) {
    const auto same = [&](const ir::inst* x) { return x->which == i.which; };
    if (is_held(k, i) && std::ranges::none_of(all, same)) all.push_back(&i);
  }
  return all;
}

std::int64_t copies_of(const ir::kernel& k) {
  std::int64_t bytes = 0, copies = 1;
  for (const ir::inst* i : held_stores(k)) bytes += size_of(i->type) * k.schedule.held;
  while (copies < 32 && 2 * copies * bytes <= most_bytes) copies *= 2;
  return copies;
}

std::string held_name(const ir::kernel& k, int operand) {
  return "held_" + ir::name_of(k, operand);
}

std::string neutral(const ir::inst& i) {
  return literal(i.type, ir::identity_of(i.code, i.type).bits[0]);
}

/// Calls f(name, store) for each operand.
template <class F> void each_held(const ir::kernel& k, F f) {
  for (const ir::inst* i : held_stores(k)) f(held_name(k, i->which), *i);
}

void write_flush(const ir::kernel& k, const std::string& name, const ir::inst& i, writer& out) {
  const std::int64_t copies = copies_of(k);
  const auto loop = out.block("for (unsigned place = threadIdx.x; place < ", k.schedule.held,
                              "; place += ", k.schedule.threads, ")");
  out.line(value_type(i.type), " all = ", name, "[place * ", copies, "];");
  if (copies > 1) {
    out.line("for (int c = 1; c < ", copies, "; ++c) all = ", combiner_name(i.code), "(all, ", name,
             "[place * ", copies, " + c]);");
  }
  out.line("if (all != ", neutral(i), ") ", meeting_name(i.code), "(", ir::name_of(k, i.which),
           " + place, all);");
}

}  // namespace

std::string held_element(const ir::kernel& k, int operand, const std::string& place) {
  const std::int64_t copies = copies_of(k);
  if (copies == 1) return cat(held_name(k, operand), "[", place, "]");
  return cat(held_name(k, operand), "[(", place, ") * ", copies, " + threadIdx.x % ", copies, "]");
}

std::string held_function(const ir::inst& i) {
  const bool halves = i.code == ir::op::add && size_of(i.type) == 8;
  return halves ? "sinter_add_by_halves" : meeting_name(i.code);
}

std::string held_parameters(const ir::kernel& k) {
  std::string text;
  each_held(k, [&](const std::string& name, const ir::inst& i) {
    text += cat(storage_type(i.type), "* ", name, ", ");
  });
  return text;
}

std::string held_arguments(const ir::kernel& k) {
  std::string text;
  each_held(k, [&](const std::string& name, const ir::inst&) { text += name + ", "; });
  return text;
}

void write_held_functions(const ir::kernel& k, writer& out) {
  std::set<std::pair<ir::op, dtype>> written;
  each_held(k, [&](const std::string&, const ir::inst& i) {
    if (written.insert({i.code, i.type}).second) write_combiner(i.code, i.type, out);
  });
}

void write_held(const ir::kernel& k, const std::string& arguments, writer& out) {
  const ir::schedule& s = k.schedule;
  const std::int64_t words = s.held * copies_of(k);
  each_held(k, [&](const std::string& name, const ir::inst& i) {
    out.line("__shared__ ", storage_type(i.type), " ", name, "[", words, "];");
    out.line("for (unsigned w = threadIdx.x; w < ", words, "; w += ", s.threads, ") ", name,
             "[w] = ", neutral(i), ";");
  });
  out.line("__syncthreads();");
  {
    const std::int64_t tiles = ir::tiles_of(s);
    const auto loop = out.block("for (unsigned tile = 0; tile < ", tiles, "; ++tile)");
    out.line("walk(blockIdx.x * ", tiles, " + tile, ", held_arguments(k));
    out.line(arguments, ");");
  }
  out.line("__syncthreads();");
  each_held(k, [&](const std::string& name, const ir::inst& i) { write_flush(k, name, i, out); });
}

}  // namespace sinter::codegen::cuda_text
