#!/bin/bash
# `./run check`: format, dialect, layering, references, names, the pages of options, lint, static
# analysis, and the reach of the inputs of fuzzers. Needs what build/native-debug and build/mingw64
# hold: libraries, and how each file is compiled; and the fuzzers of build/fuzz-coverage.
#
#   tools/check.sh [quick]    quick: what needs no analysis, as the gate asks it
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
log=$root/build/log
bad=0

# report NAME OUTPUT-FILE: an empty file means that all is well, a missing one that nothing was checked.
report() {
    if [ ! -e "$2" ] || [ -s "$2" ]; then
        printf '%-12s FAILED\n' "$1"
        head -n 60 "$2"
        bad=1
    else
        printf '%-12s ok\n' "$1"
    fi
}

mapfile -t sources < <(find base clr ipc metrics markers hooks monitor overlay names demo tests tools -name '*.c' | sort)
mapfile -t headers < <(find base clr ipc metrics markers hooks monitor overlay names demo tests tools -name '*.h' | sort)
[ ${#sources[@]} -gt 0 ] || { echo "check: no sources" >&2 && exit 1; }
mapfile -t shipped < <(printf '%s\n' "${sources[@]}" | grep -vE '^(tests|tools)/')

# One line a file; `clang-format -i FILE` mends it.
clang-format --dry-run -Werror "${sources[@]}" "${headers[@]}" 2>&1 |
    sed -nE 's/^([^ :]+):([0-9]+):.* error: .*/\1 line \2 is not as clang-format wants it/p' |
    awk '!seen[$1]++' >"$log/format.log"
report format "$log/format.log"

# What clang-format cannot see: long comment lines, NULL in conditions (`!p`, `p`), `sizeof x` for
# what is not a type, and declarations at first use.
{
    LC_ALL=C.UTF-8 grep -nE '.{101}' "${sources[@]}" "${headers[@]}" | sed 's/$/ [over 100 columns]/'
    grep -nE '== NULL\b|^ *(\} else )?(if|while) \([^"]*!= NULL|(&&|\|\|) [^"]*!= NULL' \
        "${sources[@]}" "${headers[@]}" | grep -vE 'cr_(assert|expect)' | sed 's/$/ [!p, or p]/'
    grep -nE 'sizeof\(\*?[a-z_]+(\[[a-z0-9]*\]|(->|\.)[a-z_]+)*\)' "${sources[@]}" "${headers[@]}" |
        grep -vE 'sizeof\((int|char|double|float|[a-z0-9_]+_t)\)' | sed 's/$/ [sizeof x]/'
    awk -f tools/apart.awk "${sources[@]}" "${headers[@]}"
    awk -f tools/gnu.awk "${sources[@]}" "${headers[@]}"
} >"$log/dialect.log"
report dialect "$log/dialect.log"

# System headers and macros only where the file's name says so. Tests may use what they like, and
# markers/uimon.h is compiled into programs of others.
printf '%s\n' "${sources[@]}" "${headers[@]}" | grep -vE '^tests/|^markers/uimon\.h$|_(win32|posix|sdl|x11)\.[ch]$' |
    xargs -r grep -nE '#[ \t]*include[ \t]*<(windows|win[a-z]+|dbghelp|tlhelp32|psapi|shellapi|shlobj|dwmapi|unistd|fcntl|pthread|poll|dlfcn|signal|X11|xcb|sys|netinet|SDL)[./_A-Za-z0-9]*>|\b(_WIN32|_WIN64|__linux__|__unix__|_MSC_VER|__MINGW32__)\b' \
        >"$log/layering.log"
# Arrows between folders as tools/rooms.txt allows them; it may name only what stands above.
for file in "${sources[@]}" "${headers[@]}"; do
    case $file in tests/* | tools/*) continue ;; esac
    sed -nE "s|^[ \t]*#[ \t]*include[ \t]*\"(.*)\".*|$file \1|p" "$file"
done | awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    FNR == NR && !/^#/ && NF {
        room = $1
        sub(/:$/, "", room)
        for (i = 2; i <= NF; i++) {
            if (!($i in rooms)) print "tools/rooms.txt: " room " names " $i ", which does not stand above it"
            allowed[room, $i] = 1
        }
        rooms[room] = allowed[room, room] = 1
        next
    }
    FNR == NR { next }
    { from = folder($1); to = folder($2) }
    from == "monitor" { next } # main.c joins all rooms
    !(from in rooms) { print $1 ": tools/rooms.txt does not know " from }
    (from in rooms) && !((from, to) in allowed) { print $1 ": " from " may not include " $2 }
' tools/rooms.txt - >>"$log/layering.log"
# base/plain is what the hook DLL shares with the rest, so it needs no C library.
for file in base/plain/*.c; do
    case $file in *_posix.c) continue ;; esac
    x86_64-w64-mingw32-gcc -std=c11 -Os -ffreestanding -fno-builtin -DUNICODE -D_WIN32_WINNT=0x0A00 \
        -I. -c "$file" -o "$log/plain.o" && nm -u "$log/plain.o" |
        grep -vE ' U (um_|__imp_)' | sed "s|^|$file is not freestanding:|"
done >>"$log/layering.log" 2>&1
report layering "$log/layering.log"

# Files that documents and comments name, and links: do they exist, are they installed?
python3 tools/references.py >"$log/references.log" 2>&1
report references "$log/references.log"

# What wire.c (clock_win32.c) exports begins with um_wire_ (um_clock_), the demo's with um_demo_….
rooms=$(sed -nE 's#^((monitor|base)/)?([a-z]+):.*#\3#p' tools/rooms.txt | grep -vxE 'hooks|markers')
for build in native-debug mingw64; do
    for room in $rooms; do
        nm -A -g --defined-only "build/$build/libum_$room.a" 2>/dev/null ||
            echo "build/$build has no library of $room"
    done
    [ "$build" = mingw64 ] || continue
    for file in hooks/*.c; do # no library: its objects are looked at, and not those of old names
        [ "$file" != hooks/main_win32.c ] || continue
        nm -A -g --defined-only "build/$build/CMakeFiles/uimon-hook64.dir/$file.obj" 2>/dev/null |
            sed "s|^.*/|hooks:|"
        [ "${PIPESTATUS[0]}" = 0 ] || echo "build/$build has no object of $file"
    done
done | awk '
    / has no (library|object) of / { print; next }
    {
        split($1, part, ":")
        file = part[2]
        sub(/\.c\.(o|obj)$/, "", file)
        sub(/_(win32|posix|sdl|x11|zlib)$/, "", file)
        if ($NF ~ /^\./ || $NF ~ /^__?(asan|tsan|odr)/) next
        if (part[1] == "hooks" && $NF ~ /^(DllMainCRTStartup|memcpy|memset)$/) next # fixed names
        if (part[1] ~ /demo/) file = "demo_" file
        if (index($NF, "um_" file "_") != 1 && $NF != "um_" file) print file ".c exports " $NF
    }' | sort -u >"$log/names.log"
report names "$log/names.log"

# docs/options/ is as the tables of options and commands have it.
mkdir -p "$log/options" && rm -f "$log"/options/*.md
{
    build/native-debug/options_pages "$log/options" && diff -r "$log/options" docs/options ||
        echo "write docs/options anew: build/native-debug/options_pages docs/options"
} >"$log/options.log" 2>&1
report options "$log/options.log"

[ "${1-}" != quick ] || exit $bad

# tidy PRESET ARG...: the files that standard input names, compiled as PRESET compiles them.
tidy() {
    xargs -r -P "$(nproc)" -n 4 clang-tidy -p "build/$1" --quiet \
        --extra-arg=-Wno-unknown-warning-option --extra-arg=-Qunused-arguments "${@:2}"
}

# Windows' files as clang compiles for mingw-w64, whose headers it finds by the target's name.
code=0
{
    printf '%s\n' "${shipped[@]}" | grep -v '_win32\.c$' | tidy native-debug || code=$?
    printf '%s\n' "${shipped[@]}" | grep '_win32\.c$' |
        tidy mingw64 --extra-arg=--target=x86_64-w64-mingw32 || code=$?
} >"$log/clang-tidy-notes.log" 2>&1
grep -E ' (error|warning): ' "$log/clang-tidy-notes.log" | sort -u >"$log/clang-tidy.log"
if [ $code != 0 ] && [ ! -s "$log/clang-tidy.log" ]; then
    echo "clang-tidy did not run:" | cat - "$log/clang-tidy-notes.log" >"$log/clang-tidy.log"
fi
report clang-tidy "$log/clang-tidy.log"

# It takes out-parameters of functions that it does not know for reads: no uninitvar, which the
# compilers and clang's analyzer watch over. It does not expand the macros of frames.def.
printf '%s\n' "${shipped[@]}" |
    xargs -r cppcheck --quiet --std=c11 -j "$(nproc)" -I . --library=windows --inline-suppr \
        --enable=warning,performance,portability --suppress=missingInclude \
        --suppress=uninitvar --suppress=arrayIndexThenCheck \
        --suppress=unknownMacro:ipc/frames.def --suppress=syntaxError:ipc/frames.def \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        >"$log/cppcheck.log" 2>&1
report cppcheck "$log/cppcheck.log"

# What the fuzzers' committed inputs reach of the files that they are for.
tools/fuzz-coverage.sh --below >"$log/fuzz-reach.log" 2>&1
report fuzz-reach "$log/fuzz-reach.log"

shellcheck -x run .ci/run tools/*.sh >"$log/shellcheck.log" 2>&1
report shellcheck "$log/shellcheck.log"
exit $bad
