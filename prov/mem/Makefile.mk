# prov/mem: kinds of memory
noinst_LTLIBRARIES += libweftmem.la
libweftmem_la_SOURCES = prov/mem/mem.h prov/mem/mem_kind.c \
	prov/mem/mem_device.c
C_TESTS += prov/mem/mem_test
EXTRA_DIST += prov/mem/README
