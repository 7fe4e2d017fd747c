#!/bin/bash
# Builds the Windows libraries (cJSON, FreeType, SDL2, SDL2_ttf, zlib, yajl) with mingw-w64 from Debian's source
# packages, security patches included, and zlib for 32 bits, too. They are built once a machine: into a folder of
# the user's cache that is named for what they are built from and with, and put into place when it is whole.
# build/deps/mingw64 and mingw32 are links to it.
#
#   windows-deps.sh           builds what is not there
#   windows-deps.sh --ready   links what is there; exit code 1 if something has to be built
#
# Each package is stamped when it is done, so an interrupted run resumes.
#
# The system's package lists are not touched: apt-get reads a copy of them, with the types changed to
# deb-src and the suites narrowed to this release's, and keeps its state beside what is built.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
log=$root/build/log
declare -A triples=([32]=i686-w64-mingw32 [64]=x86_64-w64-mingw32)
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
mkdir -p "$root/build/deps" "$log"

# What the libraries are built from and with: the versions that Debian has, the compilers, and how.
key() {
    {
        echo "$codename"
        apt-cache policy libcjson-dev libfreetype-dev libsdl2-dev libsdl2-ttf-dev zlib1g-dev libyajl-dev 2>/dev/null |
            grep -E '^[a-z]|Candidate:' || :
        for triple in "${triples[@]}"; do
            "$triple-gcc" -v 2>&1 | tail -n 1
        done
        cat "$root/tools/windows-deps.sh" "$root"/tools/mingw*.cmake
    } | sha256sum | cut -c 1-16
}

cache=${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/uimon
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=$root/build/deps/cache
made=$cache/windows-$(key)
deps=$made.part # until all is there
prefix=$deps/mingw64
apt=$deps/apt
mkdir -p "$cache"

# Nothing of what was put into place is missing or different.
is_whole() {
    [ -e "$made/contents" ] && (cd "$made" && sha256sum --check --status contents)
}

# link_to FOLDER: where the build looks for the libraries (tools/mingw64.cmake).
link_to() {
    local bits
    for bits in 32 64; do
        [ "$(readlink "$root/build/deps/mingw$bits")" != "$1/mingw$bits" ] || continue
        rm -rf "$root/build/deps/mingw$bits"
        ln -s "$1/mingw$bits" "$root/build/deps/mingw$bits"
    done
}

if [ "${1-}" = --ready ]; then
    is_whole || exit 1
    link_to "$made"
    exit
fi

exec 9>"$made.lock"
flock 9
if is_whole; then # another clone has built it meanwhile
    link_to "$made"
    exit
fi
rm -rf "$made"
mkdir -p "$deps/stamps" "$prefix/licenses"
link_to "$deps" # SDL2_ttf is built with SDL2

fail() {
    echo "windows-deps: $1" >&2
    exit 1
}

# The system's sources, deb822 and classic, as deb-src of this release alone (no backports).
write_sources() {
    rm -rf "$apt"
    mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    local file n=0
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        n=$((n + 1))
        # Stanzas are separated by empty lines; a line that starts with a blank continues a field.
        awk -v code="$codename" '
            function flush() { if (keep && main && !off) print text; text = ""; keep = main = off = 0 }
            /^#/ { next }
            /^[ \t]*$/ { flush(); next }
            tolower($1) == "types:" { text = text "Types: deb-src\n"; next }
            tolower($1) == "enabled:" && tolower($2) == "no" { off = 1 }
            tolower($1) == "components:" { for (i = 2; i <= NF; i++) main += $i == "main" }
            tolower($1) == "suites:" {
                text = text "Suites:"
                for (i = 2; i <= NF; i++)
                    if ($i == code || $i == code "-updates" || $i == code "-security") {
                        text = text " " $i
                        keep = 1
                    }
                text = text "\n"
                next
            }
            { text = text $0 "\n" }
            END { flush() }' "$file" >"$apt/sources/$n.sources"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] || continue
        n=$((n + 1))
        sed -nE "s/^deb(-src)?[ \t]+((\[[^]]*\][ \t]+)?[^ \t]+[ \t]+$codename(-updates|-security)?[ \t]+(.*[ \t])?main([ \t].*)?)\$/deb-src \2/p" \
            "$file" | sort -u >"$apt/sources/$n.list"
    done
    find "$apt/sources" -type f -empty -delete
    [ -n "$(find "$apt/sources" -type f 2>/dev/null)" ] ||
        fail "no package source for $codename/main in /etc/apt: add Debian's"
}

apt_get() {
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/sources" \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Acquire::Retries=3 \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# Unpacks a Debian source package, patches applied, into $deps/work/PACKAGE/src.
fetch() {
    local package=$1 work=$deps/work/$1
    rm -rf "$work"
    mkdir -p "$work"
    if [ ! -e "$apt/updated" ]; then
        write_sources
        apt_get update >"$log/deps-apt.log" 2>&1 || fail "cannot read the package lists, see build/log/deps-apt.log"
        touch "$apt/updated"
    fi
    (cd "$work" && apt_get source --download-only "$package") >"$log/deps-$package.log" 2>&1 ||
        fail "cannot download the source package $package, see build/log/deps-$package.log"
    (cd "$work" && dpkg-source --no-check -x ./*.dsc src) >>"$log/deps-$package.log" 2>&1 ||
        fail "cannot unpack the source package $package, see build/log/deps-$package.log"
}

# build NAME PACKAGE LICENCE-FILE CMAKE-OPTION...
build() {
    local name=$1 package=$2 licence=$3 work=$deps/work/$2 begin=$SECONDS
    shift 3
    [ ! -e "$deps/stamps/$name" ] || return 0
    echo "windows-deps: $name"
    fetch "$package"
    {
        cmake -S "$work/src" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_TOOLCHAIN_FILE="$root/tools/mingw64.cmake" -DCMAKE_INSTALL_PREFIX="$prefix" \
            -DCMAKE_C_FLAGS="-ffile-prefix-map=$work/=" "$@" &&
            cmake --build "$work/build" && cmake --install "$work/build" --strip
    } >>"$log/deps-$package.log" 2>&1 || {
        tail -n 30 "$log/deps-$package.log" >&2
        fail "$name does not build, see build/log/deps-$package.log"
    }
    cp "$work/src/$licence" "$prefix/licenses/$name.txt"
    rm -rf "$work"
    echo "$((SECONDS - begin)) s" >"$deps/stamps/$name"
}

# compile NAME BITS PACKAGE LICENCE-FILE LIBRARY HEADERS-TO SOURCE... -- HEADER...
# For a package whose own build files cannot do it here: zlib's want a file that Debian leaves out,
# yajl's take each compiler for Windows for Microsoft's. A static library of some sources, and headers
# that go to a folder of include. Files are named relative to the package.
compile() {
    local name=$1 prefix=$deps/mingw$2 triple=${triples[$2]} package=$3 licence=$4 library=$5
    local headers_to=$prefix/include/$6 work=$deps/work/$3 begin=$SECONDS source
    shift 6
    [ ! -e "$deps/stamps/$name" ] || return 0
    echo "windows-deps: $name"
    fetch "$package"
    (
        cd "$work/src" || exit
        prepare_"$package" || exit
        mkdir -p ../objects "$headers_to" "$prefix/lib" "$prefix/licenses" || exit
        while [ "$1" != -- ]; do
            source=$1
            shift
            "$triple-gcc" -O2 -DNDEBUG -I. -Iinclude "-ffile-prefix-map=$work/=" -c "$source" \
                -o "../objects/$(basename "$source" .c).o" || exit
        done
        shift
        rm -f "$prefix/lib/$library"
        "$triple-ar" rcs "$prefix/lib/$library" ../objects/*.o && cp "$@" "$headers_to"
    ) >>"$log/deps-$package.log" 2>&1 || {
        tail -n 30 "$log/deps-$package.log" >&2
        fail "$name does not build, see build/log/deps-$package.log"
    }
    cp "$work/src/$licence" "$prefix/licenses/$name.txt"
    rm -rf "$work"
    echo "$((SECONDS - begin)) s" >"$deps/stamps/$name"
}

prepare_zlib() {
    cp zconf.h.in zconf.h # what its configure does first
}

prepare_yajl() {
    mkdir -p include/yajl && cp src/api/*.h include/yajl
}

build cJSON cjson LICENSE \
    -DBUILD_SHARED_LIBS=OFF -DENABLE_CJSON_TEST=OFF -DENABLE_CUSTOM_COMPILER_FLAGS=OFF
build FreeType freetype docs/FTL.TXT \
    -DBUILD_SHARED_LIBS=OFF -DFT_DISABLE_ZLIB=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON \
    -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON

sdl_off=()
for part in AUDIO JOYSTICK HAPTIC SENSOR HIDAPI POWER OPENGL OPENGLES VULKAN DIRECTX RENDER_D3D; do
    sdl_off+=("-DSDL_$part=OFF")
done
build SDL2 libsdl2 LICENSE.txt \
    -DSDL_SHARED=ON -DSDL_STATIC=OFF -DSDL_TEST=OFF -DSDL2_DISABLE_SDL2MAIN=ON "${sdl_off[@]}"

build SDL2_ttf libsdl2-ttf LICENSE.txt \
    -DBUILD_SHARED_LIBS=ON -DSDL2TTF_HARFBUZZ=OFF -DSDL2TTF_VENDORED=OFF -DSDL2TTF_SAMPLES=OFF

zlib=(zlib LICENSE libz.a "" {adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c -- zlib.h zconf.h)
compile zlib 64 "${zlib[@]}"
compile zlib32 32 "${zlib[@]}"
compile yajl 64 yajl COPYING libyajl_s.a yajl \
    src/yajl{,_alloc,_buf,_encode,_lex,_parser}.c -- include/yajl/yajl_{common,parse}.h
rm -rf "$apt" "$deps/work"

# The C start-up code that mingw-w64 links into every program has notices of its own.
cp /usr/share/doc/mingw-w64-x86-64-dev/copyright "$prefix/licenses/mingw-w64.txt"

# The paths that some of their build files hold.
grep -rlIF "$deps" "$deps"/mingw* | xargs -r sed -i "s|$deps|$made|g"
(cd "$deps" && find mingw32 mingw64 -type f -exec sha256sum {} + >contents)
mv "$deps" "$made"
link_to "$made"
