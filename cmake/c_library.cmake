# libplumbline.so: the ABI of the module that judges (wasm/plumbline.h) for C and whatever calls C. Only what the header
# declares is visible. Until 1.0 a minor version may change the ABI, so the SONAME has it.
add_library(plumbline_c SHARED wasm/abi.cpp wasm/library.cpp wasm/exports.cpp wasm/roles_exports.cpp
  wasm/utf8_from_utf16.cpp wasm/boundary_library.cpp)
add_library(plumbline::c ALIAS plumbline_c)
set(plumb_abi_version ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(plumb_abi_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
set(plumb_abi_map ${PROJECT_BINARY_DIR}/generated/plumbline.map)
file(CONFIGURE OUTPUT ${plumb_abi_map} @ONLY CONTENT
  "PLUMBLINE_@plumb_abi_version@ {\n  global: plumb_*;\n  local: *;\n};\n")
set_target_properties(plumbline_c PROPERTIES EXPORT_NAME c OUTPUT_NAME plumbline VERSION ${PROJECT_VERSION}
  SOVERSION ${plumb_abi_version} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${plumb_abi_map}
  PUBLIC_HEADER wasm/plumbline.h)
target_compile_definitions(plumbline_c PRIVATE PLUMB_VERSION="${PROJECT_VERSION}")
target_include_directories(plumbline_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/wasm>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/plumbline>)
target_link_libraries(plumbline_c PRIVATE $<BUILD_INTERFACE:plumbline_repair> $<BUILD_INTERFACE:plumbline_roles>
  $<BUILD_INTERFACE:plumbline_pipelines> $<BUILD_INTERFACE:plumbline_extract>
  $<BUILD_INTERFACE:plumb_options>)
target_link_options(plumbline_c PRIVATE -Wl,--version-script=${plumb_abi_map} -Wl,--no-undefined -Wl,-z,relro,-z,now)
