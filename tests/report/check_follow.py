#!/usr/bin/env python3
"""Follows a recording that grows, with `uimon report --html PAGE --follow`, and keeps the page open
in headless Chromium meanwhile: it must load itself again, and keep its place until the last one.

    check_follow.py UIMON FOLDER

UIMON is the program as it is built for this system; what it needs is made in FOLDER. Says one line
and exits 0, or says what is wrong and exits 1."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

from browser import LIGHT, PATIENCE_S, equal, expect, tab_to, wait_until, with_page
from recordings import MS, S, Writer

START = 1000 * S


class Recorder(threading.Thread):
    """Writes a recording as uimon does: locked, a block at a time, until it is told to stop."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.out = Writer(path)
        fcntl.flock(self.out.file, fcntl.LOCK_EX)
        self.tick = 0
        self.over = threading.Event()
        self.out.begin(START)
        self.out.counter(0, 0, 'System.Runtime', 'working-set', 'Working Set', 'MB')
        for _ in range(30):
            self.second()
        self.start()

    def second(self):
        for _ in range(10):
            self.tick += 1
            now = START + self.tick * 100 * MS
            self.out.beat(now - 50 * MS, 5 * MS, self.tick)
            self.out.activity(now, START, 7 * self.tick, 0, False)
        self.out.value(0, now, S, 100 + self.tick)
        if self.tick % 50 == 0:
            self.out.freeze(now - 500 * MS, now - 300 * MS, self.tick)
        self.out.totals(now, START, self.tick)
        self.out.flush()

    def run(self):
        while not self.over.wait(0.5):
            self.second()

    def stop(self):
        self.over.set()
        self.join()


class Follower:
    def __init__(self, uimon, recording, page):
        self.program = subprocess.Popen(
            [uimon, 'report', recording, '--html', page, '--follow'], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.page = page

    def wait_page(self):
        wait_until('there is a page', lambda: os.path.exists(self.page))

    def bytes_read(self):
        """As the system has counted them."""
        with open('/proc/%d/io' % self.program.pid, encoding='utf-8') as file:
            return int(file.readline().split()[1])

    def end(self, code):
        said = self.program.communicate(timeout=PATIENCE_S)
        equal('exit code, after "%s"' % said[1], self.program.returncode, code)
        with open(self.page, encoding='utf-8') as file:
            expect('the last page is followed by none', '"follow":' not in file.read())
        expect('the text is that of a report', 'Latency' in said[0])
        return said[1]


def made(browser):
    """When the page was made that is shown: 0 of the last one; None while it is loaded."""
    return browser.ask('''(() => { try { return document.documentElement.matches('[data-ready]') &&
        (JSON.parse(document.getElementById('data').textContent).follow || {made_utc_ms: 0})
            .made_utc_ms; } catch (error) { return null; } })()''')


def wait_anew(browser, before, wanted=lambda now: True):
    now = []

    def is_anew():
        now.append(made(browser))
        return isinstance(now[-1], (int, float)) and not isinstance(now[-1], bool) and \
            now[-1] != before and wanted(now[-1])

    wait_until('the page loads itself again', is_anew)
    return now[-1]


def place(browser):
    return browser.ask('''({
        view: document.getElementById('window').textContent,
        flow: document.getElementById('flow-note').textContent,
        marker: document.getElementById('markers-says').textContent,
        tip: document.getElementById('marker-tip').hidden,
        value: document.getElementById('curves-says').textContent,
        table: document.getElementById('markers-list').open,
        rows: document.querySelectorAll('#curves-table tr.inner').length,
        sorted: document.querySelector('#freezes th[aria-sort=ascending]')?.textContent,
        picked: document.querySelector('#freezes tr.picked td')?.textContent,
        pinned: document.querySelectorAll('#flow-rows li.pinned').length,
        scroll: Math.round(scrollY), focus: document.activeElement.id})''')


def stays_at(browser, scroll):
    """Whether the page stays there for so long as it takes to scroll smoothly, in frames: what was
    picked is scrolled to first."""
    return browser.ask('''new Promise((done) => {
        let frames = 0;
        scrollTo({top: %d, behavior: 'instant'});
        const look = () => Math.round(scrollY) !== %d ? done(false) :
            ++frames > 30 ? done(document.activeElement.id === 'chart') :
            requestAnimationFrame(look);
        requestAnimationFrame(look);
    })''' % (scroll, scroll))


def choose(browser):
    """Makes a place to keep: zoomed, picked, entered, opened, sorted and scrolled. While a button of
    the mouse is down, the page is not loaded again."""
    browser.ask('window.dispatchEvent(new Event("pointerdown"))')
    tab_to(browser, 'main')
    browser.press('+', 3)
    tab_to(browser, 'curves')
    browser.press('ArrowDown')
    browser.press('ArrowRight')
    tab_to(browser, 'chart')
    browser.press('ArrowRight', 3)
    browser.press('Enter')
    browser.ask('document.querySelector("#flow-rows .pin").click()')
    for name in ('markers-list', 'curves-list'):
        browser.ask('document.getElementById("%s").open = true' % name)
    wait_until('the tables are filled', lambda: browser.ask(
        'document.querySelector("#curves-table .opener") !== null'))
    browser.ask('document.querySelector("#curves-table .opener").click()')
    browser.ask('document.querySelector("#freezes th button").click()')
    browser.ask('document.querySelector("#freezes tbody tr").click()')
    browser.ask('document.getElementById("chart").focus({preventScroll: true})')
    wait_until('it has scrolled to the graph, and stays at a place',
               lambda: stays_at(browser, 432))


def check_place(uimon, recording, page):
    recorder = Recorder(recording)
    length = os.path.getsize(recording)
    follower = Follower(uimon, recording, page)
    follower.wait_page()
    first = follower.bytes_read()

    def look(browser):
        expect('it says that it goes on', 'The recording goes on' in browser.text('#file'))
        choose(browser)
        before, kept, long = made(browser), place(browser), browser.text('#about')
        browser.ask('window.dispatchEvent(new Event("pointerup"))')
        for name in ('view', 'flow', 'marker', 'value', 'sorted', 'picked', 'pinned', 'rows'):
            expect('%s is chosen: %s' % (name, kept), kept[name])
        for _ in range(2):
            before = wait_anew(browser, before)
            equal('the place is kept', place(browser), kept)
        expect('and the recording has grown', browser.text('#about') != long)
        read = follower.bytes_read() - first
        new = os.path.getsize(recording) - length
        expect('%d bytes are read, of %d that are new' % (read, new), 0 < read <= new)
        recorder.stop()
        recorder.out.end(START + recorder.tick * 100 * MS)
        follower.end(0)
        wait_anew(browser, before, lambda now: now == 0)
        equal('also in the last one', place(browser), kept)
        expect('which says that it is whole', 'is whole' in browser.text('#file'))
        browser.ask('window.same = 1')
        time.sleep(3)
        expect('and is not loaded again', browser.ask('window.same === 1'))

    with_page(page, LIGHT, look)


def check_ends(uimon, recording, page):
    """The writer is gone without an end, or the user has enough of it."""
    recorder = Recorder(recording)
    follower = Follower(uimon, recording, page)
    follower.wait_page()
    recorder.stop()
    recorder.out.file.close()
    said = follower.end(1)
    expect('it says what is missing: ' + said, 'the recording breaks off' in said)
    os.remove(page)
    recorder = Recorder(recording)
    follower = Follower(uimon, recording, page)
    follower.wait_page()
    follower.program.send_signal(signal.SIGINT)
    said = follower.end(0)
    recorder.stop()
    expect('it has nothing to complain of: ' + said, said.count('\n') <= 1)


def main():
    uimon, folder = sys.argv[1:]
    recording, page = os.path.join(folder, 'grows.uirec'), os.path.join(folder, 'grows.html')
    check_place(uimon, recording, page)
    os.remove(page)
    check_ends(uimon, recording, page)
    print('a recording was followed, and the page kept its place')


try:
    main()
except SystemExit as end:
    if end.code:
        print('check_follow.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
