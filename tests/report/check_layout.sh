#!/bin/bash
# Opens a page of `uimon report --html` in headless Chromium and checks its table of components, in
# light, and in dark, narrow and at 200 %:
#   check_layout.sh PAGE COMPONENTS OUTER INNER
# COMPONENTS is how many there are; OUTER has the component INNER in it. Says one line and exits 0, or
# says what is wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
components=$2
outer=$3
inner=$4

copy=$profile/driven.html
{
    sed '/^<\/body>/,$d' "$page"
    echo "<script>const [OUTER, INNER] = ['$outer', '$inner'];"
    cat "${0%/*}/drive_layout.js"
    echo "</script></body></html>"
} >"$copy"
whole=$page
page=$copy

drive() {
    check "$@"
    local driven
    driven=$(grep -o -m 1 'data-driven="[^"]*"' <<<"$document")
    [ "$driven" = 'data-driven="ok"' ] || fail "$*: $driven"
    local found
    found=$(rows layout)
    [ "$found" = "$components" ] || fail "$*: $found rows of components, not $components"
    grep -qE 'data-wide="(0|-[0-9]+)"' <<<"$document" || fail "$*: the page is wider than the window"
}

drive ""
drive "" --blink-settings=preferredColorScheme=0 --window-size=700,900 --force-device-scale-factor=2

echo "${whole##*/}: $components components"
