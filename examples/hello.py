#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPI from Python without a package: ctypes calls the functions of the C ABI.

The handles are the values that the MPI 5.0 ABI defines (share/abi/constants).
Run it with: mpiexec -n 4 python3 hello.py
"""
import ctypes
import os

COMM_WORLD = ctypes.c_void_p(0x101)
DOUBLE = ctypes.c_void_p(0x214)
SUM = ctypes.c_void_p(0x21)

mpi = ctypes.CDLL(os.environ.get("MPI_LIBRARY", "libmpi_abi.so.1"),
                  mode=ctypes.RTLD_GLOBAL)
mpi.MPI_Wtime.restype = ctypes.c_double
mpi.MPI_Init(None, None)
rank, ranks = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(COMM_WORLD, ctypes.byref(rank))
mpi.MPI_Comm_size(COMM_WORLD, ctypes.byref(ranks))
print("hello from rank", rank.value, "of", ranks.value, flush=True)

start = mpi.MPI_Wtime()
value = (ctypes.c_double * 2)(rank.value, 1)
total = (ctypes.c_double * 2)()
mpi.MPI_Allreduce(value, total, 2, DOUBLE, SUM, COMM_WORLD)
seconds = mpi.MPI_Wtime() - start
if rank.value == 0:
    print("sums:", *total)
    print("an allreduce took %.2f us" % (seconds * 1e6))
mpi.MPI_Finalize()
