"""Judges what uimon says of the program handlers.cs with its plug-in: each handler has the line of
the source that is marked as its slow one, in the exported profile, in the headlines and on the page, and in
optimised code alone a line may be only the nearest one before (":~18"). By its checksum the source is the one
that was built. Without numbers of handlers, no
method of the plug-in has a line. A freeze in the plug-in is the plug-in's (--mine), and one in which the
program itself is slow is not. lines.py FOLDER SOURCE [HANDLER...]"""
import json
import math
import os
import re
import sys

HOST = 9  # no handler: the program itself
METHODS = {1: ".Loop(", 2: "Box`1", 3: "<Lambda>b__", 4: "<Async>d__"}
folder, source, handlers = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]

with open(os.path.join(os.path.dirname(__file__), source), encoding="utf-8") as file:
    text = file.read().split("\n")
slow = {int(m[1]): i for i, line in enumerate(text, 1) if (m := re.search(r"// slow line (\d)", line))}
with open(os.path.join(folder, "handlers.speedscope.json"), encoding="utf-8") as file:
    frames = [f for f in json.load(file)["shared"]["frames"] if "!Uimon.Plugin." in f["name"]]
with open(os.path.join(folder, "handlers.html"), encoding="utf-8") as file:
    page = file.read()
failed = not frames

for number in handlers:
    found = [f for f in frames if METHODS[number] in f["name"]]
    for frame in found:
        print(frame["name"], frame.get("file"), frame.get("line"), "and the source says", slow[number])
        file, mark, line = frame.get("file", "").partition(":~")
        failed |= file != "C:\\lines\\" + source or int(line or frame.get("line", 0)) != slow[number]
        failed |= bool(mark) and os.path.basename(folder) != "optimized"
    failed |= not found
on_page = "slow line 1" in page
print("the source is", "on the page" if on_page else "not on the page")
failed |= on_page != bool(handlers)
stacks = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page, re.S)[1])["stacks"]
unsure = [item[2] for item in stacks["sources"].values() if item[0].endswith("/" + source)]
print("files that may have changed:", unsure, "others:", stacks["others"])
failed |= unsure != [0] * bool(handlers) or bool(stacks["others"])
with open(os.path.join(folder, "handlers.json"), encoding="utf-8") as file:
    freezes = [f for f in json.load(file)["freeze_list"] if f["duration_ms"] > 800]
with open(os.path.join(folder, "handlers.log"), encoding="utf-8") as file:
    asked = [int(words[4]) for words in map(str.split, file) if words[0] == "freeze" and int(words[4]) > 800]
judged = set()
for freeze, number in zip(freezes, [ms % 10 for ms in asked]):
    samples, yours, place = freeze.get("samples", 0), freeze.get("samples_yours", 0), freeze.get("place", "")
    print(f"handler {number}: {yours} of {samples} samples yours, {freeze.get('whose')}, {place}")
    if samples == 0:
        continue
    judged.add(number == HOST)
    if number == HOST:
        failed |= yours > 0.05 * samples or not freeze["whose"].startswith("yours 0 ")
        failed |= not place.startswith("handlers.cs:") or "Window.Spin(" not in freeze["stack"][0]
    else:
        failed |= yours < 0.95 * samples - 3 * math.sqrt(0.05 * 0.95 * samples) or "to 100 %" not in freeze["whose"]
        failed |= not any(METHODS[number] in frame for frame in freeze["stack"])
        failed |= number in handlers and not place.startswith(source + ":")
failed |= len(freezes) != len(asked) or judged != {number % 10 == HOST for number in asked}
if not handlers:
    failed |= any("line" in frame or ":~" in frame.get("file", "") for frame in frames)
sys.exit(failed)
