# shellcheck shell=bash
# What the checks of pages share: `. page.sh PAGE` sets `page`. Each check opens it in headless
# Chromium, says one line and exits 0, or says what is wrong and exits 1.
set -uo pipefail

page=$(realpath "$1")
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

fail() {
    echo "${0##*/}: ${page##*/}: $1" >&2
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
