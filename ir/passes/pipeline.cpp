#include "ir/passes/pipeline.hpp"

#include <optional>
#include <utility>

#include "ir/passes/broadcast_views.hpp"
#include "ir/passes/explode.hpp"
#include "ir/passes/fold_epilogues.hpp"
#include "ir/passes/gathers_of_maps.hpp"
#include "ir/passes/half_transforms.hpp"
#include "ir/passes/integer_products.hpp"
#include "ir/passes/inverses.hpp"
#include "ir/passes/joins_of_updates.hpp"
#include "ir/passes/keep_tables.hpp"
#include "ir/passes/long_arg.hpp"
#include "ir/passes/lower.hpp"
#include "ir/passes/narrow_maps.hpp"
#include "ir/passes/order_chains.hpp"
#include "ir/passes/pivot_order.hpp"
#include "ir/passes/read_in_place.hpp"
#include "ir/passes/rolls_of_maps.hpp"
#include "ir/passes/scan_chunks.hpp"
#include "ir/passes/short_sums.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/passes/solve_in_triangles.hpp"
#include "ir/passes/sum_places.hpp"
#include "ir/passes/sum_rows.hpp"
#include "ir/passes/sums_of_rows.hpp"
#include "ir/passes/symmetric_products.hpp"
#include "ir/passes/tiny_factors.hpp"
#include "ir/passes/vector_products.hpp"
#include "ir/passes/widen_calls.hpp"

namespace sinter::ir {

namespace {

constexpr graph_pass passes[] = {
    {"vector_products", [](const graph& g, const machine& m) { return vector_products(g, m); }},
    {"tiny_factors", [](const graph& g, const machine&) { return tiny_factors(g); }},
    {"widen_calls", [](const graph& g, const machine& m) { return widen_calls(g, m); }},
    {"explode", [](const graph& g, const machine&) { return explode(g); }},
    // Without fusion each op is a kernel: an update is one, a join many.
    {"joins_of_updates",
     [](const graph& g, const machine& m) { return m.fuse ? joins_of_updates(g) : g; }},
    {"gathers_of_maps",
     [](const graph& g, const machine& m) { return gathers_of_maps(g, m); }},
    {"simplify", [](const graph& g, const machine&) { return simplify(g); }},
    {"rolls_of_maps",
     [](const graph& g, const machine& m) { return m.fuse ? rolls_of_maps(g) : g; }},
    {"narrow_maps", [](const graph& g, const machine&) { return narrow_maps(g); }},
    {"integer_products", [](const graph& g, const machine& m) { return integer_products(g, m); }},
    {"short_sums", [](const graph& g, const machine&) { return short_sums(g); }},
    {"sums_of_rows", [](const graph& g, const machine& m) { return sums_of_rows(g, m); }},
    {"sum_rows", [](const graph& g, const machine& m) { return sum_rows(g, m); }},
    {"sum_places", [](const graph& g, const machine& m) { return sum_places(g, m); }},
    {"pivot_order", [](const graph& g, const machine&) { return pivot_order(g); }},
    {"half_transforms", [](const graph& g, const machine& m) { return half_transforms(g, m); }},
    {"inverses", [](const graph& g, const machine& m) { return inverses(g, m); }},
    {"solve_in_triangles",
     [](const graph& g, const machine& m) { return solve_in_triangles(g, m); }},
    {"read_in_place", [](const graph& g, const machine& m) { return read_in_place(g, m); }},
    {"symmetric_products",
     [](const graph& g, const machine& m) { return symmetric_products(g, m); }},
    {"fold_epilogues", [](const graph& g, const machine& m) { return fold_epilogues(g, m); }},
    {"long_arg", [](const graph& g, const machine& m) { return long_arg(g, m); }},
    {"scan_chunks", [](const graph& g, const machine& m) { return scan_chunks(g, m); }},
    {"broadcast_views", [](const graph& g, const machine& m) { return broadcast_views(g, m); }},
    {"keep_tables", [](const graph& g, const machine&) { return keep_tables(g); }},
};

/// The bytes that all kernels store.
double stored_bytes(const graph& g, const fusion& f) {
  double bytes = 0;
  for (const group& c : f.groups) {
    for (node_id r : c.roots) {
      bytes += static_cast<double>(size_of(g[r].shape)) * size_of(g[r].type);
    }
  }
  return bytes;
}

/// If kernels are full, tries a second order of the nodes, and takes the one that stores less.
fusion fuse_in_order(graph& g, const machine& m) {
  fusion f = fuse(g, m);
  if (!f.full) return f;
  graph ordered = order_chains(g);
  fusion other = fuse(ordered, m);
  if (stored_bytes(ordered, other) >= stored_bytes(g, f)) return f;
  g = std::move(ordered);
  return other;
}

}  // namespace

std::span<const graph_pass> graph_passes() {
  return passes;
}

plan make_plan(const graph& in, const machine& m, const observer& watch) {
  graph g = in;
  for (const graph_pass& p : passes) {
    g = p.run(g, m);
    const trace::pause unseen;
    if (m.verify) verify(g);
    if (watch.after_pass) watch.after_pass(p.name, g);
  }
  std::optional<plan> planned;
  // Fused for clusters, a row may be in a kernel that no cluster holds and blocks cannot split.
  // `lower` is the first to notice; fused again for single blocks there is no such kernel.
  for (machine with = m; !planned; with.cluster = 1) {
    const fusion f = fuse_in_order(g, with);
    planned = lower(g, f, with);
    if (!planned || !watch.after_fusion) continue;
    const trace::pause unseen;
    watch.after_fusion(g, f);
  }
  if (m.verify) {
    for (const kernel& k : planned->kernels) verify(k);
  }
  return std::move(*planned);
}

}  // namespace sinter::ir
