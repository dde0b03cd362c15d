#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#if defined(__SANITIZE_THREAD__)
// Libraries whose own threads synchronize in code that the sanitizer does not see.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libopenblas\nrace:libnvrtc\n";
}
#endif

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
