# ./run on a machine where nothing can be installed.
add_test(NAME run.offline COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/run/offline.sh
         ${PROJECT_SOURCE_DIR}/run)
set_tests_properties(run.offline PROPERTIES LABELS run TIMEOUT 60)
