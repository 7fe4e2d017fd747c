"""Headless Chromium, for the checks that use a page as a person would: with the mouse, with the
keyboard, and through the accessibility tree."""

import atexit
import functools
import json
import os
import re
import subprocess
import tempfile
import time

KEYS = {'Tab': 9, 'Enter': 13, 'Escape': 27, 'End': 35, 'Home': 36, 'ArrowLeft': 37, 'ArrowUp': 38,
        'ArrowRight': 39, 'ArrowDown': 40, '0': 48, 'p': 80, 't': 84, '+': 107}


PATIENCE_S = 60

# How a page is looked at: in dark colours, at which scale, in a window of which width and height.
LIGHT = (False, 1, 1400, 1000)
DARK_200 = (True, 2, 1400, 1000)
NARROW = (False, 1, 700, 900)
DARK_NARROW = (True, 1, 700, 900)
DARK_NARROW_200 = (True, 2, 700, 900)
PHONE = 400  # no page is wider, and nothing of it is cut, in a window of this width

# What is cut at the right, or stands out of its card, in words. What scrolls in its own box is left
# out. So are names of functions and files, which hovering or the keyboard shows whole, and what that
# shows: it has its place from when the window was wider.
CUT = '''(() => {
  const scrolls = (one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
  const clips = (one) => ['hidden', 'clip'].includes(getComputedStyle(one).overflowX);
  const named = '#flame, .block, .file, .flow-row';
  const fixed = '#hover, #stack-hover, #marker-tip, #curves-tip';
  const found = [];
  for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility() || one.closest(named) || one.closest(fixed)) continue;
    let around = one;
    while (around && !scrolls(around)) around = around.parentElement;
    const wide = clips(one) ? one.scrollWidth - one.clientWidth : 0;
    const room = (one.closest('.card') || document.documentElement).getBoundingClientRect();
    const out = around ? 0 : one.getBoundingClientRect().right - room.right;
    if (wide > 1 || out > 1)
      found.push(`${one.tagName} ${one.id}: ${one.textContent.trim().slice(0, 40)}`);
  }
  return found.join('; ');
})()'''


class Navigated(Exception):
    """The page was loaded again in the midst of a question."""


class Browser:
    """Chromium, spoken to through a pipe: each message is JSON and ends in a NUL."""

    def __init__(self, profile):
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()

        def pipes():
            kept = os.dup(to_read), os.dup(from_write)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.program = subprocess.Popen(
            ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
             '--no-first-run', '--disable-background-networking', '--disable-component-update',
             '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
             '--user-data-dir=' + profile, '--remote-debugging-pipe', 'about:blank'],
            preexec_fn=pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.bytes = b''
        self.number = 0
        self.session = None
        pages = [one for one in self.call('Target.getTargets')['targetInfos']
                 if one['type'] == 'page']
        self.session = self.call('Target.attachToTarget', targetId=pages[0]['targetId'],
                                 flatten=True)['sessionId']
        self.call('Page.enable')
        self.call('Emulation.setFocusEmulationEnabled', enabled=True)

    def look(self, look):
        dark, scale, width, height = look
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.bytes:
                more = os.read(self.source, 1 << 20)
                if not more:
                    raise SystemExit('Chromium has ended')
                self.bytes += more
            text, self.bytes = self.bytes.split(b'\0', 1)
            answer = json.loads(text)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    if method == 'Runtime.evaluate':
                        raise Navigated(answer['error']['message'])
                    raise SystemExit(method + ': ' + answer['error']['message'])
                return answer['result']

    def ask(self, expression):
        for _ in range(100):
            try:
                result = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                                   awaitPromise=True)
                break
            except Navigated:
                time.sleep(0.1)
        else:
            raise SystemExit(expression + ' cannot be asked')
        expect(expression + ' can be asked', 'exceptionDetails' not in result)
        return result['result'].get('value')

    def open(self, page, hash_text=''):
        self.call('Page.navigate', url='about:blank')  # else another hash would load nothing
        self.call('Page.navigate', url='file://' + page + hash_text)
        while not self.ask('document.documentElement?.matches("[data-ready], [data-error]") && '
                           'location.protocol === "file:"'):
            time.sleep(0.01)
        expect('its script has failed: ' + str(self.ask('document.documentElement.dataset.error')),
               self.ask('document.documentElement.dataset.error === undefined'))

    def press(self, key, count=1):
        for _ in range(count):
            text = {'Enter': '\r'}.get(key, key if len(key) == 1 else None)
            for kind in ('keyDown', 'keyUp'):
                self.call('Input.dispatchKeyEvent', type=kind, key=key,
                          code=key if len(key) > 1 else 'Key' + key.upper(),
                          windowsVirtualKeyCode=KEYS[key],
                          **({'text': text} if text and kind == 'keyDown' else {}))

    def type(self, text):
        self.call('Input.insertText', text=text)

    def mouse(self, kind, x, y):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left',
                  clickCount=1 if kind != 'mouseMoved' else 0)

    def click(self, x, y):
        for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
            self.mouse(kind, x, y)

    def box(self, selector):
        return self.ask('''(() => { const one = document.querySelector(%s);
            one.scrollIntoView({block: 'center'}); const box = one.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height]; })()''' % json.dumps(selector))

    def click_on(self, selector):
        left, top, width, height = self.box(selector)
        self.click(left + width / 2, top + height / 2)

    def text(self, selector):
        return self.ask('(document.querySelector(%s) || {}).innerText || ""' % json.dumps(selector))

    def focused(self):
        return self.ask('document.activeElement === document.body ? "" : document.activeElement.id '
                        '|| document.activeElement.ariaLabel || document.activeElement.innerText')

    def close(self):
        self.session = None
        self.call('Browser.close')
        self.program.wait(PATIENCE_S)


def expect(what, is_so):
    if not is_so:
        raise SystemExit(what)


def equal(what, found, wanted):
    expect('%s: %r, not %r' % (what, found, wanted), found == wanted)


def wait_until(what, is_so):
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        expect('waited in vain: ' + what, time.monotonic() < end)
        time.sleep(0.05)


def tab_to(browser, wanted):
    for _ in range(200):
        if wanted in browser.focused():
            return
        browser.press('Tab')
    raise SystemExit('Tab does not come to ' + wanted)


@functools.cache
def browser_of_all():
    """The browser of this program's pages, which ends with it: to start takes it seconds."""
    profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    atexit.register(profile.cleanup)
    browser = Browser(profile.name)
    atexit.register(browser.close)
    return browser


def check_width(browser, look):
    browser.look(look)
    browser.ask('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    wide = browser.ask('document.documentElement.scrollWidth - innerWidth')
    expect('%s: the page is %s pixels wider than the window' % (look, wide), wide <= 0)


def with_page(page, look, does, *more):
    """Opens a page, looked at as said above, and calls does(browser, ...)."""
    browser = browser_of_all()
    browser.look(look)
    browser.page = page
    browser.open(page)
    does(browser, *more)
    check_width(browser, look)
    check_width(browser, (look[0], 1, PHONE, 900))
    equal('cut where the window is %d px wide' % PHONE, browser.ask(CUT), '')
    html = browser.ask('document.documentElement.outerHTML').split('<script id="data"')[0]
    wrong = re.search(r'.{0,40}\b(NaN|undefined)\b', html)
    expect('it shows what is no number: ' + (wrong and wrong.group() or ''), not wrong)
    browser.ask('sessionStorage.clear()')
