# src/mpi/file: files
libmpi_abi_la_SOURCES += \
	src/mpi/file/mpi_file.c src/mpi/file/mpi_file.h \
	src/mpi/file/mpi_file_access.c \
	src/mpi/file/mpi_file_access_body.inc \
	src/mpi/file/mpi_file_view.c src/mpi/file/mpi_file_view_body.inc
EXTRA_DIST += src/mpi/file/README
