"use strict";
/* Used by all sections: creation of elements, formatting of numbers, colours. */

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attrs, parts) {
	for (const [key, value] of Object.entries(attrs || {})) {
		if (key.startsWith("on"))
			node.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined)
			node.setAttribute(key, value);
	}
	for (const part of parts)
		if (part !== null && part !== undefined)
			node.append(part);
	return node;
}

function el(tag, attrs, ...parts) {
	return fill(document.createElement(tag), attrs, parts);
}

function draw(tag, attrs, ...parts) {
	return fill(document.createElementNS(SVG, tag), attrs, parts);
}

/* Creates a section of the page with its heading and navigation entry. */
function section(id, title, note) {
	const node = el("section", { id },
		el("h2", {}, title), note ? el("p", { class: "note" }, note) : null);
	page.append(node);
	return node;
}

function navigation() {
	const nav = el("nav", { "aria-label": "parts of this page" });
	for (const s of page.querySelectorAll("section"))
		nav.append(el("a", { href: "#" + s.id },
			s.querySelector("h2").textContent), " ");
	page.querySelector("h1").after(nav);
}

function facts(list) {
	const dl = el("dl", { class: "facts" });
	for (const [name, value] of list)
		if (value !== undefined && value !== null && value !== "")
			dl.append(el("dt", {}, name), el("dd", {}, String(value)));
	return dl;
}

function scaled(x, units, step) {
	let i = 0;
	while (Math.abs(x) >= step && i + 1 < units.length) {
		x /= step;
		i++;
	}
	return Number(x.toPrecision(4)) + " " + units[i];
}

const showTime = (ps) => scaled(ps, ["ps", "ns", "us", "ms", "s"], 1000);
const showBytes = (n) => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const showCount = (n) => n.toLocaleString("en");
const showPart = (x) => (100 * x).toFixed(2) + " %";

const COLOURS = 8;
const colour = (i) => `var(--c${i % COLOURS})`;
/* Returns the value of a CSS colour variable, for a canvas. */
function inkOf(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(name).trim();
}

/* Colour scale from low to high: dark blue over grey to yellow. Lightness alone
 * distinguishes the values, also with colour vision deficiency. */
const HEAT = [[0, 32, 76], [66, 77, 108], [124, 123, 120], [187, 175, 113],
	[255, 234, 70]];
function heat(x) {
	const at = Math.min(Math.max(x, 0), 1) * (HEAT.length - 1);
	const i = Math.min(Math.floor(at), HEAT.length - 2);
	const mix = HEAT[i].map((v, k) =>
		Math.round(v + (HEAT[i + 1][k] - v) * (at - i)));
	return `rgb(${mix.join(",")})`;
}

function heatLegend(low, high) {
	const bar = el("span", {});
	for (let i = 0; i <= 20; i++)
		bar.append(el("i", { style: `background:${heat(i / 20)};margin:0;`
			+ "border-radius:0" }));
	return el("p", { class: "legend note" }, low + " ", bar, " " + high);
}

/* Creates a canvas with the resolution of the screen, drawn by paint(context,
 * width, height). */
function canvas(height, label, paint) {
	const node = el("canvas", { tabindex: 0, role: "img",
		"aria-label": label, style: `height:${height}px` });
	node.repaint = () => {
		const sharp = window.devicePixelRatio || 1;
		const width = node.clientWidth || 800;
		node.width = width * sharp;
		node.height = height * sharp;
		const c = node.getContext("2d");
		c.scale(sharp, sharp);
		c.clearRect(0, 0, width, height);
		paint(c, width, height);
	};
	window.addEventListener("resize", node.repaint);
	window.matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", node.repaint);
	requestAnimationFrame(node.repaint);
	return node;
}
