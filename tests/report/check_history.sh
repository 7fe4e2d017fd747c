#!/bin/bash
# Opens a page of `uimon history show --html` in headless Chromium and checks what it has made of
# itself:
#   check_history.sh PAGE CHANGES SERIES LABEL
# LABEL is that of the newest change. Says one line and exits 0, or says what is wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
changes=$2
series=$3
label=$4

rows_of_changes() {
    part tracks main | sed 's/.*<tbody>//; s/<\/tbody>.*//' | grep -o '<tr' | wc -l
}

count() {
    part tracks main | grep -o "$1" | wc -l
}

expect() {
    [ "$2" = "$3" ] || fail "$2 $1, not $3"
}

check ""
expect changes "$(rows_of_changes)" "$changes"
expect charts "$(count 'role="group"')" "$series"
expect flags "$(count 'class="flag ')" "$changes"
part tracks main | grep -q "since <bdi>$label</bdi>" || fail "it does not name $label"
check "" --blink-settings=preferredColorScheme=0 --window-size=700,900
expect charts "$(count 'role="group"')" "$series"

echo "${page##*/}: $changes changes in $series series"
