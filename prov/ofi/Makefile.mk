# prov/ofi: the libfabric layer
noinst_LTLIBRARIES += libweft-ofi.la
libweft_ofi_la_SOURCES = \
	prov/ofi/weft_addr.c prov/ofi/weft_addr.h prov/ofi/weft_av.c \
	prov/ofi/weft_av.h prov/ofi/weft_conf.c prov/ofi/weft_conf.h \
	prov/ofi/weft_domain.c prov/ofi/weft_domain.h prov/ofi/weft_err.c \
	prov/ofi/weft_err.h prov/ofi/weft_ext.c prov/ofi/weft_ext.h \
	prov/ofi/weft_fabric.c prov/ofi/weft_fabric.h prov/ofi/weft_info.c \
	prov/ofi/weft_info.h prov/ofi/weft_init.c prov/ofi/weft_lock.c \
	prov/ofi/weft_lock.h prov/ofi/weft_mr.c prov/ofi/weft_mr.h \
	prov/ofi/weft_nosys.c prov/ofi/weft_nosys.h prov/ofi/weft_ofi.h \
	prov/ofi/weft_world.c prov/ofi/weft_world.h

# The tests replace the engine and the carrier by fakes.
C_TESTS += prov/ofi/weft_av_test prov/ofi/weft_domain_test \
	prov/ofi/weft_lock_explore_test \
	prov/ofi/weft_info_test prov/ofi/weft_mr_test prov/ofi/weft_fi_core_test
OFI_FAKE = test/support/weft_fake.c test/support/weft_fake.h
prov_ofi_weft_av_test_SOURCES = prov/ofi/weft_av_test.c $(OFI_FAKE)
prov_ofi_weft_domain_test_SOURCES = prov/ofi/weft_domain_test.c $(OFI_FAKE)
prov_ofi_weft_info_test_SOURCES = prov/ofi/weft_info_test.c $(OFI_FAKE)
prov_ofi_weft_mr_test_SOURCES = prov/ofi/weft_mr_test.c $(OFI_FAKE)
prov_ofi_weft_fi_core_test_LDADD = libweftdirect.la $(T_LIBS)
EXTRA_DIST += prov/ofi/README test/ofi/ofi_env.sh test/ofi/ofi_prov_tests.sh test/ofi/ofi_openmpi.c
dist_man7_MANS += doc/fi_weft.7
include prov/ofi/queue/Makefile.mk

# The provider as a module, which libfabric's library loads.
provlib_LTLIBRARIES += libweft-fi.la
PROVIDER =
include prov/ofi/ep/Makefile.mk
include prov/ofi/group/Makefile.mk
libweft_fi_la_SOURCES = $(PROVIDER)
libweft_fi_la_LIBADD = libweft-ofi.la libweftnic.la $(FABRIC_LIBS)
# nodelete: libfabric unloads providers at exit, while the thread of a domain
# that was not closed may still be running.
PROVIDER_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^fi_prov_ini$$' -Wl,-z,defs -Wl,-z,nodelete
libweft_fi_la_LDFLAGS = $(PROVIDER_LDFLAGS)

# The provider as used by Weft's MPI library, which does not need libfabric's
# library.
noinst_LTLIBRARIES += libweftdirect.la
libweftdirect_la_SOURCES = prov/ofi/weft_fi_core.c
pkglib_LTLIBRARIES += libweft-direct.la
libweft_direct_la_SOURCES = $(PROVIDER)
libweft_direct_la_LIBADD = libweft-ofi.la libweftnic.la libweftdirect.la
libweft_direct_la_LDFLAGS = $(PROVIDER_LDFLAGS)
PLAIN_TESTS += test/ofi/ofi_on_trees.sh test/ofi/ofi_on_bgq.sh test/ofi/ofi_on_gemini.sh \
	test/ofi/ofi_no_dma.sh test/ofi/ofi_on_qsnet2.sh test/ofi/ofi_on_sock.sh \
	test/ofi/ofi_on_sunway.sh test/ofi/ofi_on_apenet.sh test/ofi/ofi_hosts.sh
PLAIN_TESTS += test/ofi/ofi_info.sh test/ofi/ofi_openmpi.sh test/ofi/ofi_openmpi_hosts.sh \
	test/ofi/ofi_pingpong.sh test/tree/symbols.sh

C_TESTS += test/prov/prov_wait_test

# Modules are opened by path: their libtool files, which only "make uninstall"
# would use, are not installed.
MODULES = $(addprefix $(provlibdir)/,$(provlib_LTLIBRARIES:.la=)) \
	$(addprefix $(pkglibdir)/,$(pkglib_LTLIBRARIES:.la=))
install-exec-hook: remove-module-la
install-data-hook: remove-module-la
remove-module-la:
	for m in $(MODULES); do rm -f "$(DESTDIR)$$m.la"; done
uninstall-hook: uninstall-modules
uninstall-modules:
	for m in $(MODULES); do rm -f "$(DESTDIR)$$m.so"; done
.PHONY: remove-module-la uninstall-modules
