# src/tree: spanning trees of groups of processes
libweftbase_la_SOURCES += src/tree/tree.c src/tree/tree.h src/tree/tree_box.c \
	src/tree/tree_host.c src/tree/tree_shape.c src/tree/tree_shape.h

C_TESTS += src/tree/tree_shape_test src/tree/tree_test
EXTRA_DIST += src/tree/README
