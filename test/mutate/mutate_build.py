# SPDX-License-Identifier: BSD-3-Clause
"""Compiles faulty files and links and runs unit tests, for test/mutate/auto.

As in test/mutate/run the tree is not changed: the faulty file is compiled
elsewhere, and its object is linked before the libraries of the build tree. The
programs are placed in the folders of the tests, and find their files from
there."""
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import zlib

MACHINES = ("bgq", "gemini", "qsnet2", "apenet", "sunway")
# the tests that also run on other machines, as in test/ofi/ofi_prov_tests.sh
ON_MACHINES = re.compile(
    "test/prov/prov_(msg|rma|flow|wait|coll|coll_chain|coll_death|coll_api)"
    "_test$")
# Exchanged arguments that a compiler reports need not be found by a test.
TYPES = ["-Werror=int-conversion", "-Werror=incompatible-pointer-types"]

# Linked into every program. Makes a process that ends by _exit() write its
# coverage. kill() reaches only processes of the test's own session: a fault may
# have made the process id -1, which means all processes of the user.
GUARD = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
void __gcov_dump(void) __attribute__((weak));
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
int __real_kill(pid_t pid, int sig);
int __wrap_kill(pid_t pid, int sig);
void __wrap__exit(int status)
{
	if (__gcov_dump)
		__gcov_dump();
	__real__exit(status);
}
int __wrap_kill(pid_t pid, int sig)
{
	pid_t other = pid < 0 ? -pid : pid;

	if (pid == -1 || pid == 1)
		abort();
	if (sig && pid && getsid(other) >= 0 && getsid(other) != getsid(0) &&
	    getpgid(other) != other)
		abort();
	return __real_kill(pid, sig);
}
"""


class NoProgram(Exception):
    """A command that should build something failed."""


class Build:
    """A configured build tree in which the unit tests are built."""

    def __init__(self, top, where, pattern=""):
        self.top, self.where, self.pattern = top, where, pattern
        self.objects, self.libraries, self.flags = {}, {}, {}
        self.prepared = {}  # by folder: what was made of its faulty object
        self.command(["make", "-s", "Makefile"])  # if it is older than a .mk
        self.tests, self.cc, self.ldflags, self.ldadd, self.libs, flags = (
            v.split() for v in self.make_values(
                ("C_TESTS", "CC", "AM_LDFLAGS", "LDADD", "LIBS", "CFLAGS")))
        self.all_units = set(self.tests)
        self.tests = [t for t in self.tests if self.wanted(t)]
        self.variants = self.find_variants()
        self.libs += ["-lpthread", "-lm"]
        if "--coverage" in flags:
            self.libs += ["--coverage", "-Wl,-u,__gcov_dump"]
        self.work = tempfile.mkdtemp()
        self.guard = os.path.join(self.work, "guard.o")
        source = os.path.join(self.work, "guard.c")
        with open(source, "w") as f:
            f.write(GUARD)
        self.command(self.cc + ["-O1", "-c", source, "-o", self.guard])

    def find_variants(self):
        """Tests that scripts run again with other options, by the name of the
        variant: the test and the environment."""
        found = {}
        name = os.path.join(self.top, "test/prov/prov_unbounded.sh")
        if os.path.exists(name):
            with open(name) as f:
                for t in re.findall(r"\S+_test\b", f.read()):
                    found[t + "@unbounded"] = t, {"WEFT_WAIT_UNBOUNDED": "1"}
        for t in self.tests:
            if ON_MACHINES.match(t):
                n = zlib.crc32(t.encode())
                for m in (MACHINES[n % 5], MACHINES[(n + 2) % 5]):
                    found[t + "@" + m] = t, {"FI_WEFT_MACHINE": m}
        return {v: found[v] for v in found
                if found[v][0] in self.tests and self.wanted(v)}

    def base(self, test):
        """The test of a variant."""
        return self.variants.get(test, (test,))[0]

    def wanted(self, test):
        return re.search(self.pattern, test)

    def close(self):
        shutil.rmtree(self.work)

    def make(self, jobs):
        """Builds what the tests are linked from, and the files that they
        read."""
        parts = self.read_objects()
        self.tests += sorted(self.variants)
        self.command(["make", "-s", "-j%d" % jobs, "all-local",
                      "test/support/idle_timeout"] + parts)

    def command(self, argv):
        """Runs a command that must succeed in the build tree."""
        r = subprocess.run(argv, cwd=self.where, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        if r.returncode:
            raise NoProgram("%s\n%s" % (shlex.join(argv), r.stdout))
        return r.stdout

    def make_values(self, names):
        """The values of variables of the Makefile."""
        rule = "include Makefile\nsay:\n" + "".join(
            "\t@echo '$(%s)'\n" % n for n in names)
        r = subprocess.run(["make", "-s", "-C", self.where, "-f", "-", "say"],
                           input=rule, stdout=subprocess.PIPE, text=True,
                           check=True)
        return r.stdout.split("\n")[:len(names)]

    def read_objects(self):
        """What each test is linked from: objects and libraries. Returns the
        targets of make."""
        names = [t.replace("/", "_") for t in self.tests]
        objects, flags, libraries = (
            [v.split() for v in self.make_values([n + end for n in names])]
            for end in ("_OBJECTS", "_LDFLAGS", "_LDADD"))
        parts = set()
        for t, o, f, l in zip(self.tests, objects, flags, libraries):
            parts.update(o, (w for w in l or self.ldadd if w.endswith(".la")))
            self.objects[t] = o + (f or self.ldflags)
            self.libraries[t] = l or self.ldadd
        return sorted(parts)

    def link_libraries(self, test):
        """The libraries of a test as the linker takes them, with those that
        libtool has noted for its own ones."""
        words, more = [], []
        for w in self.libraries[test]:
            if not w.endswith(".la"):
                words.append(w)
                continue
            words.append(os.path.join(".libs", w[:-2] + "a"))
            name = os.path.join(self.where, w)
            if os.path.exists(name):
                with open(name) as f:
                    m = re.search("^dependency_libs='(.*)'", f.read(), re.M)
                more += [x for x in (m.group(1).split() if m else ())
                         if x.startswith("-l")]
        return ["-Wl,--start-group"] + words + ["-Wl,--end-group"] + more + \
            self.libs

    def compile_flags(self, path):
        """The flags with which make compiles the file."""
        if path not in self.flags:
            folder, base = os.path.split(path[:-2])
            deps = [d for d in glob.glob(os.path.join(
                        self.where, folder, ".deps", "*.P*o"))
                    if re.search(r"(^|-)%s\.Pl?o$" % re.escape(base),
                                 os.path.basename(d))]
            if not deps:
                return None
            kind = os.path.basename(sorted(deps)[-1])
            target = os.path.join(folder, kind.replace(".P", "."))
            name = os.path.join(self.top, path)
            out = self.command(["make", "-n", "-s", "V=1", "-W", name, "-W",
                                os.path.relpath(name, self.where), target])
            line = [l for l in out.replace("\\\n", " ").split("\n")
                    if " -c " in l][-1]
            self.flags[path] = [
                w for w in shlex.split(line.split(" -MT ")[0])
                if re.match(r"-(D|I|O|f|m|std|U)", w)] + [
                "-I" + os.path.join(self.top, folder), "-fPIC", "-g0"]
        return self.flags[path]

    def compile(self, path, text, folder):
        """Compiles the text in place of the file; None if it is no C."""
        self.prepared.pop(folder, None)
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, os.path.basename(path))
        with open(source, "w") as f:
            f.write(text)
        r = subprocess.run(
            self.cc + self.compile_flags(path) + TYPES +
            ["-c", source, "-o", source[:-2] + ".o"], cwd=self.where,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if r.returncode:
            return None
        with open(source[:-2] + ".o", "rb") as f:
            return f.read()

    def includes(self, test, path):
        """Whether the test includes the file itself."""
        with open(os.path.join(self.top, test + ".c")) as f:
            return '#include "%s"\n' % path in f.read()

    def compile_including(self, test, path, folder):
        """Compiles a test that includes the file; returns its object."""
        shutil.rmtree(os.path.join(folder, "include"), ignore_errors=True)
        at = os.path.join(folder, "include", path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        shutil.copy(os.path.join(folder, os.path.basename(path)), at)
        name = os.path.join(folder, "including.o")
        self.command(
            self.cc + ["-I" + os.path.join(folder, "include")] +
            self.compile_flags(test + ".c") +
            ["-c", os.path.join(self.top, test + ".c"), "-o", name])
        return name

    def link(self, test, program, path=None, folder=None):
        """Links a test, with the object of a file compiled in a folder."""
        right = self.objects[test]
        faulty = []
        if path:
            base = os.path.basename(path)[:-2] + ".o"
            # a test may be linked with the object of the changed file itself
            right = [o for o in right
                     if not re.search(r"(^|[-/])%s$" % re.escape(base), o)]
            faulty = [os.path.join(folder, base)]
            if self.includes(test, path):
                faulty = [self.compile_including(test, path, folder)]
                right = [o for o in right if not re.search(
                    r"(^|[-/])%s\.o$" % re.escape(os.path.basename(test)), o)]
        self.command(
            self.cc + ["-o", program] + right + faulty + [self.guard] +
            ["-Wl,-S", "-Wl,--wrap=_exit", "-Wl,--wrap=kill"] +
            self.link_libraries(test))

    def is_unit(self, test):
        return self.base(test) in self.objects

    def partial(self, test):
        """Whether 77 means that only a part of the test was skipped."""
        return False

    def digest(self, test):
        """Changes when the test's program changes."""
        program = os.path.join(self.where, test + "-covered")
        self.link(self.base(test), program)
        with open(program, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()
        os.unlink(program)
        return digest

    def execute(self, test, slot, seconds, out, path=None, folder=None,
                env=None):
        """Links a test, with the object of a faulty file if there is a path,
        and runs it. Returns its exit code."""
        program = os.path.join(self.where, "%s-faulty%s" % (test, slot))
        base, more = self.variants.get(test, (test, {}))
        self.link(base, program, path, folder)
        code = self.run([program], seconds, out, dict(env or {}, **more))
        os.unlink(program)
        return code

    def run(self, argv, seconds, out, env=None):
        """Runs a command in a session of its own, and ends its processes after
        seconds without output. Returns its exit code."""
        environment = dict(os.environ, srcdir=self.top, top_srcdir=self.top,
                           builddir=self.where, CC=" ".join(self.cc),
                           ASAN_OPTIONS="abort_on_error=1")
        environment.update(env or {})
        with open(out, "wb") as f:
            return subprocess.run(
                [os.path.join(self.where, "test/support/idle_timeout"),
                 str(int(seconds))] + argv, cwd=self.where, env=environment,
                stdin=subprocess.DEVNULL, stdout=f, stderr=f,
                start_new_session=True).returncode


class Coverage:
    """Which unit test reaches which line: a build with gcov, and for each test
    a file with the lines that it reaches, which is valid as long as the program
    is the same."""

    def __init__(self, top, where, jobs, kind=Build, pattern="",
                 end=float("inf")):
        self.end = end
        if not os.path.exists(os.path.join(where, "Makefile")):
            os.makedirs(where, exist_ok=True)
            subprocess.run(
                [os.path.join(top, "configure"), "-q",
                 "CFLAGS=-O1 --coverage -fprofile-update=atomic"], cwd=where,
                check=True, stdout=subprocess.DEVNULL)
        self.build = kind(top, where, pattern)
        self.build.make(jobs)
        self.folder = os.path.join(where, "coverage")
        os.makedirs(self.folder, exist_ok=True)
        self.reach, self.code, self.seconds = {}, {}, {}
        self.share = {}  # lines of a file that a test reaches
        self.total = {}  # lines of all files that a test reaches
        self.usable = set()

    def add(self, test):
        """Reads the lines of a test, from its file or by running it."""
        name = os.path.join(self.folder,
                            re.sub("[/ ]", "_", test) + ".json")
        try:
            digest = self.build.digest(test)
        except NoProgram as why:
            return test, {"code": 1, "seconds": 0, "why": str(why)}
        entry = None
        if os.path.exists(name):
            with open(name) as f:
                entry = json.load(f)
        if not entry or entry["program"] != digest:
            if time.monotonic() > self.end:
                return test, None
            entry = self.measure(test)
            entry["program"] = digest
            with open(name, "w") as f:
                json.dump(entry, f)
        return test, entry

    def measure(self, test):
        data = tempfile.mkdtemp(dir=self.build.work)
        start = time.monotonic()
        code = self.build.execute(
            test, os.path.basename(data), 150, os.path.join(data, "out"),
            env={"GCOV_PREFIX": data})
        seconds = time.monotonic() - start
        lines, reached = {}, {}
        if code == 0 or (code == 77 and self.build.partial(test)):
            code = 0
            lines, reached = self.read_gcov(data)
        shutil.rmtree(data)
        return {"code": code, "seconds": seconds, "lines": lines,
                "reached": reached}

    def read_gcov(self, data):
        files = []
        for folder, _, names in os.walk(data):
            for n in sorted(names):
                notes = os.path.join("/", os.path.relpath(folder, data),
                                     n[:-5] + ".gcno")
                if n.endswith(".gcda") and os.path.exists(notes):
                    os.symlink(notes, os.path.join(folder, n[:-5] + ".gcno"))
                    files.append(os.path.join(folder, n))
        if not files:
            return {}, {}
        out = subprocess.run(["gcov", "-j", "-t"] + files,
                             cwd=self.build.where, check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines, reached = {}, {}
        for report in out.stdout.split("\n"):
            for f in json.loads(report)["files"] if report else []:
                path = os.path.relpath(
                    os.path.join(self.build.where, f["file"]), self.build.top)
                if path.startswith(".."):
                    continue
                lines.setdefault(path, set()).update(
                    l["line_number"] for l in f["lines"])
                reached.setdefault(path, set()).update(
                    l["line_number"] for l in f["lines"] if l["count"])
        return ({p: sorted(s) for p, s in lines.items()},
                {p: sorted(s) for p, s in reached.items()})

    def merge(self, test, entry):
        self.seconds[test] = entry["seconds"]
        if entry["code"]:
            return
        self.usable.add(test)
        for path, numbers in entry["lines"].items():
            self.code.setdefault(path, set()).update(numbers)
        self.total[test] = sum(map(len, entry["reached"].values()))
        for path, numbers in entry["reached"].items():
            self.share[test, path] = len(numbers)
            for n in numbers:
                self.reach.setdefault((path, n), []).append(test)

    def tests_of(self, path, line):
        """The tests that reach a line, those first that are likely to detect a
        fault of it in little time. A line without code belongs to the code
        above it."""
        while line > 0 and line not in self.code.get(path, ()):
            line -= 1
        return sorted(self.reach.get((path, line), ()),
                      key=lambda test: (-self.worth(test, path), test))

    def worth(self, test, path):
        """How likely a test detects a fault of a file, for each second of it.
        A test that reaches little besides the file checks what the file does;
        one that reaches everything checks that programs end well. Before the
        first job of a fault the libraries are linked: the worth of a unit test
        is that of two."""
        unit = self.build.is_unit(test)
        near = 2 if os.path.dirname(test) == os.path.dirname(path) else 1
        return (1 + unit) * near * self.share[test, path] / (
            self.total[test] * (0.5 + self.seconds[test]))
