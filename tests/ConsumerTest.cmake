# The external program, built like a user's: against an installation and as a subfolder.
foreach(way IN ITEMS installed subfolder)
  add_test(NAME consumer.${way} COMMAND ${CMAKE_COMMAND}
    -D WAY=${way}
    -D SOURCE=${PROJECT_SOURCE_DIR}
    -D BUILD=${PROJECT_BINARY_DIR}
    -D GENERATOR=${CMAKE_GENERATOR}
    -D CXX=${CMAKE_CXX_COMPILER}
    -D "FLAGS=${CMAKE_CXX_FLAGS}"
    -D "SANITIZE=${SINTER_SANITIZE}"
    -D "WERROR=${SINTER_WERROR}"
    -D "UNITY=${SINTER_UNITY}"
    -D TYPE=${CMAKE_BUILD_TYPE}
    -D "TYPE_FLAGS=$<IF:$<CONFIG:Debug>,${CMAKE_CXX_FLAGS_DEBUG},${CMAKE_CXX_FLAGS_RELEASE}>"
    -D "LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/check.cmake)
  # In seconds: a long test that starts last leaves the other cores idle.
  set_tests_properties(consumer.${way} PROPERTIES LABELS consumer TIMEOUT 1200 COST 100)
endforeach()
