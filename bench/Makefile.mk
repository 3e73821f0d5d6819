# bench: sources and tests of this folder
