# prov/ofi/queue: completion queues, counters, event queues, waiting
libweft_ofi_la_SOURCES += \
	prov/ofi/queue/weft_cntr.c prov/ofi/queue/weft_cntr.h \
	prov/ofi/queue/weft_cq.c prov/ofi/queue/weft_cq.h \
	prov/ofi/queue/weft_eq.c prov/ofi/queue/weft_eq.h \
	prov/ofi/queue/weft_poll.c prov/ofi/queue/weft_poll.h \
	prov/ofi/queue/weft_wait.c prov/ofi/queue/weft_wait.h

C_TESTS += prov/ofi/queue/weft_cntr_test prov/ofi/queue/weft_cq_test \
	prov/ofi/queue/weft_eq_test prov/ofi/queue/weft_wait_test
prov_ofi_queue_weft_cntr_test_SOURCES = prov/ofi/queue/weft_cntr_test.c $(OFI_FAKE)
prov_ofi_queue_weft_cq_test_SOURCES = prov/ofi/queue/weft_cq_test.c $(OFI_FAKE)
prov_ofi_queue_weft_eq_test_SOURCES = prov/ofi/queue/weft_eq_test.c $(OFI_FAKE)
prov_ofi_queue_weft_wait_test_SOURCES = prov/ofi/queue/weft_wait_test.c $(OFI_FAKE)
prov_ofi_queue_weft_cq_test_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=aligned_alloc -Wl,--wrap=calloc
EXTRA_DIST += prov/ofi/queue/README
