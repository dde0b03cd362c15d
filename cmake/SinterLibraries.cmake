# libsinter.so from the layers, and the two modules it opens at run time.

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
sinter_place(sinter)
set_target_properties(sinter PROPERTIES
  LINKER_LANGUAGE CXX BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN")
target_compile_features(sinter PUBLIC cxx_std_20)
target_include_directories(sinter PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/ir/include>)
target_link_libraries(sinter PRIVATE sinter_flags Threads::Threads ${CMAKE_DL_LIBS})

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
  # LLVM's own -D_GNU_SOURCE is g++'s default, and its NDEBUG is not ours to take over.
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
  # An LLVM outside the loader's path must still be found once we are installed.
  set_target_properties(sinter_llvm PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()

if(SINTER_HAVE_CUDA AND cuda_sources)
  sinter_module(sinter_cuda ${cuda_sources})
  target_include_directories(sinter_cuda SYSTEM PRIVATE ${SINTER_CUDA_INCLUDE_DIR})
  target_compile_definitions(sinter_cuda PRIVATE SINTER_CUDA_LIBDIR="${SINTER_CUDA_LIBDIR}")
endif()
