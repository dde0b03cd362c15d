# NumPy and sinter exchange arrays in one process. A sanitized library needs the sanitizer's runtime
# in the loading program, which Python lacks.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND AND NOT SINTER_SANITIZE)
  add_library(sinter_dlpack_peer MODULE ${CMAKE_CURRENT_SOURCE_DIR}/dlpack/peer.cpp)
  target_link_libraries(sinter_dlpack_peer PRIVATE sinter_flags sinter::sinter)
  set_target_properties(sinter_dlpack_peer PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/dlpack)
  add_test(NAME dlpack.numpy COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/numpy/dlpack.py $<TARGET_FILE:sinter_dlpack_peer>)
  set_tests_properties(dlpack.numpy PROPERTIES LABELS files TIMEOUT 300 SKIP_RETURN_CODE 3
    ENVIRONMENT "SINTER_DEVICE=cpu")
elseif(SINTER_SANITIZE)
  message(STATUS "sinter: DLPack test with NumPy: left out (sanitized)")
else()
  message(STATUS "sinter: DLPack test with NumPy: left out (no python3 found)")
endif()
