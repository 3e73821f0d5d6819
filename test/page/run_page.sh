#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks pages and traces: their content is correct, recording does not change
# virtual times, and a browser shows the pages without an error.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi ring "$top_srcdir/test/page/page_ring.c" || exit 1
skipped=0
bgq="--machine bgq:4x2x2x2x2"

# ---- recording does not change the run
# shellcheck disable=SC2086
run 0 $bgq -n 64 --verbose --report-file "$dir/report.without" "$dir/ring"
grep -oE 'virtual time .*' "$dir/err" > "$dir/without"
# shellcheck disable=SC2086
run 0 $bgq -n 64 --verbose --report-html "$dir/vt.html" \
	--trace "$dir/vt.json" --report-file "$dir/report.with" "$dir/ring"
grep -oE 'virtual time .*' "$dir/err" > "$dir/with"
cmp "$dir/without" "$dir/with" || complain "a page changes virtual time"
# with events, mpiexec computes the sums of the report instead of the ranks
cmp "$dir/report.without" "$dir/report.with" || complain "a page changes the report"
[ -s "$dir/report.with" ] || complain "no report"
run 0 -n 4 --report-html "$dir/live.html" --trace "$dir/live.json" "$dir/ring"
timeout 60 "$mpiexec" --machine qsnet2:4x4 -n 16 --report-html \
	"$dir/tree.html" "$dir/ring" 2> "$dir/err" || complain "qsnet2"
run 0 --machine bgq:2x2x2 -n 8 --report-html "$dir/harm.html" \
	--faults "seed = 1; errors * = 1e-4" "$dir/ring"
timeout 60 "$mpiexec" --machine bgq:2x2x1x1x1 -n 4 --report-html \
	"$dir/dead.html" --trace "$dir/dead.json" "$dir/ring" stop \
	> "$dir/out" 2> "$dir/err" && complain "no deadlock"
build_mpi wait "$top_srcdir/test/page/page_wait.c" || exit 1
run 0 -n 4 --report-html "$dir/wait.html" "$dir/wait"
run 0 --machine bgq:2x2 -n 4 --report-html "$dir/vwait.html" "$dir/wait"
"$builddir/weft-sim" -m bgq:2x2x2x2x2 --warm 1us --time 2us -l 0.2,0.6 \
	--html "$dir/sim.html" > "$dir/out" 2>&1 || complain "weft-sim --html"
"$builddir/weft-reproduce" apenet --quick --html "$dir/ape.html" \
	> "$dir/out" 2>&1 || complain "weft-reproduce apenet --html"
"$builddir/weft-reproduce" bgq --only BGQ-T1 --html "$dir/rep.html" \
	> "$dir/out" 2>&1 || complain "weft-reproduce --html"

{
	echo benchmark,ranks,mpi,round,size,metric,value
	for round in 1 2 3; do
		for size in 1 1024; do
			echo "latency,2,weft,$round,$size,Latency (us),0.$round"
			echo "latency,2,openmpi,$round,$size,Latency (us),$round"
		done
	done
} > "$dir/results.csv"
"$builddir/weft-page" "$dir/results.csv" "$dir/compare.html" ||
	complain "weft-page"
"$builddir/weft-page" "$dir/nothing" "$dir/x.html" 2> "$dir/err" &&
	complain "weft-page: no error is reported"

# ---- OTF2: every call has an enter and a leave event, every message both ends
if ! command -v otf2-print > /dev/null; then
	echo "SKIPPED: no otf2-print"
	skipped=77
elif ! [ -e "$builddir/.libs/libweft-otf2.so" ]; then
	echo "SKIPPED: built without libotf2"
	skipped=77
else
	run 0 -n 4 --trace "$dir/live.otf2" "$dir/ring"
	otf2-print "$dir/live.otf2/traces.otf2" > "$dir/otf2" 2>&1 ||
		complain "otf2-print: $(tail -n 3 "$dir/otf2")"
	for count in "ENTER .*MPI_Waitall:48" "LEAVE .*MPI_Waitall:48" \
		"ENTER .*MPI_Allreduce:48" "MPI_SEND .*Length. 4096:0" \
		"MPI_SEND .*Length. 2048:4" "MPI_RECV .*Length. 2048:4"; do
		n=$(grep -cE "^${count%:*}" "$dir/otf2")
		[ "$n" = "${count##*:}" ] ||
			complain "OTF2: $n of ${count%:*}, not ${count##*:}"
	done
fi

# ---- files that cannot be written
run 125 -n 1 --report-html /nowhere/x.html "$dir/ring"
grep -q -e '--report-html /nowhere/x.html: directory /nowhere/: No such file' "$dir/err" ||
	complain "a page that cannot be written is not reported"
"$builddir/weft-sim" -m bgq:2x2 --warm 1us --time 1us --html /nowhere/x \
	> "$dir/out" 2> "$dir/err" && complain "weft-sim: no error"
grep -q -e '--html /nowhere/x: directory /nowhere/: No such file' "$dir/err" || complain "weft-sim: not reported"
ls "$dir"/*.part 2>/dev/null && complain "a partial file is left behind"

# ---- the data
cat > "$dir/look.py" << 'END'
import json, re, sys

dir = sys.argv[1]

def data(name):
    text = open(f"{dir}/{name}.html", encoding="utf-8").read()
    found = re.search(r'id="data">\n(.*?)</script>', text, re.S)
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg", "", text), name
    return json.loads(found.group(1))

def run(name, ranks, rounds):
    d = data(name)
    calls = {c["name"]: c for c in d["calls"]}
    assert calls["MPI_Isend"]["count"] == ranks * rounds, calls
    assert calls["MPI_Allreduce"]["count"] == ranks * rounds
    assert len(d["time"]["row"]) == ranks
    for row in d["time"]["row"]:
        assert len(row) % 3 == 0 and len(row) >= 3 * 4 * rounds
        names = [d["time"]["names"][i] for i in row[2::3]]
        assert names.count("MPI_Waitall") == rounds
    ring = [m for m in d["messages"] if m[1] == (m[0] + 1) % ranks]
    assert all(m[3] >= m[2] for m in d["messages"])
    for r in range(ranks):
        sizes = sorted(m[4] for m in ring if m[0] == r)
        for i in range(rounds):
            assert 1 << i in sizes, (r, sizes)
        assert 777 in sizes, (r, sizes)
    colls = [c for c in d["collectives"] if c[0] == "MPI_Allreduce"]
    assert len(colls) == rounds and all(c[5] == ranks for c in colls), colls
    entry = {(e[0], e[1]): e for e in d["matrix"]["entry"]}
    for r in range(ranks):
        assert entry[r, (r + 1) % ranks][2] >= rounds
    put = {(a[0], a[1]) for a in d["accesses"] if a[4] == 8}
    for r in range(ranks):
        assert (r, (r + 1) % ranks) in put and ((r + 1) % ranks, r) in put
    assert len(d["accesses"]) == d["accesses_all"] == 2 * ranks
    return sums(d)

# Checks that the parts of the chain cover the run without a gap, that no call
# waits longer than its duration, and that the sums of wait states by rank and
# by call are equal.
def sums(d):
    chain, calls = d["chain"], {c["name"]: c for c in d["calls"]}
    span = d["time"]["end"] - d["time"]["begin"]
    assert chain and all(c["length"] > 0 for c in chain)
    assert chain[0]["from"] == d["time"]["begin"]
    for a, b in zip(chain, chain[1:]):
        assert a["from"] + a["length"] == b["from"], (a, b)
    assert sum(c["length"] for c in chain) == span
    assert sum(c[2] for c in d["chain_sum"]) == span, d["chain_sum"]
    waits = d["waits"]
    for row in waits["call"]:
        assert sum(row[1:]) <= calls[row[0]]["ps"], row
    for k, name in enumerate(waits["classes"]):
        by_rank = sum(r[k] for r in waits["rank"])
        assert by_rank == sum(r[k + 1] for r in waits["call"]), name
    return d

# checks test/page/page_wait.c: which rank waits in which call, and for at least
# how many ps
def waited(d, rank, call, name, least):
    k = d["waits"]["classes"].index(name)
    row = {r[0]: r[1:] for r in d["waits"]["call"]}.get(call)
    assert row and row[k] >= least, (call, name, row)
    assert d["waits"]["rank"][rank][k] >= least, (rank, name)

def waits(d, ps):
    waited(d, 1, "MPI_Recv", "late sender", ps)
    waited(d, 0, "MPI_Send", "late receiver", ps)
    waited(d, 2, "MPI_Waitall", "late sender", ps)
    waited(d, 2, "MPI_Test", "late sender", ps / 2)
    waited(d, 3, "MPI_Barrier", "wait at barrier", ps)
    waited(d, 3, "MPI_Allreduce", "wait at N x N", ps)
    waited(d, 3, "MPI_Bcast", "late broadcast", ps)
    waited(d, 1, "MPI_Reduce", "early reduce", ps)
    waited(d, 3, "MPI_Win_fence", "wait at fence", ps)
    waited(d, 0, "MPI_Win_start", "late post", ps)
    waited(d, 1, "MPI_Win_wait", "late complete", ps)
    # the chain consists of the work of late ranks, with hardly any waiting
    own = sum(c[2] for c in d["chain_sum"] if c[1] == "own")
    assert own > 0.9 * (d["time"]["end"] - d["time"]["begin"]), own

# with the live clock, the host determines which rank is late
sums(data("wait"))
waits(sums(data("vwait")), 50e9)

vt = run("vt", 64, 12)
assert len(dict(vt["facts"])["hash of the events"]) == 16
assert sum(c["packets"] for c in vt["links"]["classes"]) == \
    sum(l[2] for l in vt["links"]["link"]) > 0
assert any(l[5] for l in vt["links"]["link"]), "nothing ever waited"
assert any(c["queued"] > 0 for c in vt["links"]["classes"])

# Checks that a tree has one root, and that the parent of every other node is
# one of its neighbours.
def tree(route, near):
    t = route["tree"]
    assert sum(b[2] for b in t) == route["members"]
    assert [b[1] for b in t].count(-1) == 1
    for b in t:
        assert b[1] < 0 or near(b[0], t[b[1]][0]), (b, t[b[1]])
    return t

def place(name):
    return [int(n) for n in re.findall(r"\d+", name)]

def step(a, b):
    return sum(x != y for x, y in zip(place(a), place(b))) == 1

def level(a, b):
    up = lambda name: place(name)[0] if name.startswith("level") else 0
    return up(b) == up(a) + 1

assert vt["routes"][0]["members"] == 64
assert len(tree(vt["routes"][0], step)) == 64
live = run("live", 4, 12)
assert "links" not in live and not live["routes"] and "faults" not in vt
assert len(tree(run("tree", 16, 12)["routes"][0], level)) > 16
harm = run("harm", 8, 12)
bad = dict(harm["faults"])["bad packets detected"]
assert bad == sum(l[6] for l in harm["links"]["link"] if len(l) > 6) > 0
dead = data("dead")
waits = dict(dead["deadlock"]["waits"])
assert waits[0] == [1] and waits[2] == [0], waits
assert "MPI_Recv from rank 1, tag 99" in dead["deadlock"]["text"]
assert sorted(dead["time"]["open"]) == [0, 1, 2, 3], dead["time"].get("open")
for rank, row in enumerate(dead["time"]["row"]):
    starts, at = [], 0
    for step in row[0::3]:
        at += step
        starts.append(at)
    last = dead["time"]["names"][row[-1]]
    assert last == ("MPI_Barrier" if rank else "MPI_Recv"), (rank, last)
    assert starts[-1] + row[-2] == dead["time"]["end"], (rank, row[-3:])
sums(dead)
sim = data("sim")
assert [p["load"] for p in sim["points"]] == [0.2, 0.6]
both = data("compare")["benchmarks"]
assert len(both) == 1 and not both[0]["higher"]
assert both[0]["curves"][1] == {"mpi": "weft", "points":
    [[1, 0.2, 0.1, 0.3], [1024, 0.2, 0.1, 0.3]]}, both
rep = data("rep")["systems"][0]
assert rep["system"] == "bgq" and len(rep["rows"]) == 26

for name, ranks in ("vt", 64), ("live", 4):
    events = json.load(open(f"{dir}/{name}.json"))["traceEvents"]
    begun, ended = {}, {}
    for e in events:
        assert e["ph"] in "MXsf" and isinstance(e["pid"], int)
        assert 0 <= e["tid"] < ranks and isinstance(e["name"], str)
        if e["ph"] == "X":
            assert e["ts"] >= 0 and e["dur"] >= 0
        if e["ph"] == "s":
            begun[e["id"]] = e["ts"]
        if e["ph"] == "f":
            assert e["bp"] == "e"
            ended[e["id"]] = e["ts"]
    assert begun.keys() == ended.keys() and len(begun) >= ranks * 12
    assert all(ended[i] >= begun[i] for i in begun)
    assert sum(e["ph"] == "X" and e["name"] == "MPI_Waitall"
               for e in events) == ranks * 12
    world = "MPI_COMM_WORLD"
    for e in events:
        args, call = e.get("args", {}), e["name"]
        if call == "MPI_Irecv":
            assert args == {"peer": (e["tid"] - 1) % ranks, "tag": 1,
                            "bytes": 4096, "communicator": world}, e
        if call == "MPI_Send":
            assert args == {"peer": (e["tid"] + 1) % ranks, "tag": 2,
                            "bytes": 777, "communicator": world}, e
        if call == "MPI_Allreduce":
            assert args == {"bytes": 8, "communicator": world}, e
        if call == "MPI_Put":
            assert args == {"target": (e["tid"] + 1) % ranks, "bytes": 8}, e
        if e["ph"] in "sf":
            assert args.keys() == {"from", "to", "tag", "bytes",
                                   "communicator"}, e
            assert args["from" if e["ph"] == "s" else "to"] == e["tid"], e
stuck = [e for e in json.load(open(f"{dir}/dead.json"))["traceEvents"]
         if e.get("args", {}).get("not completed")]
assert sorted(e["name"] for e in stuck) == 3 * ["MPI_Barrier"] + ["MPI_Recv"]
assert sorted(e["tid"] for e in stuck) == [0, 1, 2, 3]
ape = data("ape")["systems"][0]
assert any(r["text"].startswith("latency") for r in ape["rows"])
END
if command -v python3 > /dev/null; then
	python3 "$dir/look.py" "$dir" || complain "the data is wrong"
else
	echo "SKIPPED: no python3"
	skipped=77
fi

# ---- in a browser
# browse ARGUMENTS...: loads one page in the browser and writes the output of
# its console to $dir/console
browse() {
	HOME=$dir timeout 60 "$browser" "${flags[@]}" --enable-logging=stderr \
		--virtual-time-budget=5000 "$@" 2> "$dir/console"
}
flags=(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
	--disable-quic --no-first-run --disable-background-networking
	--disable-component-update --disable-sync --hide-scrollbars
	--user-data-dir="$dir/browser")
# Generates a page of 1,024 ranks with 300 calls each from the page of 64 ranks;
# the generated page reports when its drawing is complete.
cat > "$dir/many.py" << 'END'
import json, re, sys

text = open(sys.argv[1], encoding="utf-8").read()
found = re.search(r'id="data">\n(.*?)</script>', text, re.S)
d = json.loads(found.group(1))
row = d["time"]["row"]
d["time"]["row"] = [(row[r % 64] * 7)[:900] for r in range(1024)]
for r in d["time"]["row"]:
    for i in range(len(row[0]), len(r), len(row[0])):
        r[i] = 0
d["waits"]["rank"] = [d["waits"]["rank"][r % 64] for r in range(1024)]
d["messages"] = [[(m[0] + 64 * k) % 1024, (m[1] + 64 * k) % 1024] + m[2:]
                 for k in range(16) for m in d["messages"]]
print_ms = """<script>addEventListener("load", () => {
for (const c of document.querySelectorAll("canvas")) c.repaint();
document.documentElement.dataset.ms = Math.round(performance.now()); });
</script>"""
open(sys.argv[2], "w", encoding="utf-8").write(
    text[:found.start(1)] + json.dumps(d) + text[found.end(1):] + print_ms)
END
# shows PAGE PART...: checks that the page has these parts, and that the console
# is empty.
shows() {
	local page=$1 part
	shift
	browse --dump-dom "file://$dir/$page.html" > "$dir/dom"
	grep CONSOLE "$dir/console" && complain "$page: the console is not empty"
	for part in data-ready=\"1\" "$@"; do
		grep -q -- "$part" "$dir/dom" ||
			complain "$page: no $part on the page"
	done
}
# drawn PAGE: checks that the browser writes a screenshot of the page
drawn() {
	browse --window-size=1280,2000 --screenshot="$dir/$1.png" \
		"file://$dir/$1.html" > /dev/null
	[ "$(head -c 4 "$dir/$1.png" | tail -c 3)" = PNG ] ||
		complain "$1: no picture"
}
# pressed PAGE PART KEY...: presses the keys, then prints the text of this part
# of the page
pressed() {
	local page=$1 part=$2 key
	shift 2
	{
		cat "$dir/$page.html"
		echo '<script>addEventListener("load", () => {'
		for key; do
			echo "document.querySelector('#$part canvas').dispatchEvent(
				new KeyboardEvent('keydown', { key: '$key' }));"
		done
		echo '});</script>'
	} > "$dir/pressed.html"
	browse --dump-dom "file://$dir/pressed.html" |
		grep -o "<section id=\"$part\">.*" |
		grep -o '<output[^>]*>[^<]*' | sed 's/.*>//;q'
}
# evaluate PAGE EXPRESSION [BEFORE]: prints the value of a JavaScript expression
# on a page 500 pixels wide when drawing is complete; the script BEFORE runs
# first
evaluate() {
	{
		cat "$dir/$1.html"
		echo "<script>addEventListener('load', () => { ${3:-}
			document.documentElement.dataset.answer = String($2); });
			</script>"
	} > "$dir/asked.html"
	browse --window-size=500,900 --dump-dom "file://$dir/asked.html" |
		grep -o 'data-answer="[^"]*"' | sed 's/.*="//; s/"$//'
}
# is NAME VALUE EXPECTED: checks that the values are equal
is() {
	[ "$2" = "$3" ] || complain "$1: '$2', not '$3'"
}
browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome)
if [ -n "$browser" ]; then
	run_parts='id="calls" id="timeline" id="matrix" id="chain" id="report"
		id="waits"'
	# shellcheck disable=SC2086
	shows vt $run_parts id=\"links\" id=\"routes\" MPI_Allreduce \
		'tree of 64 nodes'
	shows harm id=\"faults\" 'bad packets detected' 'class="harm"'
	# shellcheck disable=SC2086
	shows live $run_parts
	shows tree id=\"links\" 'level 1'
	shows dead id=\"deadlock\" 'graph of waiting ranks'
	shows sim id=\"loads\" id=\"latency\" id=\"links\"
	shows rep 'id="bgq"' 'class="plot"' BGQ-T1-HW-01
	shows compare id=\"curves\" 'latency, 2 ranks'
	# with the keyboard: ranks that share a cell or a line, and a rank with
	# a cell and a line of its own
	sed 's/"group":1,/"group":3,/; s/"entry":.*/"entry":[]/' \
		"$dir/live.html" > "$dir/group.html"
	text=$(pressed group matrix ArrowDown)
	[ "$text" = "ranks 3 to 3 to ranks 0 to 2: nothing" ] ||
		complain "the matrix shows '$text'"
	text=$(pressed vt timeline ArrowDown)
	[[ $text == "rank 2 at "* ]] || complain "the timeline shows '$text'"
	text=$(pressed vt timeline Enter ArrowDown)
	[[ $text == "rank 1 at "* ]] || complain "the timeline shows '$text'"
	# in a narrow window tables scroll, the page does not
	narrow='document.documentElement.scrollWidth <= 500'
	is "dead" "$(evaluate dead "$narrow")" true
	is "compare" "$(evaluate compare "$narrow")" true
	# axes have numbers, and the classes of links show how many links are
	# used
	is "sim" "$(evaluate sim "[$narrow, [...document.querySelectorAll('figure.plot')]
		.every((f) => f.querySelectorAll('svg text[text-anchor=end]').length > 1),
		[...document.querySelector('#links table').querySelectorAll('tbody tr')]
		.every((r) => Number(r.children[2].textContent) > 0)]")" true,true,true
	# plots have titles; the paper's marks are visible around the model's
	# marks
	is "ape" "$(evaluate ape "[$narrow, [...document.querySelectorAll('h3')]
		.filter((h) => /the same|^[0-9]/.test(h.textContent)).length]")" true,0
	is "rep" "$(evaluate rep "[$narrow, document.querySelectorAll(
		'figure.plot svg[role=img] path[d*=a7]').length > 20]")" true,true
	# the timeline has round times; the help text matches the lines shown;
	# dragging selects a range and sums the calls in it; nothing is drawn
	# over the rank numbers, whose pixels are unchanged
	want="true,0 ps 10 us 20 us 30 us 40 us 50 us 60 us 70 us"
	want="$want,true,true,true,true,true"
	is "vt" "$(evaluate vt "[$narrow, roundTimes(0, 78.1e6, 900).map(showTime)
		.join(' '), shared, own, chosen, cleared, left() === before]" "
		const q = document.querySelector('#timeline canvas');
		const key = (k) => q.dispatchEvent(new KeyboardEvent('keydown',
			{ key: k }));
		const help = (what) => document.querySelector(
			'#timeline p.note:not(.legend)').textContent.includes(what);
		const shared = help('2 ranks share a line');
		key('Enter');
		const own = help('its own line') && !help('share a line');
		const b = q.getBoundingClientRect();
		const at = (what, x) => q.dispatchEvent(new MouseEvent(what,
			{ clientX: b.left + x, clientY: b.top + 60, bubbles: true }));
		at('mousedown', 200); at('mousemove', 300); at('mouseup', 300);
		const range = () => document.querySelector('#timeline .range');
		const chosen = /^Selected: .* us to .* us.*outside MPI/.test(
			range().textContent);
		key('Escape');
		const cleared = range() === null;
		const left = () => { q.repaint(); return q.getContext('2d')
			.getImageData(0, 20, 55, q.height - 20).data.join(); };
		for (const k of '+++++') key(k);
		const before = left(); key('m'); key('c'); key('a');")" "$want"
	# a call in a deadlock is hatched until the end of the run, and is
	# listed
	shows dead 'not completed when the job ended' \
		'Calls that were not completed'
	# 1,024 ranks, 300 calls each
	if command -v python3 > /dev/null; then
		python3 "$dir/many.py" "$dir/vt.html" "$dir/many.html"
		best=99999
		for _ in 1 2 3; do
			[ "$best" -lt 3000 ] && break
			ms=$(HOME=$dir timeout 60 "$browser" "${flags[@]}" --dump-dom \
				"file://$dir/many.html" 2> /dev/null |
				grep -o 'data-ms="[0-9]*"' | tr -dc 0-9)
			[ "${ms:-99999}" -lt "$best" ] && best=$ms
		done
		[ "$best" -lt 3000 ] || complain "1,024 ranks load in $best ms"
	fi
	drawn vt
	drawn rep
else
	echo "SKIPPED: no chromium"
	skipped=77
fi
[ "$failed" = 0 ] || exit 1
exit $skipped
