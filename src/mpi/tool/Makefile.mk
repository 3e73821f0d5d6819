# src/mpi/tool: MPI_T
libmpi_abi_la_SOURCES += \
	src/mpi/tool/mpi_tool.c src/mpi/tool/mpi_tool.h \
	src/mpi/tool/mpi_tool_cvar.c src/mpi/tool/mpi_tool_event.c \
	src/mpi/tool/mpi_tool_pvar.c
EXTRA_DIST += src/mpi/tool/README
