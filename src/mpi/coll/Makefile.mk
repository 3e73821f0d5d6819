# src/mpi/coll: collectives and operations
libmpi_abi_la_SOURCES += \
	src/mpi/coll/mpi_coll.c src/mpi/coll/mpi_coll_args.c \
	src/mpi/coll/mpi_coll_args.h src/mpi/coll/mpi_coll_body.inc \
	src/mpi/coll/mpi_coll_forms.h src/mpi/coll/mpi_coll_overlap.c \
	src/mpi/coll/mpi_neighbor.c src/mpi/coll/mpi_neighbor_body.inc \
	src/mpi/coll/mpi_op.c src/mpi/coll/mpi_op_body.inc
EXTRA_DIST += src/mpi/coll/README
