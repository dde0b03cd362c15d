#pragma once
// What sinter throws: three families, each with stable codes.
//
// A function's comment says what is thrown for the arguments it is given; "Throws nothing" that it
// takes all it compiles for. Beyond that any function throws value_error for a handle that holds no
// array, and whoever has values computed gets memory_error or device_error if the machine cannot,
// and what the reads say that these values depend on (an index out of range, a singular matrix).

#include <exception>
#include <string>

namespace sinter {

/// Stable codes; the hundreds are the family.
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

/// Base of everything sinter throws. `what()` reads "[op] message (file.cpp:17)".
class error : public std::exception {
 public:
  error(error_code code, std::string message) : code_(code), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  error_code code() const noexcept { return code_; }

 private:
  error_code code_;
  std::string message_;
};

/// The caller's mistake.
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
/// A matrix that has no such factorisation or solution. Known once it has been tried: thrown where
/// a value that depends on it is first read.
class linalg_error : public value_error {
  using value_error::value_error;
};
class file_error : public user_error {
  using user_error::user_error;
};

/// A device that is missing, full or failed.
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
