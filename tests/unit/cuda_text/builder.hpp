#pragma once
// Builds kernels statement by statement.

#include <initializer_list>
#include <string>
#include <vector>

#include "ir/formula.hpp"
#include "ir/kernel.hpp"

namespace sinter::tests {

constexpr auto zero = ir::step::zero, one = ir::step::one, any = ir::step::any;

class builder {
 public:
  explicit builder(int kept, int reduced = 0) {
    k.name = "test";
    k.kept = kept;
    k.reduced = reduced;
    k.notes = {"main.cpp:17"};
  }

  ir::kernel k;

  int input(dtype t, std::vector<ir::step> s, int unravel = 0) {
    return operand(ir::operand_role::input, t, std::move(s), unravel);
  }
  int output(dtype t, std::vector<ir::step> s, int unravel = 0) {
    return operand(ir::operand_role::output, t, std::move(s), unravel);
  }
  int index(std::vector<ir::step> s) {
    return operand(ir::operand_role::index, dtype::int64, std::move(s), 0);
  }

  /// One operand per element of a row, all in one array.
  std::vector<int> turns(ir::operand_role role, dtype t, int apart, int count = 0) {
    std::vector<int> all;
    for (int i = 0; i < (count > 0 ? count : apart); ++i) {
      all.push_back(operand(role, t, {any}, 0));
      ir::operand& o = k.operands[static_cast<std::size_t>(all.back())];
      o.apart = apart;
      o.base = all[0];
      o.turn = i;
    }
    return all;
  }

  void reach(int which, ir::reach r) { k.operands[static_cast<std::size_t>(which)].reach = r; }

  int load(int which, int part = 0) {
    return add(ir::inst_kind::load, real_of(type_of(which)), which, part);
  }
  int number(int which) { return add(ir::inst_kind::index, dtype::int64, which); }
  int gather(int which, int place, int condition) {
    const int i = add(ir::inst_kind::gather, real_of(type_of(which)), which);
    at(i).args[0] = place;
    at(i).args[1] = condition;
    return i;
  }
  int scalar(dtype t) {
    k.scalars.push_back(t);
    return add(ir::inst_kind::scalar, t, static_cast<int>(k.scalars.size()) - 1);
  }
  int constant(dtype t, std::uint64_t bits) { return ir::emit_constant(k.body, t, bits); }
  int op(ir::op code, dtype t, std::initializer_list<int> arguments) {
    std::int32_t args[3] = {-1, -1, -1};
    std::copy(arguments.begin(), arguments.end(), args);
    return ir::emit(k.body, code, t, args);
  }
  int cast(int value, dtype to) { return ir::emit_cast(k.body, value, to); }
  int random(dtype t, int counter, int key) {
    const int i = add(ir::inst_kind::random, t, -1);
    at(i).args[0] = counter;
    at(i).args[1] = key;
    return i;
  }
  int reduce(ir::op code, int value, bool arg = false) {
    const int i = add(ir::inst_kind::reduce, at(value).result, -1);
    at(i).code = code;
    at(i).args[0] = value;
    at(i).arg = arg;
    if (arg) at(i).result = dtype::int64;
    return i;
  }
  void scatter(int which, int value, int place, int condition) {
    store(which, value);
    k.body.back().args[1] = condition;
    k.body.back().args[2] = place;
  }
  void combine(ir::op code, int which, int value, int place, int condition) {
    scatter(which, value, place, condition);
    k.body.back().code = code;
  }
  int scan(ir::op code, int value) {
    const int i = add(ir::inst_kind::scan, at(value).result, -1);
    at(i).code = code;
    at(i).args[0] = value;
    return i;
  }
  /// The state words of a chained scan.
  int state() {
    const std::size_t axes = static_cast<std::size_t>(k.kept + k.reduced);
    return operand(ir::operand_role::state, dtype::uint64, std::vector(axes, zero), 0);
  }
  void store(int which, int value, int part = 0) {
    at(add(ir::inst_kind::store, real_of(type_of(which)), which, part)).args[0] = value;
  }

  /// A GPU map's schedule.
  ir::kernel map(int vector, int unroll = 1, int threads = 64) {
    k.schedule.vector = vector;
    k.schedule.unroll = unroll;
    k.schedule.threads = threads;
    k.schedule.tile = std::int64_t{threads} * vector * unroll;
    return finished();
  }
  /// The same, tiled.
  ir::kernel tiles(int rows, int columns, int vector, int turn_vector = 1, int threads = 64) {
    k.schedule.tile_rows = rows;
    k.schedule.tile_columns = columns;
    k.schedule.turn_vector = turn_vector;
    return map(vector, rows * columns / (threads * vector), threads);
  }
  /// A GPU reduction's, with lanes along the reduced axes.
  ir::kernel rows(int threads, int row_threads, int vector, int unroll = 1, bool split = false) {
    return reduction(ir::lane_axis::reduced, threads, row_threads, vector, unroll, split);
  }
  /// And along the kept ones.
  ir::kernel columns(int threads, int row_threads, int vector, int unroll = 1, bool split = false) {
    return reduction(ir::lane_axis::kept, threads, row_threads, vector, unroll, split);
  }

 private:
  ir::inst& at(int i) { return k.body[static_cast<std::size_t>(i)]; }
  dtype type_of(int which) const { return k.operands[static_cast<std::size_t>(which)].type; }

  int operand(ir::operand_role role, dtype t, std::vector<ir::step> steps, int unravel) {
    k.operands.push_back({role, t, {std::move(steps), unravel}});
    return static_cast<int>(k.operands.size()) - 1;
  }

  int add(ir::inst_kind kind, dtype t, int which, int part = 0) {
    ir::inst i;
    i.kind = kind;
    i.type = i.result = t;
    i.which = which;
    i.part = static_cast<std::uint8_t>(part);
    k.body.push_back(i);
    return static_cast<int>(k.body.size()) - 1;
  }

  ir::kernel reduction(ir::lane_axis lanes, int threads, int row_threads, int vector, int unroll,
                       bool split) {
    ir::schedule& s = k.schedule;
    s.lanes = lanes;
    s.threads = threads;
    s.row_threads = row_threads;
    s.vector = vector;
    s.unroll = unroll;
    s.split = split;
    s.rows = threads / row_threads * (lanes == ir::lane_axis::kept ? vector : 1);
    return finished();
  }

  ir::kernel finished() {
    k.schedule.target = ir::target::gpu;
    ir::infer_levels(k);
    return k;
  }
};

}  // namespace sinter::tests
