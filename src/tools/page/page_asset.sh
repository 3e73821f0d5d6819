#!/bin/sh
# page_asset.sh NAME FILE...: writes the files as a C array to stdout
name=$1
shift
echo "#include \"src/tools/page/page_asset.h\""
echo "const unsigned char $name[] = {"
cat "$@" | od -An -v -tu1 | sed 's/\([0-9][0-9]*\)/\1,/g'
echo "};"
echo "const size_t ${name}_size = sizeof($name);"
