# Sets SINTER_HIGHWAY: Highway's vqsort, which sorts on the CPU (Debian: libhwy-dev). std::sort, the
# fallback, is several times slower.
find_path(SINTER_HIGHWAY_INCLUDE_DIR NAMES hwy/contrib/sort/vqsort.h)
find_library(SINTER_HIGHWAY_CONTRIB NAMES hwy_contrib)
find_library(SINTER_HIGHWAY_BASE NAMES hwy)
mark_as_advanced(SINTER_HIGHWAY_INCLUDE_DIR SINTER_HIGHWAY_CONTRIB SINTER_HIGHWAY_BASE)
set(SINTER_HIGHWAY "")
if(SINTER_HIGHWAY_INCLUDE_DIR AND SINTER_HIGHWAY_CONTRIB AND SINTER_HIGHWAY_BASE)
  set(SINTER_HIGHWAY ${SINTER_HIGHWAY_CONTRIB} ${SINTER_HIGHWAY_BASE})
  message(STATUS "sinter: sorting on the CPU: Highway's vqsort")
else()
  message(STATUS "sinter: sorting on the CPU: std::sort (no Highway found: libhwy-dev)")
endif()
