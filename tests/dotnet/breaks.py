"""Judges what uimon says of calls.cs when it has left, and has come again while Ticks was still running.
breaks.py FIRST SECOND LOG OUT LEAST_MS MOST_MS: the summaries of the first and the second uimon, the
program's log, what the second has printed, and how long nobody was there"""
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["methods"]


first, second = read(sys.argv[1]), read(sys.argv[2])
with open(sys.argv[3], encoding="utf-8") as file:
    counted = {line.split()[1]: int(line.split()[2]) for line in file if line.startswith("calls ")}
with open(sys.argv[4], encoding="utf-8") as file:
    out = file.read()
least, most = float(sys.argv[5]), float(sys.argv[6])
failed = 0


def check(what, right, *values):
    global failed
    if not right:
        failed += 1
        print("NOT", what, *values)


def calls(summary, name):
    return sum(row["calls"] for row in summary["list"] if row["method"] == name)


def above(tree, name, caller=None):
    """The callers of a method, with how often each has called it."""
    found = []
    for row in tree:
        if second["list"][row["row"]]["method"] == name:
            found.append((caller, row["calls"]))
        found += above(row.get("within", []), name, second["list"][row["row"]]["method"])
    return found


check("the first is exact", first["exact"] and first["interruptions"] == 0 and first["missed_ms"] == 0)
check("the second is not", second["exact"] is False and "counts are exact" not in out)
check("it says so", "interrupted once: calls of" in out and "are at the top of their thread" in out, out)
check("once", second["interruptions"] == 1, second["interruptions"])
check("the time", least <= second["missed_ms"] <= most, least, second["missed_ms"], most)
missing = counted["Calls.Tick"] - calls(second, "Calls.Tick")
check("calls are missing", 0 < missing < counted["Calls.Tick"], missing)
# Each one is behind a sleep of 20 ms, of which the system may take a part of its clock's 16.
check("not more than there were", missing <= second["missed_ms"] / 4 + 1, missing)
check("Ticks", calls(second, "Calls.Ticks") == 1)
callers = dict(above([row for thread in second["threads"] for row in thread["calls"]], "Calls.Tick"))
check("Tick stands within Ticks, and at the top", set(callers) == {"Calls.Ticks", None} and
      callers["Calls.Ticks"] >= calls(first, "Calls.Tick"), callers)
print(counted["Calls.Tick"], "calls,", missing, "missing in", second["missed_ms"], "ms:", failed, "wrong")
sys.exit(failed > 0)
