# Runs every sample, from any folder. They are added after the tests, hence the names.
if(SINTER_BUILD_SAMPLES)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/samples/*.cpp
    ${PROJECT_SOURCE_DIR}/samples/idioms/*.cpp)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    find_package(PNG QUIET)
    if(name STREQUAL "photo" AND NOT PNG_FOUND)
      continue()
    endif()
    add_test(NAME samples.${name} COMMAND ${name} WORKING_DIRECTORY /)
    set_tests_properties(samples.${name} PROPERTIES
      LABELS samples TIMEOUT 300 ENVIRONMENT "${SINTER_TEST_ENVIRONMENT}")
  endforeach()
endif()
