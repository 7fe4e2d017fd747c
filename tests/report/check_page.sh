#!/bin/bash
# Opens a page of `uimon report --html` in headless Chromium and checks what it has made of itself:
#   check_page.sh PAGE FREEZES INTERACTIONS
# FREEZES and INTERACTIONS are those of the recording, as its JSON says; the tables show the worst
# 500 and 50 of them. Says one line and exits 0, or says what is wrong and exits 1.
set -uo pipefail

page=$(realpath "$1")
freezes=$2
interactions=$3
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

fail() {
    echo "check_page: ${page##*/}: $1" >&2
    exit 1
}

# dump ADDRESS-SUFFIX OPTION...: the document after its scripts have run. No network is there to
# be reached: every name resolves to nothing.
dump() {
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$profile" \
        --window-size=1400,1000 --virtual-time-budget=3000 "${@:2}" \
        --dump-dom "file://$page$1" 2>"$profile/stderr"
}

# part ID TAG: the text of the document from the element's beginning to the first end of its kind.
part() {
    tr '\n' ' ' <<<"$document" | grep -o "<$2 [^>]*id=\"$1\".*" | sed "s/<\/$2>.*//"
}

rows() {
    part "$1" table | sed 's/.*<tbody>//' | grep -o '<tr' | wc -l
}

at_most() {
    echo $(($1 < $2 ? $1 : $2))
}

# check HASH OPTION...: loads the page, which must say that it is ready and that nothing failed.
check() {
    document=$(dump "$@")
    [ -n "$document" ] || fail "Chromium shows nothing: $(tail -n 3 "$profile/stderr")"
    local begin=${document%%>*}
    begin+=$(grep -o -m 1 '<html[^>]*>' <<<"$document")
    [[ $begin != *data-error=* ]] || fail "its script has failed: $begin"
    [[ $begin == *data-ready=* ]] || fail "its script did not come to its end"
    local shown=${document%%<script id=\"data\"*}
    ! grep -oE '.{0,40}\b(NaN|undefined)\b' <<<"$shown" >&2 || fail "it shows what is no number"
}

check ""
expected=$(at_most "$freezes" 500)
found=$(rows freezes)
[ "$found" = "$expected" ] || fail "$found rows of freezes, not $expected"
expected=$(at_most "$interactions" 50)
found=$(rows worst)
[ "$found" = "$expected" ] || fail "$found rows of interactions, not $expected"
part verdict p | grep -q '>.*[a-z]' || fail "it has no verdict"
part window span | grep -q 'the whole session' || fail "it does not begin with the whole session"

# The address chooses what is shown; 40 ms are there in every recording.
check "#from=10&to=50&scale=log"
part window span | grep -q '0:00.010 to 0:00.050' || fail "the address does not choose the part"
grep -q '<button[^>]*id="log"[^>]*aria-pressed="true"' <<<"$document" ||
    fail "the address does not choose the scale"
check "" --blink-settings=preferredColorScheme=0 --window-size=700,900

echo "${page##*/}: $freezes freezes, $interactions interactions, as recorded"
