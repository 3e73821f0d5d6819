# examples: sources and tests of this folder
EXTRA_DIST += examples/hello.c examples/hello_f08.f90 examples/hello.py examples/halo.c examples/deadlock.c \
	examples/pool.c examples/replace.c examples/rod.h examples/server.c \
	examples/survive.c examples/sweep.sh examples/traffic.c examples/unit_pair.h
UNIT_EXAMPLES = examples/unit_bgq examples/unit_gemini examples/unit_qsnet2 \
	examples/unit_tports examples/unit_sunway \
	examples/unit_apenet
noinst_PROGRAMS += $(UNIT_EXAMPLES) examples/classroute_draw
examples_classroute_draw_LDADD =
examples_unit_bgq_LDADD = libweft-nic.la
examples_unit_gemini_LDADD = libweft-nic.la
examples_unit_qsnet2_LDADD = libweft-nic.la
examples_unit_tports_LDADD = libweft-nic.la
examples_unit_sunway_LDADD = libweft-nic.la
examples_unit_apenet_LDADD = libweft-nic.la
EXTRA_DIST += examples/README
