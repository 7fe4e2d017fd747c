#!/bin/bash
# tools/fuzz-coverage.sh: how many lines of the files that each fuzzer is for its committed inputs
# reach, as tests/fuzz/fuzzers.txt names them. Needs build/fuzz-coverage. Prints one line a file;
# with --below, only those of which fewer than 80 % are reached.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
build=$root/build
# shellcheck source=tools/fuzz-inputs.sh
. "$root/tools/fuzz-inputs.sh"
least=80
work=$root/build/log/fuzz-coverage
mkdir -p "$work"

while read -r name _ _ files; do
    case $name in \#* | "") continue ;; esac
    fuzzer=build/fuzz-coverage/fuzz/$name
    if ! um_inputs_unpack "$name" || [ -z "$(ls "build/fuzz-inputs/$name")" ]; then
        echo "$name has no inputs in tests/fuzz/corpus"
        continue
    fi
    rm -f "$work/$name.profraw"
    LLVM_PROFILE_FILE=$work/$name.profraw "$fuzzer" -runs=0 "build/fuzz-inputs/$name" \
        >"$work/$name.log" 2>&1 || { echo "$name fails on its own inputs: build/log/fuzz-coverage/$name.log" && continue; }
    llvm-profdata merge -o "$work/$name.profdata" "$work/$name.profraw" || continue
    for file in $files; do
        llvm-cov report "$fuzzer" -instr-profile="$work/$name.profdata" "$file" 2>/dev/null |
            awk -v name="$name" -v file="$file" -v least=$least -v below="${1-}" '
                $1 == "TOTAL" { lines = $8; missed = $9 }
                END {
                    if (!lines) { print name ": " file " is not in it"; exit }
                    share = 100 * (lines - missed) / lines
                    if (below == "" || share < least)
                        printf "%s reaches %.0f %% of %s\n", name, share, file
                }'
    done
done <tests/fuzz/fuzzers.txt

# Each fuzzer stands in the table.
for file in tests/fuzz/fuzz_*.c; do
    name=$(basename "$file" .c)
    grep -q "^$name " tests/fuzz/fuzzers.txt || echo "$name is not in tests/fuzz/fuzzers.txt"
done
