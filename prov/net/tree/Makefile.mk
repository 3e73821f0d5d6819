# prov/net/tree: class routes in the model
libweft_net_la_SOURCES += prov/net/tree/net_part.c prov/net/tree/net_query.c \
	prov/net/tree/net_tree.c prov/net/tree/net_tree.h \
	prov/net/tree/net_tree_int.h prov/net/tree/net_tree_link.c \
	prov/net/tree/net_tree_open.c \
	prov/net/tree/net_tree_plan.c

C_TESTS += prov/net/tree/net_query_test \
	prov/net/tree/net_tree_test
EXTRA_DIST += prov/net/tree/README
