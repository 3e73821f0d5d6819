# include: the installed headers, no others
include_HEADERS += include/mpi.h
weftincludedir = $(includedir)/weft
weftinclude_HEADERS = include/weft/mpi_compat.h
weftinclude_HEADERS += include/weft/place.h include/weft/mu.h \
	include/weft/fma.h include/weft/sten.h include/weft/swhni.h \
	include/weft/mem.h include/weft/apenet.h
rdmaincludedir = $(includedir)/rdma
rdmainclude_HEADERS = include/rdma/fi_ext_weft.h
