"""Whether the freezes of window.cs have the names of its methods, with the lines that the source marks as
theirs, and their stacks are whole.

    window.py SUMMARY.json FOLDED SPEEDSCOPE.json SOURCE
"""
import collections
import json
import re
import sys

METHODS = ["Compute()", "Deeper(Int32)", "Rest()"]
CALLERS = ["Deeper", "Rest", "Work", "Main"]
WHOLE = 0.95

with open(sys.argv[1], encoding="utf-8") as file:
    freezes = sorted(json.load(file)["freeze_list"], key=lambda freeze: freeze["start_ms"])
with open(sys.argv[2], encoding="utf-8") as file:
    stacks = [(line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in file]
with open(sys.argv[3], encoding="utf-8") as file:
    frames = json.load(file)["shared"]["frames"]
lines = collections.defaultdict(set)
with open(sys.argv[4], encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        if method := re.search(r"// line of (\w+)", line):
            lines[method[1]].add(number)

assert len(freezes) == 6, f"{len(freezes)} freezes and not 6"
sampled = 0
for number, freeze in enumerate(freezes):
    method = "Uimon.Works32.Program." + METHODS[number % 3]
    if freeze.get("samples", 0) < 5:  # a busy machine leaves few
        continue
    sampled += 1
    assert method in freeze["stack"], f"freeze {number}: {freeze['stack']} without {method}"
    assert "stack_stopped" not in freeze, freeze["stack_stopped"]
    yours = freeze["samples_yours"] / freeze["samples"]
    assert yours >= 0.9, f"freeze {number}: {yours:.2f} are of the program's own methods"
    innermost = re.search(r"Program\.(\w+)\(", freeze["stack"][0])[1]
    places = {f"window.cs:{mark}{line}" for mark in ("", "~") for line in lines[innermost]}
    assert freeze.get("place") in places, f"freeze {number}: {freeze.get('place')} of {freeze['stack']}"
assert sampled >= 3, f"only {sampled} freezes have samples"

# Callers are known exactly: this code is not optimised.
for method in CALLERS:
    found = [frame for frame in frames if f"!Uimon.Works32.Program.{method}(" in frame["name"]]
    assert found, f"no {method}"
    for frame in found:
        print(frame)
        assert frame.get("file", "").endswith("window.cs"), frame
        assert frame["line"] in lines[method], f"{frame}: not {lines[method]}"

count = sum(samples for _, samples in stacks)
whole = sum(samples for stack, samples in stacks if ";window!Uimon.Works32.Program.Main(" in stack)
assert whole >= count * WHOLE, f"{whole} of {count} stacks have Main"
deep = max(stack.count("Program.Deeper(Int32)") for stack, _ in stacks)
assert deep in (0, 21), f"Deeper calls itself {deep} times and not 21"
print(f"{count} stacks, {whole} with Main, {deep} calls of Deeper")
