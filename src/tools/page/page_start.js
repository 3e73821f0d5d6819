"use strict";
/* Calls the function for this kind of page. */
const kinds = { run: showRun, sim: showSim, reproduce: showReproduce,
	compare: showCompare };

page.replaceChildren(el("h1", {}, data.title));
page.append(facts(data.facts || []));
kinds[data.kind]();
navigation();
page.append(el("p", { class: "note" }, `Made by Weft ${data.weft}. The data is `
	+ "JSON in this file, in the element with the id “data”."));
document.documentElement.dataset.ready = "1";
