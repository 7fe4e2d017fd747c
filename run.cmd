@echo off
rem The developer command on Windows: needs Visual Studio's x64 command prompt, CMake, Ninja and
rem vcpkg (VCPKG_ROOT). Unit tests, sanitizers and fuzzers run on Linux: ./run test
setlocal
cd /d "%~dp0"
if "%VCPKG_ROOT%"=="" echo run: set VCPKG_ROOT to the folder of vcpkg >&2 & exit /b 1
where cl >nul 2>nul || (echo run: start this from the x64 Native Tools Command Prompt >&2 & exit /b 1)

set command=%1
if "%command%"=="" set command=build
if "%command%"=="help" goto usage
for %%c in (build test uimon demo) do if "%command%"=="%%c" goto build
:usage
echo usage: run [build ^| test ^| uimon ARG... ^| demo ARG...]
exit /b 2

:build
if not exist build\msvc\build.ninja cmake --preset msvc || exit /b 1
cmake --build --preset msvc || exit /b 1
cmake --install build\msvc --prefix dist\windows-x64 >nul || exit /b 1
if "%command%"=="build" exit /b 0
if "%command%"=="test" ctest --preset msvc & exit /b

rem The tail as it was typed: word by word it would end at each = , and ; too
set args=%*
if "%command%"=="uimon" set args=%args:*uimon=%
dist\windows-x64\uimon.exe %args%
exit /b
