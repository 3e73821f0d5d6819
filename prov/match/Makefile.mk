# prov/match: posted receives and unexpected messages
noinst_LTLIBRARIES += libweft-match.la
libweft_match_la_SOURCES = prov/match/match.c prov/match/match.h
check_PROGRAMS += prov/match/match_test
TESTS += prov/match/match_test
prov_match_match_test_LDADD = libweft-match.la $(T_LIBS)
EXTRA_DIST += prov/match/README
