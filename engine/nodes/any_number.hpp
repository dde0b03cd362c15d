#pragma once
// Numbers passed as options, as elements of a dtype known at their use.

#include <sinter/arguments.hpp>

#include "ir/reference.hpp"

namespace sinter::detail {

/// The number in that dtype. Throws dtype_error for a complex number where a real one is required,
/// value_error for an integer the type cannot represent.
ir::scalar_value converted(const any_number& n, dtype to, std::string_view op, location where);

}  // namespace sinter::detail
