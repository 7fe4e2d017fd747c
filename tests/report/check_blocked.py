#!/usr/bin/env python3
"""Serves pages under the policies (CSP) of servers that block scripts or styles. Where they do, a
page says so, and its text has the numbers of the JSON. Where they do not, it shows itself, and the
text is never seen.

    check_blocked.py UIMON FOLDER

UIMON is the program as it is built for this system; what it needs is made in FOLDER. Says one line
and exits 0, or says what is wrong and exits 1."""

import http.server
import json
import os
import subprocess
import sys
import threading

from browser import DARK_NARROW, LIGHT, browser_of_all, equal, expect, wait_until
from recordings import MS, S, Writer

START = 1000 * S
HOSTILE = '</pre><script>name = 1</script>&lt;'
# Of each freeze, when it began and its length, in ms.
FREEZES = ((2000, 671), (4000, 503), (6000, 1270))
BLOCKED = {  # by their folders on the server
    'jenkins': "sandbox; default-src 'none'; img-src 'self'; style-src 'self';",
    'gitlab': "script-src 'self' 'nonce-Zm9v'; style-src 'self' 'unsafe-inline'",
    'none': "default-src 'none'",
    'self': "script-src 'self'; style-src 'self'",
    'sandbox': 'sandbox',
    'styles': "style-src 'self'",
}
ALLOWED = {
    'plain': '',
    'types': "require-trusted-types-for 'script'",
    'advised': "sandbox allow-scripts; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
}


class Server(http.server.BaseHTTPRequestHandler):
    """/POLICY/NAME.html; of `cut` only what is before the data, and of `slow` the rest as soon as
    that is wanted."""
    folder = None
    wanted = threading.Event()

    def do_GET(self):
        policy, _, name = self.path.strip('/').partition('/')
        path = os.path.join(self.folder, name)
        self.send_response(200 if os.path.isfile(path) else 404)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Security-Policy', BLOCKED.get(policy) or ALLOWED.get(policy, ''))
        self.end_headers()
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                self.write(policy, *file.read().partition(b'<script id="data"'))

    def write(self, policy, text, begin, data):
        self.wfile.write(text)
        if policy == 'slow':
            self.wfile.flush()
            self.wanted.wait()
        if policy != 'cut':
            self.wfile.write(begin + data)

    def log_message(self, *_):
        pass


def serve(folder):
    Server.folder = folder
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return 'http://127.0.0.1:%d/' % server.server_port


def record(path, messages):
    out, end = Writer(path), START + 9 * S
    out.begin(START, HOSTILE)
    for number, (begin, length) in enumerate(FREEZES):
        out.freeze(START + begin * MS, START + (begin + length) * MS, number + 1)
    out.beat(START, 20 * MS, 1)
    for second in range(9):
        out.activity(START + second * S, START, messages * second, 0, False)
    out.totals(end, START, 1)
    out.end(end)


def write_history(path):
    """A history with one step."""
    with open(path, 'w', encoding='utf-8') as out:
        for i in range(30):
            median = (20 if i < 18 else 25) + 0.1 * (i * 7 % 5)
            quantity = {'name': 'total', 'median': median, 'low': median, 'high': median, 'runs': 9}
            print(json.dumps({
                'kind': 'history', 'schema': 1, 'label': HOSTILE if i == 18 else 'c%d' % i,
                'time': '2026-11-21T12:00:00Z', 'uimon': '0.1.0', 'machine': 'VM', 'system': 'A',
                'target': 'a.exe', 'scenario': 'edit', 'crc32': 'e68102d7', 'runs': 9,
                'measures': [{'name': 'typing', 'total_to': 'painted', 'quantities': [quantity]}],
            }), file=out)


def make(uimon, folder, name, *command):
    """Makes a page and its JSON, which is returned."""
    page, result = (os.path.join(folder, name + end) for end in ('.html', '.json'))
    subprocess.run([uimon, *command, '--html', page, '--json', result], check=True,
                   stdout=subprocess.DEVNULL)
    with open(result, encoding='utf-8') as file:
        return json.load(file)


def s(ms):
    return '%.2f s' % (ms / 1000)


def make_all(uimon, folder):
    """Of each page the texts that stand in it without its script, by the numbers of its JSON."""
    a, b, history = (os.path.join(folder, name) for name in ('a.uirec', 'b.uirec', 'h.jsonl'))
    record(a, 40)
    record(b, 50)
    write_history(history)
    report = make(uimon, folder, 'report', 'report', a)
    freezes = report['freezes']
    equal('freezes', (freezes['count'], freezes['longest_ms']), (len(FREEZES), 1270))
    diff = make(uimon, folder, 'diff', 'compare', a, b)['counted'][0]
    series = make(uimon, folder, 'history', 'history', 'show', history)['tracks'][0]['series'][0]
    change = series['changes'][0]
    return {
        'report': [HOSTILE, '%d freezes in %s: %s in all, the longest %s.' % (
            freezes['count'], s(report['duration_ms']), s(freezes['total_ms']),
            s(freezes['longest_ms']))],
        'diff': ['%11.4g %11.4g %11.2f  %s' % (diff['before'], diff['after'], diff['ratio'],
                                               diff['label'])],
        'history': [HOSTILE, '%.2f -> %.2f ms  %+.1f %%' % (change['before'], change['after'],
                                                            change['percent'])],
    }


def go(browser, url):
    browser.call('Page.navigate', url='about:blank')
    browser.call('Page.navigate', url=url)
    wait_until(url, lambda: browser.ask('location.href') == url)


def open_page(browser, url):
    go(browser, url)
    wait_until(url + ' is loaded', lambda: browser.ask('document.readyState') == 'complete')


def is_ready(browser):
    return browser.ask('document.documentElement.matches("[data-ready]:not([data-error])")')


def check_text(browser, url, texts):
    open_page(browser, url)
    shown = browser.text('body')
    expect('%s does not say why: %s' % (url, shown), 'Content-Security-Policy' in shown)
    for text in texts:
        expect('%s: “%s” is not in: %s' % (url, text, shown), text in shown)
    expect(url + ' has run', browser.ask('window.name') == '' and not is_ready(browser))
    equal(url + ' has headings', browser.ask('''[...document.querySelectorAll("h1, h2, h3")].filter(
        (one) => one.checkVisibility()).length'''), 0)


def check_width(browser, url):
    open_page(browser, url)
    equal(url + ' is wider than the window by', browser.ask(
        'document.documentElement.scrollWidth - innerWidth'), 0)


def check_page(browser, url):
    open_page(browser, url)
    expect(url + ' does not show itself', is_ready(browser))
    expect(url + ' has no headings', 'How to read it' in browser.text('body') or
           'Before and after' in browser.text('h1'))
    equal('texts in ' + url, browser.ask('document.querySelectorAll("pre").length'), 0)


def check_zoom(browser, url):
    """A page that may keep nothing in the browser is used as elsewhere."""
    open_page(browser, url)
    browser.click_on('#in')
    wait_until('it zooms', lambda: 'the whole session' not in browser.text('#window'))
    wait_until('the address has the view', lambda: '#from=' in browser.ask('location.href'))
    expect('a part of it has failed', is_ready(browser))


def check_loading(browser, url):
    """The text does not flicker while the page comes."""
    go(browser, url)
    wait_until('the text comes', lambda: browser.ask('!!document.querySelector("#unscripted pre")'))
    equal('seen before the rest', browser.text('body'), '')
    Server.wanted.set()
    wait_until('the rest comes', lambda: is_ready(browser))


def main(uimon, folder):
    folder = os.path.realpath(folder)
    pages, url = make_all(uimon, folder), serve(folder)
    browser = browser_of_all()
    browser.look(LIGHT)
    for name, texts in pages.items():
        for policy in [*BLOCKED, 'cut']:
            check_text(browser, '%s%s/%s.html' % (url, policy, name), texts)
        for policy in ALLOWED:
            check_page(browser, '%s%s/%s.html' % (url, policy, name))
    check_zoom(browser, url + 'advised/report.html')
    check_loading(browser, url + 'slow/report.html')
    browser.look(DARK_NARROW)
    for name in pages:
        check_width(browser, '%sgitlab/%s.html' % (url, name))
    print('check_blocked.py: %d pages have their numbers under %d policies' % (
        len(pages), len(BLOCKED) + len(ALLOWED)))


try:
    main(*sys.argv[1:])
except SystemExit as end:
    if end.code:
        print('check_blocked.py: %s' % end.code, file=sys.stderr)
        sys.exit(1)
