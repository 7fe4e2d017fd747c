# CMake toolchain: 64-bit Windows with Debian's mingw-w64, libraries from tools/windows-deps.sh.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)

# The win32 thread model: the posix one makes programs depend on libwinpthread.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-win32)
# SDL asks for a C++ compiler that it does not use on this system.
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-win32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

cmake_path(SET um_deps NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/deps/mingw64)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${um_deps})
set(CMAKE_PREFIX_PATH ${um_deps})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_SHARED_LINKER_FLAGS_INIT -static-libgcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-libgcc)
