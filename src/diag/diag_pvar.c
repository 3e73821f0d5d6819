/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of performance variables, and functions that read them. */
#include "src/diag/diag_pvar.h"

#include "src/base/attr.h"
#include "src/diag/diag_count.h"
#include "src/core/core_state.h"
#include "src/core/core_time.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>
#include <string.h>

#define FIELD(f) offsetof(struct fi_weft_stats_data, f)

const struct weft_pvar weft_pvars[] = {
	{ "messages_sent", "messages sent, by all paths", WEFT_PVAR_SENT, 0,
	  false },
	{ "bytes_sent", "bytes of the messages sent", WEFT_PVAR_CORE,
	  WEFT_COUNT_SEND_BYTES, false },
	{ "messages_received", "messages received", WEFT_PVAR_CORE,
	  WEFT_COUNT_RECV, false },
	{ "bytes_received", "bytes of the messages received", WEFT_PVAR_CORE,
	  WEFT_COUNT_RECV_BYTES, false },
	{ "path_inject", "short messages: copied immediately, no request",
	  WEFT_PVAR_CORE, WEFT_COUNT_SEND_INJECT, false },
	{ "path_whole", "messages sent from one contiguous block",
	  WEFT_PVAR_CORE, WEFT_COUNT_SEND_WHOLE, false },
	{ "path_pieces", "messages sent from several blocks, without a copy",
	  WEFT_PVAR_CORE, WEFT_COUNT_SEND_PIECES, false },
	{ "path_typed", "messages packed packet by packet", WEFT_PVAR_CORE,
	  WEFT_COUNT_SEND_TYPED, false },
	{ "path_packed", "messages packed into a buffer before sending",
	  WEFT_PVAR_CORE, WEFT_COUNT_SEND_PACKED, false },
	{ "received_packed", "messages received into a buffer and unpacked",
	  WEFT_PVAR_CORE, WEFT_COUNT_RECV_PACKED, false },
	{ "window_fabric",
	  "pieces of accesses to windows by fi_read, fi_write and fi_atomic",
	  WEFT_PVAR_CORE, WEFT_COUNT_WIN_FABRIC, false },
	{ "window_messages", "accesses to windows that the target served",
	  WEFT_PVAR_CORE, WEFT_COUNT_WIN_MESSAGES, false },
	{ "pending", "operations queued because the provider is full",
	  WEFT_PVAR_PENDING, 0, true },
	{ "packets_sent", "packets that the provider sent", WEFT_PVAR_PROVIDER,
	  FIELD(packets_sent), false },
	{ "packets_received", "packets that the provider received",
	  WEFT_PVAR_PROVIDER, FIELD(packets_received), false },
	{ "fifo_full", "sends for which the peer's FIFO was full",
	  WEFT_PVAR_PROVIDER, FIELD(fifo_full), false },
	{ "packets_refused", "packets dropped as invalid", WEFT_PVAR_PROVIDER,
	  FIELD(refused), false },
	{ "slots_skipped", "slots of peers that died while writing",
	  WEFT_PVAR_PROVIDER, FIELD(skipped), false },
	{ "sleeps", "waits that blocked", WEFT_PVAR_PROVIDER, FIELD(sleeps),
	  false },
	{ "wakes", "blocked peers that were woken", WEFT_PVAR_PROVIDER,
	  FIELD(wakes), false },
	{ "packets_resent",
	  "packets retransmitted after a loss; gemini in virtual time: after "
	  "an error event of the interface",
	  WEFT_PVAR_PROVIDER, FIELD(resent), false },
	{ "packets_remote", "packets sent by datagrams", WEFT_PVAR_PROVIDER,
	  FIELD(packets_remote), false },
	{ "unit_atomics", "words changed by atomics of the machine's interface",
	  WEFT_PVAR_PROVIDER, FIELD(unit_atomics), false },
	{ "mu_packets_sent", "bgq: packets sent by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[0]), false },
	{ "mu_messages_sent", "bgq: messages sent by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[1]), false },
	{ "mu_packets_received", "bgq: packets received by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[2]), false },
	{ "mu_messages_received", "bgq: messages received by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[3]), false },
	{ "mu_memory_reads", "bgq: reads of memory by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[4]), false },
	{ "mu_memory_read_bytes", "bgq: bytes of these reads",
	  WEFT_PVAR_PROVIDER, FIELD(unit[5]), false },
	{ "mu_memory_writes", "bgq: writes to memory by the Message Unit",
	  WEFT_PVAR_PROVIDER, FIELD(unit[6]), false },
	{ "mu_memory_write_bytes", "bgq: bytes of these writes",
	  WEFT_PVAR_PROVIDER, FIELD(unit[7]), false },
	{ "mu_register_reads", "bgq: register reads by processors",
	  WEFT_PVAR_PROVIDER, FIELD(unit[8]), false },
	{ "mu_register_writes", "bgq: register writes by processors",
	  WEFT_PVAR_PROVIDER, FIELD(unit[9]), false },
	{ "path_rendezvous", "messages sent by rendezvous", WEFT_PVAR_PROVIDER,
	  FIELD(rendezvous), false },
	{ "path_paced",
	  "of these, transferred by packets because no direct copy was "
	  "possible",
	  WEFT_PVAR_PROVIDER, FIELD(paced), false },
	{ "dma_bytes", "bytes copied directly between processes",
	  WEFT_PVAR_PROVIDER, FIELD(dma_bytes), false },
	{ "posted_receives", "receives that wait for a message",
	  WEFT_PVAR_PROVIDER, FIELD(posted_now), true },
	{ "unexpected_messages", "messages that wait for a receive",
	  WEFT_PVAR_PROVIDER, FIELD(unexpected_now), true },
	{ "clock_ps",
	  "time of the job's clock in ps; reading it takes no virtual time",
	  WEFT_PVAR_CLOCK, 0, true },
};

const int weft_pvar_count = (int)WEFT_COUNT_OF(weft_pvars);
const int weft_pvar_first_provider = 10;

static int read_provider(unsigned position, uint64_t *value_p)
{
	struct fi_weft_stats_data data;
	struct fi_weft_stats *stats = NULL;
	struct fid *fid;

	*value_p = 0;
	if (!weft_running())
		return 0;
	fid = &weft_core.ep->fid;
	memset(&data, 0, sizeof(data));
	if (fi_open_ops(fid, FI_WEFT_STATS, 0, (void **)&stats, NULL) ||
	    stats->read(fid, &data, sizeof(data)) <
		    (ssize_t)(position + sizeof(*value_p)))
		return -ENOTSUP;
	memcpy(value_p, (char *)&data + position, sizeof(*value_p));
	return 0;
}

int weft_pvar_read(int i, uint64_t *value_p)
{
	const struct weft_pvar *v = &weft_pvars[i];
	uint64_t sum = 0;

	switch (v->from) {
	case WEFT_PVAR_PROVIDER:
		return read_provider(v->position, value_p);
	case WEFT_PVAR_PENDING:
		sum = weft_core.pending;
		break;
	case WEFT_PVAR_SENT:
		/* relaxed: statistics only */
		for (int c = WEFT_COUNT_SEND_INJECT;
		     c <= WEFT_COUNT_SEND_PACKED; c++)
			sum += weft_load64_relaxed(&weft_counts[c]);
		break;
	case WEFT_PVAR_CLOCK:
		sum = weft_running() ? weft_core_clock_peek_ps() : 0;
		break;
	case WEFT_PVAR_CORE:
		sum = weft_load64_relaxed(&weft_counts[v->position]);
		break;
	}
	*value_p = sum;
	return 0;
}
