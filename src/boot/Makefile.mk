# src/boot: start, PMIx, wire-up, choice of the provider, abort
libmpi_abi_la_SOURCES += src/boot/boot_abort.c src/boot/boot_abort.h \
	src/boot/boot_backend.c src/boot/boot_backend.h \
	src/boot/boot_hosts.c src/boot/boot_hosts.h src/boot/boot_init.c \
	src/boot/boot_init.h src/boot/boot_pmix.c src/boot/boot_pmix.h \
	src/boot/boot_pset.c src/boot/boot_pset.h \
	src/boot/boot_fabric_shim.h src/boot/boot_provider.c \
	src/boot/boot_provider.h src/boot/boot_secret.c src/boot/boot_secret.h \
	src/boot/boot_wire_up.c src/boot/boot_wire_up.h src/boot/boot_world.c \
	src/boot/boot_world.h
libweft_fabric_shim_la_SOURCES += src/boot/boot_fabric_shim.c \
	src/boot/boot_fabric_shim.h

C_TESTS += src/boot/boot_secret_test
src_boot_boot_secret_test_SOURCES = src/boot/boot_secret_test.c \
	src/boot/boot_secret.c src/core/core_opts.c
src_boot_boot_secret_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/boot/README
