# prov/net/file: machine files, separate from the model, which reads no files
noinst_LTLIBRARIES += libweftnetfile.la
libweftnetfile_la_SOURCES = \
	prov/net/file/net_file.c prov/net/file/net_file.h prov/net/file/net_file_int.h \
	prov/net/file/net_file_check.c \
	prov/net/file/net_file_choice.c \
	prov/net/file/net_file_generic.c prov/net/file/net_file_graph.c \
	prov/net/file/net_file_switches.c \
	prov/net/file/net_file_find.c \
	prov/net/file/net_file_key.c \
	prov/net/file/net_file_part.c \
	prov/net/file/net_file_shape.c prov/net/file/net_file_text.c \
	prov/net/file/net_file_value.c
libweftnetfile_la_LIBADD = libweft-netmap.la
libweftnetfile_la_CPPFLAGS = $(AM_CPPFLAGS) -DWEFT_DATADIR='"$(datadir)"'

C_TESTS += prov/net/net_elan_test prov/net/net_wormhole_test prov/net/fault/net_fault_test \
	prov/net/fault/net_fault_soak_test prov/net/fault/net_fault_detour_test \
	prov/net/file/net_file_test prov/net/file/net_file_generic_test \
	prov/net/file/net_file_fuzz_test prov/net/net_golden_test \
	prov/net/net_gemini_test prov/net/net_sunway_test
EXTRA_DIST += prov/net/file/README
