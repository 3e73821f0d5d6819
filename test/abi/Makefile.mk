# Tests of the standard ABI: the header, the symbols, and a header generated
# from the tables.
EXTRA_DIST += share/abi/README share/abi/constants share/abi/functions share/abi/types \
	test/abi/header.sh test/abi/foreign.c \
	test/abi/abi_update.sh
PLAIN_TESTS += test/abi/abi_header.sh test/abi/abi_foreign.sh test/abi/abi_stub.sh \
	test/abi/abi_symbols.sh test/abi/abi_fortran.sh
# a program that opens libraries by dlopen()
EXTRA_DIST += test/tools/dl_open.c
PLAIN_TESTS += test/tools/dl_open.sh
