"""Judges what a thousand million traced calls leave behind: handles and memory of the program and of uimon after
each fifth of the calls, by the lines "PART WHO HANDLES KIB" that ./run has written. long.py WEIGHTS LOG RECORDING"""
import os
import sys

MOST_HANDLES = 4
MOST_MIB = {"program": 8, "uimon": 2}
MOST_S = 290  # two runs within ten minutes

weights = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for _, who, handles, kib in map(str.split, file):
        weights.setdefault(who, []).append((int(handles), int(kib) / 1024))
with open(sys.argv[2], encoding="utf-8") as file:
    parts = [[int(n) for n in line.split()[1:]] for line in file if line.startswith("part ")]
calls, ms = parts[-1]
failed = calls < 1e9 or ms > MOST_S * 1000
for number, (until, at) in enumerate(parts):
    before, since = parts[number - 1] if number else (0, 0)
    print(f"{until / 1e6:6.0f} million calls: {(at - since) * 1e6 / (until - before):5.1f} ns a call")
print(f"{ms / 1000:.0f} s, {os.path.getsize(sys.argv[3]) / 2**20:.1f} MiB recorded")
for who, list_ in weights.items():
    (handles, mib), (handles_after, mib_after) = list_[0], list_[-1]
    bad = len(list_) != len(parts) or handles_after > handles + MOST_HANDLES or mib_after > mib + MOST_MIB[who]
    print(f"{who}: handles {', '.join(str(at[0]) for at in list_)}; MiB {', '.join(f'{at[1]:.1f}' for at in list_)}"
          f"{' TOO MANY' if bad else ''}")
    failed |= bad
sys.exit(failed)
