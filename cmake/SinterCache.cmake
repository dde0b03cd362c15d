# Compiles through ccache when it is there and nobody chose another launcher.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SINTER_CCACHE ccache)
  find_program(SINTER_ENV env)
  mark_as_advanced(SINTER_CCACHE SINTER_ENV)
  if(SINTER_CCACHE AND SINTER_ENV)
    # Without the sloppiness ccache refuses every file that uses a precompiled header; hashing the
    # build folder would keep build trees from sharing objects that differ in nothing.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${SINTER_ENV} CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=true
        ${SINTER_CCACHE})
  endif()
endif()
