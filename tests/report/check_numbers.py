#!/usr/bin/env python3
"""Makes a recording whose freezes are longer than the lag of any beat, and whose keys were not all
seen to arrive or to paint. The same quantity is then the same number everywhere in the page, and in
the text report. One freeze has held up two clicks and has a stack, one has held up nothing, and of
the third nobody knows.

    check_numbers.py UIMON FOLDER [PICTURE]

UIMON is the program as it is built for this system; what it needs is made in FOLDER. Says one line
and exits 0, or says what is wrong and exits 1."""

import base64
import os
import re
import subprocess
import sys

from browser import DARK_200, LIGHT, NARROW, browser_of_all, equal, expect, with_page
from recordings import MS, S, Writer

START = 1000 * S
KEY, CLICK = 0, 1
# Of each freeze: when it began, its length, and how late the beat was sent that waited in it, in ms.
FREEZES = ((2000, 671, 28), (4000, 503, 29), (6000, 1270, 10))

# Of each freeze, what its row says: where it was, and what waited.
SAID = (('9 of 12 in parse_solution ← on_open', '2 clicks'), ('–', 'no'), ('–', '–'))
FELT = 'felt: 1 of 2, not observed of 1'

# Notes what is written on the graph. Each picture begins with an empty canvas.
LISTEN = '''
    window.written = [];
    const {fillText, clearRect} = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function(...place) {
      if (this.canvas.id === 'main') window.written = [];
      return clearRect.apply(this, place);
    };
    CanvasRenderingContext2D.prototype.fillText = function(text, x, y) {
      if (this.canvas.id === 'main') window.written.push({text, x, y});
      return fillText.apply(this, arguments);
    };'''


def make(path):
    out, number = Writer(path), 0
    out.begin(START)
    waits = {begin + late: length - late for begin, length, late in FREEZES}
    sent = 0
    while sent < 9000:
        late = next((at for at in waits if sent <= at < sent + 10), None)
        if late is not None:
            sent = late
        number += 1
        lag = waits.pop(sent, 1)
        out.beat(START + sent * MS, lag * MS, number)
        sent += max(10, lag)
        for place, (begin, length, _) in enumerate(FREEZES):
            if sent - max(10, lag) < begin + length <= sent:
                out.freeze(START + begin * MS, START + (begin + length) * MS, place + 1)
    for i in range(10):  # six were seen to arrive, three of them and one other to paint
        arrival = 0 if i >= 6 else START + (8000 + 20 * i) * MS
        taken = START + (8001 + 20 * i) * MS
        painted = taken + 56 * MS if i < 3 or i == 9 else 0
        out.interaction(i + 1, KEY, arrival, taken, taken + 6 * MS, painted)
    for i in range(2):  # they waited for the end of the first freeze
        taken = START + (2672 + i) * MS
        out.interaction(11 + i, CLICK, START + (2300 + i) * MS, taken, taken + MS, taken + 2 * MS)
    out.stack(1, 12, 9, ['parse_solution', 'on_open'])
    out.totals(START + 9 * S, START, number, observes=True)
    out.end(START + 9 * S)


def of_text(uimon, recording):
    report = subprocess.run([uimon, 'report', recording], check=True, capture_output=True,
                            text=True).stdout
    typing = re.search(r'Typing +10 keys, from arrival to (\w+)\n +p50 ([0-9.]+) ', report)
    expect('the text report has no typing: ' + report, typing)
    for words in (FELT + '\n', SAID[0][0] + '\n', SAID[0][1] + ' waited\n'):
        expect('the text report lacks %r: %s' % (words, report), ' ' + words in report)
    return typing.groups()


def numbers(texts):
    """Lengths in ms, sorted."""
    found = [re.fullmatch(r'([0-9.]+) (ms|s)', text) for text in texts]
    return sorted(round(float(one[1]) * (1000 if one[2] == 's' else 1)) for one in found if one)


def check(browser, text):
    lengths = sorted(length for _, length, _ in FREEZES)
    above = browser.ask("window.written.filter((one) => one.y < 20).map((one) => one.text)")
    equal('labels of the graph', numbers(above), lengths)
    table = browser.ask('''[...document.querySelectorAll("#freezes tbody tr")].map(
        (row) => row.cells[1].textContent)''')
    equal('lengths in the table', numbers(table), lengths)
    said = browser.ask('''[...document.querySelectorAll("#freezes tbody tr")].map(
        (row) => [0, 3, 5].map((column) => row.cells[column].textContent)).sort()''')
    equal('where it was, and what waited', [tuple(row[1:]) for row in said], list(SAID))
    equal('above the table', browser.text('#freezes-note'), '3 freezes; ' + FELT)
    part, p50 = text
    tile = browser.ask('''[...document.querySelectorAll(".tile")].map((one) => one.innerText)
        .find((one) => one.startsWith("typing"))''')
    equal('the tile of typing', tile.split('\n')[:2], ['typing p50, to ' + part, p50 + ' ms'])
    expect('the verdict says what it is: ' + browser.text('#verdict'),
           'typing to %s p50 %s ms' % (part, p50) in browser.text('#verdict'))


def main(uimon, folder, picture=None):
    recording, page = (os.path.join(os.path.realpath(folder), name) for name in ('made.uirec', 'made.html'))
    make(recording)
    subprocess.run([uimon, 'report', recording, '--html', page], check=True, stdout=subprocess.DEVNULL)
    text = of_text(uimon, recording)
    equal('what typing is measured until', text[0], 'painted')
    browser_of_all().call('Page.addScriptToEvaluateOnNewDocument', source=LISTEN)
    for look in (LIGHT, NARROW, DARK_200):
        with_page(page, look, check, text)
    if picture:
        shot = browser_of_all().call('Page.captureScreenshot')['data']
        with open(picture, 'wb') as file:
            file.write(base64.b64decode(shot))
    print('check_numbers.py: %d freezes and the keys have one number each' % len(FREEZES))


try:
    main(*sys.argv[1:])
except SystemExit as end:
    if end.code:
        print('check_numbers.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
