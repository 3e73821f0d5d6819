# src/core: the state that the folders of the MPI layer share. This file defines
# the MPI library; the other folders of src, and coll, append their sources.
lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES = src/core/core_backend.h src/core/core_fi.c src/core/core_fi.h \
	src/core/core_io.h src/core/core_lock.c src/core/core_lock.h \
	src/core/core_opts.c src/core/core_opts.h \
	src/core/core_region.c src/core/core_region.h src/core/core_state.c \
	src/core/core_state.h src/core/core_time.c src/core/core_time.h
libmpi_abi_la_LIBADD = libweft-types.la libweftcoll.la libweftbase.la \
	libweftdirect.la libweft-health.la $(PMIX_LIBS) $(CRYPTO_LIBS)
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 \
	-export-symbols-regex '^P?MPIX?_'

# Loaded when FI_PROVIDER names a provider other than weft.
pkglib_LTLIBRARIES += libweft-fabric-shim.la
libweft_fabric_shim_la_SOURCES =
libweft_fabric_shim_la_LIBADD = $(FABRIC_LIBS)
libweft_fabric_shim_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^weft_fishim$$' -Wl,-z,defs

# Programs are linked with -lmpi or -lmpi_abi; binaries built with two early
# releases of another implementation need version 0 of the same interface.
install-mpi-links:
	cd $(DESTDIR)$(libdir) && \
	rm -f libmpi.so libmpi_abi.so.0 && \
	$(LN_S) libmpi_abi.so.1 libmpi.so && \
	$(LN_S) libmpi_abi.so.1 libmpi_abi.so.0
uninstall-mpi-links:
	rm -f $(DESTDIR)$(libdir)/libmpi.so $(DESTDIR)$(libdir)/libmpi_abi.so.0
install-exec-hook: install-mpi-links
uninstall-hook: uninstall-mpi-links
.PHONY: install-mpi-links uninstall-mpi-links
EXTRA_DIST += src/core/README
