#pragma once
// Numbers that options were given, as elements of a dtype that is known when they are used.

#include <sinter/arguments.hpp>

#include "ir/reference.hpp"

namespace sinter::detail {

/// The number in that dtype. Throws dtype_error for a complex number that is to be a real one,
/// value_error for an integer the type does not have.
ir::scalar_value converted(const any_number& n, dtype to, std::string_view op, location where);

}  // namespace sinter::detail
