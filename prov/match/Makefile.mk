# prov/match: sources and tests of this folder
