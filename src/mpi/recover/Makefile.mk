# src/mpi/recover: functions for programs that survive failures
libmpi_abi_la_SOURCES += src/mpi/recover/mpi_recover.c
EXTRA_DIST += src/mpi/recover/README
