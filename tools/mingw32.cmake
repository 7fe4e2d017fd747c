# CMake toolchain: 32-bit Windows with Debian's mingw-w64. No libraries.
set(CMAKE_SYSTEM_PROCESSOR X86)
set(um_triple i686-w64-mingw32)
include(${CMAKE_CURRENT_LIST_DIR}/mingw.cmake)
