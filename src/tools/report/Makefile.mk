# src/tools/report: pages and traces of a run
noinst_LTLIBRARIES += libweftshow.la
libweftshow_la_SOURCES = \
	src/tools/report/report.c src/tools/report/report.h src/tools/report/report_part.h \
	src/tools/report/report_archive.c src/tools/report/report_async.c src/tools/report/report_async.h \
	src/tools/report/report_delay.c src/tools/report/report_role.c src/tools/report/report_role.h \
	src/tools/report/report_calls.c src/tools/report/report_chain.c src/tools/report/report_links.c \
	src/tools/report/report_match.c src/tools/report/report_matrix.c src/tools/report/report_page.c \
	src/tools/report/report_perfetto.c src/tools/report/report_access.c src/tools/report/report_routes.c \
	src/tools/report/report_stats.c src/tools/report/report_time.c src/tools/report/report_wait.c
libweftshow_la_LIBADD = libweftpage.la
EXTRA_DIST += src/tools/report/README

# The OTF2 writer, which mpiexec loads if an OTF2 trace is requested.
if HAVE_OTF2
pkglib_LTLIBRARIES += libweft-otf2.la
libweft_otf2_la_SOURCES = src/tools/report/report_otf2.c
libweft_otf2_la_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
libweft_otf2_la_LIBADD = libweftshow.la libweftbase.la $(OTF2_LIBS)
libweft_otf2_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^report_otf2$$' -Wl,-z,defs
else
EXTRA_DIST += src/tools/report/report_otf2.c
endif

C_TESTS += src/tools/report/report_test src/tools/report/report_wait_test \
	src/tools/report/report_fuzz_test src/tools/report/report_part_test
src_tools_report_report_part_test_LDADD = libweftshow.la $(T_LIBS)
src_tools_report_report_fuzz_test_LDADD = libweftshow.la $(T_LIBS)
src_tools_report_report_test_LDADD = libweftshow.la $(T_LIBS)
src_tools_report_report_wait_test_LDADD = libweftshow.la $(T_LIBS)
PLAIN_TESTS += test/page/run_page.sh
EXTRA_DIST += test/page/page_ring.c test/page/page_wait.c
