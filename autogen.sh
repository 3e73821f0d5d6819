#!/bin/sh
# Makes configure and the Makefile.in from configure.ac and Makefile.am.
cd "$(dirname "$0")" || exit 1
mkdir -p src/conf
exec autoreconf --install --force --warnings=all,no-obsolete,no-override
