"use strict";
/*
 * weft-reproduce: paper and model side by side. systems: [{ system, machine,
 * sum, rows: [{ id, source, text, x, unit, paper, model, low, high, error,
 * band, kind, verdict, why }], constants: [{ key, value, source }] }].
 */
/* A text that begins with "the same" refers to the last row with another text. */
function fullTexts(rows) {
	let last = "";
	return rows.map((r) => {
		const again = r.text.match(/^the same(.*)$/);
		if (!again)
			last = r.text;
		return { ...r, text: again && last ? last + again[1] : r.text };
	});
}

/* Returns the text of a source: sections have numbers, tables and figures names. */
const sourceName = (source) => /^[0-9IVXA-D.]+$/.test(source)
	? `Section ${source}` : source;

const isBad = (r) => r.verdict === "OUT OF BAND" || r.verdict === "failed";

/* Groups rows of one experiment into one plot; single rows are only in the table. */
function plotsOf(system) {
	const groups = new Map();
	for (const r of fullTexts(system.rows)) {
		const key = r.source + "|" + r.text + "|" + r.unit;
		if (!groups.has(key))
			groups.set(key, []);
		groups.get(key).push(r);
	}
	return [...groups.values()].filter((g) => g.length > 1);
}

function pointText(name, r) {
	return `${r.id}: ${name}; paper ${r.paper} ${r.unit}, model `
		+ `${r.model === undefined ? "-" : r.model}, band ${r.band}, ${r.kind}`;
}

/* Returns the positions on the axis: numbers by value, other texts in sequence. */
function axisOf(rows) {
	const xs = rows.map((r) => Number(r.x));
	const by = rows[0].text.match(/, by (.*)$/);

	if (!xs.every(isFinite))
		return { at: (r) => rows.indexOf(r), spec: { label: "",
			names: rows.map((r) => r.x) } };
	return { at: (r) => Number(r.x), spec: { label: by ? by[1] : "x", base: 2,
		log: Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) > 30 } };
}

function reproducePlot(rows) {
	const x = axisOf(rows);
	const model = rows.filter((r) => r.model !== undefined);

	return plot({
		title: `${sourceName(rows[0].source)}: ${rows[0].text}`,
		note: "Rings: the paper; squares: the model, hollow where calibrated; "
			+ "bars: the bands.",
		x: x.spec,
		y: { label: rows[0].unit, zero: true },
		series: [
			{ name: "paper", ring: true, points: rows.map((r) => [x.at(r),
				r.paper, r.low, r.high, pointText("paper", r)]) },
			{ name: "model", line: !x.spec.names, points: model.map((r) =>
				[x.at(r), r.model, null, null, pointText("model", r),
					r.kind === "calibrated"]) },
		],
	});
}

function reproduceSystem(system) {
	const s = section(system.system, system.system, system.sum);
	const plots = el("div", { class: "plots" });
	for (const g of plotsOf(system))
		plots.append(reproducePlot(g));
	s.append(plots, table([
		{ name: "id", text: true, value: (r) => r.id },
		{ name: "source", text: true, value: (r) => r.source },
		{ name: "what", text: true, value: (r) => r.text },
		{ name: "x", text: true, value: (r) => r.x },
		{ name: "paper", value: (r) => r.paper },
		{ name: "model", value: (r) => r.model === undefined ? NaN : r.model,
			show: (r) => r.model === undefined ? "-" : r.model },
		{ name: "unit", text: true, value: (r) => r.unit },
		{ name: "error", value: (r) => r.error === undefined ? NaN : r.error,
			show: (r) => r.error === undefined ? "-" : r.error.toFixed(2) },
		{ name: "band", text: true, value: (r) => r.band },
		{ name: "kind", text: true, value: (r) => r.kind },
		{ name: "verdict", text: true, value: (r) => r.verdict,
			show: (r) => isBad(r) ? el("span", { class: "bad" }, r.verdict
				+ (r.why ? `: ${r.why}` : "")) : r.verdict },
	], fullTexts(system.rows)), el("h3", {}, "Calibrated constants"), table([
		{ name: "key", text: true, value: (c) => c.key },
		{ name: "value", text: true, value: (c) => c.value },
		{ name: "from", text: true, value: (c) => c.source },
	], system.constants));
}

function showReproduce() {
	data.systems.forEach(reproduceSystem);
}
