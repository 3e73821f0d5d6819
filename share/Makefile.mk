# share: data files, installed below share/weft and copied to the same place in
# the build tree, where programs that are not installed find them
machinedir = $(datadir)/weft/machines
dist_machine_DATA = share/machines/apenet share/machines/bgq share/machines/gemini \
	share/machines/generic share/machines/qsnet2 share/machines/sunway
reproducedir = $(datadir)/weft/reproduce
dist_reproduce_DATA = share/reproduce/apenet.tsv share/reproduce/bgq.tsv share/reproduce/gemini.tsv \
	share/reproduce/qsnet2.tsv share/reproduce/sunway.tsv

weftsharedir = $(datadir)/weft
dist_weftshare_DATA = share/valgrind.supp

SHARE_COPIES = share/weft/valgrind.supp share/weft/machines/apenet share/weft/machines/bgq \
	share/weft/machines/gemini share/weft/machines/generic \
	share/weft/machines/qsnet2 share/weft/machines/sunway \
	share/weft/reproduce/apenet.tsv \
	share/weft/reproduce/bgq.tsv share/weft/reproduce/gemini.tsv \
	share/weft/reproduce/qsnet2.tsv share/weft/reproduce/sunway.tsv
all-local: $(SHARE_COPIES)
CLEANFILES += $(SHARE_COPIES)

share/weft/valgrind.supp: $(srcdir)/share/valgrind.supp
	$(AM_V_GEN)$(MKDIR_P) share/weft && cp $< $@

share/weft/machines/%: $(srcdir)/share/machines/%
	$(AM_V_GEN)$(MKDIR_P) share/weft/machines && cp $< $@

share/weft/reproduce/%: $(srcdir)/share/reproduce/%
	$(AM_V_GEN)$(MKDIR_P) share/weft/reproduce && cp $< $@
