# prov/mem: kinds of memory
noinst_LTLIBRARIES += libweftmem.la
libweftmem_la_SOURCES = prov/mem/mem.h prov/mem/mem_kind.c \
	prov/mem/mem_device.c
check_PROGRAMS += prov/mem/mem_test
TESTS += prov/mem/mem_test
prov_mem_mem_test_LDADD = libweftmem.la $(T_LIBS)
EXTRA_DIST += prov/mem/README
