# examples: sources and tests of this folder
EXTRA_DIST += examples/hello.c
UNIT_EXAMPLES = examples/unit_mu examples/unit_fma examples/unit_sten \
	examples/unit_tports examples/unit_swhni \
	examples/unit_apenet
noinst_PROGRAMS += $(UNIT_EXAMPLES) examples/classroute_draw
examples_unit_mu_SOURCES = examples/unit_mu.c examples/unit_meet.h
examples_unit_mu_LDADD = libweft-nic.la
examples_unit_fma_SOURCES = examples/unit_fma.c examples/unit_meet.h
examples_unit_fma_LDADD = libweft-nic.la
examples_unit_sten_SOURCES = examples/unit_sten.c examples/unit_meet.h
examples_unit_sten_LDADD = libweft-nic.la
examples_unit_tports_SOURCES = examples/unit_tports.c examples/unit_meet.h
examples_unit_tports_LDADD = libweft-nic.la
examples_unit_swhni_SOURCES = examples/unit_swhni.c examples/unit_meet.h
examples_unit_swhni_LDADD = libweft-nic.la
examples_unit_apenet_SOURCES = examples/unit_apenet.c examples/unit_meet.h
examples_unit_apenet_LDADD = libweft-nic.la
