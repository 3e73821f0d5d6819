#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the output of weft-info --classroutes with the trees of the
# specification.
build=${builddir:-$PWD}
info=$build/weft-info
draw=$build/examples/classroute_draw
[ -x "$info" ] || exit 77
bad=0

# expect TEXT SPEC: checks that the first line of the listing contains TEXT.
expect() {
	"$info" --classroutes "$2" | head -1 | grep -qF "$1" && return
	echo "FAIL $2: no \"$1\" in: $("$info" --classroutes "$2" | head -1)"
	bad=1
}

# a midplane: with the root in the middle it takes 9 hops to the root, 18 for
# both directions
expect "512 nodes, root 2,2,2,2,1, depth 9, 18 hops" bgq:4x4x4x4x2
expect "32 nodes, root 1,1,1,1,1, depth 5" bgq:2x2x2x2x2
expect "4 nodes, root 0,2,0,0,0, depth 2" bgq:4x4x4x4x2@0,0-3,0,0,0
expect "16 nodes, root 1,2,2,3,1, depth 4" bgq:4x4x4x4x2@1,0-3,0-3,3,1
expect "1 nodes, root 3,3,3,3,1, depth 0" bgq:4x4x4x4x2@3,3,3,3,1
expect "64 ranks, root 0, depth 6" native:64

# the class route is a tree: every node except the root has an upward link,
# which is an input of the node above
list=$("$info" --classroutes bgq:4x4x4x4x2 | grep -v '^#')
up=$(grep -c ' up [A-E][+-] ' <<<"$list")
in=$(sed 's/.*inputs//' <<<"$list" | grep -o '[A-E][+-]' | wc -l)
[ "$up" = 511 ] && [ "$in" = 511 ] || { echo "FAIL $up up, $in inputs"; bad=1; }

for wrong in bgq: bgq:4x bgq:2x2@5,0 bgq:4x4@0 torus:4 native:0 native:x; do
	"$info" --classroutes "$wrong" 2>/dev/null
	[ $? = 2 ] || { echo "FAIL $wrong was accepted"; bad=1; }
done

"$info" --classroutes bgq:4x3x1x1x2 | "$draw" | grep -q '@' ||
	{ echo "FAIL no root in the drawing"; bad=1; }
exit $bad
