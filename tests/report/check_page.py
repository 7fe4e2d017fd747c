#!/usr/bin/env python3
"""Opens a page of uimon in headless Chromium, and checks what it has made of itself:

    check_page.py recorded PAGE FREEZES INTERACTIONS MESSAGES
        of `uimon report`: so many freezes and interactions, of which the tables show the worst 500
        and 50, and so many messages before its first long freeze
    check_page.py stacks PAGE FUNCTION SAMPLES
        of `uimon report`: uses its stacks by keyboard and by clicks. FUNCTION was sampled, and
        SAMPLES is how many samples there are
    check_page.py source PAGE STATE PATH TEXT
        of `uimon report`: what it says of the source that was found at PATH: it is as it was "built",
        or that is "unknown", or it is an "other" one. TEXT stands in it
    check_page.py layout PAGE COMPONENTS OUTER INNER LEFT TOP WIDTH HEIGHT
        of `uimon report`: its table of so many components; OUTER has the component INNER in it, which
        is there in their root
    check_page.py history PAGE CHANGES SERIES LABEL
        of `uimon history show`: LABEL is that of the newest change
    check_page.py diff PAGE FUNCTION
        of `uimon compare` of two recordings: FUNCTION is slower after
    check_page.py layout-diff PAGE COMPONENTS NAME
        the same without stacks: the component NAME costs the same in both

Light and dark, narrow and at 200 %. Says one line and exits 0, or says what is wrong and exits 1."""

import json
import os
import re
import sys
import tempfile

from browser import (DARK_200, DARK_NARROW, DARK_NARROW_200, LIGHT, NARROW, equal, expect,
                     tab_to, with_page)

HERE = os.path.dirname(os.path.realpath(__file__))


def script(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return file.read()


def drive(browser, driver, expected):
    """Runs a script that uses the page, and says "ok" or what is wrong."""
    browser.ask('const EXPECTED = %s;' % json.dumps(expected))
    equal(driver, browser.ask(script(driver)), 'ok')


def rows(browser, table):
    return browser.ask('document.querySelectorAll("#%s tbody tr").length' % table)


def is_pressed(browser, button):
    return browser.ask('document.getElementById("%s").ariaPressed' % button) == 'true'


def nothing_more(_):
    """For a page of which is asked what with_page asks of all."""


def check_recorded(page, freezes, interactions, messages):
    def whole(browser):
        equal('rows of freezes', rows(browser, 'freezes'), min(int(freezes), 500))
        equal('rows of interactions', rows(browser, 'worst'), min(int(interactions), 50))
        equal('rows of messages', rows(browser, 'messages'), int(messages))
        expect('it has a verdict', re.search('[a-z]', browser.text('#verdict')))
        expect('it begins with the whole session', 'the whole session' in browser.text('#window'))
        browser.open(page, '#from=10&to=50&scale=log')  # 40 ms that are in every recording
        expect('the address chooses the part', '0:00.010 to 0:00.050' in browser.text('#window'))
        expect('the address chooses the scale', is_pressed(browser, 'log'))

    with_page(page, LIGHT, whole)
    with_page(page, DARK_NARROW, nothing_more)
    return '%s freezes, %s interactions, as recorded' % (freezes, interactions)


def changed(page, change, to):
    """A copy of the page whose data are changed by a script before the page reads them."""
    with open(page, encoding='utf-8') as file:
        head, begin, rest = file.read().rpartition('\n<script>')
    with open(to, 'w', encoding='utf-8') as file:
        file.write('%s\n<script>\n%s%s</script>%s%s' % (head, script('packed.js'), script(change),
                                                       begin, rest))


def check_stacks(page, function, samples):
    def by_address(browser):
        browser.open(page, '#stacks=1&by=wall')
        expect('a freeze is among the choices',
               re.search(r'freeze \d+ at ', browser.ask('document.getElementById("stacks-of").textContent')))
        expect('the address chooses the criterion', is_pressed(browser, 'by-wall'))

    def use(browser):
        drive(browser, 'drive_stacks.js', [function, samples])

    with_page(page, LIGHT, use)
    with_page(page, DARK_200, use)
    with_page(page, NARROW, use)
    with_page(page, LIGHT, by_address)
    with tempfile.TemporaryDirectory() as folder:
        for change, driver, looks in (('recurse.js', 'drive_recursion.js', [DARK_200]),
                                      ('guess.js', 'drive_guess.js', [LIGHT, DARK_200])):
            copy = os.path.join(folder, change + '.html')
            changed(page, change, copy)
            for look in looks:
                with_page(copy, look, drive, driver, [])
    return 'stacks by keyboard and by clicks'


def check_source(page, *expected):
    def use(browser):
        drive(browser, 'drive_source.js', expected)

    with_page(page, LIGHT, use)
    with_page(page, DARK_NARROW_200, use)
    return 'the source is ' + expected[0]


def check_layout(page, components, outer, inner, *place):
    def use(browser):
        drive(browser, 'drive_layout.js', [outer, inner] + [int(number) for number in place])
        equal('rows of components', rows(browser, 'layout'), int(components))
        browser.ask('document.querySelector("#layout th:last-child button").focus()')
        tab_to(browser, inner)
        browser.press('Enter')
        expect('Enter shows where it is', browser.text('#sketch-says').startswith(inner))

    with_page(page, LIGHT, use)
    with_page(page, DARK_NARROW_200, use)
    return components + ' components'


def check_history(page, changes, series, label):
    def count(browser, what):
        return browser.ask('document.querySelectorAll("#tracks %s").length' % what)

    def whole(browser):
        table = browser.ask('[...document.querySelector("#tracks table").tBodies[0].rows].map('
                            '(row) => [...row.cells].map((cell) => cell.textContent))')
        equal('changes', len(table), int(changes))
        for row in table:
            expect('before and after differ: %s' % row, row[4] != row[5])
            expect('the change is not nothing: %s' % row, re.search('[1-9]', row[6]))
        equal('charts', count(browser, '[role=group]'), int(series))
        equal('flags', count(browser, '.flag'), int(changes))
        expect('it names ' + label, 'since ' + label in browser.text('#tracks'))

    with_page(page, LIGHT, whole)
    with_page(page, DARK_NARROW,
              lambda browser: equal('charts', count(browser, '[role=group]'), int(series)))
    return '%s changes in %s series' % (changes, series)


def check_diff(page, function):
    def whole(browser):
        boxes = browser.ask('[...document.querySelectorAll(".box")].filter((box) => box.style'
                            '.getPropertyValue("--to") === "var(--more)").map((box) => box.ariaLabel)')
        expect('a box says that it is slower', any(function + ', +' in box for box in boxes))
        expect('a row has it', function in browser.text('#functions'))

    with_page(page, LIGHT, whole)
    with_page(page, DARK_NARROW_200, nothing_more)
    return function + ' is slower'


def check_layout_diff(page, components, name):
    def whole(browser):
        table = browser.ask('[...document.querySelectorAll("#layout tbody tr")].map('
                            '(row) => [...row.cells].map((cell) => cell.textContent))')
        equal('rows of components', len(table), int(components))
        expect('it costs the same', any(
            row[i] == '1.00' and re.fullmatch(r'\d+ → \d+', row[i + 1]) and row[i + 2].startswith(name)
            for row in table for i in range(len(row) - 2)))
        expect('it has no stacks', browser.ask(
            'document.querySelectorAll("section.of-stacks:not([hidden])").length') == 0)

    with_page(page, DARK_NARROW_200, whole)
    return components + ' components'


CHECKS = {'recorded': check_recorded, 'stacks': check_stacks, 'source': check_source,
          'layout': check_layout, 'history': check_history, 'diff': check_diff, 'layout-diff': check_layout_diff}

try:
    opened = os.path.realpath(sys.argv[2])
    print('%s: %s' % (os.path.basename(opened), CHECKS[sys.argv[1]](opened, *sys.argv[3:])))
except SystemExit as end:
    if end.code:
        print('check_page.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
