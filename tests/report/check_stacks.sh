#!/bin/bash
# Opens a page of `uimon report --html` in headless Chromium and uses its stacks, in light and dark,
# narrow, and at 200 %:
#   check_stacks.sh PAGE FUNCTION SAMPLES
# FUNCTION is one that was sampled, and SAMPLES how many samples there are. Says one line and exits 0,
# or says what is wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
function=$2
samples=$3

# Nothing may be wider than the window but what scrolls by itself.
copy=$profile/driven.html
{
    sed '/^<\/body>/,$d' "$page"
    echo "<script>const EXPECTED = ['$function', '$samples'];"
    cat "${0%/*}/drive_stacks.js"
    echo "document.documentElement.dataset.wide = document.documentElement.scrollWidth - innerWidth;"
    echo "</script></body></html>"
} >"$copy"

drive() {
    local whole=$page
    page=$copy
    check "$@"
    page=$whole
    local driven
    driven=$(grep -o -m 1 'data-driven="[^"]*"' <<<"$document")
    [ "$driven" = 'data-driven="ok"' ] || fail "$*: $driven"
    grep -qE 'data-wide="(0|-[0-9]+)"' <<<"$document" || fail "$*: the page is wider than the window"
}

drive ""
# changed SCRIPT DRIVER OPTION...: the page with its data changed by one, and gone through by the other.
changed() {
    local whole=$copy
    copy=$profile/$1.html
    {
        sed '/^<script>/,$d' "$page"
        echo "<script>"
        cat "${0%/*}/packed.js" "${0%/*}/$1.js"
        echo "</script>"
        sed -n '/^<script>/,$p' "$page" | sed '/^<\/body>/,$d'
        echo "<script>"
        cat "${0%/*}/$2.js"
        echo "document.documentElement.dataset.wide = document.documentElement.scrollWidth - innerWidth;"
        echo "</script></body></html>"
    } >"$copy"
    drive "" "${@:3}"
    copy=$whole
}
changed recurse drive_recursion --force-device-scale-factor=2
changed guess drive_guess
changed guess drive_guess --blink-settings=preferredColorScheme=0
drive "" --blink-settings=preferredColorScheme=0 --force-device-scale-factor=2
drive "" --window-size=700,900
check "#stacks=1&by=wall"
part stacks-of select | grep -q 'freeze [0-9]* at ' || fail "no freeze is among the choices"
grep -q '<button[^>]*id="by-wall"[^>]*aria-pressed="true"' <<<"$document" ||
    fail "the address does not choose the criterion"

echo "${page##*/}: stacks by keyboard and by clicks"
