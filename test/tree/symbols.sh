#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the provider exports only its entry point, names libfabric as a
# needed library (a program may load the provider although libfabric's symbols
# are not global), and has no undefined symbol. The MPI library and the provider
# that it loads do not use libfabric, whose library loads the libraries of every
# provider of the host. No library needs space in the static TLS block, which
# may be full when dlopen() is called.
builddir=${builddir:-build}
lib=$builddir/.libs/libweft-fi.so
bad=0
for p in nm readelf ldd; do
	command -v $p > /dev/null || { echo "no $p"; exit 77; }
done
names=$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sort)
if [ "$names" != fi_prov_ini ]; then
	echo "libweft-fi.so exports:" $names
	bad=1
fi
if ! readelf -d "$lib" | grep -q 'NEEDED.*libfabric'; then
	echo "libweft-fi.so does not list libfabric as needed"
	bad=1
fi
if ldd -r "$lib" | grep 'undefined symbol'; then
	echo "libweft-fi.so has undefined symbols"
	bad=1
fi
if ! readelf -d "$lib" | grep -q NODELETE; then
	echo "libweft-fi.so can be unloaded while its threads run"
	bad=1
fi
for own in libmpi_abi.so.1 libweft-direct.so; do
	own=$builddir/.libs/$own
	if ldd "$own" | grep -E 'libfabric|not found'; then
		echo "$own loads libfabric, or has undefined symbols"
		bad=1
	fi
	if ldd -r "$own" | grep 'undefined symbol' ||
		nm -D --defined-only "$own" | grep ' fi_[^p]'; then
		echo "$own is not complete, or exports private symbols"
		bad=1
	fi
done
for own in libmpi_abi.so.1 libweft-direct.so libweft-fabric-shim.so libweft-fi.so; do
	own=$builddir/.libs/$own
	if readelf -rW "$own" | grep -E 'TLS_TPREL|_TPOFF'; then
		echo "$own has thread-local data of the initial-exec model"
		bad=1
	fi
	align=$(readelf -lW "$own" | awk '$1 == "TLS" { print $NF }')
	if [ $((align)) -gt 16 ]; then
		echo "$own has thread-local data aligned to $align"
		bad=1
	fi
done
exit $bad
