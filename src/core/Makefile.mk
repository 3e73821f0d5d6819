# src/core: sources and tests of this folder
include src/core/core_types.mk
