"use strict";
/*
 * What every rank did when. time: { begin, end, names, row: [[start, length,
 * name, ...] as one flat list, starts as differences] },
 * messages and accesses (of windows): [[from, to, sent, received, bytes]],
 * collectives: [[name, first,
 * last to come, its rank, end, ranks]].
 */

/* Absolute starts, for binary search. */
function unfold(flat) {
	const n = flat.length / 3;
	const row = { from: new Float64Array(n), length: new Float64Array(n),
		name: new Int32Array(n) };
	let at = 0;
	for (let i = 0; i < n; i++) {
		at += flat[3 * i];
		row.from[i] = at;
		row.length[i] = flat[3 * i + 1];
		row.name[i] = flat[3 * i + 2];
	}
	return row;
}

/* The first that ends after t. */
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

/* Names by their time, so that the colours go to those that matter. */
function rankNames(time, rows) {
	const sum = new Float64Array(time.names.length);
	for (const r of rows)
		for (let i = 0; i < r.from.length; i++)
			sum[r.name[i]] += r.length[i];
	const order = [...sum.keys()].filter((i) => sum[i] > 0)
		.sort((a, b) => sum[b] - sum[a]);
	const place = new Int32Array(time.names.length).fill(COLOURS - 1);
	order.slice(0, COLOURS - 1).forEach((name, i) => { place[name] = i; });
	return { order, place };
}

function timeLegend(time, names) {
	const legend = el("p", { class: "legend" });
	names.order.slice(0, COLOURS - 1).forEach((n, i) => legend.append(
		el("span", {}, el("i", { style: `background:${colour(i)}` }),
			time.names[n])));
	if (names.order.length >= COLOURS)
		legend.append(el("span", {}, el("i",
			{ style: `background:${colour(COLOURS - 1)}` }), "others"));
	legend.append(el("span", {}, el("i",
		{ style: "background:var(--idle)" }), "outside MPI"));
	return legend;
}

function timeSection(time, messages, collectives, accesses, note) {
	const s = section("timeline", "Timeline", note);
	const rows = time.row.map(unfold);
	const names = rankNames(time, rows);
	/* Of many ranks several share a line; Enter gives each its own. */
	const packed = Math.ceil(rows.length / 32);
	const view = { from: time.begin, to: Math.max(time.end, time.begin + 1),
		top: 0, each: packed };
	const seen = Math.min(rows.length, 32);
	const ROW = Math.min(Math.max(Math.floor(160 / seen), 16), 40);
	const out = el("output", { "aria-live": "polite" });
	const showMessages = el("input", { type: "checkbox",
		onchange: () => picture.repaint() });
	const showColls = el("input", { type: "checkbox",
		onchange: () => picture.repaint() });
	const showAccesses = el("input", { type: "checkbox",
		onchange: () => picture.repaint() });
	const rankRow = (rank) => Math.floor(rank / view.each) - view.top;
	const lines = () => Math.ceil(rows.length / view.each);
	const LEFT = 56;
	let cursor = 0;

	function paintRow(c, r, y, high, width, inks) {
		const scale = (width - LEFT) / (view.to - view.from);
		let last = -1;
		for (let i = firstAfter(r, view.from); i < r.from.length
			&& r.from[i] < view.to; i++) {
			const x = LEFT + (r.from[i] - view.from) * scale;
			const w = r.length[i] * scale;
			if (x + w < last) /* nothing new to be seen there */
				continue;
			c.fillStyle = inks[names.place[r.name[i]]];
			const left = Math.max(x, LEFT);
			c.fillRect(left, y, Math.max(x + w - left, 0.6), high);
			last = Math.ceil(x + w);
		}
	}
	function paintLines(c, width, list, ink) {
		const at = (t) => LEFT + (t - view.from) * (width - LEFT)
			/ (view.to - view.from);
		const mid = (rank) => 20 + rankRow(rank) * ROW + ROW / 2;
		let drawn = 0;
		c.strokeStyle = inkOf(ink);
		c.lineWidth = 0.8;
		for (const [from, to, sent, got] of list) {
			if (got < view.from || sent > view.to || drawn >= 4000)
				continue;
			const a = rankRow(from), b = rankRow(to);
			if ((a < 0 && b < 0) || (a >= seen && b >= seen))
				continue;
			c.beginPath();
			c.moveTo(at(sent), mid(from));
			c.lineTo(at(got), mid(to));
			c.stroke();
			drawn++;
		}
		return drawn;
	}
	function paintColls(c, width, height) {
		const at = (t) => LEFT + (t - view.from) * (width - LEFT)
			/ (view.to - view.from);
		c.fillStyle = inkOf("--c1");
		for (const [, first, last, , end] of collectives) {
			if (end < view.from || first > view.to)
				continue;
			c.globalAlpha = 0.18;
			c.fillRect(at(first), 20, Math.max(at(end) - at(first), 1),
				height - 20);
			c.globalAlpha = 1;
			c.fillRect(at(last), 20, 1, height - 20);
		}
	}
	/* Less than a pixel is no colour that the legend has: of the ranks that
	 * share a line so many are drawn as there are pixels. */
	const drawn = () => Math.min(view.each, ROW - 3);
	function paintLine(c, k, y, width, inks) {
		const parts = drawn(), high = (ROW - 3) / parts;
		for (let m = 0; m < parts; m++) {
			const r = rows[k * view.each + Math.floor(m * view.each / parts)];
			const top = Math.round(m * high);
			if (r)
				paintRow(c, r, y + top, Math.round((m + 1) * high) - top,
					width, inks);
		}
	}
	function paintTimes(c, width) {
		const ends = ["left", "center", "center", "center", "right"];
		c.fillStyle = inkOf("--soft");
		c.fillText("rank", 4, 12);
		ends.forEach((align, i) => {
			const x = LEFT + i * (width - LEFT) / 4;
			const t = view.from + i * (view.to - view.from) / 4;
			c.textAlign = align;
			c.fillText(showTime(t - time.begin), x, 12);
			c.fillRect(Math.min(x, width - 1), 15, 1, 5);
		});
		c.textAlign = "left";
	}
	function paint(c, width, height) {
		const inks = Array.from({ length: COLOURS }, (_, i) => inkOf("--c" + i));
		c.font = "11px system-ui";
		for (let i = 0; i < seen; i++) {
			const y = 20 + i * ROW, k = i + view.top;
			c.fillStyle = inkOf("--idle");
			c.fillRect(LEFT, y, width - LEFT, ROW - 3);
			c.fillStyle = inkOf(k === cursor ? "--c1" : "--soft");
			c.fillText(String(k * view.each), 4, y + ROW / 2 + 3);
			paintLine(c, k, y, width, inks);
		}
		paintTimes(c, width);
		if (showColls.checked)
			paintColls(c, width, height);
		if (showMessages.checked)
			paintLines(c, width, messages, "--ink");
		if (showAccesses.checked)
			paintLines(c, width, accesses, "--c1");
	}
	function clamp() {
		const all = Math.max(time.end - time.begin, 1);
		let span = Math.min(Math.max(view.to - view.from, 100), all);
		view.from = Math.min(Math.max(view.from, time.begin),
			time.begin + all - span);
		view.to = view.from + span;
		view.top = Math.min(Math.max(view.top, 0),
			Math.max(lines() - seen, 0));
	}
	function zoom(factor, at) {
		view.from = at - (at - view.from) * factor;
		view.to = at + (view.to - at) * factor;
		clamp();
		picture.repaint();
	}
	const middle = () => (view.from + view.to) / 2;
	function shift(part) {
		const by = (view.to - view.from) * part;
		view.from += by;
		view.to += by;
		clamp();
		picture.repaint();
	}
	function row(step) {
		cursor = Math.min(Math.max(cursor + step, 0), lines() - 1);
		if (cursor < view.top)
			view.top = cursor;
		if (cursor >= view.top + seen)
			view.top = cursor - seen + 1;
		tell(cursor * view.each, middle());
		picture.repaint();
	}
	function open() {
		const rank = cursor * view.each;
		view.each = view.each === 1 ? packed : 1;
		cursor = Math.floor(rank / view.each);
		view.top = cursor;
		clamp();
		tell(rank, middle());
		picture.repaint();
	}
	const keys = {
		"+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()),
		"-": () => zoom(2, middle()), "0": () => zoom(1e12, middle()),
		ArrowLeft: () => shift(-0.2), ArrowRight: () => shift(0.2),
		ArrowUp: () => row(-1), ArrowDown: () => row(1),
		Enter: open, m: () => showMessages.click(), c: () => showColls.click(),
		a: () => showAccesses.click(),
	};
	function timeAt(event) {
		return view.from + (event.offsetX - LEFT) * (view.to - view.from)
			/ (picture.clientWidth - LEFT);
	}
	function tell(k, t) {
		const r = rows[k];
		const i = r ? firstAfter(r, t) : 0;
		const inside = r && i < r.from.length && r.from[i] <= t;
		out.textContent = `rank ${k} at ${showTime(t - time.begin)}: `
			+ (inside ? `${time.names[r.name[i]]}, `
				+ `${showTime(r.length[i])} from `
				+ showTime(r.from[i] - time.begin) : "outside MPI");
	}
	let drag = null;
	const picture = canvas(24 + seen * ROW, "timeline of ranks", paint);
	picture.addEventListener("keydown", (e) => {
		if (!keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	});
	picture.addEventListener("wheel", (e) => {
		e.preventDefault();
		if (e.shiftKey)
			row(Math.sign(e.deltaY));
		else
			zoom(e.deltaY > 0 ? 1.25 : 0.8, timeAt(e));
	}, { passive: false });
	picture.addEventListener("dblclick", (e) => {
		cursor = Math.min(view.top + Math.floor((e.offsetY - 20) / ROW),
			lines() - 1);
		open();
	});
	picture.addEventListener("mousedown", (e) => { drag = e.offsetX; });
	window.addEventListener("mouseup", () => { drag = null; });
	picture.addEventListener("mousemove", (e) => {
		if (drag !== null) {
			const by = (drag - e.offsetX) / (picture.clientWidth - LEFT);
			drag = e.offsetX;
			shift(by);
		}
		tell(Math.floor((view.top + (e.offsetY - 20) / ROW) * view.each),
			timeAt(e));
	});
	s.append(timeLegend(time, names),
		el("p", { class: "note" }, "+ and - (or the wheel) zoom, arrows move, "
			+ "0 shows all, m messages, c collectives, a accesses of windows."
			+ (packed > 1 ? ` ${packed} ranks share a line`
				+ (drawn() < packed ? `, and ${drawn()} of them are drawn` : "")
				+ "; Enter (or a double click) gives each its own." : "")),
		el("label", {}, showMessages, ` messages (${showCount(messages.length)})`),
		" ", el("label", {}, showColls,
			` collectives (${showCount(collectives.length)})`), " ",
		el("label", {}, showAccesses,
			` accesses of windows (${showCount(accesses.length)})`),
		picture, out);
}
