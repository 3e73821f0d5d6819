# src/show: pages and traces of a run
noinst_LTLIBRARIES += libweftshow.la
libweftshow_la_SOURCES = \
	src/show/show.c src/show/show.h src/show/show_part.h \
	src/show/show_calls.c src/show/show_chain.c src/show/show_links.c \
	src/show/show_match.c src/show/show_matrix.c src/show/show_page.c \
	src/show/show_perfetto.c src/show/show_time.c
libweftshow_la_LIBADD = libweftpage.la libweftbase.la
EXTRA_DIST += src/show/README

check_PROGRAMS += src/show/show_test
TESTS += src/show/show_test
src_show_show_test_LDADD = libweftshow.la $(T_LIBS)
PLAIN_TESTS += test/run_page.sh
EXTRA_DIST += test/page_ring.c
