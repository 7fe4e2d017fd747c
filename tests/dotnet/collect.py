"""Judges the minidump of collect.cs, which has frozen in collections: what is said of it, and when it was written.
collect.py SUMMARY LOG OUTPUT DUMPS"""
import json
import os
import sys

SLACK_S = 1  # a writer may take half a second after the freeze to end, and the log is written after it

with open(sys.argv[1], encoding="utf-8") as file:
    bundles = json.load(file)["bundles"]
with open(sys.argv[2], encoding="utf-8") as file:
    begin, end, collections = (int(word) for word in file.read().split())
with open(sys.argv[3], encoding="utf-8") as file:
    said = file.read().replace("\r", "")
failed = False


def check(what, right):
    global failed
    failed |= not right
    print("   " if right else "NOT", what)


def written_s(name):
    """When the file of the one bundle was written last; 0: there is none."""
    folder = os.path.join(sys.argv[4], os.listdir(sys.argv[4])[0])
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as dump:
        check(name + " is a minidump", dump.read(4) == b"MDMP")
    return os.stat(path).st_mtime


print(collections, "collections in", end - begin, "ms")
check("collections followed one another", collections > 20)
check("one freeze was saved", len(bundles) == 1)
which = bundles[0].get("minidump")
print("minidump:", which)
in_freeze, after = written_s("minidump.dmp"), written_s("minidump-after.dmp")
failures = [line for line in said.splitlines() if "minidump.dmp was not made" in line]
for line in failures:
    print(line)
if which == "freeze":
    check("it is there, alone", in_freeze and not after)
    check("it was written in the freeze", begin / 1000 < in_freeze < end / 1000 + SLACK_S)
    check("nothing has failed", not failures)
else:
    check("it is of after the freeze", which == "after")
    check("it is there, alone", after and not in_freeze)
    check("it was written after the freeze", after > end / 1000)
    check("one line says why", len(failures) == 1)
    held = "collections of .NET's memory may have held it up" in failures[0]
    check("it names .NET where that may be why", held != ("its writer failed" in failures[0]))
    check("a line says which it is", "minidump of the program after the freeze" in said)
    check("the summary says which it is", "its minidump shows the program after the freeze" in said)
sys.exit(failed)
