# share: data files, installed below share/weft and copied to the same place in
# the build tree, where programs that are not installed find them
machinedir = $(datadir)/weft/machines
dist_machine_DATA = share/machines/bgq
reproducedir = $(datadir)/weft/reproduce
dist_reproduce_DATA = share/reproduce/bgq.tsv

SHARE_COPIES = share/weft/machines/bgq share/weft/reproduce/bgq.tsv
all-local: $(SHARE_COPIES)
CLEANFILES += $(SHARE_COPIES)

share/weft/machines/bgq: $(srcdir)/share/machines/bgq
	$(AM_V_GEN)$(MKDIR_P) share/weft/machines && \
	cp $(srcdir)/share/machines/bgq $@

share/weft/reproduce/bgq.tsv: $(srcdir)/share/reproduce/bgq.tsv
	$(AM_V_GEN)$(MKDIR_P) share/weft/reproduce && \
	cp $(srcdir)/share/reproduce/bgq.tsv $@
