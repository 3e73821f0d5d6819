# prov/ofi/group: libfabric collectives
PROVIDER += \
	prov/ofi/group/weft_mcgroup.c prov/ofi/group/weft_mcgroup.h \
	prov/ofi/group/weft_mcgroup_wait.c \
	prov/ofi/group/weft_mcgroup_wait_vt.c
libweft_ofi_la_SOURCES += prov/ofi/group/weft_set.c
EXTRA_DIST += prov/ofi/group/README
