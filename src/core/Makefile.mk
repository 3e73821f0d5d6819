# src/core: objects, messages, start-up. Defines the MPI library; src/mpi and
# coll append their sources.
lib_LTLIBRARIES += libmpi_abi.la
libmpi_abi_la_SOURCES = \
	src/core/core_abort.c src/core/core_abort.h \
	src/core/core_agree.c src/core/core_agree.h \
	src/core/core_bsend.c src/core/core_bsend.h \
	src/core/core_call.c src/core/core_call.h \
	src/core/core_channel.c src/core/core_channel.h \
	src/core/core_coll.c src/core/core_coll.h \
	src/core/core_comm.c src/core/core_comm.h \
	src/core/core_count.c src/core/core_count.h \
	src/core/core_ctrl.c src/core/core_ctrl.h \
	src/core/core_ctx.c src/core/core_ctx.h \
	src/core/core_dead.c src/core/core_dead.h \
	src/core/core_deadlock.c src/core/core_deadlock.h \
	src/core/core_device.c src/core/core_device.h \
	src/core/core_err.c src/core/core_err.h \
	src/core/core_errtext.c src/core/core_errtext.h \
	src/core/core_fi.c src/core/core_fi.h \
	src/core/core_group.c src/core/core_group.h \
	src/core/core_health.c src/core/core_health.h \
	src/core/core_hosts.c src/core/core_hosts.h \
	src/core/core_init.c src/core/core_init.h \
	src/core/core_inject.h \
	src/core/core_inter.c src/core/core_inter.h \
	src/core/core_io.h \
	src/core/core_isendrecv.c src/core/core_isendrecv.h \
	src/core/core_lock.c src/core/core_lock.h \
	src/core/core_typed.c src/core/core_typed.h \
	src/core/core_make.c src/core/core_make.h \
	src/core/core_meet.c src/core/core_meet.h \
	src/core/core_msg.c src/core/core_msg.h \
	src/core/core_opts.c src/core/core_opts.h \
	src/core/core_p2p.c src/core/core_p2p.h \
	src/core/core_partitioned.c src/core/core_partitioned.h \
	src/core/core_pend.c src/core/core_pend.h \
	src/core/core_persist.c src/core/core_persist.h \
	src/core/core_pmix.c src/core/core_pmix.h \
	src/core/core_probe.c src/core/core_probe.h \
	src/core/core_progress.c src/core/core_progress.h \
	src/core/core_other.h \
	src/core/core_prov.c src/core/core_prov.h \
	src/core/core_recv.c src/core/core_recv.h \
	src/core/core_report.c src/core/core_report.h \
	src/core/core_req.c src/core/core_req.h \
	src/core/core_route.c src/core/core_route.h \
	src/core/core_route_call.c src/core/core_route_call.h \
	src/core/core_secret.c src/core/core_secret.h \
	src/core/core_send.c src/core/core_send.h \
	src/core/core_split.c src/core/core_split.h \
	src/core/core_state.c src/core/core_state.h \
	src/core/core_status.h \
	src/core/core_stuck.c src/core/core_stuck.h \
	src/core/core_tag.h \
	src/core/core_time.c src/core/core_time.h \
	src/core/core_trace.c src/core/core_trace.h \
	src/core/core_tool.c src/core/core_tool.h \
	src/core/core_wait.c src/core/core_wait.h \
	src/core/core_wire_up.c src/core/core_wire_up.h \
	src/core/core_world.c src/core/core_world.h
libmpi_abi_la_LIBADD = libweft-types.la libweftcoll.la libweftbase.la \
	libweftown.la libweft-health.la $(PMIX_LIBS) $(CRYPTO_LIBS)
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 \
	-export-symbols-regex '^P?MPI_'

# Loaded when FI_PROVIDER names another provider than weft.
pkglib_LTLIBRARIES += libweft-other.la
libweft_other_la_SOURCES = src/core/core_other.c src/core/core_other.h
libweft_other_la_LIBADD = $(FABRIC_LIBS)
libweft_other_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^weft_other$$' -Wl,-z,defs

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

CORE_TESTS = src/core/core_call_test src/core/core_errtext_test \
	src/core/core_msg_test src/core/core_pend_test \
	src/core/core_persist_test \
	src/core/core_report_test src/core/core_secret_test \
	src/core/core_stuck_test
check_PROGRAMS += $(CORE_TESTS)
TESTS += $(CORE_TESTS)
src_core_core_call_test_SOURCES = src/core/core_call_test.c \
	src/core/core_call.c
src_core_core_call_test_CFLAGS = $(AM_CFLAGS)
src_core_core_call_test_LDADD = $(T_LIBS)
src_core_core_errtext_test_SOURCES = src/core/core_errtext_test.c \
	src/core/core_errtext.c
src_core_core_errtext_test_CFLAGS = $(AM_CFLAGS)
src_core_core_errtext_test_LDADD = $(T_LIBS)
src_core_core_report_test_SOURCES = src/core/core_report_test.c \
	src/core/core_report.c
src_core_core_report_test_CFLAGS = $(AM_CFLAGS)
src_core_core_report_test_LDADD = $(T_LIBS)
src_core_core_msg_test_SOURCES = src/core/core_msg_test.c \
	src/core/core_msg.c
src_core_core_msg_test_CFLAGS = $(AM_CFLAGS)
src_core_core_msg_test_LDADD = $(T_LIBS) $(FABRIC_LIBS)
src_core_core_pend_test_SOURCES = src/core/core_pend_test.c \
	src/core/core_pend.c
src_core_core_pend_test_CFLAGS = $(AM_CFLAGS)
src_core_core_pend_test_LDADD = $(T_LIBS)
src_core_core_secret_test_SOURCES = src/core/core_secret_test.c \
	src/core/core_secret.c src/core/core_opts.c
src_core_core_secret_test_CFLAGS = $(AM_CFLAGS)
src_core_core_secret_test_LDADD = $(T_LIBS) $(CRYPTO_LIBS)
src_core_core_persist_test_SOURCES = src/core/core_persist_test.c \
	src/core/core_persist.c
src_core_core_persist_test_CFLAGS = $(AM_CFLAGS)
src_core_core_persist_test_LDADD = $(T_LIBS)
src_core_core_stuck_test_SOURCES = src/core/core_stuck_test.c \
	src/core/core_stuck.c
src_core_core_stuck_test_CFLAGS = $(AM_CFLAGS)
src_core_core_stuck_test_LDADD = $(T_LIBS)
