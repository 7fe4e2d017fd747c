#!/bin/bash
# Opens a page of `uimon compare --html` of two recordings without stacks in headless Chromium:
#   check_layout_diff.sh PAGE COMPONENTS NAME
# COMPONENTS is how many there are; NAME is one of them, which costs the same in both. Says one line and
# exits 0, or says what is wrong and exits 1.
# shellcheck source=tests/report/page.sh
. "${0%/*}/page.sh" "$1"
components=$2
name=$3

check "" --blink-settings=preferredColorScheme=0 --window-size=700,900 --force-device-scale-factor=2
found=$(rows layout)
[ "$found" = "$components" ] || fail "$found rows of components, not $components"
part layout table | grep -qE "<td>1\.00</td><td>[0-9]+ → [0-9]+</td><td><bdi>$name</bdi>" ||
    fail "no row says that $name costs the same"
! grep -qE '<section class="card of-stacks">' <<<"$document" || fail "it shows stacks that are not there"

echo "${page##*/}: $components components"
