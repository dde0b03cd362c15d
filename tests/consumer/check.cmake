# Builds and runs tests/consumer one WAY: installed (find_package) or subfolder.

set(work ${BUILD}/consumer/${WAY})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${out}\nfailed (${status}): ${command}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

set(options -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=${TYPE})
set(flags ${FLAGS})
if(SANITIZE)
  # The library needs the sanitizer's runtime in the loading program.
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()
list(APPEND options "-DCMAKE_CXX_FLAGS=${flags}")

if(WAY STREQUAL "installed")
  file(REMOVE_RECURSE ${work})
  step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
  # An installation must be relocatable.
  file(RENAME ${work}/first ${work}/moved)
  list(APPEND options -D CMAKE_PREFIX_PATH=${work}/moved)
else()
  # Same flags and no modules, so that ccache has every object of files compiled alone. Unity
  # objects are not cached, so these are built fastest: by whole folders.
  string(TOUPPER "${TYPE}" upper)
  if(UNITY)
    set(TYPE_FLAGS -O0)
  endif()
  list(APPEND options -D SINTER_SOURCE=${SOURCE} -D SINTER_LLVM=OFF -D SINTER_CUDA=OFF
       -D SINTER_WERROR=${WERROR} -D SINTER_UNITY=${UNITY} -D SINTER_UNITY_FILES=40
       -D "SINTER_SANITIZE=${SANITIZE}"
       "-DCMAKE_CXX_FLAGS_${upper}=${TYPE_FLAGS}")
  # A list, which a command line would split.
  set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
endif()

# Samples find their data wherever they are installed and started.
if(WAY STREQUAL "installed")
  file(GLOB samples ${work}/moved/libexec/sinter/*)
  foreach(sample IN LISTS samples)
    step(${CMAKE_COMMAND} -E chdir / ${sample})
  endforeach()
endif()

step(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${work}/build ${options})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/consumer)
message(STATUS "${out}")
