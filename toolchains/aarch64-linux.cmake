# 64-bit ARM by Debian's cross compiler (package g++-aarch64-linux-gnu); programs run here under qemu-user (qemu-user-static).
#
#   cmake --preset arm64 && cmake --build --preset arm64 && ctest --preset arm64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(PLUMB_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(PLUMB_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PLUMB_QEMU};-L;/usr/aarch64-linux-gnu)
endif()
