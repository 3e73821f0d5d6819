"use strict";
/*
 * weft-sim: points: [{ load, offered_gbs, accepted_gbs, of_peak, latency_ns,
 * histogram_ns: [[from, messages]], hops }], links of the last point.
 */
function simLoads(s) {
	const at = (p) => p.load === undefined ? p.offered_gbs : p.load;
	const line = (name, f) => ({ name, line: true,
		points: data.points.map((p) => [at(p), f(p)]) });
	const x = { label: data.mode === "open" ? "load, part of the peak"
		: "offered, GB/s" };

	s.append(el("div", { class: "plots" },
		plot({ title: "Throughput against load", x,
			y: { label: "GB/s per node", zero: true },
			series: [line("accepted", (p) => p.accepted_gbs),
				line("offered", (p) => p.offered_gbs)] }),
		plot({ title: "Latency against load", x,
			y: { label: "ns", log: true },
			series: [line("median", (p) => p.latency_ns.p50),
				line("mean", (p) => p.latency_ns.mean),
				line("95 %", (p) => p.latency_ns.p95),
				line("99 %", (p) => p.latency_ns.p99)] })));
}

function simHistograms() {
	const s = section("latency", "Latency of messages");
	s.append(plot({ title: "Distribution", x: { label: "ns", log: true },
		y: { label: "messages", log: true },
		series: data.points.slice(-6).map((p) => ({
			name: p.load === undefined ? data.mode : `load ${p.load}`,
			line: true, marks: false,
			points: p.histogram_ns.filter((b) => b[0] > 0) })) }));
}

function showSim() {
	const s = section("loads", "Load, throughput, latency",
		`The peak is ${data.peak_gbs.toFixed(4)} GB/s of payload per node.`);
	simLoads(s);
	s.append(table([
		{ name: "load", value: (p) => p.load === undefined ? NaN : p.load },
		{ name: "offered GB/s", value: (p) => p.offered_gbs,
			show: (p) => p.offered_gbs.toFixed(4) },
		{ name: "accepted GB/s", value: (p) => p.accepted_gbs,
			show: (p) => p.accepted_gbs.toFixed(4) },
		{ name: "of peak", value: (p) => p.of_peak,
			show: (p) => showPart(p.of_peak) },
		{ name: "mean ns", value: (p) => p.latency_ns.mean,
			show: (p) => p.latency_ns.mean.toFixed(1) },
		{ name: "99 % ns", value: (p) => p.latency_ns.p99,
			show: (p) => p.latency_ns.p99.toFixed(1) },
		{ name: "hops", value: (p) => p.hops,
			show: (p) => p.hops.toFixed(3) },
		{ name: "events", value: (p) => p.events,
			show: (p) => showCount(p.events) },
		{ name: "hash", text: true, value: (p) => p.hash },
	], data.points));
	simHistograms();
	linkSection(data.links, "Of the last load.");
}
