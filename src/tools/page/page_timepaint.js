"use strict";
/*
 * Draws the timeline. t: state of page_time.js: rows, names, view { from, to,
 * top: first line, each: ranks per line }, seen: visible lines, high: height of a
 * line in pixels, right: margin for open calls, select: [from, to] or null.
 */
const LEFT = 56, TOP = 20;

/* Width of the area of the lines, and pixel position of a time. */
const areaWidth = (t, width) => width - LEFT - t.right;
const xOf = (t, width, time) => LEFT + (time - t.view.from)
	* areaWidth(t, width) / (t.view.to - t.view.from);
const lineOf = (t, rank) => Math.floor(rank / t.view.each) - t.view.top;

/* Returns round times: 1, 2 or 5 times a power of ten, at most one per 90 pixels. */
function roundTimes(from, to, pixels) {
	const rough = (to - from) / Math.max(pixels / 90, 1);
	const ten = Math.pow(10, Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= rough);
	const list = [];
	for (let i = Math.ceil(from / step); i * step <= to; i++)
		list.push(i * step);
	return list;
}

function paintTimes(c, t, width) {
	const zero = t.time.begin;
	c.fillStyle = inkOf("--soft");
	c.fillText("rank", 4, 12);
	for (const at of roundTimes(t.view.from - zero, t.view.to - zero,
		areaWidth(t, width))) {
		const x = xOf(t, width, at + zero), text = showTime(at);
		c.textAlign = x > width - c.measureText(text).width / 2 ? "right"
			: "center";
		c.fillText(text, Math.max(x, LEFT + 8), 12);
		c.fillRect(Math.min(x, width - 1), 15, 1, 5);
	}
	c.textAlign = "left";
}

/* Draws the hatching of an open call. */
function paintOpen(c, x, y, w, high) {
	c.save();
	c.beginPath();
	c.rect(x, y, w, high);
	c.clip();
	c.strokeStyle = inkOf("--paper");
	c.lineWidth = 1.5;
	for (let k = x - high; k < x + w; k += 6) {
		c.beginPath();
		c.moveTo(k, y + high);
		c.lineTo(k + high, y);
		c.stroke();
	}
	c.restore();
}

/* Draws the name without MPI_, if it fits. */
function paintName(c, name, x, y, w, high) {
	const text = name.replace(/^MPI_/, "");
	if (high < 11 || w < 20 || c.measureText(text).width > w - 6)
		return;
	c.fillStyle = inkOf("--paper");
	c.fillText(text, x + 3, y + high / 2 + 4);
}

/* Draws a call; an open call extends into the margin. */
function paintCall(c, t, r, i, x, w, y, high, inks) {
	const left = Math.max(x, LEFT);
	const open = i >= r.from.length - r.open;
	const end = Math.max(x + w + (open ? t.right : 0), left + 0.6);
	c.fillStyle = inks[t.names.place[r.name[i]]];
	c.fillRect(left, y, end - left, high);
	if (open)
		paintOpen(c, left, y, end - left, high);
	paintName(c, t.time.names[r.name[i]], left, y,
		Math.min(end, LEFT + t.width) - left, high);
}

function paintRank(c, t, r, y, high, width, inks) {
	const scale = areaWidth(t, width) / (t.view.to - t.view.from);
	let last = -1;
	for (let i = firstAfter(r, t.view.from); i < r.from.length
		&& r.from[i] <= t.view.to; i++) {
		const x = xOf(t, width, r.from[i]), w = r.length[i] * scale;
		if (x + w < last && i < r.from.length - r.open)
			continue; /* this pixel is already drawn */
		paintCall(c, t, r, i, x, w, y, high, inks);
		last = Math.ceil(x + w);
	}
}

/* Of the ranks that share a line, only as many are drawn as the line has pixels:
 * thinner ranks would mix to a colour that is not in the legend. */
const ranksDrawn = (t) => Math.min(t.view.each, t.high - 3);

function paintLine(c, t, k, y, width, inks) {
	const parts = ranksDrawn(t), high = (t.high - 3) / parts;
	for (let m = 0; m < parts; m++) {
		const r = t.rows[k * t.view.each + Math.floor(m * t.view.each / parts)];
		const top = Math.round(m * high);
		if (r)
			paintRank(c, t, r, y + top, Math.round((m + 1) * high) - top,
				width, inks);
	}
}

function paintMessages(c, t, width, list, ink) {
	const mid = (rank) => TOP + lineOf(t, rank) * t.high + t.high / 2;
	let drawn = 0;
	c.strokeStyle = inkOf(ink);
	c.lineWidth = 0.8;
	for (const [from, to, sent, got] of list) {
		if (got < t.view.from || sent > t.view.to || drawn >= 4000)
			continue;
		const a = lineOf(t, from), b = lineOf(t, to);
		if ((a < 0 && b < 0) || (a >= t.seen && b >= t.seen))
			continue;
		c.beginPath();
		c.moveTo(xOf(t, width, sent), mid(from));
		c.lineTo(xOf(t, width, got), mid(to));
		c.stroke();
		drawn++;
	}
}

function paintColls(c, t, width, list) {
	const high = t.seen * t.high;
	c.fillStyle = inkOf("--c1");
	for (const [, first, last, , end] of list) {
		if (end < t.view.from || first > t.view.to)
			continue;
		const x = xOf(t, width, first);
		c.globalAlpha = 0.18;
		c.fillRect(x, TOP, Math.max(xOf(t, width, end) - x, 1), high);
		c.globalAlpha = 1;
		c.fillRect(xOf(t, width, last), TOP, 1, high);
	}
}

function paintSelection(c, t, width) {
	if (!t.select)
		return;
	const x = xOf(t, width, t.select[0]);
	const w = Math.max(xOf(t, width, t.select[1]) - x, 1);
	c.globalAlpha = 0.2;
	c.fillStyle = inkOf("--ink");
	c.fillRect(x, TOP, w, t.seen * t.high);
	c.globalAlpha = 1;
	c.strokeStyle = inkOf("--ink");
	c.strokeRect(x, TOP, w, t.seen * t.high);
}

function paintLabels(c, t) {
	for (let i = 0; i < t.seen; i++) {
		const k = i + t.view.top;
		c.fillStyle = inkOf(k === t.cursor ? "--c1" : "--soft");
		c.fillText(String(k * t.view.each), 4, TOP + i * t.high
			+ t.high / 2 + 3);
	}
}

function paintTimeline(c, t, width) {
	const inks = Array.from({ length: COLOURS }, (_, i) => inkOf("--c" + i));
	t.width = areaWidth(t, width) + t.right;
	c.font = "11px system-ui";
	paintLabels(c, t);
	paintTimes(c, t, width);
	c.save(); /* clip: do not draw over the rank numbers */
	c.beginPath();
	c.rect(LEFT, TOP, width - LEFT, t.seen * t.high);
	c.clip();
	for (let i = 0; i < t.seen; i++) {
		const y = TOP + i * t.high;
		c.fillStyle = inkOf("--idle");
		c.fillRect(LEFT, y, areaWidth(t, width), t.high - 3);
		paintLine(c, t, i + t.view.top, y, width, inks);
	}
	if (t.shows.collectives.checked)
		paintColls(c, t, width, t.lists.collectives);
	if (t.shows.messages.checked)
		paintMessages(c, t, width, t.lists.messages, "--ink");
	if (t.shows.accesses.checked)
		paintMessages(c, t, width, t.lists.accesses, "--c1");
	paintSelection(c, t, width);
	c.restore();
}
