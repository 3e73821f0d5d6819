# src/run: sources and tests of this folder
