# prov/net/tree: class routes in the model
libweft_net_la_SOURCES += prov/net/tree/net_fold.c prov/net/tree/net_fold.h \
	prov/net/tree/net_part.c prov/net/tree/net_query.c \
	prov/net/tree/net_tree.c prov/net/tree/net_tree.h \
	prov/net/tree/net_tree_int.h prov/net/tree/net_tree_open.c \
	prov/net/tree/net_tree_plan.c

NET_TREE_TESTS = prov/net/tree/net_fold_test prov/net/tree/net_query_test \
	prov/net/tree/net_tree_test
check_PROGRAMS += $(NET_TREE_TESTS)
TESTS += $(NET_TREE_TESTS)
prov_net_tree_net_query_test_SOURCES = prov/net/tree/net_query_test.c \
	$(NET_FIXTURE)
prov_net_tree_net_query_test_LDADD = $(NET_LIBS)
prov_net_tree_net_fold_test_LDADD = $(NET_LIBS)
prov_net_tree_net_tree_test_SOURCES = prov/net/tree/net_tree_test.c \
	$(NET_FIXTURE)
prov_net_tree_net_tree_test_LDADD = $(NET_LIBS)
EXTRA_DIST += prov/net/tree/README
