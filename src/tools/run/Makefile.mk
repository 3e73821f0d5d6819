# src/tools/run: mpiexec, and mpirun as a link to it
bin_PROGRAMS += mpiexec
C_TESTS += src/tools/run/run_bind_test src/tools/run/run_env_test
RUN_SOURCES = \
	src/tools/run/run_bind.c src/tools/run/run_bind.h \
	src/tools/run/run_cpus.c src/tools/run/run_cpus.h \
	src/tools/run/run_env.c src/tools/run/run_env.h \
	src/tools/run/run_message.c src/tools/run/run_message.h \
	src/tools/run/run_poll.h \
	src/tools/run/run_path.c src/tools/run/run_path.h
include src/tools/run/opts/Makefile.mk
include src/tools/run/pmix/Makefile.mk
include src/tools/run/io/Makefile.mk
include src/tools/run/job/Makefile.mk
include src/tools/run/delegate/Makefile.mk
include src/tools/run/daemon/Makefile.mk
noinst_LTLIBRARIES += libweftrun.la
libweftrun_la_SOURCES = $(RUN_SOURCES)
libweftrun_la_LIBADD = libweftcalls.la libweftshow.la libweftnetfile.la libweft-netwatch.la
mpiexec_SOURCES = src/tools/run/run_main.c
mpiexec_LDADD = libweftrun.la libweftbase.la $(PMIX_LIBS) $(HWLOC_LIBS)

# the PMIx client that the scripts test/run/run_*.sh launch, and a helper of
# run_access.sh
check_PROGRAMS += test/run/run_client test/run/run_access
test_run_run_client_LDADD = $(PMIX_LIBS)
test_run_run_access_LDADD = $(PMIX_LIBS)

# mpirun is a link to mpiexec
install-exec-hook: install-mpirun
install-mpirun:
	cd $(DESTDIR)$(bindir) && $(LN_S) -f mpiexec$(EXEEXT) mpirun$(EXEEXT)
uninstall-hook: uninstall-mpirun
uninstall-mpirun:
	rm -f $(DESTDIR)$(bindir)/mpirun$(EXEEXT)
.PHONY: install-mpirun uninstall-mpirun

RUN_TEST_LIBS = libweftrun.la $(T_LIBS) $(PMIX_LIBS) $(HWLOC_LIBS)
src_tools_run_run_bind_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_run_env_test_LDADD = $(RUN_TEST_LIBS)
PLAIN_TESTS += test/run/run_delegates.sh test/run/run_limits.sh test/run/run_limit_self.sh test/run/run_limit_tasks.sh test/run/run_scale.sh \
	test/run/run_death.sh test/run/run_seccomp.sh test/run/run_gdb.sh test/run/run_mpir.sh test/run/run_valgrind.sh test/run/run_languages.sh test/run/run_cuda.sh test/run/run_coll_death.sh test/run/run_spawn.sh test/run/run_survive.sh test/run/run_files.sh test/run/run_versions.sh test/run/run_health.sh test/run/run_io.sh test/run/run_job.sh \
	test/run/run_launchers.sh test/run/run_bad_args.sh test/run/run_messages.sh test/run/run_access.sh
EXTRA_DIST += src/tools/run/README test/run/run_cuda_lost.c test/run/run_valgrind.c test/run/run_seccomp.c test/run/run_files.c test/run/run_refuse.c test/run/run_limit_self.c test/run/run_health.c test/run/run_hello.c test/run/run_scale.c test/run/run_coll_client.c \
	test/run/run_lib.sh bench/startup.sh
dist_man1_MANS += doc/mpiexec.1 doc/mpirun.1
