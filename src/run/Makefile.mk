# src/run: mpiexec, and mpirun as a link to it
bin_PROGRAMS += mpiexec
RUN_SOURCES = \
	src/run/run_away.c \
	src/run/run_bind.c src/run/run_bind.h \
	src/run/run_collect.c \
	src/run/run_cpus.c src/run/run_cpus.h \
	src/run/run_door.c src/run/run_door.h \
	src/run/run_end.c src/run/run_end.h \
	src/run/run_engine.c src/run/run_engine.h \
	src/run/run_engine_env.c src/run/run_engine_mpirun.c \
	src/run/run_engine_srun.c src/run/run_engine_watch.c \
	src/run/run_env.c src/run/run_env.h \
	src/run/run_fdpass.c src/run/run_fdpass.h \
	src/run/run_feed.c \
	src/run/run_flags.c src/run/run_flags.h \
	src/run/run_foreign.c src/run/run_foreign.h \
	src/run/run_format.c \
	src/run/run_hosts.c src/run/run_hosts.h \
	src/run/run_io.c src/run/run_io.h \
	src/run/run_job.c src/run/run_job.h \
	src/run/run_limits.c src/run/run_limits.h \
	src/run/run_line.c src/run/run_line.h \
	src/run/run_lo.c \
	src/run/run_model.c src/run/run_model.h \
	src/run/run_opts.c src/run/run_opts.h \
	src/run/run_place.c \
	src/run/run_path.c src/run/run_path.h \
	src/run/run_pmix.c src/run/run_pmix.h \
	src/run/run_pmix_cb.c src/run/run_pmix_cb.h \
	src/run/run_report.c src/run/run_report.h \
	src/run/run_job_page.c src/run/run_job_page.h \
	src/run/run_message.c src/run/run_message.h \
	src/run/run_signal.c src/run/run_signal.h \
	src/run/run_spawn.c src/run/run_spawn.h \
	src/run/run_stuck.c src/run/run_stuck.h \
	src/run/run_sweep.c \
	src/run/run_trace.c src/run/run_trace.h \
	src/run/run_words.c src/run/run_words.h
noinst_LTLIBRARIES += libweftrun.la
libweftrun_la_SOURCES = $(RUN_SOURCES)
libweftrun_la_LIBADD = libweftshow.la libweftnetfile.la libweft-netwatch.la
mpiexec_SOURCES = src/run/run_main.c
mpiexec_LDADD = libweftrun.la libweftbase.la $(PMIX_LIBS) $(HWLOC_LIBS)

# the PMIx client that the scripts of test/run_*.sh launch
check_PROGRAMS += test/run_client test/run_stranger
test_run_client_LDADD = $(PMIX_LIBS)
test_run_stranger_LDADD = $(PMIX_LIBS)

# mpirun is the same program
install-exec-hook: install-mpirun
install-mpirun:
	cd $(DESTDIR)$(bindir) && $(LN_S) -f mpiexec$(EXEEXT) mpirun$(EXEEXT)
uninstall-hook: uninstall-mpirun
uninstall-mpirun:
	rm -f $(DESTDIR)$(bindir)/mpirun$(EXEEXT)
.PHONY: install-mpirun uninstall-mpirun

RUN_TESTS = src/run/run_bind_test src/run/run_door_test \
	src/run/run_end_test src/run/run_env_test \
	src/run/run_fdpass_test src/run/run_line_test src/run/run_opts_test \
	src/run/run_words_test
check_PROGRAMS += $(RUN_TESTS)
TESTS += $(RUN_TESTS)
RUN_TEST_LIBS = libweftrun.la $(T_LIBS) $(PMIX_LIBS) $(HWLOC_LIBS)
src_run_run_bind_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_door_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_end_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_env_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_fdpass_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_line_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_opts_test_LDADD = $(RUN_TEST_LIBS)
src_run_run_words_test_LDADD = $(RUN_TEST_LIBS)
PLAIN_TESTS += test/run_engines.sh test/run_limits.sh test/run_limit_self.sh test/run_limit_tasks.sh test/run_scale.sh \
	test/run_death.sh test/run_forbid.sh test/run_gdb.sh test/run_coll_death.sh test/run_health.sh test/run_io.sh test/run_job.sh \
	test/run_launchers.sh test/run_refuse.sh test/run_said.sh test/run_stranger.sh
EXTRA_DIST += src/run/README test/run_forbid.c test/run_limit_self.c test/run_health.c test/run_hello.c test/run_scale.c test/run_coll_client.c \
	test/run_lib.sh bench/startup.sh
dist_man1_MANS += doc/mpiexec.1 doc/mpirun.1
