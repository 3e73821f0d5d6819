# prov/code: error-detecting and error-correcting codes of the machines
noinst_LTLIBRARIES += libweft-code.la
EXTRA_DIST += prov/code/README
libweft_code_la_SOURCES = \
	prov/code/code_8b10b.c prov/code/code_8b10b.h \
	prov/code/code_crc.c prov/code/code_crc.h prov/code/code_crc_step.h \
	prov/code/code_crc_any.c prov/code/code_crc_arm.c \
	prov/code/code_crc_x86.c \
	prov/code/code_ghash.c prov/code/code_ghash.h \
	prov/code/code_ghash_narrow.c prov/code/code_ghash_step.h \
	prov/code/code_ghash_arm.c \
	prov/code/code_ghash_wide.c \
	prov/code/code_hamming.c prov/code/code_hamming.h \
	prov/code/code_line.c prov/code/code_line.h \
	prov/code/code_rs.c prov/code/code_rs.h prov/code/code_rs_field.h \
	prov/code/code_rs_correct.c

C_TESTS += prov/code/code_8b10b_test prov/code/code_crc_test \
	prov/code/code_ghash_test prov/code/code_hamming_test \
	prov/code/code_line_test prov/code/code_rs_test

if HAVE_CRYPTO
noinst_PROGRAMS += bench/code_speed
endif
bench_code_speed_LDADD = libweft-code.la libweftbase.la $(CRYPTO_LIBS)
