# packaging: recipes of packages; LONG=1 runs the scripts that try them
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/packaging/README \
	$(srcdir)/packaging/lib.sh $(srcdir)/packaging/chroot_lib.sh \
	$(srcdir)/packaging/Containerfile $(srcdir)/packaging/*.py \
	$(srcdir)/packaging/*.spec $(srcdir)/packaging/debian/control \
	$(srcdir)/packaging/debian/changelog $(srcdir)/packaging/debian/copyright \
	$(srcdir)/packaging/debian/rules $(srcdir)/packaging/debian/source/format \
	$(srcdir)/packaging/debian/*.install \
	$(srcdir)/packaging/debian/*.lintian-overrides $(srcdir)/packaging/debian/*.manpages \
	$(srcdir)/packaging/debian/*.in $(srcdir)/packaging/debian/*.doc-base))
PACKAGING_TESTS = packaging/configure.sh packaging/container.sh packaging/cross.sh packaging/debian.sh \
	packaging/distcheck.sh packaging/reproducible.sh packaging/rpm.sh \
	packaging/variants.sh
PLAIN_TESTS += $(PACKAGING_TESTS)
# each script compiles the whole tree and prints nothing meanwhile, so the limit
# of silence is longer
$(PACKAGING_TESTS:.sh=.log): TEST_SECONDS = 3600
TREE_TESTS += packaging/recipes.sh
