# prov/nic: sources and tests of this folder
include prov/nic/units.mk
