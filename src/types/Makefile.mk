# src/types: datatypes, operations, info, attributes, topologies. Nothing here
# communicates, so the tests need no other library.
noinst_LTLIBRARIES += libweft-types.la
EXTRA_DIST += src/types/README
# short loops: their alignment may change their time by a factor of two
libweft_types_la_CFLAGS = $(AM_CFLAGS) -falign-loops=32
libweft_types_la_SOURCES = \
	src/types/types_attr.c src/types/types_attr.h \
	src/types/types_dt.c src/types/types_dt.h \
	src/types/types_dt_array.c \
	src/types/types_dt_env.c src/types/types_dt_env.h \
	src/types/types_dt_map.h \
	src/types/types_dt_node.c src/types/types_dt_node.h \
	src/types/types_dt_predef.c src/types/types_dt_predef.h \
	src/types/types_dt_walk.c \
	src/types/types_handle.c src/types/types_handle.h \
	src/types/types_info.c src/types/types_info.h \
	src/types/types_info_env.c \
	src/types/types_obj.h \
	src/types/types_op.c src/types/types_op.h src/types/types_op_loc.c \
	src/types/types_pack.c src/types/types_pack.h \
	src/types/types_pack_ext.c \
	src/types/types_topo.c src/types/types_topo.h \
	src/types/types_topo_dims.c

C_TESTS += src/types/types_attr_test src/types/types_dt_test \
	src/types/types_info_test src/types/types_op_test src/types/types_topo_test
