# prov/nic: the message engine, with the table of machines
noinst_LTLIBRARIES += libweftnic.la
libweftnic_la_SOURCES = prov/nic/nic.h prov/nic/nic_int.h \
	prov/nic/nic_atomic.c prov/nic/nic_atomic.h prov/nic/nic_atomic_exec.c \
	prov/nic/nic_atomic_exec.h prov/nic/nic_cancel.c prov/nic/nic_cancel.h \
	prov/machine/machine_chain.h prov/machine/native/native.c \
	prov/nic/nic_dma.c prov/nic/nic_dma.h prov/nic/nic_engine.c \
	prov/nic/nic_fetch.c prov/nic/nic_fetch.h \
	prov/nic/nic_memory.c prov/nic/nic_memory.h \
	prov/machine/machine_table.c prov/nic/nic_op.c prov/nic/nic_op.h \
	prov/nic/nic_place.c prov/nic/nic_place.h prov/nic/nic_recv.c \
	prov/nic/nic_recv.h prov/nic/nic_recv_lost.c prov/nic/nic_rma.c \
	prov/nic/nic_rma.h prov/nic/nic_rndv.c prov/nic/nic_rndv.h \
	prov/nic/nic_send.c prov/nic/nic_send.h prov/nic/nic_share.c \
	prov/nic/nic_share.h prov/nic/nic_stream.c \
	prov/nic/nic_stream.h
# The engine runs on the stacks of the threads that call it, which may be small.
libweftnic_la_CFLAGS = $(AM_CFLAGS) -Wframe-larger-than=32768
libweftnic_la_LIBADD = libweftunits.la libweftmem.la libweftcunit.la libweft-match.la libweftcarrier.la libweftarq.la \
	libweftbase.la $(HWLOC_LIBS)
include prov/machine/Makefile.mk

# Tests across folders: the provider between processes, on every machine.
C_TESTS += test/prov/prov_coll_test test/prov/prov_coll_machine_test \
	test/prov/prov_coll_api_test test/prov/prov_msg_test test/prov/prov_rma_test \
	test/prov/prov_flow_test test/prov/prov_coll_fuzz_test \
	test/prov/prov_coll_death_test test/prov/prov_coll_chain_test \
	test/prov/prov_hmem_test test/prov/prov_coll_tree_test \
	test/prov/prov_copy_test
C_TESTS += prov/nic/nic_test prov/nic/nic_atomic_test prov/nic/nic_cancel_test \
	prov/nic/nic_copy_test prov/nic/nic_fault_test prov/nic/nic_place_test \
	prov/nic/nic_typed_test prov/nic/nic_memory_test prov/nic/nic_fetch_test \
	prov/nic/nic_death_test prov/nic/nic_stream_test \
	prov/nic/nic_fuzz_test
prov_nic_nic_death_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc \
	-Wl,--wrap=free
prov_nic_nic_copy_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=weft_copy_loop
prov_nic_nic_fault_test_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=aligned_alloc
EXTRA_DIST += prov/nic/README
