"use strict";
/*
 * Class routes as trees, the root on top. routes: [{ first, members, opened,
 * tree: [[node, index of its parent or -1, ranks on the node]] }].
 */
const LEAF = 11, STEP = 26;

/* Returns the children of each node, and the root. */
function growTree(tree) {
	const below = tree.map(() => []);
	let root = 0;
	tree.forEach(([, parent], i) => {
		if (parent < 0)
			root = i;
		else if (below[parent])
			below[parent].push(i);
	});
	return { below, root };
}

/* Computes the positions, depth first from left to right by leaves; without
 * recursion, since a chain of nodes may be long. */
function layTree(tree) {
	const { below, root } = growTree(tree);
	const at = tree.map(() => null);
	const order = [], todo = [[root, 0]];
	let leaves = 0, depth = 0;

	while (todo.length) {
		const [i, level] = todo.pop();
		at[i] = { x: 0, level };
		depth = Math.max(depth, level);
		order.push(i);
		for (const child of [...below[i]].reverse())
			if (!at[child])
				todo.push([child, level + 1]);
	}
	for (const i of order)
		if (!below[i].length)
			at[i].x = leaves++;
	for (const i of order.reverse())
		if (below[i].length)
			at[i].x = below[i].reduce((sum, c) => sum + at[c].x, 0)
				/ below[i].length;
	return { at, leaves, depth };
}

function treePicture(route, out) {
	const { at, leaves, depth } = layTree(route.tree);
	const x = (p) => 8 + p.x * LEAF, y = (p) => 10 + p.level * STEP;
	const g = draw("svg", { width: 16 + leaves * LEAF,
		height: 20 + depth * STEP, role: "img", "aria-label":
		`tree of ${route.tree.length} nodes, ${depth} steps deep` });

	route.tree.forEach(([, parent], i) => {
		if (at[i] && at[parent])
			g.append(draw("line", { x1: x(at[i]), y1: y(at[i]),
				x2: x(at[parent]), y2: y(at[parent]), class: "axis" }));
	});
	route.tree.forEach(([node, , ranks], i) => {
		if (!at[i])
			return;
		const text = `${node}: ${ranks} member${ranks === 1 ? "" : "s"}`;
		g.append(draw("circle", { cx: x(at[i]), cy: y(at[i]), r: 4,
			fill: colour(ranks ? 0 : 7),
			onmouseenter: () => { out.textContent = text; } },
		draw("title", {}, text)));
	});
	return el("div", { class: "scroll", tabindex: 0 }, g);
}

function treeTable(route) {
	const name = (i) => route.tree[i] ? route.tree[i][0] : "root";
	return el("details", {}, el("summary", {}, "as a table"),
		table([{ name: "node", text: true, value: (b) => b[0] },
			{ name: "parent", text: true, value: (b) => name(b[1]) },
			{ name: "members", value: (b) => b[2] }], route.tree));
}

function routeSection(routes) {
	const s = section("routes", "Class routes",
		"Trees of the network that combine towards the root and distribute "
		+ "towards the leaves. Grey: a switch or node without a member.");
	routes.forEach((r, i) => {
		const out = el("output", {});
		const { depth } = layTree(r.tree);
		s.append(el("details", i ? {} : { open: "" }, el("summary", {},
			`${r.members} ranks from rank ${r.first} on, `
			+ `${r.tree.length} nodes, ${depth} deep, opened at `
			+ showTime(r.opened - data.time.begin)),
		treePicture(r, out), out, treeTable(r)));
	});
}
