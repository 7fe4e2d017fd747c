# shellcheck shell=bash
# Sourced: the committed inputs of the fuzzers. In tests/fuzz/corpus/FUZZER are those that somebody made,
# a file each with a name; in tests/fuzz/corpus/FUZZER.tar.gz are those that the fuzzer found itself.
#
#   um_inputs_unpack FUZZER   all of them as files, in $build/fuzz-inputs/FUZZER
#   um_inputs_pack FUZZER     what is found in that folder besides becomes the archive
#
# Needs: $root and $build.

: "${root:?}" "${build:?}"

um_inputs_unpack() {
    local from=$root/tests/fuzz/corpus/$1 to=$build/fuzz-inputs/$1
    rm -rf "$to" && mkdir -p "$to" || return
    [ ! -e "$from.tar.gz" ] || tar -xzf "$from.tar.gz" -C "$to" || return
    [ ! -d "$from" ] || cp "$from"/* "$to"
}

# The same inputs give the same archive.
um_inputs_pack() {
    local to=$root/tests/fuzz/corpus/$1 from=$build/fuzz-inputs/$1
    (
        cd "$from" || exit
        find . -type f -printf '%P\n' | LC_ALL=C sort | while read -r name; do
            [ -e "$to/$name" ] || printf '%s\n' "$name"
        done | tar -c --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=644 -T - | gzip -9n >"$to.tar.gz"
    )
}
