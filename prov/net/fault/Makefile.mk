# prov/net/fault: fault injection in the model
libweft_net_la_SOURCES += prov/net/fault/net_fault.c \
	prov/net/fault/net_fault.h prov/net/fault/net_fault_int.h \
	prov/net/fault/net_fault_bits.c prov/net/fault/net_fault_crc.c \
	prov/net/fault/net_fault_hold.c \
	prov/net/fault/net_fault_link.c prov/net/fault/net_fault_name.c \
	prov/net/fault/net_fault_routing.c prov/net/fault/net_fault_time.c
EXTRA_DIST += prov/net/fault/README
