# Tests of virtual time: determinism, deadlocks, deaths, loops, other launchers
PLAIN_TESTS += test/vt/vt_chain.sh test/vt/vt_coll_packets.sh test/vt/vt_compute.sh test/vt/vt_deadlock.sh test/vt/vt_death.sh test/vt/vt_faults.sh test/vt/vt_file.sh \
	test/vt/vt_gemini.sh test/vt/vt_doc_values.sh test/vt/vt_loops.sh test/vt/vt_match.sh test/vt/vt_poll.sh \
	test/vt/vt_libfabric.sh test/vt/vt_gpu.sh test/vt/vt_repeat.sh test/vt/vt_replay.sh test/vt/vt_stats.sh test/vt/vt_tune.sh \
	test/vt/vt_survive.sh
EXTRA_DIST += test/vt/vt_lib.sh test/vt/vt_chain.c test/vt/vt_compute.c test/vt/vt_file.c test/vt/vt_node_failure.c test/vt/vt_prog.c test/vt/vt_libfabric.c test/vt/vt_gpu.c \
	test/vt/vt_match.c test/vt/vt_poll.c test/vt/vt_replay.c test/vt/vt_rma.c
PLAIN_TESTS += test/vt/vt_jobs.sh test/vt/vt_play.sh test/vt/vt_skeleton.sh test/vt/vt_generic.sh test/vt/vt_scale.sh
EXTRA_DIST += test/vt/vt_jobs.c test/vt/vt_scale.c test/vt/vt_skeleton.c
