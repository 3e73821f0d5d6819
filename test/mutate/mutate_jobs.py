# SPDX-License-Identifier: BSD-3-Clause
"""MPI jobs as tests of faults, for test/mutate/auto --mpi.

The programs of test/mpi/list run with a faulty MPI library, provider or mpiexec.
Each of these products is linked by the command that libtool prints for it; the
faulty object stands in front of the original one, and the linker takes the first
definition of a symbol. The programs find the faulty products by LD_LIBRARY_PATH
in a folder of their own."""
import concurrent.futures
import hashlib
import os
import re
import shlex
import shutil
import zlib

from mutate_build import Build

MACHINES = ("bgq", "gemini", "qsnet2", "apenet", "sunway")
LIBRARIES = ("libmpi_abi.so.1", "libweft-direct.so", "libweft-fi.so")
PRODUCTS = {"libmpi_abi.so.1": "libmpi_abi.la",
            "libweft-direct.so": "libweft-direct.la",
            "mpiexec": "mpiexec"}


class Product:
    """A library or program of the build tree, and the command that links it."""

    def __init__(self, build, name, target):
        self.name, self.where = name, build.where
        # the object of one of its files is made to look newer
        main = os.path.join(build.top, "src/tools/run/run_main.c")
        base = os.path.join(build.top, "src/base/num.c")
        out = build.command(["make", "-n", "-s", "V=1", "-W", main, "-W", base,
                             "-W", os.path.relpath(main, build.where),
                             "-W", os.path.relpath(base, build.where), target])
        link = [l for l in out.replace("\\\n", " ").split("\n")
                if "--mode=link" in l and re.search(
                    r"-o %s( |$)" % re.escape(target), l)][-1]
        out = build.command(["sh", "-c", link.replace(
            "--mode=link", "--dry-run --mode=link", 1)])
        lines = [l for l in out.split("\n")
                 if " -o " in l and l.startswith("libtool: link:")]
        self.argv = shlex.split(lines[-1].split("link:", 1)[1])
        self.members = set()
        for w in self.argv:
            if w.endswith(".o"):
                self.members.add(os.path.basename(w))
            elif w.endswith(".a"):
                self.members.update(build.command(["ar", "t", w]).split())

    def has(self, path):
        return os.path.basename(path)[:-2] + ".o" in self.members

    def link(self, build, faulty, program):
        """Links the product with a faulty object."""
        argv = list(self.argv)
        argv[argv.index("-o") + 1] = program
        build.command(
            argv[:1] + ["-Wl,-z,muldefs", "-Wl,--wrap=_exit",
                        "-Wl,--wrap=kill", faulty, build.guard] + argv[1:])


class JobBuild(Build):
    """A build tree whose tests are the unit tests and MPI jobs."""

    def make(self, jobs):
        self.unit = list(self.tests)
        super().make(jobs)
        self.command(["make", "-s", "-j%d" % jobs])
        self.products = [Product(self, n, t) for n, t in PRODUCTS.items()]
        programs = os.path.join(self.where, "test/mpi/programs")
        os.makedirs(programs, exist_ok=True)
        self.job = {}
        for line in self.read_list():
            self.add_jobs(line)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda name: self.compile_program(
                name, os.path.join(programs, name)),
                {j[0] for j in self.job.values()}))
        self.tests = self.unit + sorted(self.job)

    def read_list(self):
        with open(os.path.join(self.top, "test/mpi/list")) as f:
            for l in f:
                word = l.split()
                if word and not word[0].startswith("#"):
                    yield (word + ["-"])[:3] + [word[3:]]

    def add_jobs(self, line):
        """A line of the list runs natively with two numbers of ranks, and on
        one machine in each clock."""
        program, ranks, tags, arguments = line
        tags = tags.split(",")
        if "long" in tags:
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
            for n in {few[0], few[-1]}:
                self.add_job(program, n, "native", "live", arguments)
            self.add_job(program, few[0], machine, "live", arguments)
        if "live" not in tags:
            self.add_job(program, few[0], machine, "virtual", arguments)

    def add_job(self, program, ranks, machine, clock, arguments):
        name = " ".join(["job", program, str(ranks), machine, clock] +
                        arguments)
        self.job[name] = (program, ranks, machine, clock, arguments)

    def compile_program(self, name, program):
        found = [os.path.join(d, name + ".c") for d, _, files in
                 os.walk(os.path.join(self.top, "test/mpi"))
                 if name + ".c" in files]
        libs = os.path.join(self.where, ".libs")
        self.command(self.cc + [
            "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w",
            "-I" + os.path.join(self.top, "include"),
            "-I" + os.path.join(self.top, "test/mpi"), "-o", program, found[0],
            "-L" + libs, "-lmpi_abi", "-lpthread", "-lm",
            "-Wl,-rpath," + libs])

    def digest(self, test):
        if test not in self.job:
            return super().digest(test)
        digest = hashlib.sha256()
        for name in [os.path.join(".libs", l) for l in LIBRARIES] + [
                "mpiexec", "test/mpi/programs/" + self.job[test][0]]:
            with open(os.path.join(self.where, name), "rb") as f:
                digest.update(f.read())
        return digest.hexdigest()

    def execute(self, test, slot, seconds, out, path=None, folder=None,
                env=None):
        if test not in self.job:
            return super().execute(test, slot, seconds, out, path, folder, env)
        libs, mpiexec = self.faulty_products(slot, path, folder)
        program, ranks, machine, clock, arguments = self.job[test]
        argv = [mpiexec, "--bind-to", "none"]
        if clock == "virtual":
            argv += ["-q", "--machine", machine, "--clock", clock]
        return self.run(
            argv + ["-n", str(ranks),
                    os.path.join(self.where, "test/mpi/programs", program)] +
            arguments, seconds, out,
            dict(env or {}, LD_LIBRARY_PATH=libs, FI_WEFT_MACHINE=machine))

    def faulty_products(self, slot, path, folder):
        """The folder of the libraries, and mpiexec."""
        libs = os.path.join(self.where, ".libs")
        mpiexec = os.path.join(self.where, "mpiexec")
        if not path:
            return libs, mpiexec
        own = os.path.join(folder, "products")
        shutil.rmtree(own, ignore_errors=True)
        os.makedirs(own)
        for name in LIBRARIES:
            shutil.copy(os.path.join(libs, name), own)
        faulty = os.path.join(folder, os.path.basename(path)[:-2] + ".o")
        for product in self.products:
            if not product.has(path):
                continue
            name = os.path.join(own, product.name)
            if os.path.exists(name):
                os.unlink(name)
            product.link(self, faulty, name)
            if product.name == "mpiexec":
                mpiexec = name
        return own, mpiexec
