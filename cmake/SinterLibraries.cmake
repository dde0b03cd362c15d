# Builds libsinter.so from the layers, and the two modules it opens at run time.

set(objects "")
foreach(layer IN ITEMS ir codegen runtime engine)
  if(TARGET sinter_${layer})
    list(APPEND objects $<TARGET_OBJECTS:sinter_${layer}>)
  endif()
endforeach()
if(NOT objects)
  message(STATUS "sinter: nothing to build yet")
  return()
endif()

add_library(sinter SHARED ${objects})
add_library(sinter::sinter ALIAS sinter)
# Binds calls within the library directly.
target_link_options(sinter PRIVATE -Wl,-Bsymbolic-functions)
sinter_place(sinter)
set_target_properties(sinter PROPERTIES
  LINKER_LANGUAGE CXX BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN")
target_compile_features(sinter PUBLIC cxx_std_20)
target_include_directories(sinter PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/ir/include>)
target_link_libraries(sinter PRIVATE sinter_flags Threads::Threads ${CMAKE_DL_LIBS})
if(SINTER_HIGHWAY)
  target_link_libraries(sinter PRIVATE ${SINTER_HIGHWAY})
endif()

# sinter_module(<name> <source>...): opened with dlopen, never linked by a program.
function(sinter_module name)
  add_library(${name} MODULE ${ARGN})
  sinter_place(${name})
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN")
  target_link_libraries(${name} PRIVATE sinter_flags sinter Threads::Threads ${CMAKE_DL_LIBS})
  if(TARGET fmt::fmt-header-only)
    target_link_libraries(${name} PRIVATE fmt::fmt-header-only)
  endif()
endfunction()

set(llvm_sources "")
set(cuda_sources "")
foreach(layer IN ITEMS codegen runtime)
  if(layer IN_LIST SINTER_LAYERS)
    list(APPEND llvm_sources ${SINTER_${layer}_LLVM})
    list(APPEND cuda_sources ${SINTER_${layer}_CUDA})
  endif()
endforeach()

if(SINTER_HAVE_LLVM AND llvm_sources)
  sinter_module(sinter_llvm ${llvm_sources})
  target_include_directories(sinter_llvm SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
  # LLVM's own -D_GNU_SOURCE is g++'s default, and its NDEBUG must not leak into this code.
  list(REMOVE_ITEM definitions -D_GNU_SOURCE -DNDEBUG)
  target_compile_options(sinter_llvm PRIVATE ${definitions})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(sinter_llvm PRIVATE -fno-rtti)
  endif()
  if(TARGET LLVM)
    target_link_libraries(sinter_llvm PRIVATE LLVM)
  else()
    llvm_map_components_to_libnames(components core orcjit passes native)
    target_link_libraries(sinter_llvm PRIVATE ${components})
  endif()
  # An LLVM outside the loader's path must still be found after installation.
  set_target_properties(sinter_llvm PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()

if(SINTER_HAVE_CUDA AND cuda_sources)
  sinter_module(sinter_cuda ${cuda_sources})
  target_include_directories(sinter_cuda SYSTEM PRIVATE ${SINTER_CUDA_INCLUDE_DIR})
  target_compile_definitions(sinter_cuda PRIVATE SINTER_CUDA_LIBDIR="${SINTER_CUDA_LIBDIR}")
endif()

# Sorting on the GPU: CUB compiled by nvcc, in a module that nothing links. It contains CUDA's
# runtime, hidden.
if(TARGET sinter_cuda AND SINTER_CUB_ABSENT)
  target_compile_definitions(sinter_cuda PRIVATE SINTER_CUB_ABSENT="${SINTER_CUB_ABSENT}")
elseif(TARGET sinter_cuda)
  list(GET SINTER_CUDA_ARCHITECTURES 0 first)
  list(TRANSFORM SINTER_CUDA_ARCHITECTURES PREPEND sm_ OUTPUT_VARIABLE real)
  list(JOIN real "," real)
  set(nvcc ${CMAKE_CXX_COMPILER_LAUNCHER} ${SINTER_NVCC} -O3 -std=c++20 -I${PROJECT_SOURCE_DIR}
      -Xcompiler=-fPIC,-fvisibility=hidden
      -gencode arch=compute_${first},code=[${real},compute_${first}])
  set(source ${PROJECT_SOURCE_DIR}/runtime/cuda/sort.cu)
  set(objects "")
  foreach(bits IN ITEMS 8 16 32 64)
    set(object ${PROJECT_BINARY_DIR}/cub/sort_${bits}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cub
      COMMAND ${nvcc} -DSINTER_KEY_BITS=${bits} -c ${source} -o ${object}
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/runtime/cuda/cub_entry.hpp
              ${PROJECT_SOURCE_DIR}/runtime/cuda/first.cuh
              ${PROJECT_SOURCE_DIR}/runtime/cuda/select.cuh
              ${PROJECT_SOURCE_DIR}/runtime/sorter.hpp
      COMMENT "Building sorting of ${bits}-bit keys with nvcc" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(SINTER_CUB_MODULE ${PROJECT_BINARY_DIR}/lib/libsinter_cub.so)
  add_custom_command(OUTPUT ${SINTER_CUB_MODULE}
    COMMAND ${SINTER_NVCC} -shared -cudart=static -Xlinker=--exclude-libs,ALL -o
            ${SINTER_CUB_MODULE} ${objects}
    DEPENDS ${objects} COMMENT "Linking libsinter_cub.so" VERBATIM)
  add_custom_target(sinter_cub ALL DEPENDS ${SINTER_CUB_MODULE})
  add_dependencies(sinter_cuda sinter_cub)
endif()
