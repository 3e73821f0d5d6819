"use strict";
/*
 * Communication matrix. matrix: { ranks, group: ranks per row or column,
 * entry: [[from, to, messages, bytes]] by group }.
 */
function matrixSection(matrix) {
	const s = section("matrix", "Communication matrix",
		"Rows send, columns receive. Arrow keys move the cursor."
		+ (matrix.group > 1 ? ` A cell stands for ${matrix.group} by `
			+ `${matrix.group} ranks.` : ""));
	const size = Math.ceil(matrix.ranks / matrix.group);
	const what = el("select", { onchange: () => picture.repaint() },
		el("option", { value: 3 }, "bytes"),
		el("option", { value: 2 }, "messages"));
	const out = el("output", { "aria-live": "polite" });
	const cells = new Map(matrix.entry.map((e) => [e[0] * size + e[1], e]));
	const cursor = { row: 0, col: 0 };
	const LEFT = 44, TOP = 18;
	const edge = (width) => Math.min((width - LEFT) / size, 560 / size, 48);

	function most() {
		return Math.max(1, ...matrix.entry.map((e) => e[what.value]));
	}
	/* Draws rank numbers left of rows and above columns, as many as fit. */
	function paintNumbers(c, step) {
		let every = 1;
		while (every * step < 34)
			every *= 2;
		c.fillStyle = inkOf("--soft");
		c.font = "11px system-ui";
		for (let i = 0; i < size; i += every) {
			const text = String(i * matrix.group);
			const at = (i + 0.5) * step;
			c.textAlign = "right";
			c.fillText(text, LEFT - 5, TOP + at + 4);
			c.textAlign = "center";
			c.fillText(text, LEFT + at, TOP - 5);
		}
	}
	function paint(c, width) {
		const step = edge(width), top = Math.log(1 + most());
		paintNumbers(c, step);
		c.translate(LEFT, TOP);
		for (const e of matrix.entry) {
			c.fillStyle = heat(Math.log(1 + e[what.value]) / top);
			c.fillRect(e[1] * step, e[0] * step, Math.max(step - 0.5, 0.5),
				Math.max(step - 0.5, 0.5));
		}
		c.strokeStyle = inkOf("--c1");
		c.lineWidth = 2;
		c.strokeRect(cursor.col * step, cursor.row * step, step, step);
	}
	function tell() {
		const e = cells.get(cursor.row * size + cursor.col);
		const name = (i) => matrix.group === 1 ? `rank ${i}`
			: `ranks ${i * matrix.group} to `
				+ (Math.min((i + 1) * matrix.group, matrix.ranks) - 1);
		out.textContent = `${name(cursor.row)} to ${name(cursor.col)}: `
			+ (e ? `${showCount(e[2])} messages, ${showBytes(e[3])}`
				: "nothing");
		picture.repaint();
	}
	function move(event) {
		const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0],
			ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
		if (!step)
			return;
		event.preventDefault();
		cursor.row = Math.min(Math.max(cursor.row + step[0], 0), size - 1);
		cursor.col = Math.min(Math.max(cursor.col + step[1], 0), size - 1);
		tell();
	}
	function point(event) {
		const step = edge(picture.clientWidth);
		const row = Math.floor((event.offsetY - TOP) / step);
		const col = Math.floor((event.offsetX - LEFT) / step);
		if (row < 0 || col < 0 || row >= size || col >= size)
			return;
		Object.assign(cursor, { row, col });
		tell();
	}
	const full = Math.ceil(edge(1e9) * size) + 4;
	const picture = canvas(TOP + full, "communication matrix", paint);
	picture.style.width = `min(100%, ${LEFT + full}px)`;
	picture.addEventListener("keydown", move);
	picture.addEventListener("mousemove", point);
	s.append(el("label", {}, "show: ", what),
		heatLegend("little", "much (logarithmic)"), picture, out);
}
