# Tests that start threads; "make check-threads" runs only these, with
# ThreadSanitizer (test/tree/line_limits.sh finds tests that are missing here).
THREAD_TESTS = \
	coll/coll_algo_test coll/coll_shared_test prov/carrier/hybrid/hybrid_test \
	prov/carrier/carrier_grid_test prov/carrier/carrier_wait_test \
	prov/carrier/shm/shm_wait_test \
	prov/carrier/sock/sock_congestion_test \
	prov/carrier/sock/sock_window_test prov/carrier/sock/sock_gro_split_test \
	prov/carrier/sock/sock_dgram_test prov/carrier/sock/sock_keys_test \
	prov/carrier/sock/sock_unordered_test \
	prov/carrier/sock/sock_test prov/carrier/sock/sock_wait_test \
	prov/group/cunit/cunit_group_test prov/machine/bgq/bgq_threads_test \
	prov/vt/vt_test prov/vt/vt_security_test \
	prov/ofi/queue/weft_cntr_test prov/ofi/weft_domain_test \
	prov/ofi/queue/weft_eq_test prov/ofi/queue/weft_wait_test src/os/alive_test \
	src/base/atomic_test src/os/event_word_test src/os/copy_calibrate_test \
	src/base/fence_test src/base/futex_test src/os/keyfile_test src/job/job_page_test \
	src/os/coalesced_task_test src/job/job_trace_test src/health/health_threads_test src/diag/diag_call_test src/msg/msg_test \
	src/tools/run/pmix/run_peercred_test src/types/types_dt_test src/win/win_acc_lock_test src/win/win_attach_test src/win/win_elem_test \
	src/win/win_rwlock_test test/prov/prov_coll_fuzz_test \
	test/prov/prov_flow_test test/prov/prov_wait_test
thread-tests: $(THREAD_TESTS) test/support/idle_timeout $(UNIT_FILES)
check-threads: thread-tests
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(THREAD_TESTS)' \
	  check_PROGRAMS='$(THREAD_TESTS) test/support/idle_timeout'
.PHONY: thread-tests check-threads
