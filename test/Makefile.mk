# test: what crosses folders, and the house verbs
if HAVE_CMOCKA
check_LTLIBRARIES += libweft-t.la
endif
libweft_t_la_SOURCES = test/t.c test/t.h
libweft_t_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
EXTRA_DIST += test/layers.sh test/shape.sh
TESTS += test/layers.sh test/shape.sh
# what README and the pages tell people to type
PLAIN_TESTS += test/doc_man.sh test/doc_pages.sh test/doc_readme.sh
EXTRA_DIST += test/doc_lib.sh
include test/abi.mk
include test/vt.mk
