#!/usr/bin/env python3
"""Prints each reference to a file that leads nowhere: `./run check` calls it from the source's root.

- A relative link in a document: its file must exist, and its heading. What CMakeLists.txt installs must
  be linked to from installed documents only at its installed place.
- A test that tests/*/left_out_win32.c names; and tests/fuzz/fuzzers.txt names no file twice for a fuzzer.
- A comment in C, and a name in backticks in docs/tour.md or CONTRIBUTING.md, that names a file of
  source: `foo.h`, `foo_win32.c`, `dir/file.c`. After "Source:" a comment speaks of others' files.
"""
import os
import re
import subprocess
import sys

# Headers of systems and libraries, and names that a comment has as an example.
FOREIGN = {"windows.h", "corhdr.h", "WinUser.h", "winuser.h", "winnt.h", "winerror.h", "dde.h", "wct.h",
           "processsnapshot.h", "splitmix64.c", "con.c", "app.c", "plug.c"}
SOURCE_NAME = re.compile(r"(?<![\w./*-])[\w./-]*\w\.(?:c|h|sh|awk|cmd)\b")

listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
files = [f for f in listed.stdout.splitlines() if os.path.exists(f)]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def headings(path):
    """The anchors of a document's headings, as GitHub makes them."""
    anchors, text = [], re.sub(r"^```.*?^```", "", read(path), flags=re.S | re.M)
    for title in re.findall(r"^#+ +(.*)$", text, re.M):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        anchors.append(anchor if anchor not in anchors else f"{anchor}-{anchors.count(anchor)}")
    return anchors


def installed():
    """Where CMakeLists.txt installs files of the source: {path in the source: path beside the program}."""
    places = {}
    for kind, words, folder, rest in re.findall(
            r"install\((FILES|DIRECTORY) ([^()$]*?) DESTINATION (\S+?)((?: [^()]*)?)\)", read("CMakeLists.txt")):
        for word in words.split():
            for path in files:
                if kind == "FILES" and path == word:
                    to = os.path.basename(path)
                elif kind == "DIRECTORY" and path.startswith(word + "/"):
                    to = os.path.relpath(path, os.path.dirname(word) or ".")
                    if os.path.basename(path) in re.findall(r"PATTERN (\S+) EXCLUDE", rest):
                        continue
                else:
                    continue
                places[path] = os.path.normpath(os.path.join(folder, to))
    return places


def check_links(path, places):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", lambda m: re.sub(r"[^\n]", " ", m.group()), read(path), flags=re.S | re.M)
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
        link, _, anchor = match.group(1).partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), link)) if link else path
        where = f"{path}:{line_of(text, match.start())}: link {match.group(1)}"
        if not os.path.exists(target):
            print(f"{where}: there is no such file")
        elif anchor and target.endswith(".md") and anchor not in headings(target):
            print(f"{where}: there is no such heading")
        elif path in places and link:
            there = os.path.normpath(os.path.join(os.path.dirname(places[path]), link))
            if there not in places.values():
                print(f"{where}: that file is not installed, and {path} is")


def exists(name):
    return name in FOREIGN or any(f == name or f.endswith("/" + name) for f in files)


def check_names(path, spans, text):
    for begin, span in spans:
        own = re.sub(r"Source:.*?(\n \*\n|\Z)", lambda m: re.sub(r"[^\n]", " ", m.group()), span, flags=re.S)
        own = re.sub(r"<[^>\n]*>|\w+://\S*", lambda m: " " * len(m.group()), own)
        for match in SOURCE_NAME.finditer(own):
            if not exists(match.group()):
                print(f"{path}:{line_of(text, begin + match.start())}: there is no {match.group()}")


def check_tests(path):
    text = read(path)
    for match in re.finditer(r'"(\w+)/(\w+)"', text):
        test = re.compile(r"^Test\(" + match.group(1) + r",\s*" + match.group(2) + r"\b", re.M)
        if not any(test.search(read(f)) for f in files if f.startswith("tests/") and f.endswith(".c")):
            print(f"{path}:{line_of(text, match.start())}: there is no test {match.group(1)}/{match.group(2)}")


def check_fuzzers(path):
    for number, line in enumerate(read(path).splitlines(), 1):
        named = [] if line.startswith("#") else line.split()[3:]
        for name in sorted({n for n in named if named.count(n) > 1}):
            print(f"{path}:{number}: {name} is named twice")


places = installed()
for path in files:
    if re.fullmatch(r"(README|CONTRIBUTING|CHANGELOG)\.md|(docs|ipc)/.*\.md", path):
        check_links(path, places)
    if re.fullmatch(r"(base|clr|ipc|hooks|monitor|overlay|names|demo|tests|tools|examples)/.*\.[ch]", path):
        text = read(path)
        # Strings are skipped, so that a `/*` within one begins no comment.
        spans = [(m.start(), m.group()) for m in re.finditer(
            r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', text, re.S) if m.group()[0] == "/"]
        check_names(path, spans, text)
    if path.endswith(("/left_out_win32.c", "/test_unknown_values.c")):
        check_tests(path)
    if path == "tests/fuzz/fuzzers.txt":
        check_fuzzers(path)
    if path in ("docs/tour.md", "CONTRIBUTING.md"):
        text = read(path)
        check_names(path, [(m.start(), m.group()) for m in re.finditer(r"`[^`\n]+`", text)], text)
sys.exit(0)
