# src/tool: sources and tests of this folder
