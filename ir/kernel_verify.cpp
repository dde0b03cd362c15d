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
    return k_.body[static_cast<std::size_t>(i.args[k])];
  }

  static int argument_count(const inst& i) {
    switch (i.kind) {
      case inst_kind::compute: return info(i.code).arity;
      case inst_kind::random:
      case inst_kind::gather: return 2;
      case inst_kind::reduce:
      case inst_kind::scan:
      case inst_kind::store: return 1;
      default: return 0;
    }
  }

  void inst_rules(const inst& i) const {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = i.args[k];
      const bool given = a >= 0 && static_cast<std::size_t>(a) < at_;
      const bool optional =
          i.kind == inst_kind::gather ? k < 2 : i.kind == inst_kind::store && k > 0;
      require(k < argument_count(i) || optional ? given || (optional && a == -1) : a == -1,
              "arguments",
              "too few or too many arguments, or one that is no instruction before this one");
      require(!given || argument(i, k).kind != inst_kind::store, "arguments",
              "a store has no value");
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
    }
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
    for (const inst& x : k_.body) {
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
    if (i.args[1] >= 0) return require(phase == 0, "flag", "a flag waits for no reduction");
    if (!k_.schedule.split) return;
    require(i.inner ? phase == 0 : argument(i, 0).kind == inst_kind::reduce, "split",
            "a chunk stores results of reductions, or values that need none");
  }

  const kernel& k_;
  std::size_t at_ = 0;
};

}  // namespace

void verify(const kernel& k) { verifier(k).run(); }

}  // namespace sinter::ir
