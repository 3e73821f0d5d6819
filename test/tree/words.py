#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""words.py FILE|FOLDER...: idioms that CONTRIBUTING.md rules out, in C files,
scripts and documents: comments, messages and names. Prints file:line: word, and
exits with 1 if there are any."""
import os
import re
import sys

IDIOMS = re.compile(
    r"(?<![a-zA-Z])(who|whoever|whom|he|his|him|somebody|nobody|everybody|anybody|"
    r"brothers?|strangers?|in vain|on (its|their|the) way|under way|flying|"
    r"goes again|asked for ahead|bequeath\w*|buried|deput(y|ies)|the own|fruitless(ly)?|beside other work|patience|shuns?)"
    r"(?![a-zA-Z])",
    re.IGNORECASE)
# As parts of a name: who_has_little, road_test, near_words. ("way" is allowed:
# one_way is a field term.)
NAMES = re.compile(
    r"(?<![a-z0-9A-Z])(?=[a-z0-9_]*_)(?:[a-z0-9]+_)*?"
    r"(who|whom|those|roads?|asker|told|said|talks?|deaf|"
    r"heard|naps?|beds?|crowd(ed)?|trains?|brothers?|strangers?|combos?|"
    r"ruin(ed)?|near|patience|shun)"
    r"(?:_[a-z0-9]+)*(?![a-z0-9A-Z_])")
# Values that tests pass as arguments.
ALLOWED = re.compile(r"[-=]nobody\b")
ENDINGS = (".c", ".h", ".inc", ".sh", ".py", ".js", ".mk", ".md", ".1", ".7")
SKIPPED = ("words.py", "words.sh", "ltmain.sh")  # the check; libtool's


def check(path):
    bad = 0
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = ALLOWED.sub(" ", line) if "test/" in path else line
            found = list(IDIOMS.finditer(line))
            if path.endswith((".c", ".h", ".inc")):
                found += NAMES.finditer(line)
            for m in found:
                print(f"{path}:{number}: {m.group(0)}")
                bad = 1
    return bad


def files(folder):
    if os.path.isfile(folder):
        yield folder
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            if name in SKIPPED:
                continue
            if name.endswith(ENDINGS) or name == "README":
                yield os.path.join(root, name)


if __name__ == "__main__":
    sys.exit(max([check(p) for a in sys.argv[1:] for p in files(a)], default=0))
