# src/mpi/session: sessions and process sets
libmpi_abi_la_SOURCES += src/mpi/session/mpi_session.c \
	src/mpi/session/mpi_session.h src/mpi/session/mpi_pset.c
EXTRA_DIST += src/mpi/session/README
