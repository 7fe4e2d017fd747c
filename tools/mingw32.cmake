# CMake toolchain: 32-bit Windows with Debian's mingw-w64, zlib from tools/windows-deps.sh.
set(CMAKE_SYSTEM_PROCESSOR X86)
set(um_triple i686-w64-mingw32)
cmake_path(SET um_deps NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/deps/mingw32)
set(CMAKE_PREFIX_PATH ${um_deps})
include(${CMAKE_CURRENT_LIST_DIR}/mingw.cmake)
