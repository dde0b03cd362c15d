#pragma once
// Graphs of sweeps over grids, each of which becomes one stack on a suitable machine.

#include <string>
#include <vector>

#include "ir/cat.hpp"
#include "ir/machine.hpp"

namespace sinter::tests {

/// Slow memory, free arithmetic.
inline ir::machine stacking() {
  ir::machine m;
  m.target = ir::target::gpu;
  m.units = 4;
  m.bandwidth = 1e9;
  m.arithmetic = 1e15;
  m.stack_limit = 8;
  m.stack_points = 1;
  return m;
}

/// A CPU with expensive launches.
inline ir::machine stacking_on_cpu(int vector_bytes = 16) {
  ir::machine m;
  m.vector_bytes = vector_bytes;
  m.arithmetic = 1e15;
  m.launch = 1e-3;
  m.stack_limit = 8;
  m.stack_points = 1;
  return m;
}

/// Writes a graph over one grid, node by node; each function returns the node's number.
class sweep_text {
 public:
  sweep_text(std::string type, std::vector<int> grid) : type_(std::move(type)), grid_(grid) {
    int stride = 1;
    strides_.resize(grid.size());
    for (std::size_t d = grid.size(); d-- > 0; stride *= grid[d]) strides_[d] = stride;
  }

  int source() { return line(ir::detail::cat("source ", type_, " ", list(grid_))); }

  /// A view of an array: `size` elements from `begin` on.
  int part(int array, const std::vector<int>& begin, const std::vector<int>& size) {
    return line(ir::detail::cat("view ", type_, " ", list(size), " (%", array, ")",
                                place(begin), " strides ", list(strides_)));
  }

  /// The sum of parts of arrays, each shifted relative to `begin`.
  struct point {
    int array;
    std::vector<int> shift;
  };
  int sum(const std::vector<point>& points, const std::vector<int>& begin,
          const std::vector<int>& size) {
    int total = -1;
    for (const point& p : points) {
      std::vector<int> from = begin;
      for (std::size_t d = 0; d < from.size(); ++d) from[d] += p.shift[d];
      const int seen = part(p.array, from, size);
      total = total < 0 ? seen
                        : line(ir::detail::cat("map ", type_, " ", list(size), " (%", total, ", %",
                                               seen, ") { v2 = add ", type_, " v0 v1 }"));
    }
    return total;
  }

  int update(int base, int value, const std::vector<int>& begin) {
    return line(ir::detail::cat("update ", type_, " ", list(grid_), " (%", base, ", %", value, ")",
                                place(begin), " strides ", list(strides_)));
  }

  std::string returning(const std::vector<int>& outputs) const {
    std::string all = text_ + "return ";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      all += ir::detail::cat(i ? ", %" : "%", outputs[i]);
    }
    return all + "\n";
  }

 private:
  int line(const std::string& what) {
    text_ += ir::detail::cat("%", next_, " = ", what, "\n");
    return next_++;
  }
  std::string place(const std::vector<int>& begin) const {
    int offset = 0;
    for (std::size_t d = 0; d < begin.size(); ++d) offset += begin[d] * strides_[d];
    return offset == 0 ? "" : ir::detail::cat(" offset ", offset);
  }
  static std::string list(const std::vector<int>& numbers) {
    std::string out;
    for (int n : numbers) out += ir::detail::cat(out.empty() ? "" : ", ", n);
    return ir::detail::cat("[", out, "]");
  }

  std::string type_;
  std::vector<int> grid_, strides_;
  std::string text_;
  int next_ = 0;
};

/// From one field to the other and back, leaving the borders unchanged.
inline std::string there_and_back(const std::string& type, int rows, int columns, int sweeps) {
  sweep_text t(type, {rows, columns});
  int from = t.source(), to = t.source();
  for (int i = 0; i < sweeps; ++i) {
    const int value = t.sum({{from, {0, 0}}, {from, {-1, 0}}, {from, {1, 0}}, {from, {0, -1}},
                             {from, {0, 1}}}, {1, 1}, {rows - 2, columns - 2});
    to = t.update(to, value, {1, 1});
    std::swap(from, to);
  }
  return t.returning({from, to});
}

/// One field, in place; every sweep first copies the second row to the first.
inline std::string in_place(int rows, int columns) {
  sweep_text t("float64", {rows, columns});
  int field = t.source();
  for (int i = 0; i < 2; ++i) {
    field = t.update(field, t.part(field, {1, 0}, {1, columns}), {0, 0});
    const int value = t.sum({{field, {0, 0}}, {field, {-1, 0}}}, {1, 0}, {rows - 2, columns - 1});
    field = t.update(field, value, {1, 0});
  }
  return t.returning({field});
}

/// Three fields that read each other, in three dimensions.
inline std::string three_fields(int x = 9, int y = 10, int z = 41) {
  sweep_text t("int32", {x, y, z});
  int a = t.source(), b = t.source(), c = t.source();
  for (int i = 0; i < 2; ++i) {
    const int da = t.sum({{a, {0, 0, 0}}, {c, {0, 0, 0}}, {c, {-1, 0, 0}}}, {1, 0, 0},
                         {x - 1, y - 1, z - 1});
    a = t.update(a, da, {1, 0, 0});
    const int db = t.sum({{b, {0, 0, 0}}, {c, {0, -1, 0}}}, {0, 1, 0}, {x, y - 1, z - 1});
    b = t.update(b, db, {0, 1, 0});
    const int dc = t.sum({{a, {1, 0, 0}}, {b, {0, 0, 1}}, {c, {0, 0, 0}}}, {0, 0, 0},
                         {x - 1, y - 1, z - 2});
    c = t.update(c, dc, {0, 0, 0});
  }
  return t.returning({a, b, c});
}

inline std::string along_a_line(const std::string& type = "int8", int points = 700) {
  sweep_text t(type, {points});
  int from = t.source(), to = t.source();
  for (int i = 0; i < 5; ++i) {
    to = t.update(to, t.sum({{from, {-2}}, {from, {1}}, {to, {0}}}, {2}, {points - 3}), {2});
    std::swap(from, to);
  }
  return t.returning({from});
}

/// From a field to its next state, which keeps the borders.
inline std::string to_the_next(const std::string& type, int rows, int columns, int sweeps) {
  sweep_text t(type, {rows, columns});
  int field = t.source();
  for (int i = 0; i < sweeps; ++i) {
    const int value = t.sum({{field, {0, 0}}, {field, {-1, 0}}, {field, {0, 1}}}, {1, 0},
                            {rows - 2, columns - 1});
    field = t.update(field, value, {1, 0});
  }
  return t.returning({field});
}

inline std::vector<std::string> sweep_graphs() {
  return {there_and_back("float32", 37, 70, 4), there_and_back("float64", 130, 33, 3),
          there_and_back("int64", 40, 12, 2), in_place(40, 50), three_fields(), along_a_line(),
          to_the_next("float32", 50, 70, 4)};
}

}  // namespace sinter::tests
