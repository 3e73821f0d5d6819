# src/blocks: counting of a program's executed basic blocks, for mpiexec
# --compute blocks=N
lib_LTLIBRARIES += libweft-blocks.la
libweft_blocks_la_SOURCES = src/blocks/blocks.c
libweft_blocks_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
libweft_blocks_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^(weft_blocks_executed|__sanitizer_cov_trace_pc)$$'
EXTRA_DIST += src/blocks/README
