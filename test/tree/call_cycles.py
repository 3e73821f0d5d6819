#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cycles of files that call each other.

call_cycles.py LIMIT FOLDER...: the largest cycle of each folder has at most LIMIT
files, else it is printed with its calls, and the exit code is 1. A file is X.c
and X.h together; it calls another file when a function or a table in it names a
function that the other file defines. Tests are not counted.
"""
import collections
import glob
import os
import re
import sys

WORD = re.compile(r"(?<![.>\w])[A-Za-z_]\w*")


def plain(text):
    """text without comments, strings and preprocessor lines."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', " ", text)
    return re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.M)


def blocks(text):
    """(text before, text inside) of every outermost pair of braces."""
    depth = begin = head = 0
    for m in re.finditer(r"[{};]", text):
        if m.group() == "{":
            if not depth:
                begin = m.end()
            depth += 1
        elif m.group() == "}":
            depth -= 1
            if not depth:
                yield text[head:begin - 1], text[begin:m.start()]
                head = m.end()
        elif not depth:
            head = m.end()


def function_name(head):
    """Name in a head like "static int f(void)"; None: not a function."""
    head = re.sub(r"\b(__attribute__|[A-Z_]+)\s*\(+[^()]*\)+", "", head)
    m = re.search(r"(\w+)\s*\(", head)
    return m.group(1) if m and "=" not in head else None


def is_local(path, head):
    words = head.split("(")[0].split()
    return path.endswith(".c") and ("static" in words or "WEFT_INLINE" in words)


class File:
    def __init__(self):
        self.shared, self.local, self.named = set(), set(), set()

    def read(self, path):
        for head, inside in blocks(plain(open(path).read())):
            name = function_name(head)
            if name:
                own = self.local if is_local(path, head) else self.shared
                own.add(name)
            if name or "=" in head:
                self.named.update(WORD.findall(inside))


def read_folder(folder):
    files = collections.defaultdict(File)
    for path in sorted(glob.glob(folder + "/*.[ch]")):
        name = os.path.splitext(os.path.basename(path))[0]
        if not re.search("_(test|fake|model|mock)", name):
            files[name].read(path)
    return files


def calls(files):
    """calls(files)[a][b]: the functions of b that a names."""
    owner = {f: n for n, x in files.items() for f in x.shared}
    graph = {n: collections.defaultdict(set) for n in files}
    for name, x in files.items():
        for f in x.named - x.local - x.shared:
            if f in owner:
                graph[name][owner[f]].add(f)
    return graph


def reach(graph, start):
    seen, todo = set(), [start]
    while todo:
        for n in graph[todo.pop()]:
            if n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


def largest_circle(graph):
    to = {n: reach(graph, n) for n in graph}
    return max(({m for m in to[n] if n in to[m]} for n in graph),
               key=len, default=set())


def main(limit, folders):
    bad = 0
    for folder in folders:
        files = read_folder(folder)
        graph = calls(files)
        circle = largest_circle(graph)
        print("%s: %d files, %d in the largest cycle (at most %d)" %
              (folder, len(files), len(circle), limit))
        if files and len(circle) <= limit:
            continue
        bad = 1
        for a in sorted(circle):
            for b in sorted(circle & set(graph[a]) - {a}):
                print("  %s calls %s: %s" %
                      (a, b, " ".join(sorted(graph[a][b]))))
    return bad


sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
