# src/tools/run/delegate: jobs on other hosts, started by another launcher
RUN_SOURCES += \
	src/tools/run/delegate/run_delegate.c \
	src/tools/run/delegate/run_delegate.h \
	src/tools/run/delegate/run_delegate_env.c \
	src/tools/run/delegate/run_delegate_mpirun.c \
	src/tools/run/delegate/run_delegate_srun.c \
	src/tools/run/delegate/run_delegate_watch.c
EXTRA_DIST += src/tools/run/delegate/README
