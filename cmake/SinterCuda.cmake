# Sets SINTER_HAVE_CUDA: the toolkit's headers. No CUDA library is linked, nvcc is not used.
set(SINTER_HAVE_CUDA OFF)
if(NOT SINTER_CUDA STREQUAL "OFF")
  file(GLOB versions /usr/local/cuda-*)
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  set(roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_PATH} $ENV{CUDA_HOME}
      /usr/local/cuda ${versions} /opt/cuda)
  find_path(SINTER_CUDA_INCLUDE_DIR NAMES nvrtc.h HINTS ${roots}
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_library(SINTER_CUDA_NVRTC NAMES nvrtc HINTS ${roots}
               PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
  mark_as_advanced(SINTER_CUDA_INCLUDE_DIR SINTER_CUDA_NVRTC)
  if(SINTER_CUDA_INCLUDE_DIR AND EXISTS ${SINTER_CUDA_INCLUDE_DIR}/cuda.h)
    set(SINTER_HAVE_CUDA ON)
    # Only a hint for dlopen: the loader's own search comes first.
    set(SINTER_CUDA_LIBDIR "")
    if(SINTER_CUDA_NVRTC)
      get_filename_component(SINTER_CUDA_LIBDIR ${SINTER_CUDA_NVRTC} DIRECTORY)
    endif()
    file(STRINGS ${SINTER_CUDA_INCLUDE_DIR}/cuda.h line REGEX "#define CUDA_VERSION [0-9]+")
    string(REGEX REPLACE ".* ([0-9]+)0([0-9])0$" "\\1.\\2" version "${line}")
  elseif(NOT SINTER_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "SINTER_CUDA=${SINTER_CUDA}: cuda.h and nvrtc.h were not found; "
                        "set CUDAToolkit_ROOT")
  endif()
endif()
if(SINTER_HAVE_CUDA)
  message(STATUS "sinter: CUDA module: on (CUDA ${version})")
elseif(SINTER_CUDA STREQUAL "OFF")
  message(STATUS "sinter: CUDA module: left out (SINTER_CUDA=OFF)")
else()
  message(STATUS "sinter: CUDA module: left out (no CUDA toolkit found)")
endif()
