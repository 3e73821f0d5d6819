# prov/ofi/ep: endpoints, the data path
PROVIDER += \
	prov/ofi/ep/weft_atomic.c prov/ofi/ep/weft_atomic.h \
	prov/ofi/ep/weft_data.h prov/ofi/ep/weft_done.c prov/ofi/ep/weft_ep.c \
	prov/ofi/ep/weft_ep.h prov/ofi/ep/weft_ep_addr.c \
	prov/ofi/ep/weft_ep_addr.h prov/ofi/ep/weft_hmem.c \
	prov/ofi/ep/weft_hmem.h prov/ofi/ep/weft_hmem_mem.c \
	prov/ofi/ep/weft_msg.c prov/ofi/ep/weft_peers.c \
	prov/ofi/ep/weft_post.c prov/ofi/ep/weft_post.h \
	prov/ofi/ep/weft_progress.c prov/ofi/ep/weft_progress.h \
	prov/ofi/ep/weft_recv.c prov/ofi/ep/weft_rma.c \
	prov/ofi/ep/weft_amo_sync.c \
	prov/ofi/ep/weft_rma_sync.c prov/ofi/ep/weft_stage.c \
	prov/ofi/ep/weft_stage.h prov/ofi/ep/weft_tagged.c \
	prov/ofi/ep/weft_typed.c
EXTRA_DIST += prov/ofi/ep/README
