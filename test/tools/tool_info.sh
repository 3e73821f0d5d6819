#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-info: its output is complete, correct, and valid JSON.
set -u
info=$builddir/weft-info
out=$(mktemp)
trap 'rm -f "$out"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}

"$info" >"$out" || fail "weft-info"
for word in 'libmpi_abi.so.1' 'provider loads *yes' 'CMA works' 'cores' \
	'copy loop *copies (nothing|512 to (512|1024|2048|4096) bytes)( \(|:)' \
	WEFT_ FI_WEFT_MACHINE '^  weft'; do
	grep -qE "$word" "$out" || { cat "$out"; fail "no $word"; }
done
grep -q "libmpi_abi.so.1 *$(cd "$builddir" && pwd -P)" "$out" ||
	fail "not the library of the build tree"

# Uses a value of the operating system that does not change with the load.
kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
grep -qE "^  memory +$((kib / 1024)) MiB$" "$out" ||
	fail "memory: $(grep '^  memory' "$out"), not $((kib / 1024)) MiB"
grep -qE '^  clocks +live virtual$' "$out" || fail "clocks: $(grep clocks "$out")"

# If the plugin cannot be loaded, the output contains the reason given by the
# dynamic loader.
WEFT_PROVIDER_LIB=/nowhere/libweft-fi.so "$info" | grep -q 'cannot open' ||
	fail "a missing plugin is not reported"

FI_WEFT_KEY=hidden WEFT_LOG=warn "$info" --report >"$out" || fail "--report"
for word in "kernel *Linux $(uname -r)" 'WEFT_LOG *warn' 'job status page *[0-9]' \
	'FI_WEFT_KEY *\(set, not printed\)'; do
	grep -qE "^  $word" "$out" || { cat "$out"; fail "--report: no $word"; }
done
grep -q hidden "$out" && fail "a secret is printed"

"$info" --json --report >"$out" || fail "weft-info --json"
skipped=0
if command -v python3 >/dev/null; then
	python3 - "$out" <<'EOF' || fail "JSON"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["version"]["abi"] == "1.0"
assert any(p["name"] == "weft" for p in d["providers"])
assert any(o["name"] == "FI_WEFT_MACHINE" for o in d["provider_options"])
assert any(o["name"].startswith("WEFT_") for o in d["mpi_options"])
EOF
	for machine in bgq gemini qsnet2 sunway apenet apenet@nios bgq:4x4x4x4x2; do
		"$info" --json --machine $machine >"$out" || fail "--machine $machine"
		python3 - "$out" $machine <<'EOF' || fail "JSON of $machine"
import json, sys
d = json.load(open(sys.argv[1]))
spec = sys.argv[2]
m = d["machine"]
assert m["name"] == spec.split("@")[0].split(":")[0], m
assert int(m["nodes"]) > 1 and m["unit"] and m["file"].endswith(m["name"]), m
if ":" in spec:
    assert m["shape"] == spec.split(":")[1] and m["nodes"] == "512", m
facts = {f["key"]: f for f in d["facts"] if not f["variant"]}
for key in ("link", "hop", "payload"):
    assert facts[key]["kind"] and facts[key]["source"], facts[key]
assert all(f["line"].isdigit() for f in d["facts"])
EOF
	done
else
	echo "SKIPPED: no python3"
	skipped=77
fi
"$info" --machine apenet >"$out" || fail "--machine apenet"
grep -qE '^  unit +apenet$' "$out" || fail "no unit: $(cat "$out")"
grep -qE '^  link +2\.8 GB/s +spec .*paper 2\.3' "$out" || fail "no rate of the links"
"$info" --machine cm5 >"$out" 2>&1
[ $? = 2 ] || fail "an unknown machine: not 2"
grep -q '^weft-info: --machine cm5: ' "$out" || fail "unknown: $(cat "$out")"
"$info" --nonsense 2>/dev/null && fail "a wrong option is accepted"
"$info" --version | grep -q '^weft-info (Weft) ' || fail "--version"
exit $skipped
