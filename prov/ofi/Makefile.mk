# prov/ofi: the libfabric face, without and with its entry point
noinst_LTLIBRARIES += libweftofi.la
libweftofi_la_SOURCES = \
	prov/ofi/weft_addr.c prov/ofi/weft_addr.h \
	prov/ofi/weft_av.c \
	prov/ofi/weft_cntr.c \
	prov/ofi/weft_cq.c \
	prov/ofi/weft_domain.c \
	prov/ofi/weft_eq.c \
	prov/ofi/weft_err.c \
	prov/ofi/weft_fabric.c \
	prov/ofi/weft_lock.c prov/ofi/weft_lock.h \
	prov/ofi/weft_mr.c \
	prov/ofi/weft_no.c prov/ofi/weft_no.h \
	prov/ofi/weft_ofi.h \
	prov/ofi/weft_poll.c \
	prov/ofi/weft_wait.c
