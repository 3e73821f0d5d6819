# doc: documents, man pages, and the web site of the documents (make html)
dist_man1_MANS += doc/mpicc.1 doc/mpicxx.1 doc/mpifort.1 doc/weft-info.1 \
	doc/weft-sim.1 doc/weft-reproduce.1 doc/weft-calibrate.1 doc/weft-tune.1
dist_man7_MANS += doc/weft-files.7
dist_doc_DATA += doc/apenet.md doc/architecture.md doc/bugs.md doc/collectives.md \
	doc/dynamic.md doc/failures.md doc/faults.md doc/hosts.md \
	doc/gemini.md doc/gpu.md doc/model.md doc/not-yet.md \
	doc/packages.md doc/page.md doc/page-run.png doc/page-reproduce.png \
	doc/replay.md doc/sunway.md doc/support.md doc/trust.md doc/tutorial.md \
	doc/virtual.md doc/your-machine.md
EXTRA_DIST += doc/site/README doc/site/contents doc/site/index.md \
	doc/site/site.py doc/site/site_man.py doc/site/site_markdown.py \
	doc/site/site_options.py doc/site/style.css

# "make html" writes the site into html/, "make install-html" installs it.
html-local:
	@command -v python3 > /dev/null || \
	  { echo "make html needs python3"; exit 1; }
	$(AM_V_GEN)rm -rf html && PYTHONDONTWRITEBYTECODE=1 \
	  python3 $(srcdir)/doc/site/site.py $(srcdir) html $(PACKAGE_VERSION)
install-html-local: html-local
	$(MKDIR_P) '$(DESTDIR)$(htmldir)/html'
	cp -R html/. '$(DESTDIR)$(htmldir)/html'
uninstall-local: uninstall-site
uninstall-site:
	rm -rf '$(DESTDIR)$(htmldir)/html'
clean-local: clean-site
clean-site:
	rm -rf html
.PHONY: uninstall-site clean-site
