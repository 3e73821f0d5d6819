# src/health: fault awareness of a live job
noinst_LTLIBRARIES += libweft-health.la
EXTRA_DIST += src/health/README
libweft_health_la_SOURCES = src/health/health.h src/health/health_layout.h \
	src/health/health.c \
	src/health/health_find.c \
	src/health/health_torus.c \
	src/health/health_view.c \
	src/health/health_sense.c src/health/health_sense.h \
	src/health/health_round.c
libweft_health_la_LIBADD = libweft-watch.la

C_TESTS += src/health/health_test src/health/health_threads_test
