# prov/carrier: sources and tests of this folder
