#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""words.py FOLDER...: idioms that CONTRIBUTING.md rules out, in comments of C
files and in READMEs. Prints file:line: word, and exits with 1 if there are any."""
import os
import re
import sys

IDIOMS = re.compile(
    r"\b(who|whoever|whom|whose turn|he|his|him|somebody|nobody|everybody|"
    r"anybody|brothers?|strangers?|in vain|on (its|their|the) way|under way|"
    r"flying|goes again|asked for ahead|bequeath\w*|buried|deput(y|ies))\b",
    re.IGNORECASE)
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
QUOTED = re.compile(r'`[^`]*`|"[^"\n]*"')


def texts(path, data):
    """Pairs of position and text to check."""
    if not path.endswith((".c", ".h")):
        yield 0, QUOTED.sub(lambda m: " " * len(m.group(0)), data)
        return
    for m in COMMENT.finditer(data):
        if m.group(0).startswith("/*"):
            yield m.start(), QUOTED.sub(
                lambda q: " " * len(q.group(0)), m.group(0))


def check(path):
    with open(path, encoding="utf-8") as f:
        data = f.read()
    bad = 0
    for start, text in texts(path, data):
        for m in IDIOMS.finditer(text):
            line = data.count("\n", 0, start + m.start()) + 1
            print(f"{path}:{line}: {m.group(0)}")
            bad = 1
    return bad


def files(folder):
    if os.path.isfile(folder):
        yield folder
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h")) or name == "README":
                yield os.path.join(root, name)


if __name__ == "__main__":
    sys.exit(max([check(p) for a in sys.argv[1:] for p in files(a)], default=0))
