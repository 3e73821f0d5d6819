"use strict";
/*
 * A plot: axes { label, log, names: words instead of numbers }, series { name, points [[x, y, low, high,
 * text]], line, marks, bars, colour, ring: hollow circles around others }. low and high draw the spread or the
 * band of a point. The same data follows as a table.
 */
const PLOT = { width: 560, height: 320, left: 64, right: 14, top: 12,
	bottom: 42 };

function axis(spec, values, from, to) {
	let low = Math.min(...values), high = Math.max(...values);
	const f = spec.log ? Math.log10 : (x) => x;

	if (!isFinite(low)) {
		low = spec.log ? 1 : 0;
		high = low + 1;
	}
	if (!spec.log && spec.zero)
		low = Math.min(low, 0);
	if (low === high)
		high = spec.log ? low * 10 : low + 1;
	const at = (x) => from + (to - from) * (f(x) - f(low)) / (f(high) - f(low));
	return { at, low, high, ticks: ticks(spec, low, high) };
}

function ticks(spec, low, high) {
	const list = [];
	if (spec.names)
		return [...spec.names.keys()];
	if (spec.log) {
		const powers = logTicks(spec.base || 10, low, high);
		if (powers.length > 2)
			return powers;
	}
	const rough = (high - low) / 6;
	const ten = Math.pow(10, Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= rough);
	for (let x = Math.ceil(low / step) * step; x <= high + step / 1e6; x += step)
		list.push(x);
	return list;
}

/* Returns powers of the base; if these are few, also 2 and 5 times the powers. */
function logTicks(base, low, high) {
	const first = Math.floor(Math.log(low) / Math.log(base));
	const last = Math.ceil(Math.log(high) / Math.log(base));
	const step = Math.max(1, Math.ceil((last - first) / 8));
	const times = base === 10 && last - first < 3 ? [1, 2, 5] : [1];
	const list = [];
	for (let i = first; i <= last; i += step)
		for (const m of times)
			list.push(m * Math.pow(base, i));
	return list.filter((v) => v >= low * 0.999 && v <= high * 1.001);
}

const short = (v) => v >= 1 << 20 ? `${v / (1 << 20)}M` : `${v / 1024}K`;

function plotFrame(g, spec, x, y) {
	const P = PLOT, foot = P.height - P.bottom;
	const plain = (v) => String(Number(v.toPrecision(4)));
	const show = (a, v) => a.names ? a.names[v]
		: a.base === 2 && a.log && v >= 1024 ? short(v) : plain(v);

	for (const v of x.ticks)
		g.append(draw("line", { class: "grid", x1: x.at(v), x2: x.at(v),
			y1: P.top, y2: foot }),
		draw("text", { x: x.at(v), y: foot + 14, "text-anchor": "middle" },
			show(spec.x, v)));
	for (const v of y.ticks)
		g.append(draw("line", { class: "grid", y1: y.at(v), y2: y.at(v),
			x1: P.left, x2: P.width - P.right }),
		draw("text", { x: P.left - 5, y: y.at(v) + 4,
			"text-anchor": "end" }, show(spec.y, v)));
	g.append(draw("path", { class: "axis",
		d: `M${P.left} ${P.top}V${foot}H${P.width - P.right}` }),
	draw("text", { x: (P.left + P.width) / 2, y: P.height - 6,
		"text-anchor": "middle" }, spec.x.label),
	draw("text", { transform: `translate(13 ${(P.top + foot) / 2})rotate(-90)`,
		"text-anchor": "middle" }, spec.y.label));
}

/* Marks differ in shape as well as in colour. A ring remains visible around a
 * mark at the same position. */
function mark(i, x, y, ink, hollow, ring) {
	const shapes = ring ? [`M${x - 7} ${y}a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z`] : [
		`M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z`,
		`M${x - 4} ${y - 4}h8v8h-8z`,
		`M${x} ${y - 5}l5 9h-10z`,
		`M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
	];
	return draw("path", { d: shapes[i % shapes.length], stroke: ink,
		fill: hollow || ring ? "none" : ink,
		"stroke-width": ring ? 2 : 1.5, "pointer-events": "all" });
}

function plotSeries(g, s, i, x, y) {
	const ink = s.colour || colour(i);
	const points = s.points.filter((p) => p[1] !== null);

	for (const p of points)
		if (p[2] !== undefined && p[2] !== null)
			g.append(draw("line", { x1: x.at(p[0]), x2: x.at(p[0]),
				y1: y.at(p[2]), y2: y.at(p[3]), stroke: ink,
				"stroke-width": 6, "stroke-opacity": 0.3 }));
	if (s.line)
		g.append(draw("polyline", { fill: "none", stroke: ink,
			"stroke-width": 2, "stroke-dasharray": s.dash || null,
			points: points.map((p) => `${x.at(p[0])},${y.at(p[1])}`)
				.join(" ") }));
	for (const p of points) {
		const m = mark(i, x.at(p[0]), y.at(p[1]), ink, p[5], s.ring);
		m.append(draw("title", {}, p[4] || `${s.name}: ${p[0]}, ${p[1]}`));
		if (s.marks !== false)
			g.append(m);
	}
}

function plotLegend(series) {
	const legend = el("div", { class: "legend" });
	series.forEach((s, i) => {
		const key = draw("svg", { width: 16, height: 16, viewBox: "-1 -1 16 16" },
			s.ring ? mark(0, 7, 7, colour(i), true, true)
				: mark(i, 7, 6, s.colour || colour(i), s.hollow));
		legend.append(el("span", {}, key, " " + s.name));
	});
	return legend;
}

function plotTable(spec) {
	const rows = spec.series.flatMap((s) => s.points.map((p) => [s.name, p]));
	return el("details", {}, el("summary", {}, "as a table"),
		table([{ name: "series", text: true, value: (r) => r[0] },
			{ name: spec.x.label, value: (r) => r[1][0] },
			{ name: spec.y.label, value: (r) => r[1][1] === null
				? "" : r[1][1] }], rows));
}

function plot(spec) {
	const P = PLOT;
	const all = spec.series.flatMap((s) => s.points.filter((p) => p[1] !== null));
	const ys = all.flatMap((p) => [p[1], p[2], p[3]])
		.filter((v) => v !== undefined && v !== null);
	const pad = spec.x.names ? 48 : 8; /* words are wider than numbers */
	const x = axis(spec.x, all.map((p) => p[0]), P.left + pad,
		P.width - P.right - pad);
	const y = axis(spec.y, ys, P.height - P.bottom, P.top + 4);
	const g = draw("svg", { viewBox: `0 0 ${P.width} ${P.height}`,
		width: P.width, height: P.height, role: "img",
		"aria-label": spec.title });

	plotFrame(g, spec, x, y);
	spec.series.forEach((s, i) => plotSeries(g, s, i, x, y));
	return el("figure", { class: "plot" }, el("h3", {}, spec.title),
		spec.note ? el("figcaption", {}, spec.note) : null,
		plotLegend(spec.series), g, plotTable(spec));
}
