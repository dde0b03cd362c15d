#include <sinter/types.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void refuse(std::string_view op, dtype from, const std::string& why, location where) {
  fail<dtype_error>(error_code::bad_dtype, op, std::string(name(from)) + " " + why, where);
}

constexpr std::string_view casting_names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

/// The strictest rule that allows the conversion.
casting sufficient(dtype from, dtype to) {
  for (casting c : {casting::no, casting::equiv, casting::safe, casting::same_kind}) {
    if (can_cast(from, to, c)) return c;
  }
  return casting::unsafe;
}

/// Interleaves real and imaginary parts along the last axis.
any_array parts_in_turn(const any_array& x, location where) {
  extents pairs = extents_of(x), flat = pairs;
  pairs.push_back(2);
  if (flat.empty()) flat.push_back(1);
  flat.back() *= 2;
  check_shape(flat, x.dtype(), "view", where);
  extents unit = extents_of(x);
  unit.push_back(1);
  const term z{make_broadcast(make_reshape(x, unit, where), pairs, "view", where), where};
  const term i{coordinates(pairs, pairs.size() - 1, where), where};
  const term part = select(i == 0, apply(ir::op::real, {z}), apply(ir::op::imag, {z}));
  return make_reshape(part.x, flat, where);
}

any_array pairs_joined(const any_array& x, location where) {
  extents pairs = extents_of(x);
  if (pairs.empty() || pairs.back() % 2 != 0) {
    fail<shape_error>(error_code::shape_mismatch, "view",
                      "shape " + text_of(x.extents()) + " has no last axis of even extent", where);
  }
  pairs.back() /= 2;
  const extents result = pairs;
  pairs.push_back(2);
  const any_array split = make_reshape(x, pairs, where);
  const auto part = [&](std::int64_t i) {
    return make_reshape(cut(split, pairs.size() - 1, i, 1, where), result, where);
  };
  return make_complex(part(0), part(1), where);
}

}  // namespace

any_array view(const any_array& x, dtype to, location where) {
  const dtype from = checked(x, "view", where).type;
  if (from == to) return x;
  if (is_complex(from) && to == real_of(from)) return parts_in_turn(x, where);
  if (is_complex(to) && from == real_of(to)) return pairs_joined(x, where);
  const bool plain = !is_complex(from) && !is_complex(to) && !is_bool(from) && !is_bool(to) &&
                     !is_half(from) && !is_half(to);
  if (!plain || size_of(from) != size_of(to)) {
    refuse("view", from, "cannot be seen as " + std::string(name(to)) + ": use astype", where);
  }
  if (is_integer(from) && is_integer(to)) return make_cast(x, to, where);
  return make_bitcast(x, to, where);
}

any_array complex_of_parts(const any_array& re, const any_array& im, location where) {
  const dtype type = common_type(re, im, "complex", where);
  if (is_complex(type)) refuse("complex", type, "is no type of a part: use real(x)", where);
  const dtype part = real_of(complex_from(type));
  return make_complex(make_cast(re, part, where), make_cast(im, part, where), where);
}

any_array checked_cast(const any_array& x, dtype to, casting how, location where) {
  const dtype from = checked(x, "astype", where).type;
  if (!can_cast(from, to, how)) {
    refuse("astype", from,
           "does not become " + std::string(name(to)) +
               " by casting::" + std::string(casting_names[static_cast<int>(how)]) + "; casting::" +
               std::string(casting_names[static_cast<int>(sufficient(from, to))]) + " allows it",
           where);
  }
  return make_cast(x, to, where);
}

}  // namespace sinter::detail

namespace sinter {
namespace {

template <class T> finfo_t facts(dtype type) {
  using limits = std::numeric_limits<T>;
  return {8 * static_cast<int>(sizeof(T)),
          limits::epsilon(),
          limits::max(),
          limits::lowest(),
          limits::min(),
          limits::denorm_min(),
          type};
}

template <class T> iinfo_t integer_facts(dtype type) {
  using limits = std::numeric_limits<T>;
  return {8 * static_cast<int>(sizeof(T)), static_cast<std::int64_t>(limits::min()),
          static_cast<std::uint64_t>(limits::max()), type};
}

}  // namespace

finfo_t finfo(dtype t, location where) {
  switch (is_complex(t) ? real_of(t) : t) {
    case dtype::float16:
      return {16, 0x1p-10, 65504, -65504, 0x1p-14, 0x1p-24, t};
    case dtype::bfloat16:
      return {16, 0x1p-7, 0x1.fep127, -0x1.fep127, 0x1p-126, 0x1p-133, t};
    case dtype::float32:
      return facts<float>(dtype::float32);
    case dtype::float64:
      return facts<double>(dtype::float64);
    default:
      break;
  }
  detail::refuse("finfo", t, "is no float type: use iinfo", where);
}

iinfo_t iinfo(dtype t, location where) {
  switch (t) {
    case dtype::int8:
      return integer_facts<std::int8_t>(t);
    case dtype::int16:
      return integer_facts<std::int16_t>(t);
    case dtype::int32:
      return integer_facts<std::int32_t>(t);
    case dtype::int64:
      return integer_facts<std::int64_t>(t);
    case dtype::uint8:
      return integer_facts<std::uint8_t>(t);
    case dtype::uint16:
      return integer_facts<std::uint16_t>(t);
    case dtype::uint32:
      return integer_facts<std::uint32_t>(t);
    case dtype::uint64:
      return integer_facts<std::uint64_t>(t);
    default:
      break;
  }
  detail::refuse("iinfo", t, "is no integer type: use finfo", where);
}

}  // namespace sinter
