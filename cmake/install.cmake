# Headers, libraries, CMake package and pkg-config file. The command installs itself in cli/.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomtime")

install(DIRECTORY include/bloomtime TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(TARGETS bloomtime EXPORT bloomtime)
if(TARGET bloomtime_shared)
  install(TARGETS bloomtime_shared EXPORT bloomtime)
endif()
install(EXPORT bloomtime
        FILE bloomtimeConfig.cmake
        NAMESPACE bloomtime::
        DESTINATION "${package_dir}")

write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/bloomtimeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/bloomtimeConfigVersion.cmake" DESTINATION "${package_dir}")

# Relative to the file itself, so that the prefix may be chosen when installing.
file(RELATIVE_PATH pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/bloomtime.pc.in "${PROJECT_BINARY_DIR}/bloomtime.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/bloomtime.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
