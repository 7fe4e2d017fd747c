@echo off
rem The developer command on Windows: needs Visual Studio's x64 command prompt, CMake, Ninja and
rem vcpkg (VCPKG_ROOT; that of Visual Studio itself will do). Sanitizers and fuzzers run on Linux:
rem ./run test
setlocal
cd /d "%~dp0"
if "%VCPKG_ROOT%"=="" echo run: set VCPKG_ROOT to the folder of vcpkg >&2 & exit /b 1
where cl >nul 2>nul || (echo run: start this from the x64 Native Tools Command Prompt >&2 & exit /b 1)

set command=%1
if "%command%"=="" set command=build
if "%command%"=="help" goto usage
for %%c in (build test uimon demo) do if "%command%"=="%%c" goto build
:usage
echo usage: run [build ^| test ^| test e2e [WORD] ^| uimon ARG... ^| demo ARG...]
exit /b 2

:build
if not exist build\msvc\build.ninja cmake --preset msvc || exit /b 1
cmake --build --preset msvc --target product || exit /b 1
cmake --install build\msvc --prefix dist\windows-x64 >nul || exit /b 1
call :build32 || exit /b 1
if "%command%"=="build" exit /b 0
if "%command%"=="test" goto test

rem The tail as it was typed: word by word it would end at each = , and ; too
set args=%*
if "%command%"=="uimon" set args=%args:*uimon=%
dist\windows-x64\uimon.exe %args%
exit /b

rem The end-to-end tests move the mouse and type: leave the machine alone meanwhile
:test
cmake --build --preset msvc || exit /b 1
if not "%2"=="e2e" ctest --preset msvc & exit /b
set UM_DIST=%cd%\dist\windows-x64
set UM_TEST_BIN=%cd%\build\msvc\tests
set UM_TMP=%cd%\build\e2e
if not exist "%UM_TMP%" mkdir "%UM_TMP%"
"%UM_TEST_BIN%\e2e_tests.exe" %3
exit /b

rem What 32-bit programs need, with the compiler for x86 of the same Visual Studio
:build32
setlocal
call "%VCINSTALLDIR%Auxiliary\Build\vcvarsamd64_x86.bat" >nul || exit /b 1
if not exist build\msvc32\build.ninja cmake --preset msvc32 || exit /b 1
cmake --build --preset msvc32 --target product || exit /b 1
cmake --install build\msvc32 --prefix dist\windows-x64 >nul
exit /b
