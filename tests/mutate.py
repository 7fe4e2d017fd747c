#!/usr/bin/env python3
"""Draws small changes of portable code, one at a time, and says which of them no unit test finds.

    tests/mutate.py [SEED [COUNT [PATH...]]]

It works in a copy, build/mutate, of what is committed. A change is an operator, a constant, the
condition of an `if` or a `while`, or a statement that is gone. One that does not compile, or that
gives the same optimized code, is drawn again. PATH is a file or folder; without one, all portable
code is drawn from. 200 changes take about three hours."""

import json
import os
import random
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
COPY = os.path.join(ROOT, 'build', 'mutate')
BUILD = os.path.join(COPY, 'build', 'native-debug')
LIMIT_S = 600
ROOMS = ('base', 'clr', 'hooks', 'ipc', 'metrics', 'monitor', 'names', 'overlay')
OPERATORS = {'&&': '||', '||': '&&', '==': '!=', '!=': '==', '<=': '<', '>=': '>', '<': '<=', '>': '>=',
             '+': '-', '-': '+', '*': '/', '/': '*', '&': '|', '|': '&', '+=': '-=', '-=': '+='}
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                    r'^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)


def run(*command, **more):
    return subprocess.run(command, cwd=COPY, capture_output=True, text=True, check=False, **more)


def closing(code, at):
    """Where the bracket at this place is closed."""
    depth = 0
    for place in range(at, len(code)):
        depth += {'(': 1, ')': -1}.get(code[place], 0)
        if depth == 0:
            return place
    raise ValueError('a bracket stays open')


def changes(text):
    """All changes of a file by kind: where one begins and ends, and what stands there instead."""
    code = HIDDEN.sub(lambda hidden: re.sub(r'[^\n]', ' ', hidden.group()), text)
    operators = [(m.start(1), m.end(1), OPERATORS[m.group(1)])
                 for m in re.finditer(r' ([-+*/&|<>=!]{1,2}) ', code) if m.group(1) in OPERATORS]
    constants = [(m.start(), m.end(), str(int(m.group()) + 1))
                 for m in re.finditer(r'(?<![\w.])(?:0|[1-9]\d*)(?![\w.])', code)]
    conditions = []
    for m in re.finditer(r'\b(?:if|while) (\()', code):
        end = closing(code, m.start(1))
        conditions.append((m.start(1), end + 1, '(!' + text[m.start(1):end + 1] + ')'))
    statements = [(m.start(1), m.end(1), ';')
                  for m in re.finditer(r'^ +((?!return\b|goto\b|typedef\b)[\w(*][^;{}]*;)$', code, re.M)
                  if re.match(r'(?:\(void\))?[\w.>\[\]*()-]+(?: [-+|&]?= |\(|(?:\+\+|--);)', m.group(1))]
    return {kind: found for kind, found in (('operator', operators), ('constant', constants),
                                            ('condition', conditions), ('statement', statements))
            if found}


def files_of(paths):
    """The portable files and the headers whose code lies in unit_tests."""
    listed = run('ninja', '-C', BUILD, '-t', 'inputs', 'unit_tests').stdout.split('\n')
    listed = [os.path.relpath(os.path.join(BUILD, one), COPY) for one in listed if one.endswith('.c')]
    listed += [one for one in run('git', 'ls-files', '*.h').stdout.split('\n')
               if one and 'static inline' in open(os.path.join(COPY, one), encoding='utf-8').read()]
    is_asked_for = [os.path.join(path, '') for path in paths] or ['']
    return sorted({one for one in listed if one.split('/')[0] in ROOMS and
                   not re.search(r'_(?:posix|win32|x11)\.[ch]$', one) and
                   any((one + '/').startswith(path) for path in is_asked_for)})


def optimized(path):
    """The optimized code of a file, or None: a header, or it does not compile."""
    with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as file:
        for one in json.load(file):
            if os.path.relpath(one['file'], COPY) == path:
                command = re.sub(r' -o \S+', '', one['command'])
                made = subprocess.run(command + ' -w -g0 -O2 -S -o -', shell=True, cwd=BUILD,
                                      capture_output=True, check=False)
                return made.stdout if made.returncode == 0 else None
    return None


def finder():
    """The first test that fails, or None."""
    tests = subprocess.Popen([os.path.join(BUILD, 'unit_tests'), '--unmeasured', '--without', 'corpora'],
                             cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors='replace', start_new_session=True)
    signal.alarm(LIMIT_S)
    try:
        for line in tests.stdout:
            if line.startswith('[FAIL]'):
                return line.split()[1].rstrip(':')
        return None if tests.wait() == 0 else 'the end of all tests'
    except TimeoutError:
        return 'the time limit'
    finally:
        signal.alarm(0)
        try:
            os.killpg(tests.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        tests.wait()


def try_change(draw, files):
    """Makes one change and says what found it; None: it is none."""
    path = draw.choice(files)
    whole = os.path.join(COPY, path)
    with open(whole, encoding='utf-8') as file:
        text = file.read()
    found = changes(text)
    if not found:
        return None
    kind = draw.choice(sorted(found))
    begin, end, instead = draw.choice(found[kind])
    before = optimized(path)
    try:
        with open(whole, 'w', encoding='utf-8') as file:
            file.write(text[:begin] + instead + text[end:])
        if before is not None and optimized(path) in (None, before):
            return None
        if run('ninja', '-C', BUILD, 'unit_tests', timeout=LIMIT_S).returncode != 0:
            return None
        by = finder()
    finally:
        with open(whole, 'w', encoding='utf-8') as file:
            file.write(text)
    said = '%s:%d: %s: %s -> %s' % (path, text.count('\n', 0, begin) + 1, kind,
                                    ' '.join(text[begin:end].split()), ' '.join(instead.split()))
    return by, said


def main(seed='1', count='200', *paths):
    def too_late(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_late)
    if not os.path.exists(COPY):
        subprocess.run(['git', 'clone', '-q', ROOT, COPY], check=True)
    subprocess.run('git fetch -q && git reset -q --hard origin/HEAD && cmake --preset native-debug '
                   '-DCMAKE_C_FLAGS=-w >/dev/null && ninja -C %s unit_tests >/dev/null' % BUILD,
                   shell=True, cwd=COPY, check=True)
    draw, files = random.Random(int(seed)), files_of(paths)
    survivors, left = [], int(count)
    while left > 0:
        result = try_change(draw, files)
        if not result:
            continue
        left -= 1
        by, said = result
        print('%s  %s' % ('found by ' + by if by else 'SURVIVES', said), flush=True)
        survivors += [] if by else [said]
    print('%d of %s were found; the others:' % (int(count) - len(survivors), count), *survivors, sep='\n  ')


main(*sys.argv[1:])
