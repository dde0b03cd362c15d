// length: the rules of all instructions, over one kernel
// The rules a kernel obeys, as a program. Each has a name, which the error begins with.
#include <algorithm>
#include <bit>

#include "ir/formula.hpp"
#include "ir/kernel.hpp"
#include "ir/verify.hpp"

namespace sinter::ir {
namespace {

class verifier {
 public:
  explicit verifier(const kernel& k) : k_(k) {}

  void run() {
    kernel_rule(is_identifier(k_.name), "name", "the name is no C identifier");
    kernel_rule(k_.kept >= 1 && k_.reduced >= 0, "ranks", "at least one axis is kept");
    schedule_rules();
    for (const operand& o : k_.operands) operand_rules(o);
    tile_rules();
    for (int o = 0; o < static_cast<int>(k_.operands.size()); ++o) reach_rules(o);
    for (dtype t : k_.scalars) {
      kernel_rule(!is_complex(t), "scalar-type", "a scalar is complex");
    }
    for (const loop_code& l : k_.loops) loop_code_rules(l);
    body_ = &k_.body;
    for (at_ = 0; at_ < k_.body.size(); ++at_) inst_rules(k_.body[at_]);
    level_rules();
    chain_rules();
  }

 private:
  static bool is_identifier(const std::string& s) {
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !s.empty() && letter(s[0]) && std::all_of(s.begin(), s.end(), [&](char c) {
      return letter(c) || (c >= '0' && c <= '9');
    });
  }

  void kernel_rule(bool holds, std::string_view rule, std::string_view what) const {
    if (!holds) detail::require(false, rule, detail::cat("kernel ", k_.name), what);
  }
  void require(bool holds, std::string_view rule, std::string_view what) const {
    if (!holds) detail::require(false, rule, detail::cat("v", at_), what);
  }

  void schedule_rules() const {
    const schedule& s = k_.schedule;
    const auto power = [](int n) { return n > 0 && std::has_single_bit(static_cast<unsigned>(n)); };
    kernel_rule(power(s.vector) && s.unroll >= 1, "schedule-lanes",
                "vector is a power of two, unroll at least 1");
    kernel_rule(k_.reduced > 0 || (!s.split && s.lanes == lane_axis::kept), "schedule-map",
                "a map has kept lanes and no splits");
    kernel_rule(k_.reduced > 0 ? s.rows >= 1 : s.tile >= 1, "schedule-block",
                "a block of a map has a tile, a block of a reduction has rows");
    const bool whole_rows = s.target == target::gpu && k_.reduced > 0 &&
                            s.lanes == lane_axis::reduced && !s.split;
    kernel_rule(!s.resident || whole_rows, "schedule-resident",
                "only whole rows of a GPU reduction, with lanes along them, stay in registers");
    kernel_rule(s.filled >= 0 && s.filled <= (s.resident && k_.reduced == 1 ? s.unroll : 0),
                "schedule-filled", "at most all vectors of resident rows of one axis are filled");
    kernel_rule(s.cluster == 1 || (power(s.cluster) && s.cluster <= 32 && whole_rows &&
                                   s.rows == 1 && s.row_threads == s.threads && !has_scans()),
                "schedule-cluster",
                "a power of two of whole blocks shares a row of a GPU reduction without scans");
    kernel_rule(!s.packs || (s.target == target::gpu && s.split && s.vector * s.unroll <= 32 &&
                             packed_store(k_) >= 0),
                "schedule-packs", "what a chained scan of a GPU counts is packed, 32 a thread");
    if (s.target == target::cpu) return;
    kernel_rule(s.threads >= 1 && s.threads <= 1024, "schedule-threads", "1 to 1024 threads");
    kernel_rule(s.crowd >= 0 && s.crowd * s.threads <= 2048, "schedule-threads",
                "2048 threads fit on a multiprocessor");
    if (k_.reduced == 0) {
      kernel_rule(s.tile == std::int64_t{s.threads} * s.vector * s.unroll, "schedule-tile",
                  "the tile of a map is threads x vector x unroll");
      kernel_rule(s.tile_rows == 0 || s.tile == std::int64_t{s.tile_rows} * s.tile_columns,
                  "schedule-tile", "the tile of a map is its rows x columns");
    } else {
      kernel_rule(power(s.row_threads) && s.threads % s.row_threads == 0, "schedule-rows",
                  "row_threads is a power of two that divides threads");
    }
  }

  bool has_scans() const {
    return std::any_of(k_.body.begin(), k_.body.end(),
                       [](const inst& i) { return i.kind == inst_kind::scan; });
  }

  void tile_rules() const {
    const schedule& s = k_.schedule;
    const auto power = [](int n) { return n > 0 && std::has_single_bit(static_cast<unsigned>(n)); };
    const bool tiles = s.tile_rows != 0 || s.tile_columns != 0;
    const bool gpu_map = s.target == target::gpu && k_.reduced == 0;
    kernel_rule(!tiles || (gpu_map && power(s.tile_rows) && power(s.tile_columns) &&
                           s.tile_columns >= s.vector),
                "schedule-tile", "a tile is of a GPU map, its sides are powers of two");
    kernel_rule(power(s.turn_vector) &&
                    (!turns(k_) || (tiles && k_.kept >= 2 && s.tile_rows >= s.turn_vector)),
                "schedule-turn", "turned operands need a tile of two axes, as high as a vector");
    kernel_rule(s.early < (s.lead < 0 ? 0 : s.vector), "schedule-early",
                "vectors begin less than a vector before the row of a lead");
    if (s.lead < 0) return;
    const bool known = static_cast<std::size_t>(s.lead) < k_.operands.size();
    kernel_rule(tiles && known && !turns(k_) && lies_along(s.lead, k_.kept - 1), "schedule-lead",
                "the lead of a tile is an array with step one along the last axis");
  }

  bool lies_along(int which, int axis) const {
    const operand& o = k_.operands[static_cast<std::size_t>(which)];
    return o.role != operand_role::index && o.access.unravel == 0 &&
           o.access.steps[static_cast<std::size_t>(axis)] == step::one;
  }

  void reach_rules(int which) const {
    const operand& o = k_.operands[static_cast<std::size_t>(which)];
    kernel_rule(o.beyond >= 0 && o.beyond < (o.reach == reach::shifted ? k_.schedule.vector : 1),
                "beyond", "shifted vectors begin less than a vector after an aligned place");
    if (o.like >= 0) {
      const bool before = o.like < which;
      const operand& other = k_.operands[static_cast<std::size_t>(before ? o.like : which)];
      kernel_rule(before && other.like < 0 && other.access == o.access && o.access.unravel == 0 &&
                      o.role != operand_role::index && other.role != operand_role::index,
                  "like", "an operand moves as one before it does, which has no like itself");
    }
    if (o.reach == reach::whole) return;
    const bool input =
        k_.schedule.target == target::gpu && k_.reduced == 0 && o.role == operand_role::input;
    kernel_rule(input && lies_along(which, k_.kept - (o.reach == reach::turned ? 2 : 1)), "reach",
                "shifted and turned are inputs of a GPU map with step one along their axis");
  }

  void operand_rules(const operand& o) const {
    kernel_rule(o.access.steps.size() == static_cast<std::size_t>(k_.kept + k_.reduced), "steps",
                "an operand has one step an axis");
    kernel_rule(o.access.unravel >= 0, "unravel", "the rank of an unravelled access is negative");
    kernel_rule(o.role != operand_role::index || o.type == dtype::int64, "index-type",
                "an index is int64");
  }

  void chain_rules() const {
    const auto scans = std::count_if(k_.body.begin(), k_.body.end(),
                                     [](const inst& i) { return i.kind == inst_kind::scan; });
    const auto states = std::count_if(
        k_.operands.begin(), k_.operands.end(),
        [](const operand& o) { return o.role == operand_role::state && o.type == dtype::uint64; });
    kernel_rule(states == (k_.schedule.split && scans > 0 ? 1 : 0), "state",
                "chained scans, and they alone, have one operand of state");
    if (states == 0) return;
    kernel_rule(k_.schedule.lanes == lane_axis::reduced && k_.schedule.rows == 1, "chain",
                "a block of a chained scan has one row, and lanes along it");
    std::vector<bool> below(k_.body.size());
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      const inst& x = k_.body[i];
      for (std::int32_t a : x.args) {
        if (a < 0) continue;
        const auto from = static_cast<std::size_t>(a);
        below[i] = below[i] || below[from] || k_.body[from].kind == inst_kind::scan;
      }
      kernel_rule(x.kind != inst_kind::reduce && !(x.kind == inst_kind::scan && below[i]), "chain",
                  "a chained scan stands beside a reduction, or below another scan");
    }
  }

  // ---- instructions

  const inst& argument(const inst& i, int k) const {
    return (*body_)[static_cast<std::size_t>(i.args[k])];
  }

  static int argument_count(const inst& i) {
    switch (i.kind) {
      case inst_kind::compute: return info(i.code).arity;
      case inst_kind::random:
      case inst_kind::gather: return 2;
      case inst_kind::reduce:
      case inst_kind::scan:
      case inst_kind::pick:
      case inst_kind::store: return 1;
      default: return 0;
    }
  }

  void inst_rules(const inst& i) const {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = i.args[k];
      const bool given = a >= 0 && static_cast<std::size_t>(a) < at_;
      const bool optional = i.kind == inst_kind::gather || i.kind == inst_kind::loop ? k < 2
                            : i.kind == inst_kind::store                             ? k > 0
                                                         : i.kind == inst_kind::pack;
      require(k < argument_count(i) || optional ? given || (optional && a == -1) : a == -1,
              "arguments",
              "too few or too many arguments, or one that is no instruction before this one");
      require(!given || argument(i, k).kind != inst_kind::store, "arguments",
              "a store has no value");
      if (given) list_rules(i, k);
    }
    require(!is_complex(i.type) && !is_complex(i.result), "complex",
            "parts of complex numbers are values of their own");
    require(i.note >= -1 && i.note < static_cast<std::int32_t>(k_.notes.size()), "note",
            "the note is not in the list");
    switch (i.kind) {
      case inst_kind::load: return array_rules(i, operand_role::input, i.result);
      case inst_kind::gather: return gather_rules(i);
      case inst_kind::store:
        require(argument(i, 0).result == i.type, "store-type", "the value has another type");
        require(i.code == op::cast || i.args[2] >= 0, "combine", "a value is combined at an index");
        if (i.args[2] >= 0) scatter_rules(i);
        else if (i.args[1] >= 0) flag_rules(i);
        return array_rules(i, operand_role::output, i.type);
      case inst_kind::index: return index_rules(i);
      case inst_kind::scalar:
        require(i.which >= 0 && static_cast<std::size_t>(i.which) < k_.scalars.size() &&
                    k_.scalars[static_cast<std::size_t>(i.which)] == i.result,
                "scalar", "no such scalar, or of another type");
        return;
      case inst_kind::constant: return require(i.type == i.result, "constant", "two types");
      case inst_kind::compute: return compute_rules(i);
      case inst_kind::random: return random_rules(i);
      case inst_kind::reduce: return reduce_rules(i);
      case inst_kind::scan: return scan_rules(i);
      case inst_kind::loop: return loop_rules(i);
      case inst_kind::pick: return pick_rules(i);
      case inst_kind::pack: return;
      case inst_kind::carry:
      case inst_kind::given: return place_rules(i);
    }
  }

  // ---- loops

  /// Packs are for packs and loops, loops for picks.
  void list_rules(const inst& i, int k) const {
    const inst_kind of = argument(i, k).kind;
    const bool wants_pack = (i.kind == inst_kind::pack || i.kind == inst_kind::loop) && k == 0;
    require((of == inst_kind::pack) == wants_pack, "pack", "a list where a value is wanted");
    require((of == inst_kind::loop) == (i.kind == inst_kind::pick), "loop", "a loop has no value");
  }

  /// The body of a loop, whatever it is given.
  void loop_code_rules(const loop_code& l) {
    loop_ = &l;
    body_ = &l.body;
    const auto inside = [](inst_kind k) {
      return k == inst_kind::carry || k == inst_kind::given || k == inst_kind::constant ||
             k == inst_kind::compute || k == inst_kind::gather || k == inst_kind::store;
    };
    for (at_ = 0; at_ < l.body.size(); ++at_) {
      const inst& i = l.body[at_];
      require(inside(i.kind) && !i.inner, "loop-body", "no loop does this");
      require(i.kind != inst_kind::gather || (i.args[0] >= 0 && i.args[1] < 0), "loop-body",
              "a gather in a loop has an index and no condition");
      require(i.kind != inst_kind::store || (i.args[2] >= 0 && i.args[1] < 0), "loop-body",
              "a store in a loop has an index and no condition");
      inst_rules(i);
    }
    const auto value = [&](std::int32_t v) {
      return v >= 0 && static_cast<std::size_t>(v) < l.body.size() &&
             l.body[static_cast<std::size_t>(v)].kind != inst_kind::store;
    };
    const auto type = [&](std::int32_t v) { return l.body[static_cast<std::size_t>(v)].result; };
    at_ = 0;
    require(value(l.condition) && is_bool(type(l.condition)), "loop-condition",
            "the condition is no bool of the body");
    for (std::size_t i = 0; i <= static_cast<std::size_t>(l.condition); ++i) {
      const inst_kind k = l.body[i].kind;
      require(k != inst_kind::gather && k != inst_kind::store, "loop-condition",
              "what decides whether there is a round reads nothing of it");
    }
    require(l.next.size() == l.carries.size(), "loop-carry", "a carry has no next value");
    for (std::size_t k = 0; k < l.next.size(); ++k) {
      require(!is_complex(l.carries[k]) && value(l.next[k]) && type(l.next[k]) == l.carries[k],
              "loop-carry", "a carry becomes another type");
    }
    loop_ = nullptr;
  }

  void place_rules(const inst& i) const {
    require(loop_ != nullptr, "loop-body", "carries and givens are values of a loop's body");
    const auto& types = i.kind == inst_kind::carry ? loop_->carries : loop_->givens;
    const auto k = static_cast<std::size_t>(i.which);
    const bool round = i.kind == inst_kind::carry && k == types.size();
    require(i.which >= 0 && (round || k < types.size()), "loop-place",
            "the loop has no such value");
    require(i.result == (round ? dtype::int64 : types[k]), "loop-place",
            "the loop has it in another type");
  }

  void loop_rules(const inst& i) const {
    require(i.which >= 0 && static_cast<std::size_t>(i.which) < k_.loops.size(), "loop",
            "the kernel has no such loop");
    require(i.args[1] < 0 || is_bool(argument(i, 1).result), "loop-guard", "a condition is bool");
    const loop_code& l = k_.loops[static_cast<std::size_t>(i.which)];
    const bool stores = std::any_of(l.body.begin(), l.body.end(), [](const inst& x) {
      return x.kind == inst_kind::store;
    });
    require(!stores || !i.inner, "loop-store", "a loop that stores is in no walk");
    const auto values = packed(k_.body, i.args[0]);
    require(values.size() == l.carries.size() + l.givens.size(), "loop-inputs",
            "the loop takes another number of values");
    for (std::size_t k = 0; k < values.size(); ++k) {
      const dtype wanted =
          k < l.carries.size() ? l.carries[k] : l.givens[k - l.carries.size()];
      require(k_.body[static_cast<std::size_t>(values[k])].result == wanted, "loop-types",
              "the loop takes another type");
    }
  }

  void pick_rules(const inst& i) const {
    require(argument(i, 0).kind == inst_kind::loop, "pick", "only a loop has outputs");
    const loop_code& l = k_.loops[static_cast<std::size_t>(argument(i, 0).which)];
    require(i.which >= 0 && static_cast<std::size_t>(i.which) < l.carries.size() &&
                l.carries[static_cast<std::size_t>(i.which)] == i.result,
            "pick", "the loop carries no such value");
  }

  const operand* operand_of(const inst& i) const {
    const bool known = i.which >= 0 && static_cast<std::size_t>(i.which) < k_.operands.size();
    return known ? &k_.operands[static_cast<std::size_t>(i.which)] : nullptr;
  }

  void array_rules(const inst& i, operand_role role, dtype type) const {
    const operand* o = operand_of(i);
    require(o && o->role == role, "operand", "no such operand, or of another role");
    require(real_of(o->type) == type, "operand-type", "the operand has another type");
    require(i.part == 0 || (i.part == 1 && is_complex(o->type)), "part",
            "only a complex element has an imaginary part");
  }

  void gather_rules(const inst& i) const {
    array_rules(i, operand_role::input, i.result);
    require(i.args[0] >= 0 || i.args[1] >= 0, "gather", "a load without index and condition");
    require(i.args[0] < 0 || argument(i, 0).result == dtype::int64, "gather-index",
            "an index is int64");
    require(i.args[1] < 0 || is_bool(argument(i, 1).result), "gather-condition",
            "a condition is bool");
    for (const inst& x : k_.body) {  // also where the gather itself is in a loop
      require(x.kind != inst_kind::load || x.which != i.which, "gather-operand",
              "an operand is loaded and gathered from");
    }
  }

  void flag_rules(const inst& i) const {
    const operand* o = operand_of(i);
    require(is_bool(argument(i, 1).result), "flag", "a condition is bool");
    require(is_integer(i.type), "flag", "a flag is an integer");
    require(o && o->access.unravel == 0 &&
                std::all_of(o->access.steps.begin(), o->access.steps.end(),
                            [](step s) { return s == step::zero; }),
            "flag", "a conditional store has one place");
  }

  void scatter_rules(const inst& i) const {
    require(argument(i, 2).result == dtype::int64, "scatter-index", "an index is int64");
    require(i.args[1] < 0 || is_bool(argument(i, 1).result), "scatter-condition",
            "a condition is bool");
    require(i.code == op::cast ||
                (info(i.code).arity == 2 && accepts(i.code, i.type) && !is_half(i.type) &&
                 !is_bool(i.type) && result_type(i.code, i.type) == i.type),
            "combine-op", "the op cannot combine values of this type");
    for (const inst& x : k_.body) {
      require(x.kind != inst_kind::store || x.which != i.which || x.args[2] >= 0,
              "scatter-operand", "an operand is stored and scattered to");
    }
  }

  void index_rules(const inst& i) const {
    const operand* o = operand_of(i);
    require(o && o->role == operand_role::index, "operand", "no such operand, or of another role");
    require(i.result == dtype::int64, "index-type", "an index is int64");
  }

  void compute_rules(const inst& i) const {
    const bool conversion = i.code == op::cast || i.code == op::bitcast;
    require(conversion || !is_half(i.type), "half", "half types are converted, never computed in");
    require(is_primitive(i.code, i.type), "primitive",
            "the op has no meaning for the type, or is written out by a formula");
    for (int k = 0; k < info(i.code).arity; ++k) {
      const dtype wanted = conversion ? i.type : argument_type(i.code, i.type, k);
      require(argument(i, k).result == wanted, "argument-type", "an argument has another type");
    }
    if (i.code == op::cast) return;
    require(i.code == op::bitcast ? size_of(i.type) == size_of(i.result)
                                  : i.result == result_type(i.code, i.type),
            "result", "another result type than the table says");
  }

  void random_rules(const inst& i) const {
    require(i.result == dtype::uint32 || i.result == dtype::uint64, "random",
            "random bits are uint32 or uint64");
    require(argument(i, 0).result == dtype::int64 && argument(i, 1).result == dtype::uint64,
            "random", "the counter is int64, the key uint64");
  }

  void reduce_rules(const inst& i) const {
    require(k_.reduced > 0, "reduce", "the kernel has no reduced axes");
    require(argument(i, 0).result == i.type, "argument-type", "the argument has another type");
    require(detail::is_reduction(i.code, i.type), "reduce-op",
            "the op cannot combine values of this type");
    require(!i.arg || i.code == op::maximum || i.code == op::minimum, "reduce-arg",
            "only maximum and minimum have a position");
    require(i.result == (i.arg ? dtype::int64 : i.type), "result",
            "a reduction keeps its type, a position is int64");
  }

  void scan_rules(const inst& i) const {
    require(k_.reduced == 1, "scan", "a scan runs along the one reduced axis");
    require(argument(i, 0).result == i.type && i.result == i.type, "argument-type",
            "the argument or the result has another type");
    require(detail::is_reduction(i.code, i.type), "scan-op",
            "the op cannot combine values of this type");
  }

  // ---- levels

  void level_rules() {
    kernel inferred = k_;
    infer_levels(inferred);
    const std::vector<int> phases = phases_of(k_);
    for (at_ = 0; at_ < k_.body.size(); ++at_) {
      const inst& i = k_.body[at_];
      require(i.inner == inferred.body[at_].inner, "level", "marked as of the other level");
      if (i.kind == inst_kind::store) store_rules(i, inferred, phases[at_]);
      if (k_.schedule.split && i.kind == inst_kind::reduce) {
        require(phases[at_] == 0, "split", "no chunk knows the result of its whole row");
      }
    }
  }

  void store_rules(const inst& i, const kernel& inferred, int phase) const {
    const auto& steps = operand_of(i)->access.steps;
    const bool moves = std::any_of(steps.begin() + k_.kept, steps.end(),
                                   [](step s) { return s != step::zero; });
    const bool placed = moves || i.args[1] >= 0 || i.args[2] >= 0;
    require(!argument(i, 0).inner || placed || inferred.reduced == 0, "store-level",
            "an inner value is stored at one place a row");
    if (i.args[1] >= 0) {
      // Whether an index is wrong may depend on what a row comes to (a branch that it chooses).
      const bool flag = i.args[2] < 0 && !k_.schedule.split;
      return require(phase == 0 || flag, "flag", "a scatter waits for no reduction");
    }
    if (!k_.schedule.split) return;
    require(i.inner ? phase == 0 : argument(i, 0).kind == inst_kind::reduce, "split",
            "a chunk stores results of reductions, or values that need none");
  }

  const kernel& k_;
  const std::vector<inst>* body_ = nullptr;  // what `at_` is an index into
  const loop_code* loop_ = nullptr;          // whose body it is
  std::size_t at_ = 0;
};

}  // namespace

void verify(const kernel& k) {
  if (k.parts.empty()) return verifier(k).run();
  int threads = 0;
  for (const kernel& p : k.parts) {
    verify(p);
    const schedule& s = p.schedule;
    const bool map = s.target == target::gpu && p.reduced == 0 && s.tile_rows == 0;
    detail::require(map && p.loops.empty() && p.parts.empty(), "shared-parts",
                    detail::cat("kernel ", k.name), "shares its launch with what is no plain map");
    threads = std::max(threads, s.threads);
  }
  detail::require(k.body.empty() && k.operands.empty() && k.schedule.threads == threads,
                  "shared-launch", detail::cat("kernel ", k.name),
                  "has as many threads as the widest of its parts, and nothing of its own");
}

}  // namespace sinter::ir
