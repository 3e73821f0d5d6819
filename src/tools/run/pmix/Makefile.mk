# src/tools/run/pmix: PMIx server
RUN_SOURCES += \
	src/tools/run/pmix/run_loopback.c src/tools/run/pmix/run_peercred.c \
	src/tools/run/pmix/run_peercred.h src/tools/run/pmix/run_pmix.c \
	src/tools/run/pmix/run_pmix.h src/tools/run/pmix/run_pmix_cb.c \
	src/tools/run/pmix/run_pmix_cb.h \
	src/tools/run/pmix/run_pmix_hosts.c src/tools/run/pmix/run_pmix_hosts.h \
	src/tools/run/pmix/run_pmix_query.c \
	src/tools/run/pmix/run_pmix_spawn.c src/tools/run/pmix/run_pmix_spawn.h
C_TESTS += src/tools/run/pmix/run_peercred_test \
	src/tools/run/pmix/run_pmix_hosts_fuzz_test
src_tools_run_pmix_run_pmix_hosts_fuzz_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_pmix_run_peercred_test_LDADD = $(RUN_TEST_LIBS)
EXTRA_DIST += src/tools/run/pmix/README
