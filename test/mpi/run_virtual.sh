#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same programs in virtual time; LONG=1: with all numbers of ranks.
MACHINE=bgq CLOCK=virtual RANKS_MAX=${RANKS_MAX:-${LONG:+100}3} \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
