# src/mpi/dynamic: communication between processes of several jobs: ports,
# names, spawn
libmpi_abi_la_SOURCES += src/mpi/dynamic/mpi_port.c \
	src/mpi/dynamic/mpi_name.c src/mpi/dynamic/mpi_spawn.c \
	src/mpi/dynamic/mpi_dynamic.h
EXTRA_DIST += src/mpi/dynamic/README
