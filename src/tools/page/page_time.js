"use strict";
/*
 * Timeline of the calls of each rank. time: { begin, end, names, open: ranks
 * whose last call did not end, row: [[start, length, name, ...] as one flat list,
 * starts as differences] }, messages and accesses (of windows): [[from, to, sent,
 * received, bytes]], collectives: [[name, first start, last start, last rank, end,
 * ranks]]. page_timepaint.js draws it, page_timesum.js sums a selection.
 */

/* Converts starts to absolute times, for binary search. */
function unfold(flat) {
	const n = flat.length / 3;
	const row = { from: new Float64Array(n), length: new Float64Array(n),
		name: new Int32Array(n), open: 0 };
	let at = 0;
	for (let i = 0; i < n; i++) {
		at += flat[3 * i];
		row.from[i] = at;
		row.length[i] = flat[3 * i + 1];
		row.name[i] = flat[3 * i + 2];
	}
	return row;
}

/* Returns the index of the first call that does not end before t. */
function firstAfter(row, t) {
	let low = 0, high = row.from.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (row.from[mid] + row.length[mid] < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Sorts names by their total time: the longest get the colours. */
function rankNames(time, rows) {
	const sum = new Float64Array(time.names.length);
	for (const r of rows)
		for (let i = 0; i < r.from.length; i++)
			sum[r.name[i]] += r.length[i] + (i >= r.from.length - r.open);
	const order = [...sum.keys()].filter((i) => sum[i] > 0)
		.sort((a, b) => sum[b] - sum[a]);
	const place = new Int32Array(time.names.length).fill(COLOURS - 1);
	order.slice(0, COLOURS - 1).forEach((name, i) => { place[name] = i; });
	return { order, place };
}

const legendEntry = (style, text) =>
	el("span", {}, el("i", { style: `background:${style}` }), text);

function timeLegend(t) {
	const order = t.names.order;
	const legend = el("p", { class: "legend" });
	order.slice(0, COLOURS - 1).forEach((n, i) =>
		legend.append(legendEntry(colour(i), t.time.names[n])));
	if (order.length >= COLOURS)
		legend.append(legendEntry(colour(COLOURS - 1), "others"));
	legend.append(legendEntry("var(--idle)", "outside MPI"));
	if (t.right)
		legend.append(legendEntry("repeating-linear-gradient(135deg,"
			+ "var(--soft) 0 3px,var(--paper) 3px 5px)",
		"not completed when the job ended"));
	return legend;
}

/* Shows the calls that were open at the end of the run, the last start first. */
function openTable(t) {
	const rows = t.rows.flatMap((r, rank) => Array.from({ length: r.open },
		(_, k) => ({ rank, i: r.from.length - 1 - k, r })));
	return el("div", {}, el("h3", {}, "Calls that were not completed"),
		table([{ name: "rank", value: (x) => x.rank },
			{ name: "call", text: true,
				value: (x) => t.time.names[x.r.name[x.i]] },
			{ name: "entered at", value: (x) => x.r.from[x.i],
				show: (x) => showTime(x.r.from[x.i] - t.time.begin) },
			{ name: "until the end", value: (x) => x.r.length[x.i],
				show: (x) => showTime(x.r.length[x.i]) }], rows, 2));
}

/* ---- the visible part ---------------------------------------------------- */

const timeLines = (t) => Math.ceil(t.rows.length / t.view.each);
const timeMiddle = (t) => (t.view.from + t.view.to) / 2;

function clampView(t) {
	const all = Math.max(t.time.end - t.time.begin, 1), v = t.view;
	const span = Math.min(Math.max(v.to - v.from, 100), all);
	v.from = Math.min(Math.max(v.from, t.time.begin),
		t.time.begin + all - span);
	v.to = v.from + span;
	v.top = Math.min(Math.max(v.top, 0), Math.max(timeLines(t) - t.seen, 0));
	t.picture.repaint();
}

function zoomTime(t, factor, at) {
	t.view.from = at - (at - t.view.from) * factor;
	t.view.to = at + (t.view.to - at) * factor;
	clampView(t);
}

function shiftTime(t, part) {
	const by = (t.view.to - t.view.from) * part;
	t.view.from += by;
	t.view.to += by;
	clampView(t);
}

function moveLine(t, step) {
	t.cursor = Math.min(Math.max(t.cursor + step, 0), timeLines(t) - 1);
	if (t.cursor < t.view.top)
		t.view.top = t.cursor;
	if (t.cursor >= t.view.top + t.seen)
		t.view.top = t.cursor - t.seen + 1;
	tellCall(t, t.cursor * t.view.each, timeMiddle(t));
	t.picture.repaint();
}

/* Toggles between one line per rank and several ranks per line. */
function openLines(t) {
	const rank = t.cursor * t.view.each;
	t.view.each = t.view.each === 1 ? t.packed : 1;
	t.cursor = Math.floor(rank / t.view.each);
	t.view.top = t.cursor;
	clampView(t);
	tellCall(t, rank, timeMiddle(t));
	t.help.textContent = timeHelp(t);
}

function tellCall(t, k, at) {
	const r = t.rows[k];
	const i = r ? firstAfter(r, at) : 0;
	const inside = r && i < r.from.length && r.from[i] <= at;
	t.out.textContent = `rank ${k} at ${showTime(at - t.time.begin)}: `
		+ (inside ? `${t.time.names[r.name[i]]}, `
			+ `${showTime(r.length[i])} from `
			+ showTime(r.from[i] - t.time.begin)
			+ (i >= r.from.length - r.open ? ", not completed" : "")
			: "outside MPI");
}

/* ---- selection ----------------------------------------------------------- */

function selectTime(t, from, to) {
	t.select = from === null ? null : [Math.max(Math.min(from, to), t.time.begin),
		Math.min(Math.max(from, to), t.time.end)];
	t.range.replaceChildren(...(t.select ? [rangeTable(t), el("p", {},
		el("button", { type: "button", onclick: () => zoomToSelection(t) },
			"zoom to the selection (z)"), " ",
		el("button", { type: "button", onclick: () => selectTime(t, null) },
			"clear it (Escape)"))] : []));
	t.picture.repaint();
}

function zoomToSelection(t) {
	if (!t.select)
		return;
	[t.view.from, t.view.to] = t.select;
	clampView(t);
}

/* ---- keys and the mouse -------------------------------------------------- */

function timeHelp(t) {
	const shared = t.packed > 1 && t.view.each > 1
		? ` ${t.packed} ranks share a line` + (ranksDrawn(t) < t.packed
			? `, and ${ranksDrawn(t)} of them are drawn` : "")
			+ "; Enter or a double click gives each its own." : "";
	const own = t.packed > 1 && t.view.each === 1
		? ` Each rank has its own line; Enter or a double click puts `
			+ `${t.packed} on one again.` : "";
	return "Dragging selects a range and sums its calls; z zooms to it, s selects "
		+ "what is shown, Escape clears it. + and - or the wheel zoom, arrows or "
		+ "shift and drag move, 0 shows all. m: messages, c: collectives, "
		+ "a: accesses of windows." + shared + own;
}

function timeKeys(t) {
	const half = () => zoomTime(t, 0.5, timeMiddle(t));
	return { "+": half, "=": half,
		"-": () => zoomTime(t, 2, timeMiddle(t)),
		"0": () => zoomTime(t, 1e12, timeMiddle(t)),
		ArrowLeft: () => shiftTime(t, -0.2),
		ArrowRight: () => shiftTime(t, 0.2),
		ArrowUp: () => moveLine(t, -1), ArrowDown: () => moveLine(t, 1),
		Enter: () => openLines(t), z: () => zoomToSelection(t),
		s: () => selectTime(t, t.view.from, t.view.to),
		Escape: () => selectTime(t, null),
		m: () => t.shows.messages.click(),
		c: () => t.shows.collectives.click(),
		a: () => t.shows.accesses.click() };
}

const timeAt = (t, x) => t.view.from + (x - LEFT)
	* (t.view.to - t.view.from) / areaWidth(t, t.picture.clientWidth);

/* Handles dragging: selects a range, or pans with shift. */
function timeDrags(t) {
	let drag = null;
	t.picture.addEventListener("mousedown", (e) => {
		drag = { x: e.offsetX, at: timeAt(t, e.offsetX), shift: e.shiftKey };
	});
	t.picture.addEventListener("mousemove", (e) => {
		if (drag && drag.shift) {
			shiftTime(t, (drag.x - e.offsetX)
				/ areaWidth(t, t.picture.clientWidth));
			drag.x = e.offsetX;
		} else if (drag && Math.abs(e.offsetX - drag.x) > 3) {
			drag.moved = true;
			t.select = [drag.at, timeAt(t, e.offsetX)].sort((a, b) => a - b);
			t.picture.repaint();
		}
		tellCall(t, Math.floor((t.view.top + (e.offsetY - TOP) / t.high)
			* t.view.each), timeAt(t, e.offsetX));
	});
	window.addEventListener("mouseup", () => {
		if (drag && drag.moved)
			selectTime(t, ...t.select);
		drag = null;
	});
}

function timeEvents(t) {
	const keys = timeKeys(t);
	t.picture.addEventListener("keydown", (e) => {
		if (!keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	});
	t.picture.addEventListener("wheel", (e) => {
		e.preventDefault();
		if (e.shiftKey)
			moveLine(t, Math.sign(e.deltaY));
		else
			zoomTime(t, e.deltaY > 0 ? 1.25 : 0.8, timeAt(t, e.offsetX));
	}, { passive: false });
	t.picture.addEventListener("dblclick", (e) => {
		t.cursor = Math.min(t.view.top
			+ Math.floor((e.offsetY - TOP) / t.high), timeLines(t) - 1);
		openLines(t);
	});
	timeDrags(t);
}

/* Creates the state of the timeline. With many ranks, several share a line. */
function timeState(time, lists) {
	const rows = time.row.map(unfold);
	const packed = Math.ceil(rows.length / 32);
	const seen = Math.min(rows.length, 32);
	const box = () => el("input", { type: "checkbox",
		onchange: () => t.picture.repaint() });
	for (const rank of time.open || [])
		rows[rank].open++;
	const t = { time, lists, rows, packed, seen, cursor: 0, select: null,
		names: rankNames(time, rows), right: time.open ? 14 : 0,
		high: Math.min(Math.max(Math.floor(160 / seen), 16), 40),
		view: { from: time.begin, to: Math.max(time.end, time.begin + 1),
			top: 0, each: packed },
		shows: { messages: box(), collectives: box(), accesses: box() },
		out: el("output", { "aria-live": "polite" }),
		help: el("p", { class: "note" }), range: el("div") };
	return t;
}

function timeSection(time, lists) {
	const s = section("timeline", "Timeline", time.note);
	const t = timeState(time, lists);
	const choice = (box, text, list) => el("label", {}, box,
		` ${text} (${showCount(list.length)}) `);
	t.picture = canvas(TOP + 4 + t.seen * t.high, "timeline of ranks",
		(c, width) => paintTimeline(c, t, width));
	t.help.textContent = timeHelp(t);
	timeEvents(t);
	s.append(timeLegend(t), t.help,
		choice(t.shows.messages, "messages", lists.messages),
		choice(t.shows.collectives, "collectives", lists.collectives),
		choice(t.shows.accesses, "accesses of windows", lists.accesses),
		t.picture, t.out, t.range);
	if (t.right)
		s.append(openTable(t));
}
