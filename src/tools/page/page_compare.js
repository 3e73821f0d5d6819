"use strict";
/*
 * bench/compare: curves of several MPIs. benchmarks: [{ name, unit, ranks,
 * higher: whether more is better, curves: [{ mpi, points: [[size, median, low, high]] }] }].
 */
function comparePlot(b) {
	return plot({
		title: `${b.name}, ${b.ranks} ranks`,
		note: (b.higher ? "more" : "less")
			+ " is better; bars span all rounds, marks are medians",
		x: { label: "bytes", log: true, base: 2 },
		y: { label: b.unit, log: true },
		series: b.curves.map((c) => ({ name: c.mpi, line: true,
			points: c.points.map(([x, y, low, high]) =>
				[Math.max(x, 1), y, low, high,
					`${c.mpi}, ${x} B: ${y} ${b.unit} `
					+ `(${low} to ${high})`]) })),
	});
}

function showCompare() {
	const s = section("curves", "Curves");
	s.append(el("div", { class: "plots" }, ...data.benchmarks.map(comparePlot)));
}
