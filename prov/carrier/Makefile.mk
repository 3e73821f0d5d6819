# prov/carrier: how packets reach another process
noinst_LTLIBRARIES += libweftcarrier.la
EXTRA_DIST += prov/carrier/README prov/carrier/sock/README \
	prov/carrier/stream/README
libweftcarrier_la_SOURCES = \
	prov/carrier/carrier.h \
	prov/carrier/carrier_cma.c prov/carrier/carrier_cma.h \
	prov/carrier/carrier_faults.c prov/carrier/carrier_faults.h \
	prov/carrier/loop/loop.c prov/carrier/loop/loop.h \
	prov/carrier/loop/loop_pair.c prov/carrier/loop/loop_raw.c \
	prov/carrier/lossy/lossy.c prov/carrier/lossy/lossy.h \
	prov/carrier/lossy/lossy_code.c prov/carrier/lossy/lossy_damage.c \
	prov/carrier/lossy/lossy_ops.c \
	prov/carrier/hybrid/hybrid_ops.c prov/carrier/hybrid/hybrid.h \
	prov/carrier/hybrid/hybrid_peer.c \
	prov/carrier/hybrid/hybrid_wait.c \
	prov/carrier/sock/sock_ops.c prov/carrier/sock/sock.h \
	prov/carrier/sock/sock_pace.c prov/carrier/sock/sock_pace.h \
	prov/carrier/sock/sock_layout.h \
	prov/carrier/sock/sock_progress_thread.c \
	prov/carrier/sock/sock_fault.c \
	prov/carrier/sock/sock_dgram.c \
	prov/carrier/sock/sock_io.c \
	prov/carrier/sock/sock_lock.c \
	prov/carrier/sock/sock_name.c \
	prov/carrier/sock/sock_peer.c \
	prov/carrier/sock/sock_rx.c \
	prov/carrier/sock/sock_poll.c \
	prov/carrier/sock/sock_tx.c \
	prov/carrier/sock/sock_stream.c \
	prov/carrier/sock/sock_wait.c \
	prov/carrier/stream/stream.c prov/carrier/stream/stream.h \
	prov/carrier/stream/stream_int.h \
	prov/carrier/stream/stream_conn.c \
	prov/carrier/stream/stream_rx.c \
	prov/carrier/stream/stream_tx.c \
	prov/carrier/shm/shm_ops.c prov/carrier/shm/shm.h \
	prov/carrier/shm/shm_cell.c \
	prov/carrier/shm/shm_dma.c \
	prov/carrier/shm/shm_window.c \
	prov/carrier/shm/shm_id.c \
	prov/carrier/shm/shm_life.c \
	prov/carrier/shm/shm_reach.c prov/carrier/shm/shm_reach.h \
	prov/carrier/shm/shm_layout.h \
	prov/carrier/shm/shm_map.c \
	prov/carrier/shm/shm_name.c \
	prov/carrier/shm/shm_peer.c \
	prov/carrier/shm/shm_held.c \
	prov/carrier/shm/shm_rx.c \
	prov/carrier/shm/shm_sock.c \
	prov/carrier/shm/shm_tick.c \
	prov/carrier/shm/shm_tx.c \
	prov/carrier/shm/shm_wait.c
if HAVE_CRYPTO
libweftcarrier_la_SOURCES += \
	prov/carrier/sock/sock_keys.c prov/carrier/sock/sock_seal.c \
	prov/carrier/stream/stream_auth.c prov/carrier/stream/stream_seal.c
else
libweftcarrier_la_SOURCES += \
	prov/carrier/sock/sock_plain.c prov/carrier/stream/stream_plain.c
endif
include prov/backend/Makefile.mk
include prov/vt/Makefile.mk

C_TESTS += prov/carrier/carrier_grid_test prov/carrier/carrier_wait_test \
	prov/carrier/hybrid/hybrid_peer_test prov/carrier/hybrid/hybrid_test \
	prov/carrier/loop/loop_test prov/carrier/lossy/lossy_test \
	prov/carrier/sock/sock_congestion_test prov/carrier/sock/sock_wrap_test \
	prov/carrier/sock/sock_test \
	prov/carrier/sock/sock_loopback_test prov/carrier/sock/sock_window_test prov/carrier/sock/sock_gro_split_test \
	prov/carrier/sock/sock_dgram_test prov/carrier/sock/sock_keys_test \
	prov/carrier/sock/sock_forge_test prov/carrier/sock/sock_fuzz_test \
	prov/carrier/sock/sock_wait_test prov/carrier/sock/sock_plain_test \
	prov/carrier/stream/stream_test prov/carrier/stream/stream_forge_test \
	prov/carrier/sock/sock_unordered_test prov/carrier/shm/shm_fuzz_test \
	prov/carrier/shm/shm_explore_test \
	prov/carrier/shm/shm_proc_test prov/carrier/shm/shm_limits_test \
	prov/carrier/shm/shm_security_test prov/carrier/shm/shm_wait_test

prov_carrier_hybrid_hybrid_peer_test_SOURCES = \
	prov/carrier/hybrid/hybrid_peer_test.c \
	prov/carrier/hybrid/hybrid_peer.c
prov_carrier_hybrid_hybrid_peer_test_CFLAGS = $(AM_CFLAGS)

noinst_PROGRAMS += bench/carrier_lat
bench_carrier_lat_LDADD = libweftcarrier.la libweftarq.la libweftbase.la
EXTRA_DIST += prov/carrier/shm/README prov/carrier/loop/README \
	prov/carrier/lossy/README prov/carrier/hybrid/README
