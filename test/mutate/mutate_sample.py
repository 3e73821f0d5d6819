# SPDX-License-Identifier: BSD-3-Clause
"""The choice of faults, kept results and the report, for test/mutate/auto."""
import collections
import hashlib
import json
import os
import random
import threading

FOUND, SURVIVED, UNREACHED = "FOUND", "SURVIVED", "NOT REACHED"
EQUIVALENT, SAME, NO_C = "EQUIVALENT", "SAME CODE", "DOES NOT COMPILE"
UNBUILT, LATE = "NOT BUILT", "NOT RUN"
COUNTED = (FOUND, SURVIVED, UNREACHED, EQUIVALENT)


def by_operator(faults, seed):
    """An order in which every operator is equally frequent at the beginning,
    however often it can be applied."""
    groups = {}
    for f in faults:
        groups.setdefault(f.operator, []).append(f)
    rng = random.Random(seed)
    for group in groups.values():
        rng.shuffle(group)
    order = []
    while groups:
        operator = rng.choice(sorted(groups))
        order.append(groups[operator].pop())
        if not groups[operator]:
            del groups[operator]
    return order


def by_line(faults, seed):
    """An order in which every line is equally likely, with one of its faults
    each."""
    lines = {}
    for f in faults:
        lines.setdefault((f.path, f.line), []).append(f)
    rng = random.Random(seed)
    places = sorted(lines)
    rng.shuffle(places)
    return [rng.choice(lines[p]) for p in places]


class Kept:
    """Results of earlier runs with the same seed, valid while the file is the
    same. With again, faults that were not found are run again, since tests may
    have changed."""

    def __init__(self, name, again):
        self.name, self.lock, self.results = name, threading.Lock(), {}
        self.again = again
        if os.path.exists(name):
            with open(name) as f:
                for l in f:
                    key, result, why = json.loads(l)
                    self.results[key] = result, why

    @staticmethod
    def key(fault):
        return "%s:%d:%s" % (fault.path, fault.line, hashlib.sha256(
            fault.text.encode()).hexdigest())

    def get(self, fault):
        kept = self.results.get(self.key(fault))
        if self.again and kept and kept[0] in (SURVIVED, UNREACHED):
            return None
        return kept

    def put(self, fault, result, why):
        with self.lock, open(self.name, "a") as f:
            f.write(json.dumps([self.key(fault), result, why]) + "\n")


def folders_of(results):
    """How often each result came, by folder of the file."""
    rows = {}
    for fault, result, _ in results:
        rows.setdefault(os.path.dirname(fault.path),
                        collections.Counter())[result] += 1
    return dict(sorted(rows.items()))


def print_table(rows):
    print("%-28s %7s %7s %9s %11s %11s %7s" % (
        "folder", "faults", "found", "survived", "not reached", "equivalent",
        "found"))
    total = collections.Counter()
    for folder, counts in list(rows.items()) + [("all", total)]:
        of = counts[FOUND] + counts[SURVIVED] + counts[UNREACHED]
        if of + counts[EQUIVALENT] or folder == "all":
            print("%-28s %7d %7d %9d %11d %11d %6.0f%%" % (
                folder, of + counts[EQUIVALENT], counts[FOUND],
                counts[SURVIVED], counts[UNREACHED], counts[EQUIVALENT],
                100 * counts[FOUND] / of if of else 0))
        if folder != "all":
            total.update(counts)
    return total


def print_survivors(results):
    """The faults that no test found, as differences."""
    for kind in (SURVIVED, UNREACHED):
        faults = [(f, why) for f, result, why in results if result == kind]
        if faults:
            print("\n%s:" % kind.capitalize())
        for f, why in sorted(faults, key=lambda r: (r[0].path, r[0].line)):
            print("%s%s" % (f.diff(), why and "\n\t(%s)" % why))
