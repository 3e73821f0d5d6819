# virtual time: determinism, deadlocks, deaths, loops, other launchers
PLAIN_TESTS += test/vt_chain.sh test/vt_deadlock.sh test/vt_death.sh test/vt_faults.sh \
	test/vt_gemini.sh test/vt_hash.sh test/vt_loops.sh test/vt_poll.sh \
	test/vt_raw.sh test/vt_gpu.sh test/vt_same.sh
EXTRA_DIST += test/vt_lib.sh test/vt_chain.c test/vt_dead.c test/vt_prog.c test/vt_raw.c test/vt_gpu.c \
	test/vt_poll.c test/vt_reach.c
