# coll: sources and tests of this folder
