#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pages and traces: what they hold is right, asking for them changes no virtual
# time, and a real browser shows them without an error.
. "$top_srcdir/test/run_lib.sh" || exit 1
. "$top_srcdir/test/vt_lib.sh" || exit 1
build_mpi ring "$top_srcdir/test/page_ring.c" || exit 1
skipped=0
bgq="--machine bgq:4x2x2x2x2"

# ---- what is asked for does not change the run
# shellcheck disable=SC2086
run 0 $bgq -n 64 --verbose --report-file "$dir/report.without" "$dir/ring"
grep -oE 'virtual time .*' "$dir/err" > "$dir/without"
# shellcheck disable=SC2086
run 0 $bgq -n 64 --verbose --report-html "$dir/vt.html" \
	--trace "$dir/vt.json" --report-file "$dir/report.with" "$dir/ring"
grep -oE 'virtual time .*' "$dir/err" > "$dir/with"
cmp "$dir/without" "$dir/with" || complain "a page changes virtual time"
# ranks that write events leave adding up to mpiexec
cmp "$dir/report.without" "$dir/report.with" || complain "a page changes the report"
[ -s "$dir/report.with" ] || complain "no report"
run 0 -n 4 --report-html "$dir/live.html" --trace "$dir/live.json" "$dir/ring"
timeout 60 "$mpiexec" --machine qsnet2:4x4 -n 16 --report-html \
	"$dir/tree.html" "$dir/ring" 2> "$dir/err" || complain "qsnet2"
run 0 --machine bgq:2x2x2 -n 8 --report-html "$dir/harm.html" \
	--faults "seed = 1; errors * = 1e-4" "$dir/ring"
timeout 60 "$mpiexec" --machine bgq:2x2x1x1x1 -n 4 --report-html \
	"$dir/dead.html" "$dir/ring" stop > "$dir/out" 2> "$dir/err" &&
	complain "no deadlock"
"$builddir/weft-sim" -m bgq:2x2x2x2x2 --warm 1us --time 2us -l 0.2,0.6 \
	--html "$dir/sim.html" > "$dir/out" 2>&1 || complain "weft-sim --html"
"$builddir/weft-reproduce" bgq --quick --html "$dir/rep.html" \
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
	complain "weft-page: no error"

# ---- OTF2: every call is entered and left, every message seen at both ends
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

# ---- places that cannot be written
run 125 -n 1 --report-html /nowhere/x.html "$dir/ring"
grep -q -e '--report-html /nowhere/x.html: directory /nowhere/: No such file' "$dir/err" ||
	complain "a page that cannot be written is not told"
"$builddir/weft-sim" -m bgq:2x2 --warm 1us --time 1us --html /nowhere/x \
	> "$dir/out" 2> "$dir/err" && complain "weft-sim: no error"
grep -q -e '--html /nowhere/x: directory /nowhere/: No such file' "$dir/err" || complain "weft-sim: not told"
ls "$dir"/*.part 2>/dev/null && complain "a part is left behind"

# ---- the data
cat > "$dir/look.py" << 'END'
import json, re, sys

dir = sys.argv[1]

def data(name):
    text = open(f"{dir}/{name}.html", encoding="utf-8").read()
    found = re.search(r'id="data">\n(.*?)</script>', text, re.S)
    assert "http" not in re.sub(r"http://www.w3.org/2000/svg", "", text), name
    return json.loads(found.group(1))

def run(name, ranks, turns):
    d = data(name)
    calls = {c["name"]: c for c in d["calls"]}
    assert calls["MPI_Isend"]["count"] == ranks * turns, calls
    assert calls["MPI_Allreduce"]["count"] == ranks * turns
    assert len(d["time"]["row"]) == ranks
    for row in d["time"]["row"]:
        assert len(row) % 3 == 0 and len(row) >= 3 * 4 * turns
        names = [d["time"]["names"][i] for i in row[2::3]]
        assert names.count("MPI_Waitall") == turns
    ring = [m for m in d["messages"] if m[1] == (m[0] + 1) % ranks]
    assert all(m[3] >= m[2] for m in d["messages"])
    for r in range(ranks):
        sizes = sorted(m[4] for m in ring if m[0] == r)
        for i in range(turns):
            assert 1 << i in sizes, (r, sizes)
        assert 777 in sizes, (r, sizes)
    colls = [c for c in d["collectives"] if c[0] == "MPI_Allreduce"]
    assert len(colls) == turns and all(c[5] == ranks for c in colls), colls
    entry = {(e[0], e[1]): e for e in d["matrix"]["entry"]}
    for r in range(ranks):
        assert entry[r, (r + 1) % ranks][2] >= turns
    put = {(a[0], a[1]) for a in d["accesses"] if a[4] == 8}
    for r in range(ranks):
        assert (r, (r + 1) % ranks) in put and ((r + 1) % ranks, r) in put
    assert len(d["accesses"]) == d["accesses_all"] == 2 * ranks
    chain = d["chain"]
    assert chain and all(c["length"] >= 0 for c in chain)
    assert sum(c["length"] for c in chain) <= d["time"]["end"] - d["time"]["begin"]
    for a, b in zip(chain, chain[1:]):
        assert a["from"] + a["length"] == b["from"], (a, b)
    return d

vt = run("vt", 64, 12)
assert len(dict(vt["facts"])["hash of the events"]) == 16
assert sum(c["packets"] for c in vt["links"]["classes"]) == \
    sum(l[2] for l in vt["links"]["link"]) > 0
assert any(l[5] for l in vt["links"]["link"]), "nothing ever waited"
assert any(c["queued"] > 0 for c in vt["links"]["classes"])

# A tree has one root, and every other hangs on one of its neighbours.
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
bad = dict(harm["faults"])["bad packets found"]
assert bad == sum(l[6] for l in harm["links"]["link"] if len(l) > 6) > 0
dead = data("dead")
waits = dict(dead["deadlock"]["waits"])
assert waits[0] == [1] and waits[2] == [0], waits
assert "MPI_Recv from rank 1, tag 99" in dead["deadlock"]["text"]
sim = data("sim")
assert [p["load"] for p in sim["points"]] == [0.2, 0.6]
both = data("compare")["benchmarks"]
assert len(both) == 1 and not both[0]["higher"]
assert both[0]["curves"][1] == {"mpi": "weft", "points":
    [[1, 0.2, 0.1, 0.3], [1024, 0.2, 0.1, 0.3]]}, both
rep = data("rep")["systems"][0]
assert rep["system"] == "bgq" and len(rep["rows"]) > 60

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
END
if command -v python3 > /dev/null; then
	python3 "$dir/look.py" "$dir" || complain "the data is not right"
else
	echo "SKIPPED: no python3"
	skipped=77
fi

# ---- in a browser
# browse ARGUMENTS...: one page, its console in $dir/console
browse() {
	HOME=$dir timeout 60 "$browser" --headless=new --no-sandbox \
		--disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$dir/browser" --enable-logging=stderr \
		--virtual-time-budget=5000 "$@" 2> "$dir/console"
}
# shows PAGE PART...: the parts are there, and nothing was said in the console.
shows() {
	local page=$1 part
	shift
	browse --dump-dom "file://$dir/$page.html" > "$dir/dom"
	grep CONSOLE "$dir/console" && complain "$page: the console has words"
	for part in data-ready=\"1\" "$@"; do
		grep -q -- "$part" "$dir/dom" ||
			complain "$page: no $part on the page"
	done
}
# drawn PAGE: and it can be seen
drawn() {
	browse --window-size=1280,2000 --screenshot="$dir/$1.png" \
		"file://$dir/$1.html" > /dev/null
	[ "$(head -c 4 "$dir/$1.png" | tail -c 3)" = PNG ] ||
		complain "$1: no picture"
}
# pressed PAGE PART KEY...: what that part of it says when they were pressed
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
browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome)
if [ -n "$browser" ]; then
	run_parts='id="calls" id="timeline" id="matrix" id="chain" id="report"'
	# shellcheck disable=SC2086
	shows vt $run_parts id=\"links\" id=\"routes\" MPI_Allreduce \
		'tree of 64 nodes'
	shows harm id=\"faults\" 'bad packets found' 'class="harm"'
	# shellcheck disable=SC2086
	shows live $run_parts
	shows tree id=\"links\" 'level 1'
	shows dead id=\"deadlock\" 'who waits for whom'
	shows sim id=\"loads\" id=\"latency\" id=\"links\"
	shows rep 'id="bgq"' 'class="plot"' BGQ-T1-HW-01
	shows compare id=\"curves\" 'latency, 2 ranks'
	# without a mouse: ranks that share a cell or a line, and one of its own
	sed 's/"group":1,/"group":3,/; s/"entry":.*/"entry":[]/' \
		"$dir/live.html" > "$dir/group.html"
	said=$(pressed group matrix ArrowDown)
	[ "$said" = "ranks 3 to 3 to ranks 0 to 2: nothing" ] ||
		complain "the matrix says '$said'"
	said=$(pressed vt timeline ArrowDown)
	[[ $said == "rank 2 at "* ]] || complain "the timeline says '$said'"
	said=$(pressed vt timeline Enter ArrowDown)
	[[ $said == "rank 1 at "* ]] || complain "the timeline says '$said'"
	drawn vt
	drawn rep
else
	echo "SKIPPED: no chromium"
	skipped=77
fi
[ "$failed" = 0 ] || exit 1
exit $skipped
