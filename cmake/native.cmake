# native: does; the command `plumb` and what it is made of.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(ZLIB REQUIRED)
# The distribution's cpp-httplib is a shared library whose macros must be the same here as there.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)

# Without the client of NATS everything is built but the store on it, which says so when it is asked for.
pkg_check_modules(nats IMPORTED_TARGET libnats)

# A proxied call is some fifty small blocks, for which this allocator takes less time than the C library's
# (tests/load/proxy_bench.py). Not in a build that looks at memory itself, nor in the small one, which takes what every
# system has.
find_library(PLUMB_ALLOCATOR mimalloc)
option(PLUMB_OWN_ALLOCATOR "the C library's allocator, though libmimalloc-dev is there" OFF)

include(cmake/openapi.cmake)

# Code that runs once per command, or that waits for a model, a process or a person, is built for size: a fifth less to compile.
set(native_rooms_small cli config lsp mcp control host outcome command process provider git workflow story events)
list(TRANSFORM native_rooms_small REPLACE "(.+)" "native/\\1/*.cpp")
file(GLOB native_once CONFIGURE_DEPENDS ${native_rooms_small})
list(REMOVE_ITEM native_once ${PROJECT_SOURCE_DIR}/native/cli/string_instances.cpp)
set_source_files_properties(${native_once} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)

# Everything but main() is a library, so that native_tests can use it too.
file(GLOB_RECURSE native_sources CONFIGURE_DEPENDS native/*.cpp)
list(REMOVE_ITEM native_sources ${PROJECT_SOURCE_DIR}/native/cli/main.cpp ${PROJECT_SOURCE_DIR}/native/cli/string_instances.cpp)
if(nats_FOUND)
  list(REMOVE_ITEM native_sources ${PROJECT_SOURCE_DIR}/native/store/without_nats.cpp)
else()
  message(STATUS "libnats-dev is not installed: no store on NATS")
  file(GLOB nats_users CONFIGURE_DEPENDS native/store/nats/*.cpp)
  list(REMOVE_ITEM nats_users ${PROJECT_SOURCE_DIR}/native/store/nats/nats_address.cpp)
  list(REMOVE_ITEM native_sources ${nats_users})
endif()
# The edge build is without work on repositories, without stories and workflows.
if(PLUMB_EDGE)
  list(REMOVE_ITEM native_sources ${PROJECT_SOURCE_DIR}/native/cli/work_setup.cpp ${PROJECT_SOURCE_DIR}/native/cli/staged_files.cpp)
  set_source_files_properties(core/pipelines/pipelines.cpp PROPERTIES COMPILE_DEFINITIONS PLUMB_EDGE)
else()
  list(REMOVE_ITEM native_sources ${PROJECT_SOURCE_DIR}/native/cli/without_work.cpp)
endif()
plumb_units(native_units native ${native_sources})
add_library(plumb_native STATIC ${native_units} ${PLUMB_OPENAPI_SOURCE})
target_link_libraries(plumb_native PUBLIC plumb_core CLI11::CLI11 spdlog::spdlog yaml-cpp SQLiteCpp ZLIB::ZLIB PkgConfig::httplib
  OpenSSL::SSL OpenSSL::Crypto Threads::Threads $<TARGET_NAME_IF_EXISTS:PkgConfig::nats>)
# What is fast stands in the core; these files are mostly other people's templates, slow to compile.
target_compile_options(plumb_native PRIVATE $<IF:$<OR:$<BOOL:${PLUMB_SANITIZE}>,$<CONFIG:Quick>>,-O0,$<IF:$<BOOL:${PLUMB_EDGE}>,-Os,-O2>>)
plumb_harden(plumb_native)
if(PLUMB_EDGE)
  target_compile_definitions(plumb_native PUBLIC PLUMB_EDGE)
endif()
target_compile_definitions(plumb_native PRIVATE PLUMB_VERSION="${PROJECT_VERSION}")

add_executable(plumb native/cli/string_instances.cpp native/cli/main.cpp)
target_compile_options(plumb PRIVATE $<$<NOT:$<OR:$<BOOL:${PLUMB_SANITIZE}>,$<CONFIG:Quick>>>:-O2>)
target_link_libraries(plumb PRIVATE plumb_native)
target_compile_definitions(plumb PRIVATE PLUMB_VERSION="${PROJECT_VERSION}")
# Its tables of functions are read only once it runs. (Position independent it is by the compiler's default;
# tests/packaging looks at both.)
target_link_options(plumb PRIVATE -Wl,-z,relro,-z,now)
if(PLUMB_ALLOCATOR AND NOT PLUMB_OWN_ALLOCATOR AND NOT PLUMB_EDGE AND NOT PLUMB_SANITIZE)
  # Before the C library, whose functions it takes the place of; nothing names it.
  target_link_options(plumb PRIVATE -Wl,--push-state,--no-as-needed ${PLUMB_ALLOCATOR} -Wl,--pop-state)
endif()
set_target_properties(plumb PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PLUMB_BIN_DIR})
