"""Judges the summary and the folded stacks of works.cs: which methods its freezes are named by, and
how many of the samples were walked to the thread's start. methods.py SUMMARY FOLDED"""
import json
import sys

METHODS = ["Box`1", "Works.Query(", "Works.CatchAll(", "Works.CallOut("] * 2
START = "ntdll!RtlUserThreadStart"

with open(sys.argv[1], encoding="utf-8") as file:
    freezes = [f for f in json.load(file)["freeze_list"] if f["duration_ms"] > 800]
failed = len(freezes) != len(METHODS)
print(len(freezes), "freezes")
for method, freeze in zip(METHODS, freezes):
    named = any(method in frame for frame in freeze.get("stack", []))
    yours = freeze.get("samples_yours", 0) / max(1, freeze.get("samples", 0))
    print(method, "named" if named else "NOT NAMED", freeze.get("samples"), "samples,",
          f"{yours:.0%} yours,", freeze.get("headline"), freeze.get("stack_stopped", ""))
    failed |= not named or yours < 0.95
whole = total = 0
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        total += int(count)
        whole += int(count) if START in stack else 0
print(whole, "of", total, "samples reach the thread's start")
failed |= total < 200 or whole < 0.95 * total
sys.exit(failed)
