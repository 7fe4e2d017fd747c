#!/usr/bin/env python3
"""check.py JSON FOLDED NAMES: whether uimon found what SciTE froze in.

JSON and FOLDED are what uimon wrote of SciTE, which wrapped 60,000 lines at once. NAMES is what nm
and c++filt say of its program, and the truth about the names.
"""
import json
import re
import sys

LAYOUT = ("EditView::LayoutLine", "Editor::WrapOneLine", "Editor::WrapLines")

# The brackets in names of operators are no brackets.
OPERATORS = ["()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"]


def plain(name):
    """A name of c++filt without what uimon leaves out: which clone it is, arguments of templates, and
    parameters."""
    name = re.sub(r"( \[clone [^]]*\])+$", "", name)
    name = re.sub(r"(\w)\.(cold|part|isra|constprop|lto_priv|llvm)\b.*", r"\1", name)
    name = name.replace("(anonymous namespace)", "\0")
    for number, operator in enumerate(OPERATORS):
        name = name.replace("operator" + operator, "operator" + chr(1 + number))
    name = re.sub(r"(operator[\1-\x0c]) <", r"\1<", name)
    kept, inner, outer = "", 0, 0
    for char in name:
        if char == "(":
            outer += 1
        elif char == ")":
            outer -= 1
        elif outer == 0 and char == "<":
            kept += "" if inner else "<...>"
            inner += 1
        elif outer == 0 and char == ">":
            inner -= 1
        elif outer == 0 and inner == 0:
            kept += char
    for number, operator in enumerate(OPERATORS):
        kept = kept.replace("operator" + chr(1 + number), "operator" + operator)
    return kept.replace("\0", "(anonymous namespace)")


def main():
    summary = json.load(open(sys.argv[1]))
    truth = set()
    for line in open(sys.argv[3], errors="replace"):
        match = re.match(r"[0-9a-f]+ [tTwW] (.*)", line)
        if match:
            truth.add(plain(match[1]))
    print(len(truth), "functions by nm")
    assert len(truth) > 5000

    longest = max(summary["freeze_list"], key=lambda freeze: freeze["duration_ms"])
    print("longest freeze:", json.dumps(longest))
    assert longest["duration_ms"] >= 500, "nothing froze"
    assert longest["window_class"] == "Scintilla"
    assert any(name.endswith(LAYOUT) for name in longest["stack"]), "no function of the layout"

    named, unnamed, seen = 0, 0, set()
    for line in open(sys.argv[2]):
        stack, count = line.rsplit(" ", 1)
        for frame in stack.split(";"):
            if frame.startswith("Sc1+"):
                unnamed += int(count)
            elif frame.startswith("Sc1!"):
                named += int(count)
                seen.add(frame[4:])
    strange = sorted(name for name in seen if name not in truth)
    print(named, "frames of SciTE with a name,", unnamed, "without;", len(seen), "functions")
    print("not among nm's:", strange)
    assert len(seen) >= 13 and not strange  # so many call each other on the way to the layout
    assert unnamed * 50 <= named


main()
