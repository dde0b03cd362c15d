# Compiles and runs every ```cpp block of the README and the docs.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  set(flags "${CMAKE_CXX_FLAGS} -O1")
  if(SINTER_SANITIZE)
    string(APPEND flags " -fsanitize=${SINTER_SANITIZE}")
  endif()
  set(command ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/readme/snippets.py
    --source ${PROJECT_SOURCE_DIR} --library ${PROJECT_BINARY_DIR}/lib
    --cxx ${CMAKE_CXX_COMPILER} "--flags=${flags}")
  add_test(NAME readme COMMAND ${command} --work ${PROJECT_BINARY_DIR}/readme)
  add_test(NAME readme.self_test
    COMMAND ${command} --work ${PROJECT_BINARY_DIR}/readme_self_test --self-test)
  set_tests_properties(readme readme.self_test PROPERTIES
    LABELS readme TIMEOUT 1200 ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")
else()
  message(STATUS "sinter: README test: left out (no python3 found)")
endif()
