# prov/net: machine files, apart from the model, which reads none
noinst_LTLIBRARIES += libweftnetfile.la
libweftnetfile_la_SOURCES = \
	prov/net/net_file.c prov/net/net_file.h prov/net/net_file_int.h \
	prov/net/net_file_find.c \
	prov/net/net_file_key.c \
	prov/net/net_file_part.c \
	prov/net/net_file_shape.c \
	prov/net/net_file_value.c
libweftnetfile_la_LIBADD = libweft-netmap.la
libweftnetfile_la_CPPFLAGS = $(AM_CPPFLAGS) -DWEFT_DATADIR='"$(datadir)"'

check_PROGRAMS += prov/net/net_elan_test prov/net/net_file_test \
	prov/net/net_sunway_test
TESTS += prov/net/net_elan_test prov/net/net_file_test prov/net/net_sunway_test
prov_net_net_sunway_test_SOURCES = prov/net/net_sunway_test.c $(NET_END)
prov_net_net_sunway_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_net_elan_test_SOURCES = prov/net/net_elan_test.c $(NET_END)
prov_net_net_elan_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
prov_net_net_file_test_LDADD = libweftnetfile.la libweft-net.la $(T_LIBS)
