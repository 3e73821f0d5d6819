#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of waiting without time slices (src/os/waiter.h): a lost
# wake-up, which a slice would hide, makes the test hang. Deaths of peers are
# not detected in this mode.
failed=0
export WEFT_WAIT_UNBOUNDED=1
for t in src/os/event_word_test prov/carrier/carrier_wait_test \
	prov/carrier/shm/shm_wait_test prov/carrier/sock/sock_wait_test \
	prov/carrier/hybrid/hybrid_test \
	prov/carrier/loop/loop_test prov/ofi/queue/weft_wait_test \
	test/prov/prov_wait_test src/win/win_rwlock_test; do
	"$idle_timeout" 30 "$builddir/$t" > /dev/null 2>&1 && continue
	echo "FAILED: WEFT_WAIT_UNBOUNDED=1 $t: exit code $?"
	failed=1
done
exit $failed
