# tests/fuzz/*.cpp: the differential fuzzer. sinter_fuzz is its program; its code is a library, so
# that its own tests (tests/unit/fuzz) can inject bugs.
sinter_glob(sources ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/main.cpp)
add_library(sinter_fuzzer STATIC ${sources})
sinter_place(sinter_fuzzer)
target_link_libraries(sinter_fuzzer PUBLIC sinter_flags sinter::sinter Threads::Threads)
# Builds emitted text with the host's compiler.
target_compile_definitions(sinter_fuzzer PRIVATE
  SINTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SINTER_HOST_CXX="${CMAKE_CXX_COMPILER}")
sinter_program(sinter_fuzz ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/main.cpp)
target_link_libraries(sinter_fuzz PRIVATE sinter_fuzzer)
foreach(module IN ITEMS sinter_llvm sinter_cuda)
  if(TARGET ${module})
    add_dependencies(sinter_fuzz ${module})
  endif()
endforeach()
# For SINTER_FUZZ_SECONDS, by default a minute; always the same graphs.
add_test(NAME fuzz.run COMMAND sinter_fuzz --seed 20240229)
set_tests_properties(fuzz.run PROPERTIES
  LABELS fuzz TIMEOUT 3600 COST 60 ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")
# CUDA text, compiled by the host's compiler: a third of a second per graph.
add_test(NAME fuzz.text COMMAND sinter_fuzz --seed 20240301 --device host --seconds 20 --share 90)
set_tests_properties(fuzz.text PROPERTIES
  LABELS fuzz TIMEOUT 600 ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")

# tests/fuzz_files/*.cpp: damaged files for every reader. Six seconds, or SINTER_FUZZ_FILES_SECONDS;
# always the same files.
sinter_glob(sources ${CMAKE_CURRENT_SOURCE_DIR}/fuzz_files)
sinter_program(sinter_file_fuzz ${sources})
foreach(module IN ITEMS sinter_llvm sinter_cuda)
  if(TARGET ${module})
    add_dependencies(sinter_file_fuzz ${module})
  endif()
endforeach()
add_test(NAME fuzz.files COMMAND sinter_file_fuzz --seed 20240229)
set_tests_properties(fuzz.files PROPERTIES
  LABELS fuzz TIMEOUT 3600 ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")
