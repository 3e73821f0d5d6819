# src/page: one HTML file that shows a result
noinst_LTLIBRARIES += libweftpage.la
libweftpage_la_SOURCES = \
	src/page/page.c src/page/page.h src/page/page_asset.h \
	src/page/page_json.c src/page/page_json.h
nodist_libweftpage_la_SOURCES = src/page/page_asset.c
libweftpage_la_LIBADD = -lm
CLEANFILES += src/page/page_asset.c

# In this order: each script uses those before it.
PAGE_JS = src/page/page_base.js src/page/page_table.js src/page/page_plot.js \
	src/page/page_links.js src/page/page_matrix.js \
	src/page/page_timepaint.js src/page/page_timesum.js \
	src/page/page_time.js src/page/page_wait.js \
	src/page/page_reproduce.js src/page/page_sim.js \
	src/page/page_compare.js src/page/page_routes.js \
	src/page/page_run.js src/page/page_start.js
EXTRA_DIST += $(PAGE_JS) src/page/page.css src/page/page_asset.sh \
	src/page/README
src/page/page_asset.c: $(PAGE_JS) src/page/page.css src/page/page_asset.sh
	$(AM_V_GEN)$(MKDIR_P) src/page && cd $(srcdir) && \
	sh src/page/page_asset.sh page_css src/page/page.css \
		> $(abs_builddir)/$@.tmp && \
	sh src/page/page_asset.sh page_js $(PAGE_JS) \
		>> $(abs_builddir)/$@.tmp && \
	mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@

# for bench/compare --html
pkglibexec_PROGRAMS += weft-page
weft_page_SOURCES = src/page/page_compare.c
weft_page_LDADD = libweftpage.la libweftbase.la

check_PROGRAMS += src/page/page_test
TESTS += src/page/page_test
src_page_page_test_LDADD = libweftpage.la $(T_LIBS)
