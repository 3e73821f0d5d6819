# src/core: objects, messages, start-up. Defines the MPI library; src/mpi and
# coll append their sources.
lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES = \
	src/boot/boot_abort.c src/boot/boot_abort.h \
	src/comm/comm_agree.c src/comm/comm_agree.h \
	src/msg/msg_bsend.c src/msg/msg_bsend.h \
	src/diag/diag_call.c src/diag/diag_call.h \
	src/comm/comm_channel.c src/comm/comm_channel.h \
	src/comm/comm_coll_table.c src/comm/comm_coll_table.h \
	src/comm/comm.c src/comm/comm.h \
	src/diag/diag_count.c src/diag/diag_count.h \
	src/msg/msg_ack.c src/msg/msg_ack.h \
	src/comm/comm_context.c src/comm/comm_context.h \
	src/diag/diag_peer_failure.c src/diag/diag_peer_failure.h \
	src/diag/diag_deadlock.c src/diag/diag_deadlock.h \
	src/offload/offload_device.c src/offload/offload_device.h \
	src/diag/diag_err.c src/diag/diag_err.h \
	src/diag/diag_errtext.c src/diag/diag_errtext.h \
	src/core/core_fi.c src/core/core_fi.h \
	src/comm/comm_group.c src/comm/comm_group.h \
	src/diag/diag_health.c src/diag/diag_health.h \
	src/boot/boot_hosts.c src/boot/boot_hosts.h \
	src/boot/boot_init.c src/boot/boot_init.h \
	src/msg/msg_inject.h \
	src/comm/comm_inter.c src/comm/comm_inter.h \
	src/core/core_io.h \
	src/msg/msg_isendrecv.c src/msg/msg_isendrecv.h \
	src/core/core_lock.c src/core/core_lock.h \
	src/msg/msg_typed.c src/msg/msg_typed.h \
	src/comm/comm_make.c src/comm/comm_make.h \
	src/comm/comm_exchange.c src/comm/comm_exchange.h \
	src/msg/msg.c src/msg/msg.h \
	src/core/core_opts.c src/core/core_opts.h \
	src/msg/msg_p2p.c src/msg/msg_p2p.h \
	src/msg/msg_partitioned.c src/msg/msg_partitioned.h \
	src/msg/msg_retry.c src/msg/msg_retry.h \
	src/msg/msg_persist.c src/msg/msg_persist.h \
	src/boot/boot_pmix.c src/boot/boot_pmix.h \
	src/msg/msg_probe.c src/msg/msg_probe.h \
	src/msg/msg_progress.c src/msg/msg_progress.h \
	src/boot/boot_fabric_shim.h \
	src/boot/boot_provider.c src/boot/boot_provider.h \
	src/msg/msg_recv.c src/msg/msg_recv.h \
	src/diag/diag_report.c src/diag/diag_report.h \
	src/msg/msg_req.c src/msg/msg_req.h \
	src/offload/offload_route.c src/offload/offload_route.h \
	src/offload/offload_route_call.c src/offload/offload_route_call.h \
	src/boot/boot_secret.c src/boot/boot_secret.h \
	src/msg/msg_send.c src/msg/msg_send.h \
	src/comm/comm_split.c src/comm/comm_split.h \
	src/core/core_state.c src/core/core_state.h \
	src/msg/msg_status.h \
	src/diag/diag_wait_note.c src/diag/diag_wait_note.h \
	src/msg/msg_tag.h \
	src/core/core_time.c src/core/core_time.h \
	src/diag/diag_trace.c src/diag/diag_trace.h \
	src/diag/diag_pvar.c src/diag/diag_pvar.h \
	src/msg/msg_wait.c src/msg/msg_wait.h \
	src/boot/boot_wire_up.c src/boot/boot_wire_up.h \
	src/boot/boot_world.c src/boot/boot_world.h
libmpi_abi_la_LIBADD = libweft-types.la libweftcoll.la libweftbase.la \
	libweftdirect.la libweft-health.la $(PMIX_LIBS) $(CRYPTO_LIBS)
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 \
	-export-symbols-regex '^P?MPI_'

# Loaded when FI_PROVIDER names another provider than weft.
pkglib_LTLIBRARIES += libweft-fabric-shim.la
libweft_fabric_shim_la_SOURCES = src/boot/boot_fabric_shim.c src/boot/boot_fabric_shim.h
libweft_fabric_shim_la_LIBADD = $(FABRIC_LIBS)
libweft_fabric_shim_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^weft_fishim$$' -Wl,-z,defs

# Programs link -lmpi or -lmpi_abi; binaries built with two early releases of
# another implementation need version 0 of the same interface.
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

CORE_TESTS = src/diag/diag_call_test src/diag/diag_errtext_test \
	src/msg/msg_test src/msg/msg_retry_test \
	src/msg/msg_persist_test \
	src/diag/diag_report_test src/boot/boot_secret_test \
	src/diag/diag_wait_note_test
check_PROGRAMS += $(CORE_TESTS)
TESTS += $(CORE_TESTS)
src_diag_diag_call_test_SOURCES = src/diag/diag_call_test.c \
	src/diag/diag_call.c
src_diag_diag_call_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_call_test_LDADD = $(T_LIBS)
src_diag_diag_errtext_test_SOURCES = src/diag/diag_errtext_test.c \
	src/diag/diag_errtext.c
src_diag_diag_errtext_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_errtext_test_LDADD = $(T_LIBS)
src_diag_diag_report_test_SOURCES = src/diag/diag_report_test.c \
	src/diag/diag_report.c
src_diag_diag_report_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_report_test_LDADD = $(T_LIBS)
src_msg_msg_test_SOURCES = src/msg/msg_test.c \
	src/msg/msg.c
src_msg_msg_test_CFLAGS = $(AM_CFLAGS)
src_msg_msg_test_LDADD = $(T_LIBS) $(FABRIC_LIBS)
src_msg_msg_retry_test_SOURCES = src/msg/msg_retry_test.c \
	src/msg/msg_retry.c
src_msg_msg_retry_test_CFLAGS = $(AM_CFLAGS)
src_msg_msg_retry_test_LDADD = $(T_LIBS)
src_boot_boot_secret_test_SOURCES = src/boot/boot_secret_test.c \
	src/boot/boot_secret.c src/core/core_opts.c
src_boot_boot_secret_test_CFLAGS = $(AM_CFLAGS)
src_boot_boot_secret_test_LDADD = $(T_LIBS) $(CRYPTO_LIBS)
src_msg_msg_persist_test_SOURCES = src/msg/msg_persist_test.c \
	src/msg/msg_persist.c
src_msg_msg_persist_test_CFLAGS = $(AM_CFLAGS)
src_msg_msg_persist_test_LDADD = $(T_LIBS)
src_diag_diag_wait_note_test_SOURCES = src/diag/diag_wait_note_test.c \
	src/diag/diag_wait_note.c
src_diag_diag_wait_note_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_wait_note_test_LDADD = $(T_LIBS)
