# plumb_harden(TARGET): what release builds check while they run: the stack, sizes of what the C library writes, bounds of
# the standard library's containers. Of the rooms that every byte of an artifact passes through it would cost up to 7 %
# (callgrind, small pieces), and these have tests under sanitizers and fuzzers at every byte instead.
function(plumb_harden target)
  if(PLUMB_DEVELOPER AND NOT EMSCRIPTEN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-fstack-protector-strong>)
    target_compile_definitions(${target} PRIVATE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2> $<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>)
  endif()
endfunction()

# plumb_library(NAME room [LINKS room...] [FOLDER folder] [FILES file...] [EXCEPT file...] [GENERATED file...]
#               HEADERS header...)
#
# A room of the core: core/NAME as the static library plumbline::NAME.
#
#   LINKS      the rooms that it uses; it may use what these use too, and nothing else. Held twice: `core_rooms` links each
#              room with these alone, and tests/house reads these lines and holds the sources' includes against them.
#   FOLDER     where its files are, if not in core/NAME
#   FILES      its sources, if not all below the folder
#   EXCEPT     sources of the folder that are another room's
#   GENERATED  sources that the build writes
#   HOT        every byte of an artifact passes through it: built for speed, not hardened; all others are small
#   HEADERS    what other programs are promised, from the folder. They are installed with all that they include
#              (cmake/install_headers.cmake).
#
# Rooms are position independent, since libplumbline.so is made of them, and hide their symbols, which keeps that from
# costing anything: a hidden function is called and inlined as in a program.
function(plumb_library)
  cmake_parse_arguments(PARSE_ARGV 0 room "HOT" "NAME;FOLDER" "LINKS;FILES;EXCEPT;GENERATED;HEADERS")
  if(room_UNPARSED_ARGUMENTS OR NOT room_HEADERS)
    message(FATAL_ERROR "plumb_library(NAME ${room_NAME}): HEADERS are needed, and '${room_UNPARSED_ARGUMENTS}' is not known")
  endif()
  if(NOT room_FOLDER)
    set(room_FOLDER core/${room_NAME})
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/${room_FOLDER})
  if(room_FILES)
    list(TRANSFORM room_FILES PREPEND ${folder}/ OUTPUT_VARIABLE sources)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(TRANSFORM room_EXCEPT PREPEND ${folder}/ OUTPUT_VARIABLE others)
    list(REMOVE_ITEM sources ${others})
  endif()
  set(target plumbline_${room_NAME})
  plumb_units(units ${room_NAME} ${sources})
  add_library(${target} STATIC ${units} ${room_GENERATED})
  add_library(plumbline::${room_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room_NAME} OUTPUT_NAME plumbline-${room_NAME})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/plumbline>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM room_LINKS PREPEND plumbline_ OUTPUT_VARIABLE links)
  target_link_libraries(${target} PUBLIC ${links} PRIVATE $<BUILD_INTERFACE:plumb_options>)
  if(NOT EMSCRIPTEN)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
  endif()
  if(NOT room_HOT)
    plumb_harden(${target})
  endif()
  if(PLUMB_DEVELOPER AND NOT EMSCRIPTEN AND (NOT room_HOT OR (PLUMB_EDGE AND NOT room_NAME STREQUAL "json")))
    # Half the size, and a third less to compile. Models take seconds, these microseconds.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()

  list(TRANSFORM room_HEADERS PREPEND ${room_FOLDER}/ OUTPUT_VARIABLE headers)
  set_property(GLOBAL APPEND PROPERTY PLUMB_ROOMS ${target})
  set_property(GLOBAL APPEND PROPERTY PLUMB_ROOM_SOURCES ${sources})
  set_property(GLOBAL APPEND PROPERTY PLUMB_ROOM_HEADERS ${headers})
endfunction()

# plumb_rooms_complete(): plumb_core, which is all rooms, and core_rooms, which is built where every room links with what it
# names and nothing else. A source that is in no room is an error.
function(plumb_rooms_complete)
  get_property(rooms GLOBAL PROPERTY PLUMB_ROOMS)
  get_property(known GLOBAL PROPERTY PLUMB_ROOM_SOURCES)
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/*.cpp)
  list(REMOVE_ITEM all ${known})
  if(all)
    message(FATAL_ERROR "these are in no room; add a plumb_library() to cmake/rooms.cmake, or FILES: ${all}")
  endif()
  add_library(plumb_core INTERFACE)
  target_link_libraries(plumb_core INTERFACE ${rooms} plumb_options)
  add_library(plumbline::core ALIAS plumb_core)
  if(EMSCRIPTEN OR NOT PLUMB_DEVELOPER)
    return()
  endif()
  set(program ${PROJECT_BINARY_DIR}/generated/empty_program.cpp)
  file(CONFIGURE OUTPUT ${program} CONTENT "int main() {}\n" @ONLY)
  add_custom_target(core_rooms)
  foreach(room IN LISTS rooms)
    add_executable(${room}_alone EXCLUDE_FROM_ALL ${program})
    target_link_libraries(${room}_alone PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${room}>)
    set_target_properties(${room}_alone PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/rooms)
    add_dependencies(core_rooms ${room}_alone)
  endforeach()
endfunction()
