# Compiles through ccache if it is installed and no other launcher is set.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SINTER_CCACHE ccache)
  find_program(SINTER_ENV env)
  mark_as_advanced(SINTER_CCACHE SINTER_ENV)
  if(SINTER_CCACHE AND SINTER_ENV)
    # Without the sloppiness ccache rejects every file with a precompiled header; hashing the build
    # folder would keep build trees from sharing identical objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${SINTER_ENV} CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=true
        ${SINTER_CCACHE})
  endif()
endif()
