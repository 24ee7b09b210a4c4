# The distribution's Emscripten (Debian 12: 3.1.6), with what makes it work for us:
# - the compiler never sees /usr/include: header-only libraries are linked into the build folder (see tests);
# - its cache of system libraries is the one that is shipped, read only;
# - its JavaScript optimiser needs the distribution's acorn, wherever our own node comes from.
find_program(PLUMB_EMCC emcc REQUIRED)
get_filename_component(plumb_emcc_real ${PLUMB_EMCC} REALPATH)
get_filename_component(plumb_emscripten_root ${plumb_emcc_real} DIRECTORY)
if(NOT EXISTS ${plumb_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)
  set(plumb_emscripten_root /usr/share/emscripten)
endif()
set(ENV{NODE_PATH} /usr/share/nodejs)
include(${plumb_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)
