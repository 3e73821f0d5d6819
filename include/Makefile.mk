# include: the installed headers, no others
include_HEADERS += include/mpi.h include/mpi-ext.h
weftincludedir = $(includedir)/weft
weftinclude_HEADERS = include/weft/mpi_compat.h
weftinclude_HEADERS += include/weft/place.h include/weft/bgq.h \
	include/weft/gemini.h include/weft/qsnet2.h include/weft/sunway.h include/weft/coll_call.h \
	include/weft/mem.h include/weft/apenet.h include/weft/region.h \
	include/weft/skeleton.h
rdmaincludedir = $(includedir)/rdma
rdmainclude_HEADERS = include/rdma/fi_ext_weft.h
EXTRA_DIST += include/README
