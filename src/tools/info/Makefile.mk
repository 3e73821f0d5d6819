# src/tools/info: compiler wrappers, pkg-config files, weft-info
bin_SCRIPTS += src/tools/info/mpicc src/tools/info/mpicxx
# mpi, mpi-c and mpi-cxx are the names that Debian's alternatives use for any
# MPI; mpi-abi names an MPI with the standard ABI, as Open MPI's ompi-abi does
pkgconfig_DATA += src/tools/info/weft.pc src/tools/info/mpi.pc src/tools/info/mpi-abi.pc \
	src/tools/info/mpi-c.pc src/tools/info/mpi-cxx.pc
if HAVE_FORTRAN
pkgconfig_DATA += src/tools/info/mpi-fort.pc
endif
CLEANFILES += $(bin_SCRIPTS) $(pkgconfig_DATA)
EXTRA_DIST += src/tools/info/mpicc.in src/tools/info/weft.pc.in

bin_PROGRAMS += weft-info
weft_info_SOURCES = src/tools/info/info_info.c \
	src/tools/info/info_health.c src/tools/info/info_health.h \
	src/tools/info/info_machine.c src/tools/info/info_machine.h \
	src/tools/info/info_report.c src/tools/info/info_report.h \
	src/tools/info/info_routes.c src/tools/info/info_routes.h \
	src/tools/info/info_system.c src/tools/info/info_system.h
weft_info_LDFLAGS = $(AM_LDFLAGS) $(BIN_RPATH)
weft_info_LDADD = libmpi_abi.la libweftnetfile.la libweft-net.la libweft-health.la libweftbase.la $(FABRIC_LIBS) $(PMIX_LIBS) $(HWLOC_LIBS)

PLAIN_TESTS += test/tools/tool_routes.sh test/tools/tool_info.sh test/tools/tool_wrappers.sh test/tools/tool_uninstall.sh

TOOL_SUBST = $(SED) \
	-e 's|@prefix[@]|$(prefix)|g' \
	-e 's|@exec_prefix[@]|$(exec_prefix)|g' \
	-e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@libdir[@]|$(libdir)|g' \
	-e 's|@docdir[@]|$(docdir)|g' \
	-e 's|@WRAPPER_CC[@]|$(CC)|g' \
	-e 's|@WRAPPER_CXX[@]|$(WRAPPER_CXX)|g' \
	-e 's|@STATIC_LIBS[@]|$(PMIX_LIBS) $(HWLOC_LIBS) $(CRYPTO_LIBS) -lm -lpthread -ldl|g' \
	-e 's|@WRAPPER_FC[@]|$(WRAPPER_FC)|g' \
	-e 's|@WRAPPER_FCFLAGS[@]|$(WRAPPER_FCFLAGS)|g' \
	-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g'

src/tools/info/mpicc: $(srcdir)/src/tools/info/mpicc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && \
	$(TOOL_SUBST) $(srcdir)/src/tools/info/mpicc.in > $@.tmp && \
	chmod +x $@.tmp && mv $@.tmp $@

src/tools/info/mpicxx: src/tools/info/mpicc
	$(AM_V_GEN)cp src/tools/info/mpicc $@

# paths below the prefix are written as ${prefix}/..., so that the tree can be moved
PC_SUBST = $(TOOL_SUBST) $(srcdir)/src/tools/info/weft.pc.in | $(SED) \
	-e 's|^exec_prefix=$(prefix)$$|exec_prefix=$${prefix}|' \
	-e 's|@PC_HWLOC[@] @PC_CRYPTO[@]|$(strip $(PC_HWLOC) $(PC_CRYPTO))|' \
	-e 's|^\(libdir\)=$(exec_prefix)/|\1=$${exec_prefix}/|' \
	-e 's|^\(includedir\)=$(prefix)/|\1=$${prefix}/|'

src/tools/info/weft.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|Weft|' \
	-e 's|@PC_WHAT[@]|MPI over emulated network interfaces|' > $@

src/tools/info/mpi.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|MPI (Weft)|' \
	-e 's|@PC_WHAT[@]|MPI by Weft|' > $@

src/tools/info/mpi-abi.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|MPI standard ABI (Weft)|' \
	-e 's|@PC_WHAT[@]|MPI with the standard ABI (libmpi_abi), by Weft|' > $@

src/tools/info/mpi-c.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|MPI for C (Weft)|' \
	-e 's|@PC_WHAT[@]|MPI for C, by Weft|' > $@

src/tools/info/mpi-cxx.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|MPI for C++ (Weft)|' \
	-e 's|@PC_WHAT[@]|MPI for C++ programs (C bindings), by Weft|' > $@

src/tools/info/mpi-fort.pc: $(srcdir)/src/tools/info/weft.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tools/info && $(PC_SUBST) \
	-e 's|@PC_NAME[@]|MPI for Fortran (Weft)|' \
	-e 's|@PC_WHAT[@]|MPI for Fortran (mpif.h, mpi, mpi_f08), by Weft|' \
	-e 's|^\(Cflags:.*\)|\1 $(WRAPPER_FCFLAGS)|' \
	-e 's|-lmpi_abi|-lmpifort_abi -lmpi_abi|' > $@

# installs the wrappers also under other common names
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
EXTRA_DIST += src/tools/info/README
