"use strict";
/* Sums of a selection of the timeline: time in each call, over all ranks. */

/* Adds the times of one rank to sum, by name. */
function addRange(r, from, to, sum) {
	for (let i = firstAfter(r, from); i < r.from.length && r.from[i] < to; i++)
		sum[r.name[i]] += Math.max(Math.min(r.from[i] + r.length[i], to)
			- Math.max(r.from[i], from), 0);
}

function rangeSums(t, from, to) {
	const sum = new Float64Array(t.time.names.length);
	for (const r of t.rows)
		addRange(r, from, to, sum);
	const all = (to - from) * t.rows.length || 1;
	const list = [...sum.keys()].filter((i) => sum[i] > 0)
		.map((i) => ({ name: t.time.names[i], ps: sum[i] }));
	const inside = list.reduce((s, x) => s + x.ps, 0);
	list.push({ name: "outside MPI", ps: Math.max(all - inside, 0) });
	return list.map((x) => ({ ...x, part: x.ps / all }));
}

function rangeTable(t) {
	const [from, to] = t.select;
	return el("div", { class: "range" }, el("p", { class: "note" },
		`Selected: ${showTime(from - t.time.begin)} to `
		+ `${showTime(to - t.time.begin)}, ${showTime(to - from)}. Time of all `
		+ `${t.rows.length} ranks in it:`),
	table([{ name: "call", text: true, value: (x) => x.name },
		{ name: "time", value: (x) => x.ps, show: (x) => showTime(x.ps) },
		{ name: "part", value: (x) => x.part, show: (x) => showPart(x.part) },
	], rangeSums(t, from, to), 1));
}
