// Sweeps over a field by slices, from one array to the other and back.

#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

template <class T> using pair_of = std::tuple<sn::array<T>, sn::array<T>>;

/// `steps` updates, each of the array that was read before. `Update` returns the new inner points.
template <class T, auto Update, auto Assign>
pair_of<T> sweeps(const dims& d, const sn::array<T>& first, const sn::array<T>& second) {
  sn::array<T> a = first, b = second;
  for (index i = 0; i < d.steps; i += 2) {
    Assign(b, Update(a));
    Assign(a, Update(b));
  }
  return {a, b};
}

template <class T> void assign1(sn::array<T>& to, const sn::array<T>& value) {
  to(inner) = value;
}
template <class T> void assign2(sn::array<T>& to, const sn::array<T>& value) {
  to(inner, inner) = value;
}
template <class T> void assign3(sn::array<T>& to, const sn::array<T>& value) {
  to(inner, inner, inner) = value;
}

/// The same by hand: `update` computes the new value of an inner point.
template <class F> judge swept(F update) {
  return against([update](const dims& d, tensors fields) {
    for (index i = 0; i < d.steps; ++i) update(fields[i % 2], fields[1 - i % 2]);
    return fields;
  });
}

constexpr sn::slice before{0, -2}, after{2, sn::slice::unset};

doubles three_points(const doubles& a) {
  return 0.33333 * (a(before) + a(inner) + a(after));
}

template <class T> sn::array<T> five_points(const sn::array<T>& a) {
  return 0.2 * (a(inner, inner) + a(before, inner) + a(after, inner) + a(inner, before) +
                a(inner, after));
}

floats heat(const floats& a) {
  const auto c = a(inner, inner, inner);
  return c +
         0.1 * (a(after, inner, inner) + a(before, inner, inner) + a(inner, after, inner) +
                a(inner, before, inner) + a(inner, inner, after) + a(inner, inner, before) - 6 * c);
}

doubles heat_by_differences(const doubles& a) {
  const auto c = a(inner, inner, inner);
  return 0.125 * (a(after, inner, inner) - 2 * c + a(before, inner, inner)) +
         0.125 * (a(inner, after, inner) - 2 * c + a(inner, before, inner)) +
         0.125 * (a(inner, inner, after) - 2 * c + a(inner, inner, before)) + c;
}

void three_points_by_hand(const tensor& a, tensor& b) {
  for (index i = 1; i < a.shape[0] - 1; ++i) b(i) = 0.33333 * (a(i - 1) + a(i) + a(i + 1));
}

void five_points_by_hand(const tensor& a, tensor& b) {
  for (index i = 1; i < a.shape[0] - 1; ++i) {
    for (index j = 1; j < a.shape[1] - 1; ++j) {
      b(i, j) = 0.2 * (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
    }
  }
}

template <class F> auto seven_points_by_hand(F factor) {
  return [factor](const tensor& a, tensor& b) {
    const index n = a.shape[0] - 1;
    for (index i = 1; i < n; ++i) {
      for (index j = 1; j < n; ++j) {
        for (index k = 1; k < n; ++k) {
          b(i, j, k) = a(i, j, k) +
                       factor * (a(i + 1, j, k) + a(i - 1, j, k) + a(i, j + 1, k) + a(i, j - 1, k) +
                                 a(i, j, k + 1) + a(i, j, k - 1) - 6 * a(i, j, k));
        }
      }
    }
  };
}

/// Bytes and operations per point and step.
struct costs {
  int rank;
  double item, flops;

  double points(const dims& d) const { return std::pow(static_cast<double>(d.n), rank); }
  measure_of bytes() const {
    return [c = *this](const dims& d) { return 4 * c.item * c.points(d); };
  }
  measure_of sweeps() const {
    return [c = *this](const dims& d) {
      return 2 * c.item * c.points(d) * static_cast<double>(d.steps);
    };
  }
  measure_of work() const {
    return
        [c = *this](const dims& d) { return c.flops * c.points(d) * static_cast<double>(d.steps); };
  }
};

template <class T> auto two_fields(int rank) {
  return [rank](const dims& d) {
    return std::vector(2, uniform<T>(std::vector<index>(static_cast<std::size_t>(rank), d.n)));
  };
}

workload field(std::string name, std::string type, std::vector<size> sizes, const costs& c,
               binder run, judge error, double tolerance) {
  return {
      .name = std::move(name),
      .group = 'D',
      .type = type,
      .sizes = std::move(sizes),
      .inputs = type == "f32"
                    ? std::function<std::vector<input>(const dims&)>(two_fields<float>(c.rank))
                    : two_fields<double>(c.rank),
      .run = std::move(run),
      .error = std::move(error),
      .tolerance = tolerance,
      .bytes = c.bytes(),
      .flops = c.work(),
      .sweeps = c.sweeps(),
  };
}

workload jacobi2d() {
  workload w = field("jacobi2d_f32", "f32",
                     {{"128^2x10", {.n = 128, .steps = 10}, checked | timed},
                      {"2048^2x10", {.n = 2048, .steps = 10}, timed | cpu_only},
                      {"8192^2x100", {.n = 8192, .steps = 100}, timed | large}},
                     {2, 4, 5}, program_of(sweeps<float, five_points<float>, assign2<float>>),
                     swept(five_points_by_hand), 1e-5);
  w.group = 'B';
  return w;
}

workload heat3d() {
  workload w = field("heat3d_f32", "f32",
                     {{"32^3x4", {.n = 32, .steps = 4}, checked | timed},
                      {"160^3x10", {.n = 160, .steps = 10}, timed | cpu_only},
                      {"512^3x10", {.n = 512, .steps = 10}, timed | large}},
                     {3, 4, 8}, program_of(sweeps<float, heat, assign3<float>>),
                     swept(seven_points_by_hand(0.1)), 1e-5);
  w.group = 'B';
  return w;
}

workload npb_jacobi_1d() {
  return field("npb_jacobi_1d", "f64",
               {{"300x20", {.n = 300, .steps = 40}, checked},
                {"32000x400", {.n = 32000, .steps = 798}, timed | cpu_only},
                {"32000x4000", {.n = 32000, .steps = 7998}, timed | large}},
               {1, 8, 3}, program_of(sweeps<double, three_points, assign1<double>>),
               swept(three_points_by_hand), 1e-12);
}

workload npb_jacobi_2d() {
  return field("npb_jacobi_2d", "f64",
               {{"50^2x10", {.n = 50, .steps = 20}, checked},
                {"700^2x20", {.n = 700, .steps = 38}, timed | cpu_only},
                {"700^2x200", {.n = 700, .steps = 398}, timed | large},
                {"2800^2x1000", {.n = 2800, .steps = 1998}, timed | large}},
               {2, 8, 5}, program_of(sweeps<double, five_points<double>, assign2<double>>),
               swept(five_points_by_hand), 1e-12);
}

workload npb_heat_3d() {
  return field("npb_heat_3d", "f64",
               {{"16^3x5", {.n = 16, .steps = 10}, checked},
                {"120^3x20", {.n = 120, .steps = 38}, timed | cpu_only},
                {"120^3x500", {.n = 120, .steps = 998}, timed | large}},
               {3, 8, 15}, program_of(sweeps<double, heat_by_differences, assign3<double>>),
               swept(seven_points_by_hand(0.125)), 1e-12);
}

// ---- three coupled fields

using three = std::tuple<doubles, doubles, doubles>;

three fdtd(const dims& d, const doubles& x, const doubles& y, const doubles& z, const doubles& f) {
  doubles ex = x, ey = y, hz = z;
  constexpr sn::slice rest{1, sn::slice::unset}, most{0, -1};
  for (index i = 0; i < d.steps; ++i) {
    ey(0) = f(i);
    ey(rest) -= 0.5 * (hz(rest) - hz(most));
    ex(sn::_, rest) -= 0.5 * (hz(sn::_, rest) - hz(sn::_, most));
    hz(most, most) -= 0.7 * (ex(most, rest) - ex(most, most) + ey(rest, most) - ey(most, most));
  }
  return {ex, ey, hz};
}

tensors fdtd_by_hand(const dims& d, tensors in) {
  tensor &ex = in[0], &ey = in[1], &hz = in[2];
  for (index t = 0; t < d.steps; ++t) {
    for (index j = 0; j < d.y; ++j) ey(0, j) = in[3](t);
    for (index i = 0; i < d.x; ++i) {
      for (index j = 0; j < d.y; ++j) {
        if (i > 0) ey(i, j) -= 0.5 * (hz(i, j) - hz(i - 1, j));
        if (j > 0) ex(i, j) -= 0.5 * (hz(i, j) - hz(i, j - 1));
      }
    }
    for (index i = 0; i < d.x - 1; ++i) {
      for (index j = 0; j < d.y - 1; ++j) {
        hz(i, j) -= 0.7 * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j));
      }
    }
  }
  in.pop_back();
  return in;
}

workload npb_fdtd_2d() {
  const auto points = [](const dims& d) { return static_cast<double>(d.x * d.y); };
  const auto steps = [](const dims& d) { return static_cast<double>(d.steps); };
  return {
      .name = "npb_fdtd_2d",
      .group = 'D',
      .type = "f64",
      .sizes = {{"30x40x10", {.x = 30, .y = 40, .steps = 10}, checked},
                {"500x600x20", {.x = 500, .y = 600, .steps = 20}, timed | cpu_only},
                {"1000x1200x500", {.x = 1000, .y = 1200, .steps = 500}, timed | large}},
      .inputs =
          [](const dims& d) {
            std::vector<input> in(3, uniform<double>({d.x, d.y}));
            in.push_back(uniform<double>({d.steps}));
            return in;
          },
      .run = program_of(fdtd),
      .error = against(fdtd_by_hand),
      .tolerance = 1e-12,
      .bytes = [=](const dims& d) { return 48 * points(d); },
      .flops = [=](const dims& d) { return 11 * points(d) * steps(d); },
      .sweeps = [=](const dims& d) { return 48 * points(d) * steps(d); },
  };
}

}  // namespace

std::vector<workload> stencils() {
  return {jacobi2d(), heat3d(), npb_jacobi_1d(), npb_jacobi_2d(), npb_heat_3d(), npb_fdtd_2d()};
}

}  // namespace suite
