#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the tables of features in prov/machine/*/README, or below a folder.

Each number of a machine's specification has one row with five columns: feature,
live, virtual, reached by MPI, test. The last column names tests that exist:
paths, names of test programs, letters that the README defines ("T = bgq_test"),
cases of these programs (a name that ends in "..." is the beginning of one), or
rows of share/reproduce. Errors are printed, and the exit status is 1.
"""
import functools
import glob
import os
import re
import sys

MACHINES = {
    "bgq": ("BGQ", 50),
    "qsnet2": ("QSN", 44),
    "gemini": ("GEM", 33),
    "apenet": ("APE", 22),
    "sunway": ("SWE", 30),
}
ROW = re.compile(r"^\| ([A-Z]{3})-(\d\d) ")
LETTER = re.compile(r"\b([A-Z]) =\s+([\w/]+)")
CASE = re.compile(r"^static void (\w+)\(void \*\*\w+\)", re.M)
WORD = re.compile(r"[\w/.-]+|`[^`]*`")


def programs():
    """Returns {name of a test: its path without suffix}."""
    found = {}
    for root in ("prov", "src", "coll", "test"):
        for path in glob.glob(root + "/**/*", recursive=True):
            name, suffix = os.path.splitext(os.path.basename(path))
            is_test = name.endswith("_test") or root == "test"
            if is_test and suffix in (".c", ".sh"):
                found[name] = os.path.splitext(path)[0]
    return found


@functools.lru_cache(maxsize=None)
def cases_of(path):
    if not os.path.exists(path + ".c"):
        return set()
    with open(path + ".c", encoding="utf-8") as f:
        return set(CASE.findall(f.read()))


def published(prefix):
    """Returns whether a row of share/reproduce begins with this text."""
    for path in glob.glob("share/reproduce/*.tsv"):
        with open(path, encoding="utf-8") as f:
            if any(line.startswith(prefix) for line in f):
                return True
    return False


class Table:
    """The table of one machine."""

    def __init__(self, path, tests):
        self.path = path
        self.tests = tests
        self.errors = []
        with open(self.path, encoding="utf-8") as f:
            self.text = f.read()
        self.letters = {
            k: os.path.basename(v) for k, v in LETTER.findall(self.text)
        }

    def error(self, row, text):
        self.errors.append(f"{self.path}: {row}: {text}")

    def program_of(self, word):
        """Returns the path of a test program, without suffix, or None."""
        word = self.letters.get(word, word)
        name = os.path.splitext(os.path.basename(word))[0]
        path = self.tests.get(name)
        if path and "/" in word and not path.startswith(word.split(".")[0]):
            return None
        return path

    def check_case(self, row, word, program):
        stem = word.rstrip("_.").rstrip(".")
        whole = "..." not in word and not word.endswith("_")
        known = cases_of(program) if program else set()
        if whole and stem in known:
            return
        if not whole and any(c.startswith(stem) for c in known):
            return
        self.error(row, f"no case {word} in {program}")

    def check_tests(self, row, column):
        program, found = None, 0
        for word in WORD.findall(column):
            if word.startswith("`weft-reproduce"):
                found += 1
            elif re.match(r"[A-Z]{3}-", word):
                if not published(word):
                    self.error(row, f"no row {word} in share/reproduce")
            elif self.program_of(word):
                program = self.program_of(word)
                found += 1
            elif "/" in word or word.endswith("_test"):
                self.error(row, f"no test {word}")
            elif word.count("_") >= 2 or word.endswith("..."):
                self.check_case(row, word, program)
        if not found:
            self.error(row, "no test")

    def check(self, prefix, count):
        seen = set()
        for line in self.text.splitlines():
            m = ROW.match(line)
            if not m:
                continue
            row = f"{m[1]}-{m[2]}"
            cells = [c.strip() for c in line.strip("|").split(" | ")]
            if m[1] != prefix or row in seen:
                self.error(row, "a row twice, or of another machine")
            seen.add(row)
            if len(cells) != 5 or not all(cells):
                self.error(row, f"{sum(map(bool, cells))} columns, not 5")
            else:
                self.check_tests(row, cells[4])
        for i in range(1, count + 1):
            if f"{prefix}-{i:02}" not in seen:
                self.error(f"{prefix}-{i:02}", "no row")
        if len(seen) > count:
            self.error(prefix, f"{len(seen)} rows instead of {count}")
        return self.errors


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "prov/machine"
    tests = programs()
    errors = []
    for machine, (prefix, count) in MACHINES.items():
        table = Table(f"{folder}/{machine}/README", tests)
        errors += table.check(prefix, count)
    total = sum(count for _, count in MACHINES.values())
    print("\n".join(errors) or f"{total} features, each with a test")
    return 1 if errors else 0


sys.exit(main())
