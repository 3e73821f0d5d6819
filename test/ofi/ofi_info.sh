#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the output of the program fi_info of libfabric: one entry (struct
# fi_info) per machine, reliable datagram endpoints only, no utility provider
# layered over Weft's; options and warnings.
. "${top_srcdir:-.}/test/ofi/ofi_env.sh"
need fi_info

# field NAME: prints the values of a field in $work/out
field() { sed -n "s/^ *$1: *//p" "$work/out"; }

# show ARGS: writes the output of fi_info to $work/out
show() { timeout 30 fi_info -p weft "$@" > "$work/out" 2> "$work/err"; }

for m in $machines; do
	FI_WEFT_MACHINE=$m show || complain "$m: fi_info failed"
	[ "$(field provider)" = weft ] || complain "$m: not one fi_info"
	[ "$(field fabric)" = "$(fabric "$m")" ] ||
		complain "$m: fabric is '$(field fabric)'"
	[ "$(field domain)" = "$m" ] || complain "$m: domain '$(field domain)'"
	[ "$(field type)" = FI_EP_RDM ] || complain "$m: type '$(field type)'"
	FI_WEFT_MACHINE=$m show -v || complain "$m: fi_info -v failed"
	for c in FI_MSG FI_TAGGED FI_RMA FI_ATOMIC FI_COLLECTIVE FI_DIRECTED_RECV \
		FI_MULTI_RECV FI_SOURCE FI_LOCAL_COMM FI_REMOTE_COMM \
		FI_RMA_EVENT FI_FENCE; do
		field caps | head -n 1 | grep -qw $c || complain "$m: no $c"
	done
	[ "$(field nic)" = "(nil)" ] || complain "$m: has a nic"
	# The fabric name selects another machine, whatever the value of
	# FI_WEFT_MACHINE.
	show -f "$(fabric "$m")" && [ "$(field fabric)" = "$(fabric "$m")" ] ||
		complain "fi_info -f $(fabric $m) failed"
	show -d "$m" && [ "$(field domain)" = "$m" ] ||
		complain "fi_info -d $m failed"
done

for t in FI_EP_MSG FI_EP_DGRAM; do
	show -t $t && complain "fi_info offers $t"
done
for c in FI_HMEM; do
	show -c $c && complain "fi_info offers $c"
done
timeout 60 fi_info > "$work/out" 2> /dev/null
grep -q '^provider: weft$' "$work/out" || complain "not in the full list"
grep 'weft;' "$work/out" && complain "a utility provider is layered over weft"

FI_WEFT_MACHINE=cm5 show && complain "an unknown machine is accepted"
grep -q 'FI_WEFT_MACHINE=cm5: no such machine' "$work/err" ||
	complain "the warning does not name the unknown machine"
FI_WEFT_SPINN=1 show || complain "fi_info fails with an unknown option"
[ "$(grep -c FI_WEFT_SPINN "$work/err")" = 1 ] &&
	grep -q 'FI_WEFT_SPIN\b' "$work/err" ||
	complain "the warning does not name the unknown option once with a similar one"

timeout 30 fi_info -e > "$work/out" 2> /dev/null
for o in MACHINE CARRIER FAULTS DMA SPIN EAGER FIFO; do
	grep -q "FI_WEFT_$o" "$work/out" || complain "fi_info -e: no $o"
done
exit $bad
