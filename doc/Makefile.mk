# doc: sources and tests of this folder
