#!/bin/bash
# Opens a page of `uimon report --html` in headless Chromium and checks what it has made of itself:
#   check_page.sh PAGE FREEZES INTERACTIONS MESSAGES
# FREEZES and INTERACTIONS are those of the recording, as its JSON says; the tables show the worst
# 500 and 50 of them. MESSAGES are those before its first long freeze. Says one line and exits 0, or says what is wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
freezes=$2
interactions=$3
messages=$4

at_most() {
    echo $(($1 < $2 ? $1 : $2))
}

check ""
expected=$(at_most "$freezes" 500)
found=$(rows freezes)
[ "$found" = "$expected" ] || fail "$found rows of freezes, not $expected"
expected=$(at_most "$interactions" 50)
found=$(rows worst)
[ "$found" = "$expected" ] || fail "$found rows of interactions, not $expected"
found=$(rows messages)
[ "$found" = "$messages" ] || fail "$found rows of messages, not $messages"
part verdict p | grep -q '>.*[a-z]' || fail "it has no verdict"
part window span | grep -q 'the whole session' || fail "it does not begin with the whole session"

# The address chooses what is shown; 40 ms are there in every recording.
check "#from=10&to=50&scale=log"
part window span | grep -q '0:00.010 to 0:00.050' || fail "the address does not choose the part"
grep -q '<button[^>]*id="log"[^>]*aria-pressed="true"' <<<"$document" ||
    fail "the address does not choose the scale"
check "" --blink-settings=preferredColorScheme=0 --window-size=700,900

echo "${page##*/}: $freezes freezes, $interactions interactions, as recorded"
