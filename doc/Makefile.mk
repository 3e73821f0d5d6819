# doc: man pages
dist_man1_MANS += doc/mpicc.1 doc/mpicxx.1 doc/mpifort.1 doc/weft-info.1 \
	doc/weft-sim.1 doc/weft-reproduce.1 doc/weft-calibrate.1 doc/weft-tune.1
dist_doc_DATA += doc/apenet.md doc/architecture.md doc/collectives.md \
	doc/failures.md doc/faults.md \
	doc/gemini.md doc/gpu.md doc/model.md doc/not-yet.md \
	doc/page.md doc/page-run.png doc/page-reproduce.png \
	doc/replay.md doc/sunway.md doc/support.md doc/virtual.md \
	doc/your-machine.md
