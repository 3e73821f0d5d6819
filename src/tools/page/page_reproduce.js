"use strict";
/*
 * weft-reproduce: paper and model side by side. systems: [{ system, machine,
 * sum, rows: [{ id, source, text, x, unit, paper, model, low, high, error,
 * band, kind, verdict, why }], constants: [{ key, value, source }],
 * sensitivity: { predictions, could_fail, held, unchecked,
 * numbers: [{ name, value, source, effects, unchecked }],
 * rows: [{ id, movers, breakers }] } }]; sensitivity only with --sensitivity.
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

const isBad = (r) => !["in band", "left out"].includes(r.verdict);

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
	if (system.sensitivity)
		s.append(...sensitivityOf(system));
}

/* Returns the rows of an effect ("moved/left"), or -1 without a count. */
const effectCount = (text) => {
	const m = text.match(/^([0-9]+)[/]/);
	return m ? Number(m[1]) : -1;
};

const changes = ["-10 %", "+10 %", "half", "double"];

function numbersTable(sens) {
	return table([
		{ name: "number", text: true, value: (n) => n.name },
		{ name: "value", text: true, value: (n) => n.value },
		{ name: "source", text: true, value: (n) => n.source },
		...changes.map((name, i) => ({ name,
			value: (n) => effectCount(n.effects[i]),
			show: (n) => n.effects[i] })),
		{ name: "", text: true, value: (n) => n.unchecked ? "unchecked" : "" },
	], sens.numbers);
}

/* Shows which results depend on which numbers of the machine file. */
function sensitivityOf(system) {
	const sens = system.sensitivity;
	const kind = new Map(system.rows.map((r) => [r.id, r.kind]));

	return [el("h3", {}, "Sensitivity"), el("p", {}, `Every number of the `
		+ `machine file was changed, one at a time. Cells: rows that move / `
		+ `rows that leave their bands. ${sens.could_fail} of `
		+ `${sens.predictions} predictions could have failed, ${sens.held} `
		+ `of them held; ${sens.unchecked} of ${sens.numbers.length} numbers `
		+ `move no row and are unchecked.`),
		numbersTable(sens), table([
			{ name: "row", text: true, value: (r) => r.id },
			{ name: "kind", text: true, value: (r) => kind.get(r.id) },
			{ name: "numbers that move it", value: (r) => r.movers },
			{ name: "numbers that take it out of its band",
				value: (r) => r.breakers },
		], sens.rows)];
}

function showReproduce() {
	data.systems.forEach(reproduceSystem);
}
