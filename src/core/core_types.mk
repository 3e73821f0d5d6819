# Datatypes, operations, info, attributes, topologies: no communication in
# here, so that their tests need nothing else of the core.
noinst_LTLIBRARIES += libweft-types.la
libweft_types_la_SOURCES = \
	src/core/core_attr.c src/core/core_attr.h \
	src/core/core_call.c src/core/core_call.h \
	src/core/core_dt.c src/core/core_dt.h \
	src/core/core_dt_array.c \
	src/core/core_dt_env.c src/core/core_dt_env.h \
	src/core/core_dt_map.h \
	src/core/core_dt_node.c src/core/core_dt_node.h \
	src/core/core_dt_predef.c src/core/core_dt_predef.h \
	src/core/core_dt_walk.c \
	src/core/core_handle.c src/core/core_handle.h \
	src/core/core_info.c src/core/core_info.h src/core/core_info_env.c \
	src/core/core_obj.h \
	src/core/core_op.c src/core/core_op.h \
	src/core/core_op_fn.h src/core/core_op_loc.c src/core/core_op_num.c \
	src/core/core_pack.c src/core/core_pack.h \
	src/core/core_pack_ext.c \
	src/core/core_stuck.c src/core/core_stuck.h \
	src/core/core_topo.c src/core/core_topo.h src/core/core_topo_dims.c

# What MPI_T shows.
libmpi_abi_la_SOURCES += src/core/core_count.h \
	src/core/core_tool.c src/core/core_tool.h

CORE_TYPES_TESTS = src/core/core_attr_test src/core/core_call_test \
	src/core/core_dt_test \
	src/core/core_info_test src/core/core_op_test src/core/core_stuck_test \
	src/core/core_topo_test
check_PROGRAMS += $(CORE_TYPES_TESTS)
TESTS += $(CORE_TYPES_TESTS)
CORE_TYPES_LIBS = libweft-types.la $(T_LIBS)
src_core_core_dt_test_SOURCES = src/core/core_dt_test.c \
	src/core/core_dt_model.c src/core/core_dt_model.h
src_core_core_dt_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_op_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_call_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_attr_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_info_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_stuck_test_LDADD = $(CORE_TYPES_LIBS)
src_core_core_topo_test_LDADD = $(CORE_TYPES_LIBS)
