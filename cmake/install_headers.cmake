# Copies the promised headers of the rooms, and what they include, to include/plumbline. Run by `cmake --install`, with
#   PLUMB_FROM     the checkout
#   PLUMB_TO       the folder to install to, without DESTDIR
#   PLUMB_HEADERS  the promised headers, from the checkout
cmake_policy(VERSION 3.25)
set(wanted ${PLUMB_HEADERS})
set(seen "")
while(wanted)
  list(POP_FRONT wanted header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  file(STRINGS ${PLUMB_FROM}/${header} lines REGEX "^ *# *include \"core/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*\"(core/[^\"]*)\".*" "\\1" included "${line}")
    list(APPEND wanted ${included})
  endforeach()
endwhile()
foreach(header IN LISTS seen)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL DESTINATION ${PLUMB_TO}/${folder} TYPE FILE FILES ${PLUMB_FROM}/${header})
endforeach()
