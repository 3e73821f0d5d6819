# SPDX-License-Identifier: BSD-3-Clause
# Sourced by test/ofi/ofi_*.sh: makes libfabric use only the provider of the
# build tree. shellcheck disable=SC2034
builddir=${builddir:-build}
top_srcdir=${top_srcdir:-.}
export FI_PROVIDER_PATH=$builddir/.libs
[ -e "$FI_PROVIDER_PATH/libweft-fi.so" ] || {
	echo "no $FI_PROVIDER_PATH/libweft-fi.so"
	exit 1
}
. "$top_srcdir/test/timeout.sh" || exit 1
unset FI_PROVIDER FI_HOOK
for v in $(compgen -e FI_WEFT_); do unset "$v"; done
machines="native bgq gemini qsnet2 sunway apenet"
# fabric MACHINE: prints the name of its fabric; that of native has no suffix.
fabric() { [ "$1" = native ] && echo weft || echo "weft-$1"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

# need PROGRAM...: skips the test if a program is missing.
need() {
	local p
	for p; do
		command -v "$p" > /dev/null || { echo "no $p"; exit 77; }
	done
}
