# prov/net/file: machine files, separate from the model, which reads no files
noinst_LTLIBRARIES += libweftnetfile.la
libweftnetfile_la_SOURCES = \
	prov/net/file/net_file.c prov/net/file/net_file.h prov/net/file/net_file_int.h \
	prov/net/file/net_file_find.c \
	prov/net/file/net_file_key.c \
	prov/net/file/net_file_part.c \
	prov/net/file/net_file_shape.c \
	prov/net/file/net_file_value.c
libweftnetfile_la_LIBADD = libweft-netmap.la
libweftnetfile_la_CPPFLAGS = $(AM_CPPFLAGS) -DWEFT_DATADIR='"$(datadir)"'

NET_FILE_TESTS = prov/net/net_elan_test prov/net/fault/net_fault_test \
	prov/net/fault/net_fault_soak_test \
	prov/net/fault/net_fault_detour_test prov/net/file/net_file_test \
	prov/net/net_gemini_test prov/net/net_sunway_test
check_PROGRAMS += $(NET_FILE_TESTS)
TESTS += $(NET_FILE_TESTS)
NET_FAULT_FIXTURE = $(NET_FIXTURE) test/support/net_fault_fixture.c test/support/net_fault_fixture.h
prov_net_fault_net_fault_soak_test_SOURCES = prov/net/fault/net_fault_soak_test.c \
	$(NET_FAULT_FIXTURE)
prov_net_fault_net_fault_soak_test_LDADD = libweftnetfile.la libweft-net.la \
	$(T_LIBS) -lm
prov_net_fault_net_fault_test_SOURCES = prov/net/fault/net_fault_test.c $(NET_FAULT_FIXTURE)
prov_net_fault_net_fault_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS) -lm
prov_net_fault_net_fault_detour_test_SOURCES = prov/net/fault/net_fault_detour_test.c \
	$(NET_FAULT_FIXTURE)
prov_net_fault_net_fault_detour_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_net_gemini_test_SOURCES = prov/net/net_gemini_test.c $(NET_FIXTURE)
prov_net_net_gemini_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_net_sunway_test_SOURCES = prov/net/net_sunway_test.c $(NET_FIXTURE)
prov_net_net_sunway_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_net_elan_test_SOURCES = prov/net/net_elan_test.c $(NET_FIXTURE)
prov_net_net_elan_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_file_net_file_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
EXTRA_DIST += prov/net/file/README
