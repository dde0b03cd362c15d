find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME coverage COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/coverage.py
    ${PROJECT_SOURCE_DIR} --check)
  set_tests_properties(coverage PROPERTIES LABELS docs)
else()
  message(STATUS "sinter: coverage test: left out (no python3 found)")
endif()
