# prov/wire: sources and tests of this folder
