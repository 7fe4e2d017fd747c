#!/bin/bash
# Whether the end-to-end part of the gate says the same each time: runs it N times (10), every second time
# beside one busy loop a processor, and prints a line a run. Exit code 1 if one of them was red; the logs of
# those are kept in build/prove_gate-RUN.
#
#   tests/prove_gate.sh [N]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
mkdir -p build
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
