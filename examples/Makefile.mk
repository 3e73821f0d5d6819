# examples: sources and tests of this folder
EXTRA_DIST += examples/hello.c
UNIT_EXAMPLES = examples/unit_bgq examples/unit_gemini examples/unit_qsnet2 \
	examples/unit_tports examples/unit_sunway \
	examples/unit_apenet
noinst_PROGRAMS += $(UNIT_EXAMPLES) examples/classroute_draw
examples_unit_bgq_SOURCES = examples/unit_bgq.c examples/unit_pair.h
examples_unit_bgq_LDADD = libweft-nic.la
examples_unit_gemini_SOURCES = examples/unit_gemini.c examples/unit_pair.h
examples_unit_gemini_LDADD = libweft-nic.la
examples_unit_qsnet2_SOURCES = examples/unit_qsnet2.c examples/unit_pair.h
examples_unit_qsnet2_LDADD = libweft-nic.la
examples_unit_tports_SOURCES = examples/unit_tports.c examples/unit_pair.h
examples_unit_tports_LDADD = libweft-nic.la
examples_unit_sunway_SOURCES = examples/unit_sunway.c examples/unit_pair.h
examples_unit_sunway_LDADD = libweft-nic.la
examples_unit_apenet_SOURCES = examples/unit_apenet.c examples/unit_pair.h
examples_unit_apenet_LDADD = libweft-nic.la
EXTRA_DIST += examples/README
