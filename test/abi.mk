# The standard ABI: the header, the symbols, a header made from the tables.
EXTRA_DIST += test/abi/constants test/abi/functions test/abi/types \
	test/abi/header.sh test/abi/foreign.c \
	test/abi_update.sh
PLAIN_TESTS += test/abi_header.sh test/abi_foreign.sh \
	test/abi_symbols.sh
# opened by dlopen()
EXTRA_DIST += test/dl_open.c
PLAIN_TESTS += test/dl_open.sh
