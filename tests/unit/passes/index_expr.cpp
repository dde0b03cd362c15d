// Composed indices, compared with walking the domain.
#include "ir/index_expr.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/catch.hpp"

namespace index_expr_test {

using namespace sinter;

namespace {

using ir::extent;

extent dot(const ir::shape_t& at, const std::vector<extent>& strides) {
  extent sum = 0;
  for (std::size_t d = 0; d < at.size() && d < strides.size(); ++d) sum += at[d] * strides[d];
  return sum;
}

ir::shape_t unravel(extent number, const ir::shape_t& shape) {
  ir::shape_t at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; number /= shape[d]) at[d] = number % shape[d];
  return at;
}

/// The element that an expression selects at a point of its domain.
extent element_at(const ir::index_expr& e, const ir::shape_t& at) {
  const extent linear = e.offset + dot(at, e.strides);
  if (e.affine()) return linear;
  return e.outer.offset + dot(unravel(linear, e.extents), e.outer.strides);
}

struct random_views {
  std::mt19937 bits;
  extent below(extent n) { return static_cast<extent>(bits() % static_cast<std::uint32_t>(n)); }

  ir::shape_t shape() {
    ir::shape_t s(static_cast<std::size_t>(1 + below(4)));
    for (extent& e : s) e = 1 + below(6);
    return s;
  }
  /// A map of a shape into an array of `size` elements.
  ir::index_map map(const ir::shape_t& s, extent size) {
    ir::index_map m;
    extent room = size - 1;
    for (extent e : s) {
      const extent most = e > 1 ? room / (e - 1) : extent(3);
      extent stride = below(2) ? extent(below(most + 1)) : std::min<extent>(most, below(3));
      room -= (e - 1) * stride;
      const bool back = below(4) == 0;
      if (back) m.offset += (e - 1) * stride;
      m.strides.push_back(back ? -stride : stride);
    }
    m.offset += below(room + 1);
    return m;
  }
};

}  // namespace

TEST_CASE("composed indices reach the elements that the views do, one after another") {
  random_views random{std::mt19937(7)};
  int affine = 0, unravelled = 0, refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const ir::shape_t domain = random.shape(), middle = random.shape(), last = random.shape();
    ir::index_expr e;
    const ir::index_map first = random.map(domain, ir::size_of(middle));
    e.offset = first.offset;
    e.strides = first.strides;
    const ir::index_map second = random.map(middle, ir::size_of(last));
    const auto c = ir::compose(e, domain, middle, second);
    REQUIRE(c);
    const ir::index_map third = random.map(last, 1000);
    const auto d = ir::compose(*c, domain, last, third);
    ++(!d ? refused : d->affine() ? affine : unravelled);
    for (extent i = 0; i < ir::size_of(domain); ++i) {
      const ir::shape_t at = unravel(i, domain);
      const extent in_middle = e.offset + dot(at, e.strides);
      const extent in_last = second.offset + dot(unravel(in_middle, middle), second.strides);
      REQUIRE(element_at(*c, at) == in_last);
      if (!d) continue;
      REQUIRE(element_at(*d, at) == third.offset + dot(unravel(in_last, last), third.strides));
    }
  }
  CHECK(affine > 1000);
  CHECK(unravelled > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("a row-major index through a row-major view of a transpose stays affine") {
  const ir::shape_t domain{4, 2, 3};
  const auto c = ir::compose(ir::dense(domain), domain, {4, 6}, {0, {1, 4}});
  REQUIRE(c);
  CHECK(c->affine());
  CHECK(c->strides == std::vector<extent>{1, 12, 4});
}

TEST_CASE("a piece that begins before or behind a row-major view keeps its rows and columns") {
  // Rows 480 to 959 of a join, in a piece of 480 rows whose columns are reversed: outside of these
  // rows a condition keeps the element from being read.
  const ir::shape_t domain{960, 640};
  for (const int rows : {-480, 0, 480}) {
    ir::index_expr e = ir::dense(domain);
    e.offset = rows * 640;
    const auto c = ir::compose(e, domain, {480, 640}, {639, {640, -1}});
    REQUIRE(c);
    CHECK(c->affine());
    CHECK(c->strides == std::vector<extent>{640, -1});
    CHECK(c->offset == 639 + rows * 640);
  }
  ir::index_expr shifted = ir::dense(domain);
  shifted.offset = -480 * 640 - 1;  // its columns carry
  CHECK(!ir::compose(shifted, domain, {480, 640}, {639, {640, -1}})->affine());
}

TEST_CASE("what is broadcast below a reshape of a transpose is read through both") {
  const ir::shape_t domain{6, 4};
  const auto c = ir::compose(ir::dense(domain), domain, {2, 3, 4}, {0, {4, 8, 1}});
  REQUIRE(c);
  REQUIRE(!c->affine());
  const auto d = ir::compose(*c, domain, {3, 2, 4}, {5, {2, 1, 0}});
  REQUIRE(d);
  CHECK(d->extents == c->extents);
  CHECK(d->outer == ir::index_map{5, {1, 2, 0}});
}

TEST_CASE("an index into an empty array moves") {
  const auto c = ir::compose({}, {0, 5}, {0, 5}, {0, {5, 1}});
  REQUIRE(c);
  CHECK(c->strides == std::vector<extent>{5, 1});
}

TEST_CASE("rows of an empty domain keep their offsets") {
  ir::index_expr e;
  e.strides = {1, 0};
  const auto c = ir::compose(e, {3, 0}, {3}, {7, {2}});
  REQUIRE(c);
  CHECK(c->offset == 7);
  CHECK(c->stride(0) == 2);
}

namespace {

/// Every element that an expression reaches over its domain.
std::set<std::int64_t> elements(const ir::index_expr& e, const ir::shape_t& domain) {
  std::set<std::int64_t> all;
  for (extent i = 0; i < ir::size_of(domain); ++i) all.insert(element_at(e, unravel(i, domain)));
  return all;
}

}  // namespace

TEST_CASE("maps said never to meet share no element; those of equal strides are known") {
  random_views random{std::mt19937(11)};
  int apart = 0, unseen = 0, together = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const ir::shape_t domain = random.shape();
    const ir::index_map first = random.map(domain, 60), second = random.map(domain, 60);
    ir::index_expr a, b;
    a.offset = first.offset;
    b.offset = second.offset;
    a.strides = first.strides;
    b.strides = trial % 2 ? first.strides : second.strides;
    const auto in_a = elements(a, domain), in_b = elements(b, domain);
    const bool meet = std::ranges::any_of(in_a, [&](auto i) { return in_b.count(i) > 0; });
    const bool said = ir::never_meet(a, b, domain);
    REQUIRE(!(said && meet));
    ++(said ? apart : meet ? together : unseen);
  }
  CHECK(apart > 1000);
  CHECK(together > 1000);
  CHECK(unseen < 3000);
}

TEST_CASE("columns of a matrix never meet, nor do a row's even and odd elements") {
  const auto column = [](extent j) { return ir::index_expr{j, {100}, {}, {}, {}, {}, {}}; };
  CHECK(ir::never_meet(column(3), column(4), {50}));
  CHECK(!ir::never_meet(column(3), column(3), {50}));
  const ir::index_expr even{0, {2}, {}, {}, {}, {}, {}}, odd{1, {2}, {}, {}, {}, {}, {}},
      next{2, {2}, {}, {}, {}, {}, {}};
  CHECK(ir::never_meet(even, odd, {50}));
  CHECK(!ir::never_meet(even, next, {50}));
  CHECK(ir::never_meet(even, next, {1}));
}

}  // namespace index_expr_test
