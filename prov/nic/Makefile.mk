# prov/nic: sources and tests of this folder
