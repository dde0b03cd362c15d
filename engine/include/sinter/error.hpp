#pragma once
// The exceptions of sinter: three families with stable codes.
//
// A function's comment lists the errors for its arguments; "Throws nothing" means that every
// argument that compiles is valid. Besides, any function throws value_error for a handle that holds
// no array. Functions that compute values throw memory_error or device_error if the machine fails,
// and the errors that the comments of the operations defer to reads (an index out of range, a
// singular matrix).

#include <exception>
#include <string>

namespace sinter {

/// Stable codes; the hundreds digit is the family.
enum class error_code : int {
  // 1xx user: the call was wrong; nothing has been computed
  shape_mismatch = 100,
  bad_axis = 101,
  index_out_of_range = 102,
  bad_dtype = 103,
  empty_reduction = 104,
  bad_argument = 105,
  bad_file = 106,
  no_solution = 107,  // linear algebra: singular, not positive definite, no convergence
  // 2xx device: the machine could not do it
  out_of_memory = 200,
  device_failure = 201,
  device_missing = 202,
  library_missing = 203,
  // 3xx internal: a bug in sinter
  internal = 300,
};

/// Base of all of sinter's exceptions. `what()` reads "[op] message (file.cpp:17)".
class error : public std::exception {
 public:
  error(error_code code, std::string message) : code_(code), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  error_code code() const noexcept { return code_; }

 private:
  error_code code_;
  std::string message_;
};

/// A mistake of the caller.
class user_error : public error {
  using error::error;
};
class shape_error : public user_error {
  using user_error::user_error;
};
class axis_error : public user_error {
  using user_error::user_error;
};
class index_error : public user_error {
  using user_error::user_error;
};
class dtype_error : public user_error {
  using user_error::user_error;
};
class value_error : public user_error {
  using user_error::user_error;
};
/// A matrix without such a factorisation or solution. This is known only after the attempt, so it
/// is thrown where a dependent value is first read.
class linalg_error : public value_error {
  using value_error::value_error;
};
class file_error : public user_error {
  using user_error::user_error;
};

/// A device that is missing, out of memory, or failed.
class device_error : public error {
  using error::error;
};
class memory_error : public device_error {
  using device_error::device_error;
};

/// A bug in sinter.
class internal_error : public error {
  using error::error;
};

}  // namespace sinter
