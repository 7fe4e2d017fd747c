#!/usr/bin/env python3
"""Makes recordings of programs whose methods were traced, and uses the pages that uimon makes of them
as a person would, in headless Chromium. What the pages say is compared with the log of the calls.

    check_methods.py UIMON FOLDER [PICTURE]

UIMON is the program for this system. Says one line and exits 0, or says what is wrong and exits 1."""

import base64
import json
import os
import struct
import subprocess
import sys

from browser import DARK_200, LIGHT, NARROW, equal, expect, tab_to, with_page
from recordings import MS, S, Writer, text

START = 1000 * S
METHOD, METHOD_CALLS, METHODS, METHOD_UNSEEN = 72, 73, 74, 88
COUNTS, TIMES = 0, 1
HOSTILE = '</script><b>&\u202egnp'
SHOWN = HOSTILE.replace('\u202e', '\ufffd')


class Thread:
    """A thread that calls methods. Each call takes a microsecond, and what it calls comes on top."""

    def __init__(self, number):
        self.number = number
        self.now = 0
        self.stack = []
        self.log = []  # of each call: its methods from the outermost on, begin, end

    def call(self, name, body=None, length=1000):
        begin = self.now
        self.stack.append(name)
        self.now += length
        if body:
            body()
        self.log.append((tuple(self.stack), begin, self.now))
        self.stack.pop()


def fibonacci(thread, n):
    thread.call('Demo.Fibonacci', lambda: n > 1 and (fibonacci(thread, n - 1),
                                                     fibonacci(thread, n - 2)))


def make_program(n):
    """Thread 7 loads, computes, and is about to load again; thread 9 parses alone."""
    ui, worker = Thread(7), Thread(9)
    module = {'Demo.Fibonacci': 'demo.dll', 'App.Main': 'app.exe', 'App.Load': 'app.exe',
              HOSTILE: HOSTILE, 'Plugin.Parse': 'plugin.dll'}

    def load():
        for i in range(3):
            ui.call('Plugin.Parse', length=(i + 1) * 50000)
        ui.call(HOSTILE, length=7000)

    ui.call('App.Main', lambda: (ui.call('App.Load', load), fibonacci(ui, n)))
    for _ in range(n):
        worker.call('Plugin.Parse', length=2000)
    return [ui, worker], module


def tree_of(threads):
    """The nodes: the path of each by its number, parents first, with calls, wall and self time."""
    nodes = {}
    for thread in threads:
        for path, begin, end in sorted(thread.log, key=lambda call: len(call[0])):
            node = nodes.setdefault((thread.number, path), [0, 0, 0])
            node[0] += 1
            node[1] += end - begin
            node[2] += end - begin
            if len(path) > 1:
                nodes[thread.number, path[:-1]][2] -= end - begin
    return nodes


def make(path, n, depth):
    threads, modules = make_program(n)
    names = list(modules)
    out = Writer(path)
    out.begin(START)
    for i in range(1, 31):
        out.beat(START + i * 100 * MS - 5 * MS, 4 * MS, i)
    for i, name in enumerate(names):
        out.frame(METHOD, struct.pack('<I', i + 1) + text(modules[name], name))
    nodes = tree_of(threads)
    numbers = {place: i + 1 for i, place in enumerate(nodes)}
    if depth == COUNTS:
        counts = {}
        for (thread, calls), node in nodes.items():
            counts[thread, calls[-1:]] = counts.get((thread, calls[-1:]), 0) + node[0]
        nodes = {place: [count, 0, 0] for place, count in counts.items()}
        numbers = {place: i + 1 for i, place in enumerate(nodes)}
    for (thread, calls), (count, wall, self) in nodes.items():
        parent = numbers[thread, calls[:-1]] if len(calls) > 1 else 0
        lasts = calls == ('App.Main',)  # it has not ended
        out.frame(METHOD_CALLS, struct.pack(
            '<BIIIIQQQQQ', 1, numbers[thread, calls], parent, names.index(calls[-1]) + 1, thread,
            count, count - lasts, 0 if lasts else wall, 0 if lasts else self,
            0 if parent else wall))
    # With times there were two breaks, and calls and names for which there was nothing.
    out.frame(METHOD_UNSEEN, struct.pack('<I', 0) + text('Late.Plugin', ''))
    out.frame(METHOD_UNSEEN, struct.pack('<I', 1) + text('Nothing.There', ''))
    out.frame(METHOD_UNSEEN, struct.pack('<I', 2) + text('Plugn', HOSTILE))
    out.frame(METHODS, struct.pack('<QQIIIQBBBIQI', START + 3 * S, 3 * S, len(names), len(threads), 1,
                                   12 * depth, depth, 0, depth, 1 + 2 * depth, 3214 * MS * depth,
                                   6 * depth))
    out.totals(START + 3 * S, START, 30)
    out.end(START + 3 * S)
    return threads, modules


def sums_of(threads):
    """Of each method, by the log: calls, wall time of those that lie in no other of it, self time,
    threads."""
    sums = {}
    for thread in threads:
        for path, begin, end in thread.log:
            within = sum(e - b for p, b, e in thread.log
                         if p[:-1] == path and begin <= b and e <= end and len(p) == len(path) + 1)
            sum_ = sums.setdefault(path[-1], [0, 0, 0, set()])
            sum_[0] += 1
            sum_[3].add(thread.number)
            if path == ('App.Main',):
                continue
            sum_[1] += (end - begin) * (path[-1] not in path[:-1])
            sum_[2] += end - begin - within
    return sums


def shown(name):
    return SHOWN if name == HOSTILE else name


def rows_of(browser, table):
    return browser.ask('[...document.querySelectorAll("#%s tbody tr")].map('
                       '(row) => [...row.cells].map((cell) => cell.innerText.trim()))' % table)


def ms_of(cell):
    return None if cell == '\u2013' else float(cell)


def close(what, found, wanted_ns):
    wanted = wanted_ns / MS
    expect('%s: %r ms, not %r' % (what, found, wanted),
           (found is None and wanted_ns == 0) or abs(found - wanted) <= (0.0051 * max(wanted, 1) if wanted > 0.099 else 0.0001))


def check_table(browser, threads, modules, depth):
    sums = sums_of(threads)
    rows = {row[-2]: row for row in rows_of(browser, 'methods')}
    equal('methods', len(rows), len(sums))
    for name, (calls, wall, self, on) in sums.items():
        label = shown(name) + (' (1 without end)' if depth == TIMES and name == 'App.Main' else '')
        expect('%s is missing in %s' % (label, list(rows)), label in rows)
        row = rows[label]
        equal('calls of ' + label, row[0], format(calls, ','))
        equal('threads of ' + label, row[-3], str(len(on)))
        equal('module of ' + label, row[-1], shown(modules[name]))
        equal('columns', len(row), 6 if depth == TIMES else 4)
        if depth == TIMES:
            close('self of ' + label, ms_of(row[1]), self)
            close('wall of ' + label, ms_of(row[2]), wall)
    note = browser.text('#methods-note')
    equal('the note', note, '%s calls in 3.00 s: 5 methods, 2 threads' %
          format(sum(one[0] for one in sums.values()), ','))
    about = browser.text('#methods-about')
    expect('it says what it is: ' + about,
           ('as debugged' in about) == (depth == TIMES) and '1 method was made at run time' in about)
    for said, wanted in (('Counts are exact.', COUNTS), ('12 calls have no row', TIMES),
                         ('Interrupted 2 times: calls of 3.21 s are missing.', TIMES),
                         ('Later calls by methods that ran on are at the top of their thread.', TIMES),
                         ('No traced method has Nothing.There.', TIMES),
                         ('No traced method has Plugn; did you mean %s?' % SHOWN, TIMES)):
        expect('%r is said with depth %d alone: %s' % (said, wanted, about),
               (said in about) == (depth == wanted))
    expect('what was found later is not said: ' + about, 'Late.Plugin' not in about)


def order(browser, column):
    return [float(row[column].replace(',', '').replace('\u2013', '0'))
            for row in rows_of(browser, 'methods')]


def falls(numbers):
    return all(a >= b for a, b in zip(numbers, numbers[1:]))


def by_keys(browser):
    """Sorts, opens and chooses by the keyboard alone."""
    expect('the most self time is the first', falls(order(browser, 1)))
    tab_to(browser, 'calls')
    browser.press('Enter')
    expect('Enter sorts by calls', falls(order(browser, 0)))
    equal('and says so', browser.ask('document.querySelector("#methods th").ariaSort'),
          'descending')
    count = len(rows_of(browser, 'method-tree'))
    browser.ask('document.querySelector("#methods-thread").focus()')
    browser.press('ArrowDown')
    rows = rows_of(browser, 'method-tree')
    expect('the other thread is shown: %s' % rows,
           len(rows) == 1 and rows[0][-1].endswith('Plugin.Parse, plugin.dll'))
    browser.press('ArrowUp')
    equal('and the first again', len(rows_of(browser, 'method-tree')), count)
    browser.ask('document.querySelector("#method-tree .opener").focus()')
    browser.press('Enter')
    equal('Enter closes', len(rows_of(browser, 'method-tree')), 1)
    browser.press('Enter')
    rows = rows_of(browser, 'method-tree')
    expect('and opens again: %s' % rows, len(rows) == 3 and 'App.Load' in rows[1][-1] + rows[2][-1])
    for node in browser.call('Accessibility.getFullAXTree')['nodes']:
        role, name = (node.get(part, {}).get('value', '') for part in ('role', 'name'))
        if role == 'table' and name == 'What called what':
            break
    else:
        raise SystemExit('the tree has no name')


def check_tree(browser, threads):
    """Opens all of it, and compares with the log."""
    browser.ask('''(() => { for (let i = 0; i < 100; i++)
        for (const one of document.querySelectorAll('#method-tree .opener[aria-expanded=false]'))
          if (!one.disabled) one.click(); })()''')
    rows = rows_of(browser, 'method-tree')
    nodes = {place[1]: node for place, node in tree_of(threads[:1]).items()}
    equal('rows of the tree', len(rows), len(nodes))
    calls = sorted((format(node[0], ',') for node in nodes.values()))
    equal('calls in the tree', sorted(row[0] for row in rows), calls)
    deepest = browser.ask('Math.max(...[...document.querySelectorAll("#method-tree td:last-child")]'
                          '.map((cell) => parseFloat(cell.style.paddingLeft)))')
    equal('the deepest lies as deep', deepest, 6 + 18 * (max(map(len, nodes)) - 1))


def check_compared(browser, before, after):
    a, b = sums_of(before[0]), sums_of(after[0])
    rows = {row[-1]: row for row in rows_of(browser, 'methods')}
    for name in sorted(set(a) | set(b)):
        label = shown(name) + ', ' + shown(before[1][name])
        changed = a[name][0] != b[name][0]
        equal(label + ' is in the table', label in rows, changed)
        if changed:
            change = b[name][0] - a[name][0]
            equal(label, rows[label][:3], [format(a[name][0], ','), format(b[name][0], ','),
                                           ('+' if change > 0 else '\u2212') +
                                           format(abs(change), ',')])
    same = sum(a[name][0] == b[name][0] for name in a)
    expect('it counts the others: ' + browser.text('#methods-about'),
           '%d methods were called as often' % same in browser.text('#methods-about') and
           'Calls may be missing' in browser.text('#methods-about'))


def save(browser, path):
    browser.ask('document.querySelector("#methods-card").scrollIntoView({block: "start"})')
    browser.ask('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))')
    with open(path, 'wb') as file:
        file.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))


def uimon(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    equal(' '.join(arguments) + ': ' + done.stdout, done.returncode, 0)
    return done.stdout


def main():
    program, folder = sys.argv[1:3]
    picture = sys.argv[3] if len(sys.argv) > 3 else None
    made, pages = {}, {}
    for name, n, depth in (('times', 15, TIMES), ('counts', 15, COUNTS), ('fewer', 14, TIMES)):
        recording = os.path.join(folder, name + '.uirec')
        pages[name] = os.path.realpath(os.path.join(folder, name + '.html'))
        made[name] = make(recording, n, depth)
        uimon(program, 'report', recording, '--html', pages[name])
    for name, depth in (('times', TIMES), ('counts', COUNTS)):
        with_page(pages[name], LIGHT, check_table, *made[name], depth)
    with_page(pages['times'], DARK_200, by_keys)
    with_page(pages['times'], NARROW, check_tree, made['times'][0])
    with_page(pages['counts'], LIGHT, lambda browser: expect(
        'without times there is no tree', browser.ask(
            'document.querySelector("#methods-trees").hidden')))
    compared = os.path.realpath(os.path.join(folder, 'compared.html'))
    says = uimon(program, 'compare', *(os.path.join(folder, name + '.uirec')
                                       for name in ('times', 'fewer')), '--html', compared)
    with_page(compared, LIGHT, check_compared, made['times'], made['fewer'])
    if picture:
        for name, page in (('times', pages['times']), ('counts', pages['counts']),
                           ('compared', compared)):
            with_page(page, LIGHT, save, '%s.%s.png' % (picture, name))
            with_page(page, DARK_200, save, '%s.%s.dark.png' % (picture, name))
    print('%d calls of %d methods' % (sum(len(one.log) for one in made['times'][0]),
                                      len(made['times'][1])))


try:
    main()
except SystemExit as end:
    if end.code:
        print('check_methods.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
