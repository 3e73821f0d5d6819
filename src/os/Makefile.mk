# src/os: waiting, process liveness, signal guards, calibration of copies
libweftbase_la_SOURCES += src/os/alive.c src/os/alive.h src/os/event_word.c \
	src/os/event_word.h src/os/copy_calibrate.c src/os/copy_calibrate.h \
	src/os/guard.c src/os/guard.h src/os/keyfile.c src/os/keyfile.h \
	src/os/wait_fd.c src/os/wait_fd.h src/os/wait_policy.c \
	src/os/wait_policy.h src/os/waiter.c \
	src/os/waiter.h src/os/coalesced_task.h \
	src/os/instructions.c src/os/instructions.h \
	src/os/program_memory.c src/os/program_memory.h

C_TESTS += src/os/alive_test src/os/event_word_test src/os/event_word_explore_test src/os/copy_calibrate_test \
	src/os/guard_test src/os/keyfile_test src/os/wait_policy_test \
	src/os/wait_fd_test src/os/waiter_test \
	src/os/coalesced_task_test src/os/program_memory_test
EXTRA_DIST += src/os/README
