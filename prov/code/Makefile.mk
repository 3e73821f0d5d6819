# prov/code: sources and tests of this folder
