# src/tool: compiler wrappers, pkg-config files, weft-info
bin_SCRIPTS += src/tool/mpicc src/tool/mpicxx
# mpi, mpi-c and mpi-cxx are the names of Debian's alternatives for an MPI;
# mpi-abi is the name of an MPI with the standard's ABI, as Open MPI's ompi-abi
pkgconfig_DATA += src/tool/weft.pc src/tool/mpi.pc src/tool/mpi-abi.pc \
	src/tool/mpi-c.pc src/tool/mpi-cxx.pc
CLEANFILES += $(bin_SCRIPTS) $(pkgconfig_DATA)
EXTRA_DIST += src/tool/mpicc.in src/tool/weft.pc.in

bin_PROGRAMS += weft-info
weft_info_SOURCES = src/tool/tool_info.c \
	src/tool/tool_health.c src/tool/tool_health.h \
	src/tool/tool_machine.c src/tool/tool_machine.h \
	src/tool/tool_report.c src/tool/tool_report.h \
	src/tool/tool_routes.c src/tool/tool_routes.h
weft_info_LDADD = libmpi_abi.la libweftnetfile.la libweftcunit.la libweft-health.la libweftbase.la $(FABRIC_LIBS) $(PMIX_LIBS) $(HWLOC_LIBS)

PLAIN_TESTS += test/tool_routes.sh test/tool_info.sh test/tool_wrappers.sh

TOOL_SUBST = $(SED) \
	-e 's|@prefix[@]|$(prefix)|g' \
	-e 's|@exec_prefix[@]|$(exec_prefix)|g' \
	-e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@libdir[@]|$(libdir)|g' \
	-e 's|@docdir[@]|$(docdir)|g' \
	-e 's|@WRAPPER_CC[@]|$(CC)|g' \
	-e 's|@WRAPPER_CXX[@]|$(WRAPPER_CXX)|g' \
	-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g'

src/tool/mpicc: $(srcdir)/src/tool/mpicc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && \
	$(TOOL_SUBST) $(srcdir)/src/tool/mpicc.in > $@.tmp && \
	chmod +x $@.tmp && mv $@.tmp $@

src/tool/mpicxx: src/tool/mpicc
	$(AM_V_GEN)cp src/tool/mpicc $@

# paths below the prefix are written as ${prefix}/..., so that the tree can be moved
PC_SUBST = $(TOOL_SUBST) $(srcdir)/src/tool/weft.pc.in | $(SED) \
	-e 's|^exec_prefix=$(prefix)$$|exec_prefix=$${prefix}|' \
	-e 's|^\(libdir\)=$(exec_prefix)/|\1=$${exec_prefix}/|' \
	-e 's|^\(includedir\)=$(prefix)/|\1=$${prefix}/|'

src/tool/weft.pc: $(srcdir)/src/tool/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && $(PC_SUBST) \
	-e 's|@PC_WHAT[@]|MPI over emulated network interfaces|' > $@

src/tool/mpi.pc: $(srcdir)/src/tool/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && $(PC_SUBST) \
	-e 's|@PC_WHAT[@]|MPI by Weft|' > $@

src/tool/mpi-abi.pc: $(srcdir)/src/tool/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && $(PC_SUBST) \
	-e 's|@PC_WHAT[@]|MPI with the standard ABI (libmpi_abi), by Weft|' > $@

src/tool/mpi-c.pc: $(srcdir)/src/tool/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && $(PC_SUBST) \
	-e 's|@PC_WHAT[@]|MPI for C, by Weft|' > $@

src/tool/mpi-cxx.pc: $(srcdir)/src/tool/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tool && $(PC_SUBST) \
	-e 's|@PC_WHAT[@]|MPI for C++ programs (C bindings), by Weft|' > $@

# other common names of the wrappers
install-exec-hook: install-wrapper-links
install-wrapper-links:
	cd $(DESTDIR)$(bindir) && \
	ln -sf mpicc mpicc_abi && ln -sf mpicxx mpic++ && \
	ln -sf mpicxx mpiCC && ln -sf mpicc mpifort && \
	ln -sf mpicc mpif90 && ln -sf mpicc mpif77
uninstall-hook: uninstall-wrapper-links
uninstall-wrapper-links:
	cd $(DESTDIR)$(bindir) && rm -f mpicc_abi mpic++ mpiCC \
	mpifort mpif90 mpif77
.PHONY: install-wrapper-links uninstall-wrapper-links
