"use strict";
/*
 * A table that is sorted by clicking the name of a column. columns: { name,
 * text: left-aligned, value(row): sort key, show(row): displayed text }.
 */
function table(columns, rows, sortBy, rising) {
	const body = el("tbody");
	const heads = columns.map((c, i) => el("th",
		{ scope: "col", class: c.text ? "text" : null },
		el("button", { type: "button", onclick: () => sort(i) }, c.name)));
	let order = sortBy === undefined ? -1 : sortBy;
	let up = !!rising;

	function cell(c, row) {
		const seen = (c.show || c.value)(row);
		return el("td", { class: c.text ? "text" : null },
			seen instanceof Node ? seen : String(seen));
	}
	function compare(a, b) {
		const x = columns[order].value(a), y = columns[order].value(b);
		const sign = typeof x === "string" ? x.localeCompare(y) : x - y;
		return up ? sign : -sign;
	}
	function refresh() {
		const sorted = order < 0 ? rows : [...rows].sort(compare);
		body.replaceChildren(...sorted.map((row) => el("tr", {},
			...columns.map((c) => cell(c, row)))));
		heads.forEach((h, i) => h.setAttribute("aria-sort",
			i !== order ? "none" : up ? "ascending" : "descending"));
	}
	function sort(i) {
		up = order === i ? !up : !!columns[i].text;
		order = i;
		refresh();
	}
	refresh();
	return el("div", { class: "scroll", tabindex: 0 },
		el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
}
