# prov/backend: the table of functions that differ between live mode and virtual
# time
EXTRA_DIST += prov/backend/README
libweftcarrier_la_SOURCES += prov/backend/backend.h prov/backend/backend_live.c

C_TESTS += prov/backend/backend_test
