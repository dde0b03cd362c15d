// Tests use only what Catch2 2.13 and 3 share; just the header's name differs.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
/// Matches a string that contains `text`.
inline auto says(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto says(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
