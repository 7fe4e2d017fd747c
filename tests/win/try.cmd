@echo off
rem Tries a build on a real desktop, as CI does: try.cmd DIST TESTS OUT
rem   DIST   the folder with uimon.exe
rem   TESTS  the folder with the test programs, such as build\msvc\tests
rem   OUT    a folder for what they write, which is made
rem The exit code is how many of these went wrong; each that did is named.
setlocal
if "%~3"=="" echo usage: try.cmd DIST TESTS OUT >&2 & exit /b 2
set "dist=%~f1"
set "tests=%~f2"
set "out=%~f3"
set bad=0
if not exist "%out%" mkdir "%out%"

"%dist%\uimon.exe" --version
if not %errorlevel%==0 call :wrong "uimon --version"

rem It fails (1) if it finds something that keeps uimon from measuring, and says what.
"%dist%\uimon.exe" doctor --json "%out%\doctor.json"
if not %errorlevel%==0 if not %errorlevel%==1 call :wrong "uimon doctor"

"%tests%\unit_tests.exe" >"%out%\unit.txt"
if not %errorlevel%==0 call :wrong "the unit tests"
"%tests%\transport_win32.exe" >"%out%\transport.txt"
if not %errorlevel%==0 call :wrong "the transport tests"
"%tests%\message_names_win32.exe"
if not %errorlevel%==0 call :wrong "the names of messages"

rem Five milliseconds: these machines are shared with others.
"%dist%\uimon.exe" --interactions --json "%out%\demo.json" --launch "%dist%\uimon-demo.exe" --exit --delay 3000 --play 150,spin:80,300,sent:150,1000,50 --log "%out%\demo.log"
if not %errorlevel%==0 call :wrong "uimon demo"
"%tests%\judge.exe" "%out%\demo.json" "%out%\demo.log" 5
if not %errorlevel%==0 call :wrong "what uimon demo measured"

rem A 32-bit program, built beside the tests.
set "demo32=%tests%\..\..\mingw32\tests\demo32.exe"
if not exist "%demo32%" set "demo32=%tests%\..\..\msvc32\tests\demo32.exe"
set "played=--exit --delay 3000 --play 50,100,300,1000"
"%dist%\uimon.exe" --headless --json "%out%\demo32.json" --launch "%demo32%" --log "%out%\demo32.log" %played%
if not %errorlevel%==0 call :wrong "uimon with a 32-bit program"
"%tests%\judge.exe" "%out%\demo32.json" "%out%\demo32.log" 5
if not %errorlevel%==0 call :wrong "what it measured of a 32-bit program"

echo %bad% went wrong
exit /b %bad%

:wrong
echo WRONG: %~1
set /a bad=bad+1
exit /b
