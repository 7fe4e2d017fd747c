# shellcheck shell=bash
# Sourced by ./run: a second Wine, that of Debian 13, in a folder of its own. What the two do
# differently rests on neither, so a test that passes under one alone says something about Windows.
#
#   um_wine10_make     makes the folder, once; needs root and debootstrap
#   um_wine10_use      from here on wine, wineboot and wineserver are those of the folder, which is
#                      the root of what they see; needs mounts of one's own (unshare --mount)
# Needs: $root, $build.

: "${root:?}" "${build:?}"
um_wine10=$build/deps/wine10
um_wine10_suite=trixie

um_wine10_make() {
    local in_folder=(chroot "$um_wine10" env DEBIAN_FRONTEND=noninteractive)
    [ ! -e "$um_wine10/made" ] || return 0
    rm -rf --one-file-system "$um_wine10"
    debootstrap --variant=minbase "$um_wine10_suite" "$um_wine10" || return
    "${in_folder[@]}" apt-get install -y --no-install-recommends wine wine64 fonts-dejavu-core || return
    touch "$um_wine10/made"
}

# The wrappers become the program, so that its process is the one that was started. In the folder
# PATH is without them: Debian's wineboot starts `wine`.
um_wine10_use() {
    local path name
    mount --make-rshared / || return # what a test mounts is seen in the folder, too
    for path in /proc /dev /tmp "$root"; do
        mkdir -p "$um_wine10$path"
        mount --rbind "$path" "$um_wine10$path" || return
    done
    mkdir -p "$build/wine10-bin"
    for name in wine wineboot wineserver; do
        cat >"$build/wine10-bin/$name" <<TEXT
#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin exec chroot '$um_wine10' /bin/sh -c 'cd "\$0" && exec $name "\$@"' "\$PWD" "\$@"
TEXT
        chmod +x "$build/wine10-bin/$name"
    done
    PATH=$build/wine10-bin:$PATH
    # shellcheck disable=SC2034 # used by tools/display.sh
    um_wine_kind=10
}
