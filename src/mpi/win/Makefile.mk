# src/mpi/win: windows
libmpi_abi_la_SOURCES += \
	src/mpi/win/mpi_win.c src/mpi/win/mpi_win.h src/mpi/win/mpi_win_acc.c \
	src/mpi/win/mpi_win_acc_body.inc src/mpi/win/mpi_win_body.inc \
	src/mpi/win/mpi_win_move.c src/mpi/win/mpi_win_move_body.inc \
	src/mpi/win/mpi_win_sync.c
EXTRA_DIST += src/mpi/win/README
