# examples: sources and tests of this folder
