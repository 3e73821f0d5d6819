# src/mpi: the entry points MPI_* and PMPI_*
libmpi_abi_la_SOURCES += \
	src/mpi/mpi_abi.c src/mpi/mpi_both_counts.h src/mpi/mpi_check.c \
	src/mpi/mpi_check.h src/mpi/mpi_env.c src/mpi/mpi_err.c \
	src/mpi/mpi_export.h src/mpi/mpi_handle.c src/mpi/mpi_info.c \
	src/mpi/mpi_init.c src/mpi/mpi_init.h
include src/mpi/pt2pt/Makefile.mk
include src/mpi/coll/Makefile.mk
include src/mpi/comm/Makefile.mk
include src/mpi/type/Makefile.mk
include src/mpi/dynamic/Makefile.mk
include src/mpi/session/Makefile.mk
include src/mpi/recover/Makefile.mk
include src/mpi/win/Makefile.mk
include src/mpi/file/Makefile.mk
include src/mpi/tool/Makefile.mk
EXTRA_DIST += src/mpi/README

C_TESTS += src/mpi/mpi_args_test
src_mpi_mpi_args_test_SOURCES = src/mpi/mpi_args_test.c src/mpi/mpi_check.c \
	src/mpi/coll/mpi_coll_args.c src/mpi/coll/mpi_coll_overlap.c
src_mpi_mpi_args_test_CFLAGS = $(AM_CFLAGS)
