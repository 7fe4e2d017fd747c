# CMake toolchain: 64-bit Windows with Debian's mingw-w64, libraries from tools/windows-deps.sh.
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(um_triple x86_64-w64-mingw32)
cmake_path(SET um_deps NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/deps/mingw64)
set(CMAKE_PREFIX_PATH ${um_deps})
# SDL asks for a C++ compiler that it does not use on this system.
set(CMAKE_CXX_COMPILER ${um_triple}-g++-win32)
include(${CMAKE_CURRENT_LIST_DIR}/mingw.cmake)
