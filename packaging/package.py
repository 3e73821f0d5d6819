# SPDX-License-Identifier: BSD-3-Clause
# Spack recipe: copy to packages/weft/package.py of a repository of Spack.
# "spack install --no-checksum weft" runs in the folder of the tarball.
import os

from spack.package import *


class Weft(AutotoolsPackage):
    """MPI library with the standard ABI on emulated network interfaces of
    five machines, live or in the time of the modelled machine."""

    manual_download = True
    url = "file://{0}/weft-0.2.0.tar.xz".format(os.getcwd())

    license("BSD-3-Clause")

    version("0.2.0")

    variant("fortran", default=True, description="mpif.h and Fortran modules")

    provides("mpi@:4.1")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build", when="+fortran")
    depends_on("libfabric@1.17:")
    depends_on("pmix@4:")
    depends_on("hwloc@2:")
    depends_on("openssl@3:")

    def configure_args(self):
        spec = self.spec
        args = [
            "--with-libfabric={0}".format(spec["libfabric"].prefix),
            "--with-pmix={0}".format(spec["pmix"].prefix),
            "--with-hwloc={0}".format(spec["hwloc"].prefix),
        ]
        args += self.enable_or_disable("fortran")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("FI_PROVIDER_PATH", self.prefix.lib.libfabric)

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("MPICC", self.prefix.bin.mpicc)
        env.set("MPICXX", self.prefix.bin.mpicxx)
        env.set("MPIF90", self.prefix.bin.mpifort)
