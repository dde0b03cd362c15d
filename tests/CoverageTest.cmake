find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME coverage COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/coverage.py
    ${PROJECT_SOURCE_DIR} --check)
  add_test(NAME numpy_compared COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/numpy_compared.py ${PROJECT_SOURCE_DIR})
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/doc_comments.py)
  add_test(NAME doc_comments COMMAND ${Python3_EXECUTABLE} -B ${script} ${PROJECT_SOURCE_DIR})
  add_test(NAME doc_comments.self_test COMMAND ${Python3_EXECUTABLE} -B ${script} --self-test)
  set_tests_properties(coverage numpy_compared doc_comments doc_comments.self_test PROPERTIES LABELS docs)
else()
  message(STATUS "sinter: coverage and doc comment tests: left out (no python3 found)")
endif()
