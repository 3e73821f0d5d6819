"use strict";
/*
 * Wait states, and the chain of waits. waits: { classes: names, rank:
 * [[ps by class] by rank], call: [[name, ps by class ...]] }; chain: parts from
 * the start to the end { rank, from, length, via, call, peer, other, outside };
 * chain_sum: [[call, via, ps]]; chain_rank: [[rank, ps of work of the rank]].
 */
const sumOf = (list) => list.reduce((sum, x) => sum + x, 0);

/* Returns the classes with nonzero time, as columns. */
function classColumns(waits, of) {
	const used = waits.classes.map((_, k) => k)
		.filter((k) => waits.rank.some((r) => r[k] > 0));
	return used.map((k) => ({ name: waits.classes[k],
		value: (x) => of(x)[k], show: (x) => of(x)[k]
			? showTime(of(x)[k]) : "" }));
}

function classTable(waits) {
	const span = (data.time.end - data.time.begin) * waits.rank.length || 1;
	const rows = waits.classes.map((name, k) => {
		const times = waits.rank.map((r) => r[k]);
		const most = Math.max(...times);
		return { name, ps: sumOf(times), most, rank: times.indexOf(most) };
	}).filter((r) => r.ps > 0);
	return table([{ name: "class", text: true, value: (r) => r.name },
		{ name: "time", value: (r) => r.ps, show: (r) => showTime(r.ps) },
		{ name: "of all", value: (r) => r.ps / span,
			show: (r) => showPart(r.ps / span) },
		{ name: "most", value: (r) => r.most, show: (r) => showTime(r.most) },
		{ name: "by rank", value: (r) => r.rank }], rows, 1);
}

/* Returns a table with a row for each class of each call. */
function waitByCall(waits) {
	const time = new Map(data.calls.map((c) => [c.name, c.ps]));
	const rows = waits.call.flatMap(([call, ...ps]) => ps.map((wait, k) => ({
		call, wait, all: time.get(call) || wait, name: waits.classes[k] }))
		.filter((r) => r.wait > 0));
	return table([{ name: "call", text: true, value: (r) => r.call },
		{ name: "time", value: (r) => r.all, show: (r) => showTime(r.all) },
		{ name: "class", text: true, value: (r) => r.name },
		{ name: "wait", value: (r) => r.wait, show: (r) => showTime(r.wait) },
		{ name: "of the call", value: (r) => r.wait / r.all,
			show: (r) => showPart(r.wait / r.all) }], rows, 3);
}

/* With many ranks the table is created when it is opened. */
function waitByRank(waits) {
	const rows = waits.rank.map((times, rank) => ({ rank, times }));
	const box = el("details", {}, el("summary", {}, "by rank"));
	box.addEventListener("toggle", () => {
		if (box.open && box.children.length === 1)
			box.append(table([{ name: "rank", value: (r) => r.rank },
				{ name: "waits", value: (r) => sumOf(r.times),
					show: (r) => showTime(sumOf(r.times)) },
				...classColumns(waits, (r) => r.times)], rows, 1));
	});
	return box;
}

function waitSection(waits) {
	const s = section("waits", "Wait states",
		"Time that ranks spent waiting for another rank, by class. A receive "
		+ "waits for a late sender until the message is sent, a rendezvous send "
		+ "for a late receiver until the receive is posted, a collective until "
		+ "the rank that it needs has entered it. The rest of a call is the "
		+ "time of messages in flight and the work of the library.");
	if (!waits.call.length) {
		s.append(el("p", {}, "No rank waited for another."));
		return;
	}
	s.append(classTable(waits), el("h3", {}, "By call"), waitByCall(waits),
		waitByRank(waits));
}

/* ---- the chain ----------------------------------------------------------- */

const VIA_TEXT = {
	message: (c) => `${c.call}: message from rank ${c.peer} in flight`,
	receiver: (c) => `${c.call}: message to rank ${c.peer} in flight, which `
		+ "it received late",
	collective: (c) => `${c.call}: since rank ${c.other} entered it`,
	synchronization: (c) => `${c.call}: released by rank ${c.other}`,
	lock: (c) => `${c.call}: since rank ${c.other} unlocked`,
	open: (c) => `${c.call}: not completed`,
	several: () => "several short parts, on several ranks",
};

function linkText(c) {
	if (c.via !== "own")
		return VIA_TEXT[c.via](c);
	if (!c.outside)
		return "its own work in MPI";
	return c.outside === c.length ? "outside MPI"
		: `outside MPI ${showTime(c.outside)}, its own work in MPI `
			+ showTime(c.length - c.outside);
}

const SUM_TEXT = {
	own: (call) => call ? `${call}: own work of the library` : "outside MPI",
	message: (call) => `${call}: messages in flight`,
	receiver: (call) => `${call}: messages in flight to late receivers`,
	collective: (call) => `${call}: since the last rank entered it`,
	synchronization: (call) => `${call}: released by another rank`,
	lock: (call) => `${call}: lock released by another rank`,
	open: (call) => `${call}: not completed`,
};

function chainSums(sums) {
	const total = sumOf(sums.map((x) => x[2])) || 1;
	return table([{ name: "what", text: true,
		value: (x) => SUM_TEXT[x[1]](x[0]) },
	{ name: "time", value: (x) => x[2], show: (x) => showTime(x[2]) },
	{ name: "of all", value: (x) => x[2], show: (x) => showPart(x[2] / total) },
	], sums, 1);
}

/* Shows the ranks with the most own work on the chain. */
function chainRanks(ranks) {
	const total = data.time.end - data.time.begin || 1;
	const most = [...ranks].sort((a, b) => b[1] - a[1]).slice(0, 20);
	return table([{ name: "rank", value: (x) => x[0] },
		{ name: "time", value: (x) => x[1], show: (x) => showTime(x[1]) },
		{ name: "of all", value: (x) => x[1],
			show: (x) => showPart(x[1] / total) }], most, 1);
}

function chainParts(chain) {
	const total = sumOf(chain.map((c) => c.length)) || 1;
	return el("details", {}, el("summary", {},
		`the ${showCount(chain.length)} parts of the chain`), table([
		{ name: "from", value: (c) => c.from,
			show: (c) => showTime(c.from - data.time.begin) },
		{ name: "length", value: (c) => c.length,
			show: (c) => showTime(c.length) },
		{ name: "of all", value: (c) => c.length,
			show: (c) => showPart(c.length / total) },
		{ name: "rank", value: (c) => c.rank },
		{ name: "what", text: true, value: linkText },
	], chain, 0, true));
}

function chainSection(chain, sums, ranks) {
	const s = section("chain", "The longest chain of waits",
		"Read it from its end: where a rank waited for another, the chain "
		+ "continues at that rank. Its parts add up to the time of the run; "
		+ "the run gets shorter only if a part of the chain does.");
	s.append(chainSums(sums), el("h3", {}, "Own work of ranks on the chain"),
		chainRanks(ranks), chainParts(chain));
}
