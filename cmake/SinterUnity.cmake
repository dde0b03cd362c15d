# A typical file has a hundred lines and includes a thousand of headers, which a cold build would
# parse 600 times. SINTER_UNITY compiles sixteen files of a folder at a time instead. Presets for
# editing and for sanitizers leave it off, so that every file is also compiled alone.
option(SINTER_UNITY "Compile the files of a folder together" OFF)
set(SINTER_UNITY_FILES 16 CACHE STRING "How many files are compiled together")

# sinter_unite(<target>): groups its sources by folder, so that file-local names must be unique only
# within a folder, not in the library.
function(sinter_unite target)
  if(NOT SINTER_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^/.*[.]cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND in_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(count 0)
    foreach(source IN LISTS in_${folder})
      math(EXPR part "${count} / ${SINTER_UNITY_FILES}")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
        UNITY_GROUP ${folder}_${part})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ treats a file that is included by another one as a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
