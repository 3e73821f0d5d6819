# packaging: recipes of packages; LONG=1 builds and tries the Debian ones
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/packaging/README \
	$(srcdir)/packaging/Containerfile $(srcdir)/packaging/*.py \
	$(srcdir)/packaging/*.spec $(srcdir)/packaging/debian/control \
	$(srcdir)/packaging/debian/changelog $(srcdir)/packaging/debian/copyright \
	$(srcdir)/packaging/debian/rules $(srcdir)/packaging/debian/source/format \
	$(srcdir)/packaging/debian/*.install \
	$(srcdir)/packaging/debian/*.lintian-overrides $(srcdir)/packaging/debian/*.manpages \
	$(srcdir)/packaging/debian/*.in $(srcdir)/packaging/debian/*.doc-base))
PLAIN_TESTS += packaging/debian.sh packaging/distcheck.sh packaging/reproducible.sh
