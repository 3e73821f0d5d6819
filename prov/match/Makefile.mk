# prov/match: posted receives and unexpected messages
noinst_LTLIBRARIES += libweft-match.la
libweft_match_la_SOURCES = prov/match/match.c prov/match/match.h
C_TESTS += prov/match/match_test
EXTRA_DIST += prov/match/README
