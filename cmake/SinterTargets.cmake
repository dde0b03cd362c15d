# Shared by all targets: flags, include root, output folders, rpaths.

add_library(sinter_flags INTERFACE)
target_compile_features(sinter_flags INTERFACE cxx_std_20)
target_compile_options(sinter_flags INTERFACE
  -Wall -Wextra -Wpedantic
  -fno-math-errno
  # Results have the same bits on every backend, which a contracted a*b+c would break.
  -ffp-contract=off
  # Lets g++ inline across exported functions, as clang++ does by default.
  -fno-semantic-interposition)
if(SINTER_WERROR)
  target_compile_options(sinter_flags INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These warnings come from the optimizer, vary with version and level, and are often wrong.
    foreach(name IN ITEMS maybe-uninitialized array-bounds stringop-overflow stringop-overread
                          stringop-truncation restrict free-nonheap-object dangling-pointer
                          use-after-free nonnull null-dereference)
      target_compile_options(sinter_flags INTERFACE -Wno-error=${name})
    endforeach()
  endif()
endif()
if(SINTER_SANITIZE)
  target_compile_options(sinter_flags INTERFACE
    -fsanitize=${SINTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sinter_flags INTERFACE -fsanitize=${SINTER_SANITIZE})
else()
  # The executable resolves sanitizer runtimes, so only plain builds can check for undefined
  # symbols.
  target_link_options(sinter_flags INTERFACE
    $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:-Wl,-z,defs>)
endif()
target_include_directories(sinter_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/engine/include ${PROJECT_SOURCE_DIR}/ir/include)
target_compile_definitions(sinter_flags INTERFACE SINTER_VERSION="${PROJECT_VERSION}")

# sinter_glob(<variable> [<folder>...]): the sources below the folders, including new files.
function(sinter_glob variable)
  set(found "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND found ${files})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# sinter_place(<target>): modules are searched next to libsinter.so, so that a tree can be moved.
function(sinter_place target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    BUILD_RPATH_USE_ORIGIN ON
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  sinter_unite(${target})
endfunction()

# sinter_layer(<name> <source>...): the layer's part of libsinter.so, as a target of its own, so
# that a single layer can be compiled (cmake --build ... --target sinter_<name>).
function(sinter_layer name)
  if(NOT ARGN)
    message(STATUS "sinter: ${name}/ has no sources yet")
    return()
  endif()
  add_library(sinter_${name} OBJECT ${ARGN})
  set_target_properties(sinter_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  sinter_unite(sinter_${name})
  target_link_libraries(sinter_${name} PRIVATE sinter_flags Threads::Threads)
  if(TARGET fmt::fmt-header-only)
    target_link_libraries(sinter_${name} PRIVATE fmt::fmt-header-only)
  endif()
endfunction()

# sinter_program(<target> <source>...): an executable over the library.
function(sinter_program target)
  add_executable(${target} ${ARGN})
  sinter_place(${target})
  target_link_libraries(${target} PRIVATE sinter_flags sinter::sinter Threads::Threads)
  if(TARGET fmt::fmt)
    target_link_libraries(${target} PRIVATE fmt::fmt)
  endif()
endfunction()
