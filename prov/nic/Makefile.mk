# prov/nic: the message engine, the machines, and (units.mk) their units
noinst_LTLIBRARIES += libweftnic.la
libweftnic_la_SOURCES = \
	prov/nic/nic.c prov/nic/nic.h prov/nic/nic_int.h \
	prov/nic/nic_at.c \
	prov/nic/nic_at_exec.c prov/nic/nic_at_exec.h \
	prov/nic/nic_direct.c \
	prov/nic/nic_dma.c \
	prov/nic/nic_machine.c \
	prov/nic/nic_recv.c \
	prov/nic/nic_rma.c \
	prov/nic/nic_rndv.c \
	prov/nic/nic_send.c \
	prov/nic/nic_share.c
libweftnic_la_LIBADD = libweft-match.la libweftcarrier.la libweftwire.la \
	libweftbase.la
include prov/nic/units.mk
