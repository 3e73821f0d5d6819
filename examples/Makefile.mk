# examples: sources and tests of this folder
EXTRA_DIST += examples/hello.c
