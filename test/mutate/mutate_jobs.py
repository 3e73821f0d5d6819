# SPDX-License-Identifier: BSD-3-Clause
"""MPI jobs as tests of faults, for test/mutate/auto --mpi.

The programs of test/mpi/list, and the scripts that start jobs and tools, run with
a faulty library or program. Each of these products is linked by the command that
libtool prints for it; the faulty object stands in front of the original one, and
the linker takes the first definition of a symbol. The products are in a folder of
links that looks like the build tree."""
import concurrent.futures
import glob
import hashlib
import os
import re
import shlex
import shutil
import tempfile
import threading
import zlib

from mutate_build import MACHINES, Build, NoProgram

LIBRARIES = ("libmpi_abi.so.1", "libweft-direct.so", "libweft-fi.so")
TARGETS = ("libmpi_abi.la", "libweft-direct.la", "libweft-record.la")
# other ways to run the programs of test/mpi/list whose names match, as the
# scripts of test/mpi do: each has a name, a pattern and an environment
VARIANTS = (
    ("win_", "messages", {"WEFT_WIN_PATH": "messages"}),
    ("win_", "fabric", {"WEFT_WIN_PATH": "fabric"}),
    ("p2p_|coll_(fuzz|join|routes)", "sock", {"FI_WEFT_CARRIER": "sock"}),
    ("p2p_|comm_|env|info|args", "tcp", {"FI_PROVIDER": "tcp;ofi_rxm"}),
)
SURVIVES = ("errors", "receive", "send", "any_source", "collectives", "revoke",
            "agree", "shrink")  # as in test/run/run_survive.sh
# scripts of these folders are tests, except those that need other programs or
# all processors of the host
SCRIPTS = re.compile(r"test/(run|vt|tools|page)/|"
                     r"test/mpi/run_(exit_modes|null_args)")
NOT_SCRIPTS = re.compile(r"cuda|launchers|gdb|scale|limit|wrappers|_gpu|"
                         r"win_bench|run_survive")


class Product:
    """A library or program of the build tree, and the command that links it."""

    def __init__(self, build, target):
        # make is told that the sources of the target are newer, so that it
        # prints the command that links the target
        base = os.path.join(build.top, "src/base/num.c")
        files = [base] + build.first_sources(target)
        newer = []
        for name in files:
            newer += ["-W", name, "-W", os.path.relpath(name, build.where)]
        out = build.command(["make", "-n", "-s", "V=1"] + newer + [target])
        link = [l for l in out.replace("\\\n", " ").split("\n")
                if "--mode=link" in l and re.search(
                    r"-o %s( |$)" % re.escape(target), l)]
        if not link:
            raise NoProgram("make does not link " + target)
        link = link[-1]
        out = build.command(["sh", "-c", link.replace(
            "--mode=link", "--dry-run --mode=link", 1)])
        lines = [l for l in out.split("\n")
                 if " -o " in l and l.startswith("libtool: link:")]
        self.argv = shlex.split(lines[-1].split("link:", 1)[1])
        # the name of the program in the build tree
        self.name = os.path.relpath(os.path.join(
            build.where, self.argv[self.argv.index("-o") + 1]), build.where)
        self.members = set()
        for w in self.argv:
            if w.endswith(".o"):
                self.members.add(os.path.basename(w))
            elif w.endswith(".a"):
                self.members.update(build.command(["ar", "t", w]).split())

    def has(self, path):
        base = os.path.basename(path)[:-2] + ".o"
        return any(m == base or m.endswith("-" + base) for m in self.members)

    def link(self, build, faulty, program):
        """Links the product with a faulty object."""
        argv = list(self.argv)
        argv[argv.index("-o") + 1] = program
        build.command(
            argv[:1] + ["-Wl,-z,muldefs", "-Wl,--wrap=_exit",
                        "-Wl,--wrap=kill"] +
            [w for w in build.libs if w.startswith("-Wl,-u")] + faulty +
            [build.guard] + argv[1:])


class JobBuild(Build):
    """A build tree whose tests are the unit tests and MPI jobs."""

    def make(self, jobs):
        super().make(jobs)
        self.unit = list(self.tests)
        programs, check, scripts = (v.split() for v in self.make_values(
            ("bin_PROGRAMS", "check_PROGRAMS", "PLAIN_TESTS")))
        self.command(["make", "-s", "-j%d" % jobs, "all"] + [
            p for p in check if p not in self.all_units])
        self.products = []
        for target in list(TARGETS) + programs:
            try:
                self.products.append(Product(self, target))
            except (NoProgram, IndexError) as why:
                print("no faults in %s: %s" % (target, why))
        own = os.path.join(self.where, "test/mpi/programs")
        os.makedirs(own, exist_ok=True)
        self.job, self.hashes, self.lock = {}, {}, threading.Lock()
        for line in self.read_list():
            self.add_jobs(line)
        self.add_survivors()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda name: self.compile_program(
                name, os.path.join(own, name)),
                {j[0] for j in self.job.values()}))
        self.scripts = {s for s in scripts if SCRIPTS.match(s) and
                        not NOT_SCRIPTS.search(s) and self.wanted(s)}
        self.tests = self.unit + sorted(self.job) + sorted(self.scripts)

    def first_sources(self, target):
        """A source file of a program that is in no library."""
        sources = self.make_values(
            [re.sub("[^A-Za-z0-9]", "_", target) + "_SOURCES"])[0].split()
        return [os.path.join(self.top, s) for s in sources
                if s.endswith(".c")][:1]

    def partial(self, test):
        return test in self.scripts

    def read_list(self):
        with open(os.path.join(self.top, "test/mpi/list")) as f:
            for l in f:
                word = l.split()
                if word and not word[0].startswith("#"):
                    yield (word + ["-"])[:3] + [word[3:]]

    def add_jobs(self, line):
        """A line of the list runs natively, on one machine in each clock, and in
        its variants."""
        program, ranks, tags, arguments = line
        tags = tags.split(",")
        if "long" in tags or ("fortran" in tags and not self.has_fortran()):
            return
        few = [int(n) for n in ranks.split(",") if 1 < int(n) <= 8] or [
            int(n) for n in ranks.split(",") if int(n) <= 17]
        if not few:
            return
        machine = MACHINES[zlib.crc32(" ".join(
            [program] + arguments).encode()) % len(MACHINES)]
        if machine == "apenet" and "unit" in tags:
            machine = "bgq"
        if "virtual" not in tags:
            self.add_job(program, few[-1], "native", "live", arguments)
            self.add_job(program, few[0], machine, "live", arguments)
            if not {"weft", "memory", "unit"}.intersection(tags):
                self.add_variants(program, few[0], arguments)
        if "live" not in tags:
            self.add_job(program, few[0], machine, "virtual", arguments)

    def add_variants(self, program, ranks, arguments):
        for pattern, name, env in VARIANTS:
            if re.match(pattern, program):
                self.add_job(program, ranks, "native", name, arguments, env)

    def add_survivors(self):
        """Programs that survive the death of ranks."""
        for i, case in enumerate(SURVIVES):
            for machine in ("native", MACHINES[i % len(MACHINES)]):
                self.add_job("fault_basic", 4, machine, "survive", [case])

    def add_job(self, program, ranks, machine, how, arguments, env=None):
        name = " ".join(["job", program, str(ranks), machine, how] + arguments)
        if self.wanted(name):
            self.job[name] = (program, ranks, how, arguments, dict(
                env or {}, FI_WEFT_MACHINE=machine))

    def has_fortran(self):
        return os.path.exists(
            os.path.join(self.where, ".libs/libmpifort_abi.so"))

    def compile_program(self, name, program):
        """As test/mpi/run.sh does."""
        source = glob.glob(os.path.join(
            self.top, "test/mpi/*", name + ".[cf]*"))[0]
        libs = os.path.join(self.where, ".libs")
        if source.endswith(".c"):
            argv = self.cc + [
                "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w", "-I" + self.top,
                "-I" + os.path.join(self.top, "include"),
                "-I" + os.path.join(self.top, "test/mpi"), source, "-L" + libs]
        else:
            argv = self.make_values(["FC"])[0].split() + [
                "-w", "-fallow-argument-mismatch", "-O1", "-g",
                "-J" + tempfile.mkdtemp(dir=self.work),
                "-I" + os.path.join(self.where, "src/fortran"), source,
                "-L" + libs, "-lmpifort_abi"]
        self.command(argv + ["-o", program, "-lmpi_abi", "-lpthread", "-lm",
                             "-Wl,-rpath," + libs])

    def hash(self, name):
        if name not in self.hashes:
            with open(name, "rb") as f:
                self.hashes[name] = hashlib.sha256(f.read()).hexdigest()
        return self.hashes[name]

    def digest(self, test):
        if self.is_unit(test):
            return super().digest(test)
        names = [os.path.join(self.where, ".libs", l) for l in LIBRARIES]
        names += [os.path.join(self.where, p.name) for p in self.products]
        if test in self.job:
            names.append(os.path.join(self.where, "test/mpi/programs",
                                      self.job[test][0]))
        else:
            names.append(os.path.join(self.top, test))
        return " ".join(sorted({self.hash(n) for n in names}))

    def execute(self, test, slot, seconds, out, path=None, folder=None,
                env=None):
        if self.is_unit(test):
            return super().execute(test, slot, seconds, out, path, folder, env)
        where = self.faulty_tree(path, folder) if path else self.sound_tree()
        env = dict(env or {}, LD_LIBRARY_PATH=os.path.join(where, ".libs"))
        if test in self.scripts:
            return self.run(
                ["bash", os.path.join(self.top, test)], seconds, out, dict(
                    env, builddir=where, idle_timeout=os.path.join(
                        self.where, "test/support/idle_timeout")))
        program, ranks, how, arguments, more = self.job[test]
        argv = [os.path.join(where, "mpiexec"), "--bind-to", "none"]
        if how == "virtual":
            argv += ["-q", "--machine", more["FI_WEFT_MACHINE"], "--clock", how]
        elif how == "survive":
            argv.append("--survive")
        return self.run(
            argv + ["-n", str(ranks),
                    os.path.join(self.where, "test/mpi/programs", program)] +
            arguments, seconds, out, dict(env, **more))

    def sound_tree(self):
        """The same without a fault. Its products write their coverage when they
        end by _exit(), and a test that fails because of the folder itself is
        seen."""
        with self.lock:
            return self.faulty_tree(None, os.path.join(self.work, "sound"))

    def faulty_tree(self, path, folder):
        """A folder that looks like the build tree, with the products that
        contain a file linked from its faulty object; made once per fault."""
        tree = os.path.join(folder, "tree")
        if self.prepared.get(folder) == tree:
            return tree
        shutil.rmtree(tree, ignore_errors=True)
        libs = os.path.join(tree, ".libs")
        os.makedirs(libs)
        for name in os.listdir(self.where):
            if name != ".libs":
                link_or_copy(os.path.join(self.where, name), tree)
        for name in os.listdir(os.path.join(self.where, ".libs")):
            if not name.endswith((".a", ".o", ".lai")):
                link_or_copy(os.path.join(self.where, ".libs", name), libs)
        faulty = [os.path.join(folder, os.path.basename(path)[:-2] + ".o")] \
            if path else []
        for product in self.products:
            if not path or product.has(path):
                name = os.path.join(tree, product.name)
                if os.path.lexists(name):
                    os.unlink(name)
                self.link_product(product, faulty, name)
        self.prepared[folder] = tree
        return tree

    def link_product(self, product, faulty, name):
        """Without a fault the product of make is as good."""
        try:
            product.link(self, faulty, name)
        except NoProgram as why:
            if faulty:
                raise
            print("no coverage at _exit() in %s: %s" % (product.name, why))
            link_or_copy(os.path.join(self.where, product.name),
                         os.path.dirname(name))


def link_or_copy(name, folder):
    """Libraries and programs look for files beside themselves, and are
    copied."""
    to = os.path.join(folder, os.path.basename(name))
    if os.path.islink(name):
        os.symlink(os.readlink(name), to)
    elif os.path.basename(name).startswith(
            ("libmpi_abi.so", "libweft-", "mpiexec", "weft-")) and \
            os.path.isfile(name):
        shutil.copy2(name, to)
    else:
        os.symlink(name, to)
