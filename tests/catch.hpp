// Tests use only what Catch2 2.13 and 3 share; just the header's name differs. It has a guard
// because a compiler cache may give a precompiled one of another checkout, which `#pragma once`
// takes for another file.
#ifndef SINTER_TESTS_CATCH_HPP
#define SINTER_TESTS_CATCH_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
/// Matches a string that contains `text`.
inline auto says(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto says(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

#endif
