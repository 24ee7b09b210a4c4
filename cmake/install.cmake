# `cmake --install BUILD --component development`: the rooms' libraries and headers, and what find_package(plumbline) and
# pkg-config read. With --component library: libplumbline.so as programs load it.
include(CMakePackageConfigHelpers)
set(plumb_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/plumbline)

get_property(rooms GLOBAL PROPERTY PLUMB_ROOMS)
install(TARGETS ${rooms} EXPORT plumbline-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS plumbline_c EXPORT plumbline-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plumbline COMPONENT development)
get_property(headers GLOBAL PROPERTY PLUMB_ROOM_HEADERS)
install(CODE "
  set(PLUMB_FROM \"${PROJECT_SOURCE_DIR}\")
  set(PLUMB_TO \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/plumbline\")
  set(PLUMB_HEADERS \"${headers}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")" COMPONENT development)

install(EXPORT plumbline-targets NAMESPACE plumbline:: DESTINATION ${plumb_package_folder} COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/plumbline-config-version.cmake
  COMPATIBILITY SameMinorVersion)   # until 1.0 a minor version may change what is promised
configure_file(cmake/plumbline-config.cmake.in ${PROJECT_BINARY_DIR}/generated/plumbline-config.cmake @ONLY)
file(RELATIVE_PATH plumb_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)   # so that the folder may be moved
configure_file(cmake/plumbline.pc.in ${PROJECT_BINARY_DIR}/generated/plumbline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/plumbline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/generated/plumbline-config.cmake
  ${PROJECT_BINARY_DIR}/generated/plumbline-config-version.cmake
  DESTINATION ${plumb_package_folder} COMPONENT development)
