#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the package recipes agree with the tree: all have the same
# version, and the options that they pass to configure exist. Spack's recipe is
# executed with a small stand-in for Spack (spack_names.py), which knows the
# names that the recipe may use.
top=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$top" || exit 1
failed=0
complain() {
	echo "FAILED: $*"
	failed=1
}

version=$(sed -n 's/^AC_INIT(\[weft\], \[\(.*\)\])/\1/p' configure.ac)
[ -n "$version" ] || complain "configure.ac has no version"

# is WHAT VERSION: checks that the version is that of configure.ac
is() { [ "$2" = "$version" ] || complain "$1 has version '$2', not $version"; }
is packaging/weft.spec "$(sed -n 's/^Version: *//p' packaging/weft.spec)"
is packaging/debian/changelog "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' \
	packaging/debian/changelog)"
is CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p;' CHANGELOG.md | head -n 1)"

# checks that the manual pages listed by the Debian packages exist
pages=0
for page in $(cat packaging/debian/*.manpages); do
	base=${page##*/}
	[[ $base == *'*'* ]] || [ -e "doc/${base/.weft/}" ] ||
		complain "packaging/debian/*.manpages name $page"
	pages=$((pages + 1))
done
[ $pages -gt 0 ] || complain "no manual pages in packaging/debian"

help=$(./configure --help) || { echo "SKIPPED: no configure"; exit 77; }
if command -v python3 > /dev/null; then
	out=$(python3 -B packaging/spack_names.py packaging/package.py) ||
		complain "package.py: $out"
	is packaging/package.py "$(sed -n 's/^version //p' <<< "$out")"
	options=$(sed -n 's/^option //p' <<< "$out")
	[ -n "$options" ] || complain "package.py passes no options"
fi
options="$options $(grep -ohE -- '--(enable|disable|with|without)-[a-z0-9]+' \
	packaging/debian/rules packaging/weft.spec packaging/Containerfile)"
for o in $options; do
	o=${o%%=*}
	name=${o#--}
	name=${name#*-}
	grep -qE -- "--(enable|disable|with|without)-$name\b" <<< "$help" ||
		complain "configure has no option $o"
done
[ $failed = 0 ] && echo "version $version"
exit $failed
