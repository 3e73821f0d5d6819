#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make_bindings.py ABI-FOLDER MPI.H OUTPUT-FOLDER: writes the bindings.

mpif.h, mpi.f90 and mpi_f08.f90 declare the procedures; fort_bodies.c has the
C functions behind them. A function of the ABI that the library does not have
gets no procedure: a program that calls it does not link."""
import io
import os
import sys

import fort_table
import fort_write_c
import fort_write_f


def main():
    abi, header, folder = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    have = fort_table.declared(header)
    all_ = [f for f in fort_table.functions(os.path.join(abi, 'functions'))
            if f.c_name in have]
    f08 = fort_table.f08_functions(all_)
    table = fort_table.constants(os.path.join(abi, 'constants'))

    def make(name, write, *args):
        path, out, old = os.path.join(folder, name), io.StringIO(), None
        write(*args, out)
        if os.path.exists(path):
            with open(path) as f:
                old = f.read()
        if out.getvalue() != old:  # an unchanged file is not compiled again
            with open(path, 'w') as f:
                f.write(out.getvalue())

    with open(os.path.join(here, 'mpi_f08_head.f90')) as f:
        head = f.read()
    make('fort_bodies.c', fort_write_c.write, all_, f08)
    make('fort_have.h', fort_write_c.write_have, all_)
    make('mpif.h', fort_write_f.write_mpif, table)
    make('mpi.f90', fort_write_f.write_mpi, table, all_)
    make('mpi_f08.f90', fort_write_f.write_f08, table, f08, head)


main()
