# src/show: pages and traces of a run
noinst_LTLIBRARIES += libweftshow.la
libweftshow_la_SOURCES = \
	src/show/show.c src/show/show.h src/show/show_part.h \
	src/show/show_archive.c src/show/show_async.c src/show/show_async.h \
	src/show/show_delay.c src/show/show_role.c src/show/show_role.h \
	src/show/show_calls.c src/show/show_chain.c src/show/show_links.c \
	src/show/show_match.c src/show/show_matrix.c src/show/show_page.c \
	src/show/show_perfetto.c src/show/show_access.c src/show/show_routes.c \
	src/show/show_time.c src/show/show_wait.c
libweftshow_la_LIBADD = libweftpage.la
EXTRA_DIST += src/show/README

# Loaded by mpiexec when a trace of that kind is requested.
if HAVE_OTF2
pkglib_LTLIBRARIES += libweft-otf2.la
libweft_otf2_la_SOURCES = src/show/show_otf2.c
libweft_otf2_la_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
libweft_otf2_la_LIBADD = libweftshow.la libweftbase.la $(OTF2_LIBS)
libweft_otf2_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^show_otf2$$' -Wl,-z,defs
else
EXTRA_DIST += src/show/show_otf2.c
endif

check_PROGRAMS += src/show/show_test src/show/show_wait_test
TESTS += src/show/show_test src/show/show_wait_test
src_show_show_test_LDADD = libweftshow.la $(T_LIBS)
src_show_show_wait_test_LDADD = libweftshow.la $(T_LIBS)
PLAIN_TESTS += test/run_page.sh
EXTRA_DIST += test/page_ring.c test/page_wait.c
