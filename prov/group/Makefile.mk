# prov/group: collective groups
libweftnic_la_SOURCES += prov/group/grp.c prov/group/grp.h \
	prov/group/grp_int.h prov/group/grp_chain.c prov/group/grp_chain.h \
	prov/group/grp_check.c prov/group/grp_last.c prov/group/grp_hook.h \
	prov/group/grp_join.c prov/group/grp_long.c prov/group/grp_op.c \
	prov/group/grp_net.c prov/group/grp_net.h
EXTRA_DIST += prov/group/README
