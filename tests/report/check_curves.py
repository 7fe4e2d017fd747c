#!/usr/bin/env python3
"""Uses the tracks of a page of `uimon report --html` as a person would, in headless Chromium, and
compares their numbers with the recording, which nothing of uimon's own has read.

    check_curves.py make RECORDING      makes a recording that has all of them
    check_curves.py PAGE RECORDING [PICTURE.png]

Says one line and exits 0, or says what is wrong and exits 1."""

import base64
import os
import random
import re
import sys

from browser import DARK_200, DARK_NARROW, LIGHT, equal, expect, tab_to, with_page
from recordings import Counted, MS, S, Writer

START = 1000 * S
HOSTILE = '</script><b>&\u202egnp'
SHOWN = HOSTILE.replace('\u202e', '\ufffd')


def make(path):
    """Twelve seconds. Messages were counted from 1 to 5 and from 6 to 10 s, frames from 3 s on, the
    pool from 2 to 8 s with a starvation, and the pool of .NET is starved from 4 to 7 s."""
    random.seed(7)
    out = Writer(path)
    out.begin(START)
    own = [('cpu-usage', 'CPU Usage', '%', 0), ('alloc-rate', 'Allocation Rate', 'B', 1),
           ('threadpool-queue-length', 'ThreadPool Queue Length', '', 0),
           ('threadpool-completed-items-count', 'Items completed', '', 1),
           ('working-set', 'Working Set', 'MB', 0), ('balance', 'Balance', '', 0),
           ('x', HOSTILE, '<i>', 0), ('at-first-only', 'At first only', 'ms', 0)]
    for number, (name, display, unit, kind) in enumerate(own):
        out.counter(number, kind, 'System.Runtime' if number < 5 else 'Mine', name, display, unit)
    messages = paints = 0
    starved = None
    for tick in range(1, 121):
        now = START + tick * 100 * MS
        out.beat(now - 95 * MS, 5 * MS if tick % 40 else 60 * MS, tick)
        if 20 <= tick <= 80 and tick % 5 == 0:
            waits = 40 <= tick < 60
            if tick == 40:
                starved = now - 500 * MS
            delay = now - starved if waits or tick == 60 else random.randrange(MS, 20 * MS)
            out.pool(now, delay, starved or 0, now if tick >= 60 else 0,
                     min(delay, 2 * S) if waits else starved and 2 * S or 0, 1 if starved else 0,
                     waits)
        if 10 <= tick <= 50 or 60 <= tick <= 100:
            messages += random.randrange(20)
            paints += random.randrange(7) if tick > 30 else 0
            out.activity(now, START + (10 if tick <= 50 else 60) * 100 * MS, messages,
                         paints, tick >= 30)
        if tick % 10 == 0:
            second = tick // 10
            at = now - 3 * MS
            stuck = 4 <= second <= 6
            out.value(0, at, S, 40 + 10 * (second % 4), 5, 95, 4)
            out.value(1, at, S + MS, 8000000 * random.random())
            out.value(2, at, S, 30 * (second - 2) if stuck else 0, 0, 120, 1)
            out.value(3, at, S, 5 if stuck else 200)
            out.value(4, at, S, 123.456 + second)
            out.value(5, at, S, 5 - second)
            out.value(6, at, S, 7)
            if second <= 3:
                out.value(7, at, S, second * 1.5)
            out.totals(now, START, tick)
    out.end(START + 12 * S)


def drawn(browser):
    browser.ask('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')


def amount_of(text):
    """The number of "1,234.5 B/s", "12.3 ms" or "1.20 s"."""
    found = re.match(r'-?[\d,.]+(e[+-]?\d+)?', text.replace('\u2212', '-'))
    expect('%r begins with a number' % text, found)
    value = float(found.group(0).replace(',', ''))
    return value * 1000 if re.match(r'[\d.]+ s$', text) else value


def moment(ns):
    ms = round(ns / MS)
    return '%d:%02d.%03d' % (ms // 60000, ms // 1000 % 60, ms % 1000)


def table(browser, selector):
    return browser.ask('''[...document.querySelectorAll(%r + ' > tbody > tr:not(.inner)')].map(
        (row) => [...row.cells].map((cell) => cell.textContent))''' % selector)


def near(what, text, wanted):
    found = amount_of(text)
    expect('%s: %s, not %s' % (what, text, wanted), abs(found - wanted) <= 0.006 * abs(wanted) + 0.006)


def as_table(browser, counted):
    """What the table says of the whole recording."""
    browser.ask('document.querySelector("#curves-list").open = true')
    drawn(browser)
    rows = {row[0].lstrip('▸▾ '): row for row in table(browser, '#curves-table')}
    equal('tracks', sorted(rows), sorted(counted.curves))
    for name, spans in counted.curves.items():
        row = rows[name]
        near('least of ' + name, row[2], min(span[3] for span in spans))
        near('greatest of ' + name, row[4], max(span[4] for span in spans))
        lengths = [span[1] - max(span[0], 0) for span in spans]  # one may begin before the recording
        near('mean of ' + name, row[3], sum(span[2] * length for span, length in
                                            zip(spans, lengths)) / sum(lengths))
        if name in counted.units and counted.units[name]:
            expect('the unit of %s: %s' % (name, row[3]), row[3].endswith(counted.units[name]))


def values_of(browser, name, counted):
    """Each value of one track, opened in the table."""
    place = browser.ask('''[...document.querySelectorAll('#curves-table > tbody > tr')].findIndex(
        (row) => row.cells[0].textContent.endsWith(%r))''' % name)
    browser.ask('document.querySelectorAll("#curves-table > tbody > tr")[%d].querySelector('
                '".opener").click()' % place)
    rows = table(browser, '#curves-table tr.inner table')
    spans = counted.curves[name]
    equal('values of ' + name, len(rows), min(len(spans), 300))
    for row, span in zip(rows, spans):
        equal('the end of a value of ' + name, row[1], moment(span[1]))
        near('value of %s at %s' % (name, row[0]), row[3], span[2])
    browser.ask('document.querySelector("#curves-table [aria-expanded=true]").click()')


def starvations(browser, counted):
    rows = table(browser, '#starvations')
    own = [row for row in rows if row[2] == 'the thread pool of Windows']
    equal('starvations', len(own), len(counted.starvations))
    for row, (start, end, peak) in zip(own, counted.starvations.values()):
        equal('a starvation', row[0], moment(start))
        near('its length', row[1], (end - start) / MS)
    return [row for row in rows if row not in own]


def by_mouse(browser, counted, name):
    """A tooltip says the value under the mouse; where nothing was measured, it says that."""
    place = list(browser.ask('''[...document.querySelectorAll('#curves-table > tbody > tr')].map(
        (row) => row.cells[0].textContent.slice(2))''')).index(name)
    browser.ask('document.getElementById("curves-box").scrollTop = %d' % (64 * (place - 1)))
    drawn(browser)
    left, top, width, _ = browser.box('#curves')
    scrolled = browser.ask('document.getElementById("curves-box").scrollTop')
    seen = missing = 0
    for x in range(int(left) + 50, int(left + width) - 12, 61):
        browser.mouse('mouseMoved', x, top + place * 64 - scrolled + 30)
        tip = browser.text('#curves-tip')
        expect('the tooltip is about %s: %s' % (name, tip), tip.startswith(name))
        says = tip.split('\n')[2]
        at, said = re.match(r'(\d+:[\d.]+): (.*)', says).groups()
        minutes, seconds = at.split(':')
        ns = (int(minutes) * 60 + float(seconds)) * S
        pixel = (counted.end_ns / width + 2 * MS)
        here = [span for span in counted.curves[name] if span[0] < ns + pixel and
                span[1] > ns - pixel]
        if said == 'not measured':
            inner = [span for span in here if span[0] < ns - pixel and span[1] > ns + pixel]
            expect('%s was measured at %s' % (name, at), not inner)
            missing += 1
        else:
            value = amount_of(said)
            expect('%s at %s: %s, not one of %s' % (name, at, said, here), any(
                min(abs(value - one) for one in span[2:5]) <= 0.006 * abs(value) + 0.006
                for span in here) or len(here) > 1)
            seen += 1
    return seen, missing


def by_keys(browser):
    """The tracks with the keyboard alone."""
    tab_to(browser, 'curves')
    browser.press('ArrowRight')
    first = browser.text('#curves-says')
    expect('the first value is picked: ' + first, re.match(r'.+, \d+:\d\d.\d+ to ', first))
    browser.press('ArrowRight')
    second = browser.text('#curves-says')
    expect('right goes on: ' + second, second != first and second.split(',')[0] ==
           first.split(',')[0])
    browser.press('ArrowLeft')
    equal('left goes back', browser.text('#curves-says'), first)
    browser.press('ArrowDown')
    expect('down goes to another track', browser.text('#curves-says').split(',')[0] !=
           first.split(',')[0])
    browser.press('ArrowUp')
    equal('up goes back', browser.text('#curves-says').split(',')[0], first.split(',')[0])
    whole = browser.text('#window')
    browser.press('+')
    drawn(browser)
    expect('plus zooms the graph, too', browser.text('#window') != whole)
    browser.press('0')
    drawn(browser)
    equal('and 0 shows the whole', browser.text('#window'), whole)
    browser.press('Escape')
    equal('Escape leaves', browser.text('#curves-says'), '')


def save(browser, path):
    with open(path, 'wb') as file:
        file.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))


def main():
    if sys.argv[1] == 'make':
        make(sys.argv[2])
        return
    page, counted = os.path.realpath(sys.argv[1]), Counted(sys.argv[2])
    picture = sys.argv[3] if len(sys.argv) > 3 else None
    if HOSTILE in counted.curves:
        counted.curves[SHOWN] = counted.curves.pop(HOSTILE)
        counted.units[SHOWN] = counted.units.pop(HOSTILE)
    counted.end_ns = max(span[1] for spans in counted.curves.values() for span in spans)
    total = sum(map(len, counted.curves.values()))

    def numbers(browser):
        as_table(browser, counted)
        dotnet = starvations(browser, counted)
        if 'ThreadPool Queue Length' in counted.curves and SHOWN in counted.curves:
            equal('starvations of .NET', [row[:3] for row in dotnet],
                  [['0:03.997', '3.00 s', 'the thread pool of .NET']])
        for name in counted.curves:
            values_of(browser, name, counted)
        looked = [by_mouse(browser, counted, name) for name in counted.curves]
        expect('values were seen with the mouse', sum(seen for seen, _ in looked) > 0)
        if SHOWN in counted.curves:
            expect('and what was not measured', sum(missing for _, missing in looked) > 0)
        tree = browser.call('Accessibility.getFullAXTree')['nodes']
        names = [node.get('name', {}).get('value', '') for node in tree
                 if node.get('role', {}).get('value') == 'table']
        expect('the table has a name: %s' % names,
               'What else was counted, in what is in sight' in names)

    def look(browser, where):
        browser.ask('document.querySelector("#curves-card").scrollIntoView({block: "start"})')
        drawn(browser)
        save(browser, where)

    with_page(page, LIGHT, numbers)
    with_page(page, DARK_200, by_keys)
    if picture:
        with_page(page, LIGHT, look, picture)
        with_page(page, DARK_200, look, picture + '.dark.png')
        with_page(page, DARK_NARROW, look, picture + '.narrow.png')
    print('%s: %d tracks with %d values' % (os.path.basename(page), len(counted.curves), total))


try:
    main()
except SystemExit as end:
    if end.code:
        print('check_curves.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
