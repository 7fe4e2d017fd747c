# vcpkg triplet: as in the cross-build, SDL2 and SDL2_ttf are DLLs and everything else is linked in.
# So uimon.exe needs no DLL but the system's.
set(VCPKG_TARGET_ARCHITECTURE x64)
set(VCPKG_CRT_LINKAGE static)
set(VCPKG_LIBRARY_LINKAGE static)
if(PORT MATCHES "^sdl2(-ttf)?$")
  set(VCPKG_LIBRARY_LINKAGE dynamic)
endif()
set(VCPKG_BUILD_TYPE release)
