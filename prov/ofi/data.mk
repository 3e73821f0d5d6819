# prov/ofi: the data path, and the provider made of both halves
provlib_LTLIBRARIES += libweft-fi.la
PROVIDER = \
	prov/ofi/weft_atomic.c \
	prov/ofi/weft_mcgroup.c prov/ofi/weft_mcgroup_call.c \
	prov/ofi/weft_data.h \
	prov/ofi/weft_mcgroup_wait.c \
	prov/ofi/weft_mcgroup_wait_vt.c \
	prov/ofi/weft_done.c \
	prov/ofi/weft_ep.c \
	prov/ofi/weft_hmem.c prov/ofi/weft_hmem.h \
	prov/ofi/weft_hmem_mem.c prov/ofi/weft_msg.c \
	prov/ofi/weft_stage.c prov/ofi/weft_stage.h \
	prov/ofi/weft_post.c prov/ofi/weft_post.h \
	prov/ofi/weft_progress.c \
	prov/ofi/weft_recv.c \
	prov/ofi/weft_rma_sync.c \
	prov/ofi/weft_peers.c \
	prov/ofi/weft_ep_addr.c prov/ofi/weft_ep_addr.h \
	prov/ofi/weft_rma.c \
	prov/ofi/weft_tagged.c prov/ofi/weft_typed.c
libweft_fi_la_SOURCES = $(PROVIDER)
libweft_fi_la_LIBADD = libweft-ofi.la libweftnic.la $(FABRIC_LIBS)
# nodelete: libfabric unloads providers at exit, while the thread of a domain
# that was not closed may still be running.
PROVIDER_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^fi_prov_ini$$' -Wl,-z,defs -Wl,-z,nodelete
libweft_fi_la_LDFLAGS = $(PROVIDER_LDFLAGS)

# The provider for Weft's MPI library, without libfabric's library.
noinst_LTLIBRARIES += libweftdirect.la
libweftdirect_la_SOURCES = prov/ofi/weft_fi_core.c
pkglib_LTLIBRARIES += libweft-direct.la
libweft_direct_la_SOURCES = $(PROVIDER)
libweft_direct_la_LIBADD = libweft-ofi.la libweftnic.la libweftdirect.la
libweft_direct_la_LDFLAGS = $(PROVIDER_LDFLAGS)
