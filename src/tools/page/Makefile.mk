# src/tools/page: writes a result as one self-contained HTML file
noinst_LTLIBRARIES += libweftpage.la
libweftpage_la_SOURCES = \
	src/tools/page/page.c src/tools/page/page.h src/tools/page/page_asset.h \
	src/tools/page/page_json.c src/tools/page/page_json.h
nodist_libweftpage_la_SOURCES = src/tools/page/page_asset.c
libweftpage_la_LIBADD = -lm
CLEANFILES += src/tools/page/page_asset.c

# The order matters: each file uses definitions of the files before it.
PAGE_JS = src/tools/page/page_base.js src/tools/page/page_table.js src/tools/page/page_plot.js \
	src/tools/page/page_links.js src/tools/page/page_matrix.js \
	src/tools/page/page_timepaint.js src/tools/page/page_timesum.js \
	src/tools/page/page_time.js src/tools/page/page_wait.js \
	src/tools/page/page_reproduce.js src/tools/page/page_sim.js \
	src/tools/page/page_compare.js src/tools/page/page_routes.js \
	src/tools/page/page_run.js src/tools/page/page_start.js
EXTRA_DIST += $(PAGE_JS) src/tools/page/page.css src/tools/page/page_asset.sh \
	src/tools/page/README
src/tools/page/page_asset.c: $(PAGE_JS) src/tools/page/page.css src/tools/page/page_asset.sh
	$(AM_V_GEN)$(MKDIR_P) src/tools/page && cd $(srcdir) && \
	sh src/tools/page/page_asset.sh page_css src/tools/page/page.css \
		> $(abs_builddir)/$@.tmp && \
	sh src/tools/page/page_asset.sh page_js $(PAGE_JS) \
		>> $(abs_builddir)/$@.tmp && \
	mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@

# weft-page, for bench/compare --html
pkglibexec_PROGRAMS += weft-page
weft_page_SOURCES = src/tools/page/page_compare.c
weft_page_LDADD = libweftpage.la libweftbase.la

C_TESTS += src/tools/page/page_test
src_tools_page_page_test_LDADD = libweftpage.la $(T_LIBS)
