# src/mpi/type: datatypes and packing
libmpi_abi_la_SOURCES += \
	src/mpi/type/mpi_datatype.c src/mpi/type/mpi_datatype_body.inc \
	src/mpi/type/mpi_pack.c src/mpi/type/mpi_pack_body.inc \
	src/mpi/type/mpi_type.h src/mpi/type/mpi_type_array.c \
	src/mpi/type/mpi_type_array_body.inc src/mpi/type/mpi_type_env.c \
	src/mpi/type/mpi_type_f90.c src/mpi/type/mpi_type_list.c \
	src/mpi/type/mpi_type_list_body.inc src/mpi/type/mpi_type_make.c \
	src/mpi/type/mpi_type_make.h src/mpi/type/mpi_type_make_body.inc
EXTRA_DIST += src/mpi/type/README
