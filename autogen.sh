#!/bin/sh
# Generates configure from configure.ac, and the Makefile.in from Makefile.am.
cd "$(dirname "$0")" || exit 1
mkdir -p src/conf
exec autoreconf --install --force --warnings=all,no-obsolete,no-override
