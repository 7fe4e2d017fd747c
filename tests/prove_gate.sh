#!/bin/bash
# Whether the end-to-end part of the gate says the same each time: runs it N times (10), every second time
# beside one busy loop a processor, and prints a line a run. Exit code 1 if one of them was red; the logs of
# those are kept in build/prove_gate-RUN.
#
#   tests/prove_gate.sh [N]
#
# Or whether the gate finds faults: puts each of tests/faults into a clone of what is committed, runs the part
# of the gate that its patch names, and prints which test has found it. Exit code 1 if one is not found, or
# its patch no longer applies.
#
#   tests/prove_gate.sh --faults [NAME...]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
root=$PWD
mkdir -p build

# The clone has the libraries of this checkout, and keeps what it has built.
clone() {
    local made=$root/build/faults
    [ -e "$made" ] || git clone -q "$root" "$made" || exit
    git -C "$made" fetch -q origin && git -C "$made" reset -q --hard "$(git rev-parse HEAD)" || exit
    mkdir -p "$made/build"
    [ -e "$made/build/deps" ] || ln -s ../../deps "$made/build/deps"
    cd "$made" || exit
}

# A test that fails, or a program that no longer compiles: the latter proves nothing.
find_fault() {
    local patch=$1 part found
    part=$(sed -n 's/^Found by: //p' "$patch")
    git apply "$patch" || return
    set -f
    # shellcheck disable=SC2086 # a part and a pattern
    ./run test $part >build/fault.out 2>&1
    set +f
    git apply -R "$patch"
    found=$(grep -aoE '\[(FAIL|CRASH)\] [a-z0-9_]+::[a-z0-9_]+' build/fault.out | head -n 1)
    printf '%-16s %s\n' "$(basename "$patch" .patch)" "${found:-NOT FOUND by ./run test $part}"
    [ -n "$found" ]
}

if [ "${1-}" = --faults ]; then
    shift
    names=("$@") found=0 all=0
    [ $# != 0 ] || mapfile -t names < <(basename -s .patch -a tests/faults/*.patch)
    clone
    for name in "${names[@]}"; do
        all=$((all + 1))
        find_fault "$root/tests/faults/$name.patch" && found=$((found + 1))
    done
    echo "$found of $all found"
    exit $((found < all))
fi

runs=${1:-10} red=0 loops=()
trap 'kill "${loops[@]}" 2>/dev/null' EXIT

busy() {
    while :; do :; done
}

for ((run = 1; run <= runs; run++)); do
    beside="on a quiet machine"
    if ((run % 2 == 0)); then
        beside="beside $(nproc) busy loops"
        for ((i = $(nproc); i > 0; i--)); do
            busy &
            loops+=($!)
        done
    fi
    begin=$SECONDS verdict=green
    ./run test e2e >build/prove_gate.out 2>&1 || verdict=red
    [ ${#loops[@]} = 0 ] || kill "${loops[@]}"
    loops=()
    printf 'run %2d, %-22s %4d s  %s: %s\n' $run "$beside" $((SECONDS - begin)) $verdict \
        "$(tail -n 1 build/prove_gate.out)"
    [ $verdict = green ] || {
        red=1
        rm -rf "build/prove_gate-$run"
        cp -r build/log "build/prove_gate-$run" # without its named pipes, on which a reader hangs
        find "build/prove_gate-$run" -type p -delete
        grep -aE '^(run|e2e|x11|win)[a-z-]*: |^  ' build/prove_gate.out
    }
done
exit $red
