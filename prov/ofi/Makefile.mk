# prov/ofi: sources and tests of this folder
