"""Judges what uimon says of calls.cs: every call that the program has counted, and no other number.
calls.py SUMMARY LOG [METHOD...]: with methods, only these are traced"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    methods = json.load(file)["methods"]
with open(sys.argv[2], encoding="utf-8") as file:
    lines = [line.split() for line in file]
only = sys.argv[3:]
rows = {}
modules = set()
for row in methods["list"]:
    own = bool(only) or row["method"].startswith(("Calls", "Tails", "Many", "Long"))
    # Two modules may have methods of the same name.
    assert not own or (row["module"], row["method"]) not in modules, "two rows are called " + row["method"]
    modules.add((row["module"], row["method"]))
    if own:
        rows[row["method"]] = row
failed = checked = 0


def check(what, right, *values):
    global failed, checked
    checked += 1
    if not right:
        failed += 1
        print("NOT", what, *values)


def check_places(tree, above):
    """What is called after an exception was called by its catcher, which is no method that has thrown. What
    ends before it calls another method is not that one's caller."""
    for row in tree:
        name = methods["list"][row["row"]]["method"]
        caller = {"Leaf": "Exceptions", "Caught": "Exceptions", "Pass": "Exceptions", "Handle": "Pass"}.get(
            name.removeprefix("Calls."), "Tails" if name.startswith("Tails.") else None)
        if caller:
            check(name + " has the right caller", above == "Calls." + caller, above)
        check_places(row.get("within", []), name)


times = methods["depth"] == "times"
for line in lines:
    row = rows.get(line[1])
    if line[0] == "calls" and (not only or line[1] in only):
        check(line[1], row and row["calls"] == int(line[2]), row and row["calls"], "of", line[2])
        if times and row:
            ended = 0 if line[1] in ("Calls.Throw", "Calls.Pass") else row["calls"]
            check(line[1] + " ended", row["ended"] == ended, row["ended"], "of", ended)
    elif line[0] == "time" and times and not only:
        inside = int(line[2]) / 1000
        wall = row.get("wall_ms", 0)
        check(line[1] + " wall", inside - 0.1 <= wall, wall, "within", inside)
        check(line[1] + " calls", row["calls"] == row["ended"] == 1, row)
for line in lines:
    if line[:2] == ["work", "times"] and times and not only:
        total = int(line[2]) / 1000
        wall = rows["Calls.BurnAndSleep"]["wall_ms"]
        parts = rows["Calls.Burn"]["wall_ms"] + rows["Calls.Sleep"]["wall_ms"]
        check("BurnAndSleep", parts - 0.1 <= wall <= total + 0.1, parts, wall, total)
        own = rows["Calls.BurnAndSleep"]["self_ms"]
        check("its own time", abs(wall - parts - own) < 1, wall, parts, own)
    elif line[0] == "tails" and times and not only:
        total = int(line[1]) / 1000
        first, second = (rows[name].get("wall_ms", 0) for name in ("Tails.First", "Tails.Second"))
        check("First and Second", first + second <= total + 0.1, first, second, total)
if times and not only:
    for thread in methods["threads"]:
        check_places(thread["calls"], None)
if only:
    check("only these", set(rows) == set(only), sorted(rows))
else:
    check("others", len(methods["list"]) > 500, len(methods["list"]))
    check("rest", methods["rest"] == 0, methods["rest"])
for line in lines:
    if line[0] == "longest" and not only:
        longest = [row for name, row in rows.items() if name.startswith("Longest.")]
        check("long names", sorted(row["calls"] for row in longest) == [30, 40], longest)
        check("are cut and say so", all(re.fullmatch("Longest\\.n{495}\u2026#[0-9a-f]{4}", row["method"])
                                        for row in longest), longest)
killed = not any(line[0] == "ended" for line in lines)
has_all = methods["rest"] == 0 and not any("others" in row for row in methods["list"])
check("exact", methods["exact"] == (has_all and "end_missing" not in methods), methods["exact"])
check("whether the end is known", "end_missing" in methods or not killed)
if not times:
    check("no times", not any("wall_ms" in row for row in rows.values()))
print(methods["depth"], methods["calls"], "calls of", len(methods["list"]), "methods:", checked, "checked,", failed, "wrong")
sys.exit(failed > 0 or checked < 2)
