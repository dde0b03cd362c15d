#include "runtime/loader.hpp"

#include <cstdlib>

#include "runtime/device.hpp"
#include "tests/catch.hpp"

namespace loader_test {

using namespace sinter::runtime;

TEST_CASE("a module that is missing gives one clear line") {
  const auto module = module_library::open("nothing");
  CHECK(!module);
  CHECK(module.status().starts_with("no nothing module: "));
  CHECK(module.status().find("libsinter_nothing.so") != std::string::npos);
  CHECK(module.status().find('\n') == std::string::npos);
  CHECK_THROWS_WITH(module.function<void()>("f"), says("no nothing module"));
}

TEST_CASE("SINTER_BACKEND_DIR says where modules are") {
  setenv("SINTER_BACKEND_DIR", "/nowhere/at/all", 1);
  const auto module = module_library::open("cuda");
  unsetenv("SINTER_BACKEND_DIR");
  CHECK(!module);
  CHECK(module.status().find("/nowhere/at/all/libsinter_cuda.so") != std::string::npos);
}

TEST_CASE("libraries open by the first name there is, or say what is missing") {
  CHECK(dynamic_library::open({"libnothing.so.1", "libm.so.6"}));
  CHECK(dynamic_library::open({"libm.so.6"}).function<double(double)>("cos")(0.0) == 1.0);
  CHECK(dynamic_library::open({"libm.so.6"}).symbol("no_such_function") == nullptr);
  const auto nothing = dynamic_library::open({"libnothing.so.1"}, {"/nowhere"});
  CHECK(!nothing);
  CHECK(nothing.problem().find("libnothing.so.1") != std::string::npos);
  CHECK(nothing.symbol("f") == nullptr);
}

}  // namespace loader_test
