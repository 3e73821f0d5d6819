# src/mpi/comm: communicators, groups, attributes, topologies
libmpi_abi_la_SOURCES += \
	src/mpi/comm/mpi_attr.c src/mpi/comm/mpi_comm.c \
	src/mpi/comm/mpi_comm.h src/mpi/comm/mpi_comm_create.c \
	src/mpi/comm/mpi_group.c src/mpi/comm/mpi_intercomm.c \
	src/mpi/comm/mpi_topo.c src/mpi/comm/mpi_topo.h \
	src/mpi/comm/mpi_topo_dist.c src/mpi/comm/mpi_topo_graph.c
EXTRA_DIST += src/mpi/comm/README
