#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""words.py FILE|FOLDER...: idioms that CONTRIBUTING.md rules out, in C files,
scripts and documents: comments, messages and names. Prints file:line: word, and
exits with 1 if there are any.
words.py --samples: prints a line of C for each of them, to test the check."""
import os
import re
import sys

# Phrases that must not occur in any text or name.
PHRASES = (
    "who", "whoever", "whom", "he", "his", "him", "somebody", "nobody",
    "everybody", "anybody", "brother", "brothers", "stranger", "strangers",
    "in vain", "on its way", "on their way", "on the way", "under way",
    "flying", "goes again", "asked for ahead", "bequeath", "bequeaths",
    "bequeathed", "buried", "deputy", "deputies", "the own", "fruitless",
    "fruitlessly", "beside other work", "patience", "shun", "shuns")
# Words that must not be a part of any name in C. ("way" is allowed: one_way is
# a field term.)
PARTS = (
    "who", "whom", "those", "road", "roads", "asker", "told", "said", "talk",
    "talks", "deaf", "heard", "nap", "naps", "bed", "beds", "crowd", "crowded",
    "train", "trains", "brother", "brothers", "stranger", "strangers", "combo",
    "combos", "ruin", "ruined", "near", "patience", "shun")
IDIOMS = re.compile(
    r"(?<![a-zA-Z])(" + "|".join(PHRASES) + r")(?![a-zA-Z])", re.IGNORECASE)
NAMES = re.compile(
    r"(?<![a-z0-9A-Z])(?=[a-z0-9_]*_)(?:[a-z0-9]+_)*?(" + "|".join(PARTS) +
    r")(?:_[a-z0-9]+)*(?![a-z0-9A-Z_])")
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
    if sys.argv[1:] == ["--samples"]:
        for phrase in PHRASES:
            print(f"/* The receiver, {phrase.capitalize()}, waits. */")
        for part in PARTS:
            print(f"int first_{part}_of;")
        sys.exit(0)
    sys.exit(max([check(p) for a in sys.argv[1:] for p in files(a)], default=0))
