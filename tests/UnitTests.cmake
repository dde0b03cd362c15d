sinter_glob(support ${CMAKE_CURRENT_SOURCE_DIR}/support)
add_library(sinter_test_main STATIC catch_main.cpp catch_pch.cpp ${support})
sinter_place(sinter_test_main)
target_link_libraries(sinter_test_main PUBLIC sinter_flags sinter::sinter Threads::Threads
  $<IF:$<TARGET_EXISTS:Catch2::Catch2>,Catch2::Catch2,>)
if(TARGET fmt::fmt)
  target_link_libraries(sinter_test_main PUBLIC fmt::fmt)
endif()
# Tests compile emitted text with the host compiler and read files of the source tree.
target_compile_definitions(sinter_test_main PUBLIC
  SINTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SINTER_BINARY_DIR="${PROJECT_BINARY_DIR}"
  SINTER_HOST_CXX="${CMAKE_CXX_COMPILER}")
target_precompile_headers(sinter_test_main PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/catch.hpp <algorithm> <cmath> <cstdint> <functional> <limits>
  <map> <memory> <optional> <random> <span> <sstream> <string> <string_view> <tuple> <vector>)
# The tested library does the computing: the tests' own code takes a quarter longer to build at -O2.
target_compile_options(sinter_test_main PUBLIC $<$<CONFIG:Release>:-O1>)
# The main file defines what the precompiled header already declares without a runner.
set_source_files_properties(catch_main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# Sanitized code is some ten times slower.
set(timeout 600)
if(SINTER_SANITIZE)
  set(timeout 3000)
  list(APPEND SINTER_TEST_ENVIRONMENT "SINTER_LEAK_CALLS=300")
endif()

# A file without a test case is a mistake, not a pass; Catch2 3 fails by default.
set(fail_if_none "")
if(Catch2_VERSION VERSION_LESS 3)
  set(fail_if_none -w NoTests)
endif()

# A CUDA driver without a GPU. Its soname makes the loader take it for the real one.
if(TARGET sinter_cuda)
  add_library(sinter_fake_cuda SHARED fake_cuda/driver.cpp)
  target_include_directories(sinter_fake_cuda PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(sinter_fake_cuda SYSTEM PRIVATE ${SINTER_CUDA_INCLUDE_DIR})
  target_link_libraries(sinter_fake_cuda PRIVATE sinter_flags)
  set_target_properties(sinter_fake_cuda PROPERTIES
    OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake_cuda)
  # The same for the fake libraries.
  foreach(library IN ITEMS cublas cublas_lt cusolver)
    add_library(sinter_fake_${library} SHARED fake_cuda/${library}.cpp)
    target_include_directories(sinter_fake_${library} PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(sinter_fake_${library} SYSTEM PRIVATE ${SINTER_CUDA_INCLUDE_DIR})
    target_link_libraries(sinter_fake_${library} PRIVATE sinter_flags)
    set_target_properties(sinter_fake_${library} PROPERTIES
      SOVERSION 13 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake_cuda)
  endforeach()
  set_target_properties(sinter_fake_cublas PROPERTIES OUTPUT_NAME cublas)
  set_target_properties(sinter_fake_cublas_lt PROPERTIES OUTPUT_NAME cublasLt)
  set_target_properties(sinter_fake_cusolver PROPERTIES OUTPUT_NAME cusolver SOVERSION 12)
endif()

add_custom_target(sinter_tests)
file(GLOB groups CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_CURRENT_SOURCE_DIR}/unit/*)
foreach(folder IN LISTS groups)
  if(NOT IS_DIRECTORY ${folder})
    message(FATAL_ERROR "${folder}: tests live in tests/unit/<group>/")
  endif()
  get_filename_component(group ${folder} NAME)
  set(is_layer OFF)
  if(group MATCHES "^(ir|codegen|runtime|engine)$")
    set(is_layer ON)
  endif()
  # A layer's tests need that layer; all other groups need the whole library.
  if((is_layer AND NOT TARGET sinter_${group}) OR (NOT is_layer AND NOT TARGET sinter_engine))
    continue()
  endif()
  if(group STREQUAL "fake_cuda" AND NOT TARGET sinter_fake_cuda)
    continue()
  endif()
  sinter_glob(sources ${folder})
  if(NOT sources)
    continue()
  endif()
  add_executable(test_${group} ${sources})
  sinter_place(test_${group})
  target_link_libraries(test_${group} PRIVATE sinter_test_main)
  target_precompile_headers(test_${group} REUSE_FROM sinter_test_main)
  if(group MATCHES "^(fuzz|random)$")
    target_link_libraries(test_${group} PRIVATE sinter_fuzzer)
  endif()
  if(group STREQUAL "fake_cuda")
    target_compile_definitions(test_${group} PRIVATE
      SINTER_FAKE_CUDA="$<TARGET_FILE:sinter_fake_cuda>"
      SINTER_FAKE_CUBLAS="$<TARGET_FILE:sinter_fake_cublas>"
      SINTER_FAKE_CUBLAS_LT="$<TARGET_FILE:sinter_fake_cublas_lt>"
      SINTER_FAKE_CUSOLVER="$<TARGET_FILE:sinter_fake_cusolver>")
    add_dependencies(test_${group} sinter_fake_cuda sinter_fake_cublas sinter_fake_cublas_lt
      sinter_fake_cusolver)
  endif()
  # cuda::std::mdspan needs no nvcc, only its folder.
  if(group STREQUAL "files" AND SINTER_HAVE_CUDA)
    foreach(root IN ITEMS ${SINTER_CUDA_INCLUDE_DIR}/cccl ${SINTER_CUDA_INCLUDE_DIR})
      if(EXISTS ${root}/cuda/std/mdspan)
        target_include_directories(test_files SYSTEM PRIVATE ${root} ${SINTER_CUDA_INCLUDE_DIR})
        target_compile_definitions(test_files PRIVATE SINTER_TEST_CUDA_MDSPAN)
        break()
      endif()
    endforeach()
  endif()
  add_dependencies(sinter_tests test_${group})
  foreach(module IN ITEMS sinter_llvm sinter_cuda)
    if(TARGET ${module})
      add_dependencies(test_${group} ${module})
    endif()
  endforeach()

  set(files "")
  foreach(source IN LISTS sources)
    get_filename_component(file ${source} NAME_WLE)
    list(APPEND files ${file})
  endforeach()
  list(REMOVE_DUPLICATES files)
  foreach(file IN LISTS files)
    add_test(NAME ${group}.${file} COMMAND test_${group} -\# ${fail_if_none} "[#${file}]~[.]")
    set_tests_properties(${group}.${file} PROPERTIES
      LABELS ${group} TIMEOUT ${timeout} ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")
  endforeach()
endforeach()
