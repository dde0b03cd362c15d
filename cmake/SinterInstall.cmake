include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(sinter PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS sinter EXPORT sinterTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(module IN ITEMS sinter_llvm sinter_cuda)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

if(SINTER_CUB_MODULE)
  install(PROGRAMS ${SINTER_CUB_MODULE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

if(EXISTS ${PROJECT_SOURCE_DIR}/engine/include/sinter)
  install(DIRECTORY engine/include/sinter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)
install(EXPORT sinterTargets NAMESPACE sinter:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/sinterConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/sinterConfigVersion.cmake
        DESTINATION ${package})
