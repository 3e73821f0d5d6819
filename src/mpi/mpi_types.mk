# The chapters datatypes, packing, operations, info, attributes, topologies,
# handles, the ABI, MPI_T.
libmpi_abi_la_SOURCES += \
	src/mpi/mpi_abi.c \
	src/mpi/mpi_attr.c \
	src/mpi/mpi_datatype.c \
	src/mpi/mpi_handle.c \
	src/mpi/mpi_info.c \
	src/mpi/mpi_op.c \
	src/mpi/mpi_pack.c \
	src/mpi/mpi_tool.c src/mpi/mpi_tool.h \
	src/mpi/mpi_tool_cvar.c src/mpi/mpi_tool_event.c \
	src/mpi/mpi_tool_pvar.c \
	src/mpi/mpi_topo.c src/mpi/mpi_topo.h \
	src/mpi/mpi_topo_dist.c src/mpi/mpi_topo_graph.c \
	src/mpi/mpi_type.h \
	src/mpi/mpi_type_array.c \
	src/mpi/mpi_type_env.c \
	src/mpi/mpi_type_f90.c \
	src/mpi/mpi_type_list.c \
	src/mpi/mpi_type_make.c src/mpi/mpi_type_make.h
