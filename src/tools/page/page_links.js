"use strict";
/*
 * Links in the topology of the machine: every node or switch is a cell, whose
 * colour is the load of its busiest link (or of one class). A torus is drawn as
 * slices of its two largest dimensions, a tree as its levels.
 *
 * links: { time_ps, classes: [{ name, links, used, packets, bytes, busy, most
 * }], link: [[node, class, packets, bytes, busy_ps, queued_ps, and for a link
 * affected by a fault plan bad, detours, retry_ps, dead]], idle: number of links
 * that are not listed }.
 */
const CELL = 13;

/* Returns the position of a node, from its name: (0,1,2) or level 2 switch 5. */
function placeOf(name) {
	const numbers = (name.match(/\d+/g) || []).map(Number);
	if (name.startsWith("("))
		return { at: numbers };
	return name.startsWith("level")
		? { level: numbers[0], at: numbers.slice(1) }
		: { level: 0, at: numbers };
}

/* Groups the links by node. */
function gatherPlaces(links) {
	const places = new Map();
	for (const [name, cls, packets, bytes, busy, queued, bad, detours, retry,
		dead] of links.link) {
		if (!places.has(name))
			places.set(name, { name, ...placeOf(name), links: [] });
		places.get(name).links.push({ cls, packets, bytes, busy, queued, bad,
			detours, retry, dead });
	}
	return [...places.values()];
}

/* Returns the slices of a torus: [{ title, cells: [{ row, col, place }] }]. */
function cutTorus(places) {
	const dims = Math.max(...places.map((p) => p.at.length));
	const size = Array.from({ length: dims }, (_, d) =>
		1 + Math.max(...places.map((p) => p.at[d] || 0)));
	const order = size.map((n, d) => d).sort((a, b) => size[b] - size[a]);
	const [col, row] = [order[0], order[1]];
	const rest = size.map((n, d) => d).filter((d) => d !== col && d !== row);
	const slices = new Map();

	for (const p of places) {
		const key = rest.map((d) => dimName(d) + p.at[d]).join(" ");
		if (!slices.has(key))
			slices.set(key, { title: key, cells: [] });
		slices.get(key).cells.push({ row: row === undefined ? 0 : p.at[row],
			col: p.at[col], place: p });
	}
	const across = `${dimName(col)} across`
		+ (row === undefined ? "" : `, ${dimName(row)} down`);
	return { slices: [...slices.values()].sort((a, b) =>
		a.title.localeCompare(b.title, "en", { numeric: true })), across };
}

const dimName = (d) => String.fromCharCode(65 + d);

function cutTree(places) {
	const levels = new Map();
	for (const p of places) {
		if (!levels.has(p.level))
			levels.set(p.level, []);
		levels.get(p.level).push(p);
	}
	const slices = [...levels.keys()].sort((a, b) => b - a).map((level) => ({
		title: level ? `level ${level}` : "nodes",
		cells: levels.get(level)
			.sort((a, b) => a.at[0] - b.at[0])
			.map((place, i) => ({ row: Math.floor(i / 64), col: i % 64,
				place })),
	}));
	return { slices, across: "levels from the top, 64 in a row" };
}

function loadOf(place, cls, time) {
	const list = place.links.filter((l) => !cls || l.cls === cls);
	return list.reduce((most, l) => Math.max(most, l.busy), 0) / time;
}

function queueText(l, time) {
	return l.queued ? `, ${(l.queued / time).toFixed(3)} packets wait` : "";
}

function harmText(l) {
	return (l.dead ? ", dead" : "")
		+ (l.bad ? `, ${showCount(l.bad)} bad packets` : "")
		+ (l.detours ? `, ${showCount(l.detours)} detours` : "");
}

const isHarmed = (place, cls) => place.links.some((l) =>
	(!cls || l.cls === cls) && (l.dead || l.bad));

function cellText(place, cls, time) {
	const list = place.links.filter((l) => !cls || l.cls === cls);
	return place.name + ": " + list.map((l) => `${l.cls} `
		+ `${showPart(l.busy / time)}, ${showCount(l.packets)} packets, `
		+ showBytes(l.bytes) + queueText(l, time) + harmText(l)).join("; ");
}

function drawSlice(slice, cls, time, most, out) {
	const cols = 1 + Math.max(...slice.cells.map((c) => c.col));
	const rows = 1 + Math.max(...slice.cells.map((c) => c.row));
	const g = draw("svg", { width: cols * CELL, height: rows * CELL,
		role: "img", "aria-label": slice.title });

	for (const c of slice.cells) {
		const text = cellText(c.place, cls, time);
		g.append(draw("rect", { x: c.col * CELL, y: c.row * CELL,
			width: CELL - 1, height: CELL - 1,
			fill: heat(loadOf(c.place, cls, time) / (most || 1)),
			onmouseenter: () => { out.textContent = text; } },
		draw("title", {}, text)));
		if (isHarmed(c.place, cls))
			g.append(draw("path", { class: "harm", d: `M${c.col * CELL + 2} `
				+ `${c.row * CELL + 2}l${CELL - 5} ${CELL - 5}m0 `
				+ `${5 - CELL}l${5 - CELL} ${CELL - 5}` }));
	}
	return el("figure", {}, el("figcaption", {}, slice.title), g);
}

function linkPicture(links) {
	const places = gatherPlaces(links);
	const time = links.time_ps || 1;
	const torus = places.every((p) => p.level === undefined);
	const { slices, across } = torus ? cutTorus(places) : cutTree(places);
	const area = el("div", { class: "plots scroll", tabindex: 0 });
	const out = el("output", {});
	const choice = el("select", { onchange: refresh },
		el("option", { value: "" }, "busiest link of each"),
		...links.classes.map((c) => el("option", { value: c.name }, c.name)));
	const scale = el("div");

	function refresh() {
		const cls = choice.value;
		const most = Math.max(...places.map((p) => loadOf(p, cls, time)));
		area.replaceChildren(...slices.map((s) =>
			drawSlice(s, cls, time, most, out)));
		scale.replaceChildren(heatLegend("idle", showPart(most) + " busy"));
	}
	refresh();
	return el("div", { class: "links" }, el("label", {}, "links: ", choice),
		el("p", { class: "note" }, across
			+ (links.idle ? `; ${showCount(links.idle)} idle links are `
				+ "not drawn" : "")), scale, area, out);
}

function linkTables(links) {
	const time = links.time_ps || 1;
	const busiest = [...links.link].sort((a, b) => b[4] - a[4]).slice(0, 20);
	return el("div", {},
		table([{ name: "class", text: true, value: (c) => c.name },
			{ name: "links", value: (c) => c.links, show: (c) => showCount(c.links) },
			{ name: "used", value: (c) => c.used || 0,
				show: (c) => c.used === undefined ? "" : showCount(c.used) },
			{ name: "packets", value: (c) => c.packets, show: (c) => showCount(c.packets) },
			{ name: "bytes", value: (c) => c.bytes, show: (c) => showBytes(c.bytes) },
			{ name: "busy, mean", value: (c) => c.busy, show: (c) => showPart(c.busy) },
			{ name: "busy, most", value: (c) => c.most, show: (c) => showPart(c.most) },
			{ name: "queued, mean", value: (c) => c.queued || 0,
				show: (c) => c.queued === undefined ? "" : c.queued.toFixed(3) },
		], links.classes),
		el("details", {}, el("summary", {}, "the busiest links"),
			table([{ name: "from", text: true, value: (l) => l[0] },
				{ name: "link", text: true, value: (l) => l[1] },
				{ name: "busy", value: (l) => l[4], show: (l) => showPart(l[4] / time) },
				{ name: "packets", value: (l) => l[2], show: (l) => showCount(l[2]) },
				{ name: "bytes", value: (l) => l[3], show: (l) => showBytes(l[3]) },
				{ name: "waiting", value: (l) => l[5] || 0,
					show: (l) => ((l[5] || 0) / time).toFixed(3) },
			], busiest)));
}

function linkSection(links, note) {
	const s = section("links", "Links", note);
	if (links.link.length)
		s.append(linkPicture(links));
	s.append(linkTables(links));
}

/* Shows the effects of a fault plan. faults: [[kind, count]]. */
function faultSection(faults, links) {
	const s = section("faults", "Faults",
		"Effects of the fault plan; affected links have a cross in "
		+ "the picture of the links.");
	const harmed = links ? links.link.filter((l) => l.length > 6) : [];
	s.append(table([{ name: "what", text: true, value: (f) => f[0] },
		{ name: "count", value: (f) => f[1],
			show: (f) => showCount(f[1]) }], faults));
	if (harmed.length)
		s.append(table([{ name: "from", text: true, value: (l) => l[0] },
			{ name: "link", text: true, value: (l) => l[1] },
			{ name: "state", text: true, value: (l) => l[9] ? "dead" : "" },
			{ name: "bad packets", value: (l) => l[6] },
			{ name: "detours", value: (l) => l[7] },
			{ name: "retry time", value: (l) => l[8],
				show: (l) => showTime(l[8]) },
		], harmed.slice(0, 1000), 3));
}
