"""Reads the feeds of running uimons: feed.py TARGET, a program's name or process id (docs/feed.md).

Needs nothing but Python 3.8. On Windows it opens the named pipe; elsewhere, where uimon runs in tests
only, the Unix socket of that name.
"""
import json
import os
import pathlib
import socket
import struct
import sys

WINDOWS = os.name == "nt"
ROOT = pathlib.Path(os.environ["LOCALAPPDATA" if WINDOWS else "XDG_RUNTIME_DIR"], "uimon")
SESSION, BEAT, EPISODE, END = 32, 33, 35, 37
FROZEN, STARVED = 3, 4
EPISODE_END, EPISODE_VOID = 2, 16


def find_feed(target):
    for path in sorted((ROOT / "feeds").glob("*.feed")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        name = entry["target_name"].lower()
        if entry["uimon_feed"] == 1 and target.lower() in (str(entry["target_pid"]), name, name[:-4]):
            return entry
    sys.exit(f"feed.py: no uimon watches {target}")


def open_pipe(name):
    if WINDOWS:
        return open(rf"\\.\pipe\{name}", "rb")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(str(ROOT / name))
    return connection.makefile("rb")


def read_frames(stream):
    """Yields type, flags and payload of each frame."""
    if struct.unpack("<IHH", stream.read(8)) != (0x4E4D4955, 1, 0):
        sys.exit("feed.py: no feed, or one of a later version")
    while len(head := stream.read(4)) == 4:
        length, kind, flags = struct.unpack("<HBB", head)
        payload = stream.read(length)
        if len(payload) == length:
            yield kind, flags, payload


def text(payload, offset):
    (length,) = struct.unpack_from("<H", payload, offset)
    return payload[offset + 2 : offset + 2 + length].decode("utf-8", "replace")


def main(target):
    entry = find_feed(target)
    beats = worst_ns = 0
    for kind, flags, payload in read_frames(open_pipe(entry["pipe"])):
        if kind == SESSION:
            print("watching", text(payload, 48), flush=True)
        elif kind == BEAT:
            sent_ns, latency_ns, _ = struct.unpack_from("<QQI", payload)
            beats, worst_ns = beats + 1, max(worst_ns, latency_ns)
        elif kind == EPISODE and flags & EPISODE_END and not flags & EPISODE_VOID:
            start_ns, end_ns, peak_ns, _, slept_ns = struct.unpack_from("<5Q", payload)
            if payload[56] in (FROZEN, STARVED):
                print(f"freeze of {(end_ns - start_ns - slept_ns) / 1e6:.1f} ms", flush=True)
        elif kind == END:
            print(f"{beats} beats, the longest {worst_ns / 1e6:.1f} ms", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
