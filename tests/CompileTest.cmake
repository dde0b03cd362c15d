# The compile time of a user's program, and the messages for programs that must not compile.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME compile COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/compile/programs.py ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER})
  set_tests_properties(compile PROPERTIES LABELS compile TIMEOUT 1200 COST 50)
else()
  message(STATUS "sinter: compile test: left out (no python3 found)")
endif()
