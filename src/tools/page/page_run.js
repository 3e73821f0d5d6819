"use strict";
/* A run of mpiexec: command, calls, timeline, messages, links. */

function sparks(list) {
	const most = Math.max(1, ...list);
	return el("span", { class: "sparks", role: "img",
		"aria-label": "ranks by time: " + list.join(" ") },
	...list.map((n) => el("b",
		{ style: `height:${n ? 10 + 90 * n / most : 0}%` })));
}

function callSection() {
	const s = section("calls", "MPI calls",
		"Time of all ranks together; least, median and most of one rank; the "
		+ "bars show the number of ranks with little (left) to much (right) "
		+ "time.");
	s.append(table([
		{ name: "call", text: true, value: (c) => c.name },
		{ name: "count", value: (c) => c.count, show: (c) => showCount(c.count) },
		{ name: "time", value: (c) => c.ps, show: (c) => showTime(c.ps) },
		{ name: "of all", value: (c) => c.part, show: (c) => showPart(c.part) },
		{ name: "least", value: (c) => c.least, show: (c) => showTime(c.least) },
		{ name: "median", value: (c) => c.median,
			show: (c) => showTime(c.median) },
		{ name: "most", value: (c) => c.most, show: (c) => showTime(c.most) },
		{ name: "by rank", value: (c) => c.most_rank },
		{ name: "ranks", value: (c) => c.most - c.least,
			show: (c) => sparks(c.spread) },
	], data.calls, 2));
}

/* Draws the ranks on a circle, with arrows to the ranks for which they wait. */
function deadlockSection(deadlock) {
	const s = section("deadlock", "Deadlock");
	const n = deadlock.waits.length, R = 150, C = 180;
	const ids = deadlock.waits.map((w) => w[0]);
	const at = (rank) => {
		const a = 2 * Math.PI * ids.indexOf(rank) / n - Math.PI / 2;
		return [C + R * Math.cos(a), C + R * Math.sin(a)];
	};
	const g = draw("svg", { width: 2 * C, height: 2 * C, role: "img",
		"aria-label": "graph of waiting ranks" },
	draw("defs", {}, draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 16,
		refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
	draw("path", { d: "M0 0L8 4L0 8z", fill: colour(1) }))));

	s.append(el("pre", {}, deadlock.text));
	if (!n || n > 64)
		return;
	for (const [rank, others] of deadlock.waits)
		for (const other of others.filter((o) => ids.includes(o))) {
			const [x1, y1] = at(rank), [x2, y2] = at(other);
			g.append(draw("line", { x1, y1, x2, y2, stroke: colour(1),
				"stroke-width": 1.5, "marker-end": "url(#tip)" }));
		}
	for (const rank of ids) {
		const [x, y] = at(rank);
		g.append(draw("circle", { cx: x, cy: y, r: 11, fill: colour(0) }),
			draw("text", { x, y: y + 4, "text-anchor": "middle",
				style: "fill:#fff" }, String(rank)));
	}
	s.append(g);
}

function textSection(id, title, text) {
	section(id, title).append(el("pre", {}, text));
}

function showRun() {
	if (data.deadlock)
		deadlockSection(data.deadlock);
	if (data.calls)
		callSection();
	if (data.time)
		timeSection(data.time, { messages: data.messages || [],
			collectives: data.collectives || [],
			accesses: data.accesses || [] });
	if (data.waits)
		waitSection(data.waits);
	else if (data.waits_note)
		section("waits", "Wait states", data.waits_note);
	if (data.chain && data.chain.length)
		chainSection(data.chain, data.chain_sum, data.chain_rank);
	if (data.matrix)
		matrixSection(data.matrix);
	if (data.links)
		linkSection(data.links);
	if (data.faults)
		faultSection(data.faults, data.links);
	if (data.routes && data.routes.length)
		routeSection(data.routes);
	if (data.report)
		textSection("report", "The report as text", data.report);
}
