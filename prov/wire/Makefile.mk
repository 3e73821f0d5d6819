# prov/wire: the packet
EXTRA_DIST += prov/wire/README prov/wire/wire.h prov/wire/wire_name.h
