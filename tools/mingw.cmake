# What the toolchains for 32 and 64 bits have in common. They set um_triple ("i686-w64-mingw32")
# and, if there are libraries, their folder um_deps.
set(CMAKE_SYSTEM_NAME Windows)

# The win32 thread model: the posix one makes programs depend on libwinpthread.
set(CMAKE_C_COMPILER ${um_triple}-gcc-win32)
set(CMAKE_RC_COMPILER ${um_triple}-windres)

set(CMAKE_FIND_ROOT_PATH /usr/${um_triple} ${um_deps})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_SHARED_LINKER_FLAGS_INIT -static-libgcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-libgcc)
