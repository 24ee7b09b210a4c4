# 64-bit ARM by Debian's cross compiler (package g++-aarch64-linux-gnu); programs run here under qemu-user (qemu-user-static).
#
#   cmake --preset arm64 && cmake --build --preset arm64 && ctest --preset arm64
#
# PLUMB_ARM64_SYSROOT is a folder that toolchains/arm64_sysroot.sh has filled; without it there is what the compiler itself
# brings, which is enough for the core.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PLUMB_ARM64_SYSROOT)
if(PLUMB_ARM64_SYSROOT)
  set(CMAKE_SYSROOT ${PLUMB_ARM64_SYSROOT})
  set(plumb_arm64 ${PLUMB_ARM64_SYSROOT})
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PLUMB_ARM64_SYSROOT})
  set(ENV{PKG_CONFIG_LIBDIR}
    ${PLUMB_ARM64_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${PLUMB_ARM64_SYSROOT}/usr/share/pkgconfig)
else()
  set(plumb_arm64 /usr/aarch64-linux-gnu)
endif()
set(CMAKE_FIND_ROOT_PATH ${plumb_arm64})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(PLUMB_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(PLUMB_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PLUMB_QEMU};-L;${plumb_arm64})
endif()
