"""Recordings of uimon, read and written by nothing of uimon's own: the frames that have what else
was counted, by docs/frames.md and monitor/recording/recording.h."""

import struct
import zlib

MAGIC = b'\x89UMR\r\n\x1a\n'
BLOCK = 0x4b424d55
SESSION, BEAT, EPISODE, END, INTERACTION, TOTALS, RECORDING, STACK, POOL, ACTIVITY, COUNTER, \
    COUNTER_VALUE = (32, 33, 35, 37, 38, 39, 40, 47, 49, 51, 56, 57)
MS, S = 10 ** 6, 10 ** 9


def text(*texts):
    return b''.join(struct.pack('<H', len(one.encode())) + one.encode() for one in texts)


def texts_of(payload, offset, count):
    found = []
    for _ in range(count):
        length, = struct.unpack_from('<H', payload, offset)
        found.append(payload[offset + 2:offset + 2 + length].decode())
        offset += 2 + length
    return found


class Writer:
    def __init__(self, path):
        self.file = open(path, 'wb')
        self.number = 0
        self.pending = b''
        header = MAGIC + struct.pack('<HH', 1, 0)
        self.file.write(header + struct.pack('<I', zlib.crc32(header)))

    def frame(self, kind, payload, flags=0):
        if len(self.pending) + 4 + len(payload) > 60000:
            self.flush()
        self.pending += struct.pack('<HBB', len(payload), kind, flags) + payload

    def flush(self):
        if not self.pending:
            return
        head = struct.pack('<III', BLOCK, len(self.pending), self.number)
        crc = zlib.crc32(self.pending, zlib.crc32(head))
        self.file.write(head + struct.pack('<I', crc) + self.pending)
        self.file.flush()
        self.number += 1
        self.pending = b''

    def begin(self, start, name='demo.exe', options=''):
        self.frame(RECORDING, struct.pack('<qQ', 1764000000000, start) + text('0.1.0', options))
        self.frame(SESSION, struct.pack('<QqQIIIIIBBBB', start, 1764000000000, 1, 4711, 4712, 10000,
                                        100000, 20000, 64, 1, 1, 0) + text(name, 'title', '', ''))

    def beat(self, sent, latency, seq):
        self.frame(BEAT, struct.pack('<QQI', sent, latency, seq))

    def freeze(self, start, end, number):
        for flags, until in ((1, start + 100 * MS), (2, end)):
            self.frame(EPISODE, struct.pack('<QQQQQQIIB', start, until, until - start, 0, 0, 0, number,
                                            0, 3) + text('', ''), flags)

    def interaction(self, number, kind, arrival, taken, handled, painted):
        self.frame(INTERACTION, struct.pack('<QQQQIIIB', arrival, taken, handled, painted,
                                            number, 0, 0, kind))

    def stack(self, freeze, samples, alike, names):
        self.frame(STACK, struct.pack('<10I', freeze, samples, alike, *[0] * 7) +
                   text(*(names + [''] * 9)[:9]))

    def totals(self, time, start, beats, observes=False):
        states = [0] * 6 + [time - start]
        self.frame(TOTALS, struct.pack('<QQQQQ7Q', time, time - start, beats, beats, 0, *states) +
                   bytes(8 * 8) + bytes([observes]))

    def pool(self, time, delay, start=0, end=0, peak=0, starvation=0, waits=False):
        lasts = starvation and not end
        self.frame(POOL, struct.pack('<QQQQQI', time, delay, start, end, peak, starvation),
                   (1 if waits else 0) | (2 if lasts else 0))

    def activity(self, time, since, messages, paints, known):
        self.frame(ACTIVITY, struct.pack('<QQQQ', time, since, messages, paints), int(known))

    def counter(self, number, kind, provider, name, display, unit):
        self.frame(COUNTER, struct.pack('<IB', number, kind) + text(provider, name, display, unit))

    def value(self, number, time, interval, value, least=0.0, greatest=0.0, count=0):
        self.frame(COUNTER_VALUE, struct.pack('<QQdddII', time, interval, value, least, greatest,
                                              number, count))

    def end(self, time):
        self.frame(END, struct.pack('<QB', time, 0))
        self.flush()
        self.file.close()


def frames(path):
    """Each frame's type, flags and payload."""
    with open(path, 'rb') as file:
        everything = file.read()
    at = 16
    while at + 16 <= len(everything):
        magic, length = struct.unpack_from('<II', everything, at)
        if magic != BLOCK or at + 16 + length > len(everything):
            return
        block = everything[at + 16:at + 16 + length]
        at += 16 + length
        place = 0
        while place < len(block):
            size, kind, flags = struct.unpack_from('<HBB', block, place)
            yield kind, flags, block[place + 4:place + 4 + size]
            place += 4 + size


class Counted:
    """What else was counted in a recording: of each curve, by its name, the spans (from, to, value,
    least, greatest), in ns since the session's start. Of one that began before it, there is the
    part within it."""

    def __init__(self, path):
        self.curves = {}
        self.starvations = {}  # of Windows' pool: by id [start, end, peak]
        start, last, last_pool, names = None, None, None, {}
        for kind, flags, payload in frames(path):
            if kind == SESSION and start is None:
                start, = struct.unpack_from('<Q', payload)
            if kind == POOL:
                time, delay, begun, ended, peak, number = struct.unpack_from('<QQQQQI', payload)
                since = last_pool if last_pool and time - last_pool < 2 * S else \
                    time - min(delay, 2 * S)
                self.add('thread-pool delay', since - start, time - start, delay / MS)
                last_pool = time
                if number:
                    self.starvations[number] = [begun - start, ended and ended - start, peak]
            if kind == ACTIVITY:
                now = struct.unpack_from('<QQQQ', payload) + (flags & 1,)
                if last and last[1] == now[1] and now[0] > last[0]:
                    seconds = (now[0] - last[0]) / S
                    span = last[0] - start, now[0] - start
                    self.add('messages', *span, (now[2] - last[2]) / seconds)
                    if last[4] and now[4]:
                        self.add('frames', *span, (now[3] - last[3]) / seconds)
                last = now
            if kind == COUNTER:
                number, what = struct.unpack_from('<IB', payload)
                provider, name, display, unit = texts_of(payload, 5, 4)
                names[number] = (display or name, what, unit)
            if kind == COUNTER_VALUE:
                time, interval, value, least, greatest, number, count = struct.unpack_from(
                    '<QQdddII', payload)
                name, what, _ = names[number]
                if what == 1:
                    value /= interval / S
                if what == 1 or not count:
                    least = greatest = value
                self.add(name, time - interval - start, time - start, value, least, greatest)
        self.units = {name: unit + ('/s' if what == 1 else '') for name, what, unit in
                      names.values()}

    def add(self, name, start, end, value, least=None, greatest=None):
        self.curves.setdefault(name, []).append(
            (max(start, 0), end, value, value if least is None else least,
             value if greatest is None else greatest))
