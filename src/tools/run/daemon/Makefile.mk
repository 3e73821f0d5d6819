# src/tools/run/daemon: jobs on other hosts, started by mpiexec's own daemons
RUN_SOURCES += \
	src/tools/run/daemon/run_alloc.c src/tools/run/daemon/run_alloc.h \
	src/tools/run/daemon/run_children.c \
	src/tools/run/daemon/run_children.h \
	src/tools/run/daemon/run_daemon.c src/tools/run/daemon/run_daemon.h \
	src/tools/run/daemon/run_daemon_job.c \
	src/tools/run/daemon/run_daemon_job.h \
	src/tools/run/daemon/run_exchange.c \
	src/tools/run/daemon/run_exchange.h \
	src/tools/run/daemon/run_fence.c src/tools/run/daemon/run_fence.h \
	src/tools/run/daemon/run_frame.c src/tools/run/daemon/run_frame.h \
	src/tools/run/daemon/run_launch.c src/tools/run/daemon/run_launch.h \
	src/tools/run/daemon/run_layout.c src/tools/run/daemon/run_layout.h \
	src/tools/run/daemon/run_link.c src/tools/run/daemon/run_link.h \
	src/tools/run/daemon/run_request.c src/tools/run/daemon/run_request.h \
	src/tools/run/daemon/run_survivors.c \
	src/tools/run/daemon/run_survivors.h
C_TESTS += src/tools/run/daemon/run_alloc_test \
	src/tools/run/daemon/run_daemon_test \
	src/tools/run/daemon/run_exchange_fuzz_test \
	src/tools/run/daemon/run_survivors_test
src_tools_run_daemon_run_survivors_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_daemon_run_alloc_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_daemon_run_exchange_fuzz_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_daemon_run_daemon_test_LDADD = $(RUN_TEST_LIBS)
EXTRA_DIST += src/tools/run/daemon/README
