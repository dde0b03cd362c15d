#include <charconv>

#include <sinter/random.hpp>

#include "engine/control/batcher.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/random/draws.hpp"

namespace sinter::random {
namespace {

constexpr std::string_view algorithm = "philox4x32-10";

std::string hexadecimal(std::uint64_t v) {
  char buffer[16];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v, 16);
  return {buffer, end};
}

/// Consumes " " and a number at the front of `text`; false if it does not start like that.
bool take_number(std::string_view& text, std::uint64_t& value) {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

generator::generator() : state_{detail::seed_of({}), 0} {}

generator generator::from_string(std::string_view text, location where) {
  generator_state state;
  std::string_view rest = text;
  const bool named = rest.starts_with(algorithm);
  if (named) rest.remove_prefix(algorithm.size());
  if (!named || !take_number(rest, state.seed) || !take_number(rest, state.drawn) ||
      !rest.empty()) {
    detail::fail<value_error>(error_code::bad_argument, "generator",
                              "\"" + std::string(text) + "\" is no state of a generator", where);
  }
  return generator(state);
}

std::string generator::to_string() const {
  return std::string(algorithm) + ' ' + hexadecimal(state_.seed) + ' ' + hexadecimal(state_.drawn);
}

// A recorded function would replay the same numbers every time.
std::uint64_t generator::next_seed() {
  detail::refuse_draw_over_slices();
  ++detail::unrepeatable();
  return detail::derived_key(state_.seed, state_.drawn++, detail::key_purpose::draw);
}

std::uint64_t generator::split_seed() {
  detail::refuse_draw_over_slices();
  ++detail::unrepeatable();
  return detail::derived_key(state_.seed, state_.drawn++, detail::key_purpose::child);
}

generator generator::child(std::uint64_t seed, std::uint64_t number) {
  return generator(detail::derived_key(seed, number, detail::key_purpose::child));
}

std::vector<generator> generator::split(std::int64_t count, location where) {
  if (count < 0) {
    detail::fail<value_error>(error_code::bad_argument, "split",
                              "a count of " + std::to_string(count) + " is negative", where);
  }
  const std::uint64_t seed = split_seed();
  std::vector<generator> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(child(seed, static_cast<std::uint64_t>(i)));
  return out;
}

void generator::throw_second_seed(location where) {
  detail::fail<value_error>(error_code::bad_argument, "generator",
                            "it has a seed of its own: leave .seed out", where);
}

}  // namespace sinter::random
