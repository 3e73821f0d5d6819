# src/mpi: MPI_* and PMPI_*
libmpi_abi_la_SOURCES += \
	src/mpi/mpi_bsend.c \
	src/mpi/mpi_check.c src/mpi/mpi_check.h \
	src/mpi/mpi_comm.c \
	src/mpi/mpi_comm_create.c src/mpi/mpi_comm.h \
	src/mpi/mpi_env.c \
	src/mpi/mpi_err.c \
	src/mpi/mpi_export.h \
	src/mpi/mpi_greq.c \
	src/mpi/mpi_group.c \
	src/mpi/mpi_init.c \
	src/mpi/mpi_intercomm.c \
	src/mpi/mpi_part.c \
	src/mpi/mpi_persist.c \
	src/mpi/mpi_probe.c \
	src/mpi/mpi_pt2pt.c \
	src/mpi/mpi_req.h \
	src/mpi/mpi_request_many.c \
	src/mpi/mpi_request.c \
	src/mpi/mpi_sendrecv.c \
	src/mpi/mpi_status.c \
	src/mpi/mpi_win.c src/mpi/mpi_win.h \
	src/mpi/mpi_win_acc.c \
	src/mpi/mpi_win_move.c \
	src/mpi/mpi_win_sync.c
include src/mpi/mpi_types.mk
EXTRA_DIST += src/mpi/README
