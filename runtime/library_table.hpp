#pragma once
// The functions of a library that is opened at run time, as a table: one list of names declares
// the members, finds them, and names the one that is missing.
//
// A list is `#define SINTER_X_FUNCTIONS(X) X(first) X(second)`, and the struct that has them says
// SINTER_LIBRARY_TABLE(SINTER_X_FUNCTIONS). These are macros because a name is a declaration's and,
// after the library's own macros (cublasCreate is cublasCreate_v2), a symbol's.

#include <string>
#include <type_traits>

#include "runtime/dynamic_library.hpp"

#define SINTER_SYMBOL_(name)   #name
#define SINTER_SYMBOL(name)    SINTER_SYMBOL_(name)
#define SINTER_FUNCTION(name)  decltype(&::name) name = nullptr;
#define SINTER_VISIT(name)     visit(this->name, SINTER_SYMBOL(name));

#define SINTER_LIBRARY_TABLE(list)                                            \
  list(SINTER_FUNCTION) template <class Visit> void each_function(Visit visit) { \
    list(SINTER_VISIT)                                                        \
  }

namespace sinter::runtime {

/// Fills in one function, null where the library has none.
template <class Function>
bool find_function(const dynamic_library& library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(library.symbol(name));
  return function != nullptr;
}

/// The same, where the first function that is missing becomes the problem, unless there is one.
template <class Function>
void require_function(const dynamic_library& library, Function& function, const char* name,
                      std::string& problem) {
  if (find_function(library, function, name) || !problem.empty()) return;
  problem = std::string("it has no ") + name;
}

/// Fills in a table. Why it is of no use, in one line; empty: nothing is missing.
template <class Table>
std::string find_functions(const dynamic_library& library, Table& table) {
  std::string problem = library.problem();
  table.each_function([&](auto& function, const char* name) {
    require_function(library, function, name, problem);
  });
  return problem;
}

}  // namespace sinter::runtime
