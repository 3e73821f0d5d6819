# src/mpi/pt2pt: messages, requests and status
libmpi_abi_la_SOURCES += \
	src/mpi/pt2pt/mpi_bsend.c src/mpi/pt2pt/mpi_bsend_body.inc \
	src/mpi/pt2pt/mpi_greq.c src/mpi/pt2pt/mpi_part.c \
	src/mpi/pt2pt/mpi_part_body.inc src/mpi/pt2pt/mpi_persist.c \
	src/mpi/pt2pt/mpi_persist_body.inc src/mpi/pt2pt/mpi_probe.c \
	src/mpi/pt2pt/mpi_probe_body.inc src/mpi/pt2pt/mpi_pt2pt.c \
	src/mpi/pt2pt/mpi_pt2pt_body.inc src/mpi/pt2pt/mpi_req.h \
	src/mpi/pt2pt/mpi_request.c src/mpi/pt2pt/mpi_request_many.c \
	src/mpi/pt2pt/mpi_sendrecv.c src/mpi/pt2pt/mpi_sendrecv_body.inc \
	src/mpi/pt2pt/mpi_status.c src/mpi/pt2pt/mpi_status_body.inc
EXTRA_DIST += src/mpi/pt2pt/README
