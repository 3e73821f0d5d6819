# src/boot: start, PMIx, wire-up, choice of the provider, abort
libmpi_abi_la_SOURCES += src/boot/boot_abort.c src/boot/boot_abort.h \
	src/boot/boot_backend.c src/boot/boot_backend.h \
	src/boot/boot_direct.c src/boot/boot_direct.h \
	src/boot/boot_foreign.c src/boot/boot_foreign.h \
	src/boot/boot_format.c src/boot/boot_format.h \
	src/boot/boot_debug.c src/boot/boot_debug.h \
	src/boot/boot_hosts.c src/boot/boot_hosts.h src/boot/boot_init.c \
	src/boot/boot_init.h src/boot/boot_pmix.c src/boot/boot_pmix.h \
	src/boot/boot_library.c src/boot/boot_library.h \
	src/boot/boot_names.c src/boot/boot_names.h \
	src/boot/boot_names_find.c src/boot/boot_names_find.h \
	src/boot/boot_spawn.c src/boot/boot_spawn.h \
	src/boot/boot_pset.c src/boot/boot_pset.h \
	src/boot/boot_fabric_shim.h src/boot/boot_provider.c \
	src/boot/boot_provider.h src/boot/boot_secret.h \
	src/boot/boot_value.c src/boot/boot_value.h \
	src/boot/boot_wire_up.c src/boot/boot_wire_up.h src/boot/boot_world.c \
	src/boot/boot_world.h
if HAVE_CRYPTO
libmpi_abi_la_SOURCES += src/boot/boot_secret.c
else
libmpi_abi_la_SOURCES += src/boot/boot_secret_plain.c
endif
libweft_fabric_shim_la_SOURCES += src/boot/boot_fabric_shim.c \
	src/boot/boot_fabric_shim.h

C_TESTS += src/boot/boot_foreign_test src/boot/boot_format_test \
	src/boot/boot_names_test src/boot/boot_names_find_test \
	src/boot/boot_secret_test \
	src/boot/boot_value_test
src_boot_boot_value_test_SOURCES = src/boot/boot_value_test.c \
	src/boot/boot_value.c src/boot/boot_format.c
src_boot_boot_value_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_format_test_SOURCES = src/boot/boot_format_test.c \
	src/boot/boot_format.c
src_boot_boot_format_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_foreign_test_SOURCES = src/boot/boot_foreign_test.c \
	src/boot/boot_foreign.c src/core/core_lock.c
src_boot_boot_foreign_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_names_test_SOURCES = src/boot/boot_names_test.c \
	src/boot/boot_names.c src/boot/boot_names_find.c
src_boot_boot_names_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_names_find_test_SOURCES = src/boot/boot_names_find_test.c \
	src/boot/boot_names.c src/boot/boot_names_find.c
src_boot_boot_names_find_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_secret_test_SOURCES = src/boot/boot_secret_test.c \
	src/boot/boot_secret.c src/core/core_opts.c
src_boot_boot_secret_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/boot/README
