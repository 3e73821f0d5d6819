/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a region. It may belong to a process that is stuck or hostile:
 * everything is read once and nothing that it says is followed unchecked.
 */
#include "prov/carrier/shm/shm_dump.h"
#include "prov/carrier/shm/shm.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DUMP_SLOTS 16

static const char *dump_state(uint32_t state)
{
	static const char *const name[] = { "unborn", "open", "closed",
					    "broken" };

	return state < WEFT_COUNT_OF(name) ? name[state] : "garbage";
}

static const char *dump_entry_state(uint64_t state)
{
	static const char *const name[] = { "free", "claimed", "ready",
					    "left" };

	return (state & 0xff) < WEFT_COUNT_OF(name) ? name[state & 0xff]
						    : "garbage";
}

static void dump_head(const struct shm_view *v, FILE *out)
{
	const struct shm_head *h = v->head;
	uint64_t tail = weft_load64(&h->tail);
	uint32_t wake = weft_load32(&h->wake);

	fprintf(out,
		"region: pid %u, port %u, %s, cookie %016" PRIx64 ", %" PRIu64
		" bytes\n",
		h->pid, ntohs(h->port), dump_state(weft_load32(&h->state)),
		h->cookie, h->bytes);
	fprintf(out,
		"  fifo: %u slots, head %" PRIu64 ", tail %" PRIu64
		" by writer %u%s%s\n",
		v->slots, weft_load64(&h->head), shm_tail_ticket(tail),
		shm_tail_writer(tail), wake & SHM_ASLEEP ? ", asleep" : "",
		wake & SHM_ARMED ? ", armed" : "");
	fprintf(out,
		"  cells: %u of %u bytes; received %" PRIu64 ", sent %" PRIu64
		", refused %" PRIu64 ", skipped %" PRIu64 "\n",
		v->cells, v->cell_bytes, weft_load64(&h->received),
		weft_load64(&h->sent), weft_load64(&h->refused),
		weft_load64(&h->skipped));
}

static void dump_entries(const struct shm_view *v, FILE *out)
{
	for (uint32_t i = 0; i < v->entries; i++) {
		const struct shm_entry *e = &v->entry[i];
		uint64_t state = weft_load64(&e->state);

		if (!state)
			continue;
		fprintf(out,
			"  peer %u: pid %u, port %u, %s, %" PRIu64
			" cells read\n",
			i, (uint32_t)(state >> 32), ntohs(e->port),
			dump_entry_state(state), weft_load64(&e->cells_done));
	}
}

/* What lies between head and tail, the first few. */
static void dump_slots(const struct shm_view *v, FILE *out)
{
	uint64_t at = weft_load64(&v->head->head);
	uint64_t end = shm_tail_ticket(weft_load64(&v->head->tail));

	for (int n = 0; n < DUMP_SLOTS && at < end; n++, at++) {
		uint64_t word = weft_load64(&v->slot[at & (v->slots - 1)].word);
		struct weft_pkt pkt;

		memcpy(&pkt, &word, sizeof(word));
		if (shm_word_lap(pkt.carrier) != shm_lap(at, v->lg))
			fprintf(out, "  slot %" PRIu64 ": reserved\n", at);
		else
			fprintf(out,
				"  slot %" PRIu64
				": writer %u, seq %u, kind %u, type %u, "
				"%u bytes\n",
				at, shm_word_writer(pkt.carrier),
				shm_word_seq(pkt.carrier),
				shm_word_kind(pkt.carrier), pkt.type, pkt.len);
	}
}

static void dump_view(const struct shm_view *v, FILE *out)
{
	dump_head(v, out);
	dump_entries(v, out);
	dump_slots(v, out);
}

void weft_shm_dump(struct weft_carrier *c, FILE *out)
{
	dump_view(&shm_of(c)->view, out);
}

int weft_shm_dump_pid(int pid, FILE *out)
{
	struct shm_view v;
	struct dirent *e;
	char path[32];
	int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    shm_map_look((uint32_t)pid, atoi(e->d_name), &v))
			continue;
		dump_view(&v, out);
		shm_map_drop(&v);
		n++;
	}
	closedir(d);
	return n;
}
