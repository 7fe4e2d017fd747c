#!/bin/bash
# Opens a page of `uimon compare --html` of two recordings in headless Chromium:
#   check_diff.sh PAGE FUNCTION
# FUNCTION must have a box that is slower after, and a row. Says one line and exits 0, or says what is
# wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
function=$2

check ""
grep -qE "class=\"box\"[^>]*--to:var\(--more\)[^>]*aria-label=\"[^\"]*$function, \+" <<<"$document" ||
    fail "no box says that $function is slower"
part functions table | grep -q "$function</bdi>" || fail "no row has $function"
check "" --blink-settings=preferredColorScheme=0 --window-size=700,900 --force-device-scale-factor=2

echo "${page##*/}: $function is slower"
