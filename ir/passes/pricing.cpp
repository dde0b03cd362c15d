#include "ir/passes/pricing.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "ir/index_expr.hpp"

namespace sinter::ir {

namespace {

/// Rounds of a loop, whose number is unknown: enough that no loop is run twice.
constexpr double loop_rounds = 64;

/// Is a node computed where it is read?
bool is_computed(const graph& g, node_id n) {
  const node_kind k = g[n].kind;
  return k == node_kind::map || k == node_kind::view || k == node_kind::gather ||
         k == node_kind::pad || k == node_kind::loop || is_loop_result(g, n);
}

/// What the ends of a CPU's rows cost, where conditions change, per element; longer rows hide them.
/// A padded value that is recomputed for every place it is read at meets several of them: a
/// Laplacian as differences of padded differences, 40^3 doubles on two cores of an EPYC, took 0.48
/// ms in one kernel, 0.42 unfused, 0.15 in two. Rows of 1,000 gain nothing.
double ends_price(const node& pad) {
  constexpr double of_a_row = 1280, hidden = 3, most = 32;
  if (pad.shape.empty()) return 0;
  const double each = of_a_row / std::max(1.0, static_cast<double>(pad.shape.back()));
  return std::clamp(each - hidden, 0.0, most);
}

/// What it costs a GPU to read one of several pieces: the index, the range test, and the select.
/// (Stages of a transform, each a join of sums and differences of the one before, were fused three
/// deep: 64 loads per element under as many conditions.)
double piece_price(const graph& g, const node& pad) {
  constexpr double each = 12;
  return size_of(pad.shape) >= size_of(g[pad.inputs[0]].shape) * 2 ? each : 0;
}

/// What a further reader of a pad costs a CPU per element, in additions: a select, and the row's
/// ends, where conditions change; if it reads every other element, masked gathers, because
/// conditions change within vectors. Filters over padded rows, stored first and not, two cores of
/// an EPYC, 2^20 floats, us: 5 taps, rows of 64 222 and 681, of 512 282 and 332, of 8,192 258 and
/// 196; 8 taps of those 180 and 196; 3 that keep every other sample, rows of 512 212, 730.
double guard_price(const node& pad, const node& reader) {
  constexpr double select = 2, gather = 100, of_a_row = 2560, most = 32;
  if (reader.map.strides.empty() || pad.shape.empty()) return select;
  if (magnitude(reader.map.strides.back()) > 1) return gather;
  return select + std::min(most, of_a_row / std::max(1.0, static_cast<double>(pad.shape.back())));
}

/// 32-bit additions that take a GPU as long as a 64-bit one: half as many doubles are computed at a
/// time, integers are two words or, multiplied, four.
constexpr double of_64_bits = 3;

double program_price(const program& p, const machine& m) {
  double ops = 0;
  for (const instruction& i : p.code) {
    const bool wide = m.target == target::gpu && size_of(i.type) == 8;
    ops += info(i.code).cost * (wide ? of_64_bits : 1);
  }
  return ops;
}

/// Does a view read one of few coordinates, along the last axis, for all of x? Together such views
/// read each element once, and the walk over the coordinates is unrolled.
bool shows_coordinate(const node& x, const node& view) {
  constexpr std::int64_t most_coordinates = 4;
  if (x.shape.size() != view.shape.size() + 1 || !(x.shape.back() <= most_coordinates)) {
    return false;
  }
  extent_list strides(dense_strides(x.shape));
  strides.pop_back();
  return std::equal(view.shape.begin(), view.shape.end(), x.shape.begin()) &&
         view.map.strides == strides;
}

/// The part of a node's elements that a view reads.
double shown(const node& x, const node& view) {
  const auto size = static_cast<double>(size_of(x.shape));
  return std::min(1.0, static_cast<double>(size_of(view.shape)) / std::max(1.0, size));
}

/// The length from which a CPU walks rows in pieces, each computing only its own.
constexpr std::int64_t walked_in_pieces = 64;

/// For how many times as many elements as it has each node is computed: the operand of a pad that
/// is a piece of a join is, for each such piece, and for the whole join unless a CPU walks it piece
/// by piece. (Five stages of a transform, each a join of sums and differences of the one before,
/// were one kernel of 19 ms, now 0.4; two cores of an EPYC, 50 x 1024 complex128.)
class widened {
 public:
  widened(const graph& g, const machine& m) : uses_(g.nodes.size()) {
    for (std::size_t k = g.nodes.size(); k-- > 0;) {
      const node& n = g.nodes[k];
      const double here = times(k);
      if (n.kind == node_kind::map) {
        for (node_id i : n.inputs) {
          for (const auto& [pad, count] : uses_[k]) add(i, pad, count);
        }
      } else if (n.kind == node_kind::pad) {
        const bool pieces = m.target == target::cpu && !n.shape.empty() &&
                            n.shape.back() >= walked_in_pieces;
        const auto whole = static_cast<double>(size_of(n.shape));
        const auto own = static_cast<double>(size_of(g[n.inputs[0]].shape));
        add(n.inputs[0], static_cast<node_id>(k),
            pieces ? here : here * std::max(1.0, whole / std::max(1.0, own)));
      } else {
        for (node_id i : n.inputs) add(i, -1, 1);
      }
    }
  }

  double times(std::size_t n) const {
    double all = 0;
    for (const auto& use : uses_[n]) all += use.second;
    return std::clamp(all, 1.0, most);
  }

 private:
  static constexpr double most = 16;
  static constexpr std::size_t most_pads = 8;

  /// Per pad that it is computed for; -1: none.
  void add(node_id n, node_id pad, double count) {
    auto& list = uses_[static_cast<std::size_t>(n)];
    const auto it = std::ranges::find(list, pad, &std::pair<node_id, double>::first);
    if (it != list.end()) it->second = std::max(it->second, count);
    else if (list.size() < most_pads) list.push_back({pad, count});
  }

  std::vector<std::vector<std::pair<node_id, double>>> uses_;
};

/// How many times each node is read, at different places: its plain readers count once together,
/// with those that read its coordinates; each other view counts by the part it reads, and a pad as
/// often as it is read itself. (Padded magnitudes, read from eight sides, were computed nine times:
/// an edge detector of 6000 x 6000, H200, 6.7 ms. The differences of 8,000 points were stored, and
/// their squares: 1.5 GB. The products of four bits and a code's seven columns, summed as four
/// views of 28 MB, were stored: 13.9 ms of two cores of an EPYC, 1.7 without.)
std::vector<double> readers(const graph& g, const machine& m) {
  const widened wide(g, m);
  std::vector<double> count(g.nodes.size());
  std::vector<char> plain(g.nodes.size());
  for (std::size_t k = g.nodes.size(); k-- > 0;) {
    const node& n = g.nodes[k];
    for (node_id i : n.inputs) {
      const auto at = static_cast<std::size_t>(i);
      if (n.kind == node_kind::view && !shows_coordinate(g.nodes[at], n)) {
        count[at] += shown(g.nodes[at], n) * wide.times(k);
      } else if (n.kind == node_kind::pad && i == n.inputs[0]) {
        count[at] += std::max(1.0, count[k]);
      } else if (!plain[at]) {
        plain[at] = 1;
        ++count[at];
      }
    }
  }
  return count;
}

/// How many pads read each node.
std::vector<int> pads(const graph& g) {
  std::vector<int> count(g.nodes.size());
  for (const node& n : g.nodes) {
    if (n.kind == node_kind::pad) ++count[static_cast<std::size_t>(n.inputs[0])];
  }
  return count;
}

/// The most a value costs that several pads read, however few elements it has: it is emitted for
/// each combination of their conditions. (Sixteen rolls of four numbers in turn took 5 s to plan.)
constexpr double most_padded = 500;

/// What all views of each pad cost together, per element of the pad.
std::vector<double> guards(const graph& g) {
  std::vector<double> paid(g.nodes.size());
  for (const node& n : g.nodes) {
    if (n.kind != node_kind::view) continue;
    const node& x = g[n.inputs[0]];
    if (x.kind == node_kind::pad) {
      paid[static_cast<std::size_t>(n.inputs[0])] += shown(x, n) * guard_price(x, n);
    }
  }
  return paid;
}

}  // namespace

pricing::pricing(const graph& g, const machine& m)
    : g_(g), ops_(g.nodes.size()), store_(g.nodes.size()), is_output_(g.nodes.size()),
      leaves_(g.nodes.size()) {
  for (node_id o : g.outputs) is_output_[static_cast<std::size_t>(o)] = 1;
  constexpr double once = 1.0625;  // up to this much counts as one read
  const auto places = readers(g, m);
  const auto padded = pads(g);
  const auto guarded = m.target == target::cpu ? guards(g) : std::vector<double>(g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    const auto id = static_cast<node_id>(i);
    const bool computed = is_computed(g, id);
    // A reader of a scan reads the scan's operands, in its kernel.
    leaves(id, !computed && n.kind != node_kind::scalar && n.kind != node_kind::iota &&
                   n.kind != node_kind::scan);
    if (!computed) {
      ops_[i] = n.kind == node_kind::random ? 100 : n.kind == node_kind::source ? load_price : 0;
      continue;
    }
    double ops = program_price(n.program, m) * (n.kind == node_kind::loop ? loop_rounds : 1);
    if (n.kind == node_kind::gather) ops = 2 * load_price;
    if (n.kind == node_kind::pad) {
      ops += m.target == target::cpu ? ends_price(n) : piece_price(g, n);
    }
    for (node_id k : n.inputs) ops += price_read(n, k);
    ops_[i] = std::min(ops, 1e9);
    const bool is_priced =
        n.kind == node_kind::map || n.kind == node_kind::gather || guarded[i] > 0;
    if (!is_priced || places[i] < once) continue;
    const double each = guarded[i] > 0 ? guarded[i] / places[i] : ops_[i];
    const double again = (places[i] - 1) * each / m.arithmetic;
    const double traffic = 2.0 * static_cast<double>(size_of(n.type)) / m.bandwidth;
    const double launch = m.launch / std::max<double>(1, static_cast<double>(size_of(n.shape)));
    if (again > traffic + launch || (padded[i] > 1 && ops_[i] > most_padded)) {
      store_[i] = 1;
      ops_[i] = load_price;
      leaves(id, true);
    }
  }
}

/// An output, or a node that is stored before being read many times, costs one load. (Two steps
/// later the places of 8,000 points had the price of everything before: the differences of each
/// pair, 768 MB, were stored rather than computed for two sums.)
double pricing::price_read(const node& reader, node_id input) const {
  constexpr double most_computed_again = 12, many = 4;
  const double ops = ops_[static_cast<std::size_t>(input)];
  if (is_output_[static_cast<std::size_t>(input)]) return std::min(ops, load_price);
  const bool repeats = reader.kind == node_kind::view &&
                       static_cast<double>(size_of(reader.shape)) >=
                           many * static_cast<double>(size_of(g_[input].shape));
  return repeats ? std::min(ops, most_computed_again) : ops;
}

void pricing::leaves(node_id n, bool is_leaf) {
  set& s = leaves_[static_cast<std::size_t>(n)];
  if (is_leaf) {
    s.assign((g_.nodes.size() + 63) / 64, 0);
    s[static_cast<std::size_t>(n) / 64] |= std::uint64_t{1} << (n % 64);
    return;
  }
  for (node_id i : g_[n].inputs) {
    const set& t = leaves_[static_cast<std::size_t>(i)];
    if (s.empty()) s.resize((g_.nodes.size() + 63) / 64);
    for (std::size_t w = 0; w < t.size(); ++w) s[w] |= t[w];
  }
}

std::vector<node_id> pricing::leaves_of(node_id n) const {
  std::vector<node_id> all;
  const set& s = leaves_[static_cast<std::size_t>(n)];
  for (std::size_t w = 0; w < s.size(); ++w) {
    for (std::uint64_t bits = s[w]; bits; bits &= bits - 1) {
      all.push_back(static_cast<node_id>(w * 64) + std::countr_zero(bits));
    }
  }
  return all;
}

bool pricing::share_leaves(node_id n, const std::vector<node_id>& others) const {
  const auto inputs_of = [&](node_id x) -> const set& {
    // A reduction is a leaf for its readers; beside a sibling its input's leaves count.
    const node& r = g_[x];
    return leaves_[static_cast<std::size_t>(r.kind == node_kind::reduce ? r.inputs[0] : x)];
  };
  const set& a = inputs_of(n);
  return std::any_of(others.begin(), others.end(), [&](node_id o) {
    const set& b = inputs_of(o);
    for (std::size_t w = 0; w < a.size() && w < b.size(); ++w) {
      if (a[w] & b[w]) return true;
    }
    return false;
  });
}

}  // namespace sinter::ir
