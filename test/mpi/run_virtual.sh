#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same programs in virtual time.
MACHINE=bgq CLOCK=virtual RANKS_MAX=${RANKS_MAX:-4} \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
