/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace as an OTF2 archive: a folder that otf2-print, Vampir and
 * Scalasca read. Ranks are locations, calls are regions; messages of all
 * communicators are recorded in the communicator of all ranks. This is a
 * separate module, which mpiexec loads only to write an OTF2 trace, so that
 * mpiexec itself does not need libotf2.
 */
#include "src/base/attr.h"
#include "src/tools/report/report.h"

#include <errno.h>
#include <limits.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes an OTF2 archive; loaded by report_archive(). */
WEFT_EXPORT int report_otf2(const struct report *s, const char *folder);

enum { CHUNK = 1 << 18, DEF_CHUNK = 1 << 18, TICKS = 1000000000 };

static OTF2_FlushType on_full(void *arg, OTF2_FileType type,
			      OTF2_LocationRef location, void *caller,
			      bool last)
{
	return OTF2_FLUSH;
}

/*
 * Region number of each call name: name indices of the job status page have
 * gaps, region numbers have none.
 */
static uint32_t region_of[JOB_PAGE_NAMES];

static uint32_t region_number(uint32_t id)
{
	return id < JOB_PAGE_NAMES ? region_of[id] : 0;
}

/* Writer of the events of one rank. OTF2 timestamps must not decrease. */
struct writer {
	const struct report *s;
	OTF2_EvtWriter *out;
	/* next matched message that arrives at this rank */
	const struct report_message *message;
	uint64_t messages;
	uint64_t last;
};

/*
 * Converts ps to ns since the first call. The result is at least the previous
 * timestamp, since OTF2 timestamps must not decrease.
 */
static uint64_t timestamp(struct writer *w, uint64_t ps)
{
	uint64_t t = ps > w->s->begin ? (ps - w->s->begin) / 1000 : 0;

	if (t > w->last)
		w->last = t;
	return w->last;
}

/*
 * Writes an arrival if it was matched. Arrivals and matched messages are in the
 * same order; some arrivals have no match.
 */
static void put_recv(struct writer *w, const struct trace_event *e)
{
	if (!w->messages || w->message->got != e->t ||
	    w->message->word != e->word)
		return;
	OTF2_EvtWriter_MpiRecv(
		w->out, NULL, timestamp(w, e->t), w->message->from, 0,
		(uint32_t)e->word & INT32_MAX, w->message->bytes);
	w->message++;
	w->messages--;
}

/* Writes the events before the next call that are earlier than `until`. */
static void put_between(struct writer *w, struct report_walk *from,
			const struct trace_event **e, uint64_t until)
{
	while (*e && (*e)->kind != TRACE_CALL && (*e)->t < until) {
		if ((*e)->kind == TRACE_SEND && (*e)->id < w->s->ranks &&
		    !report_is_sync((*e)->word))
			OTF2_EvtWriter_MpiSend(
				w->out, NULL, timestamp(w, (*e)->t), (*e)->id,
				0, (uint32_t)(*e)->word & INT32_MAX,
				(*e)->size);
		else if ((*e)->kind == TRACE_RECV)
			put_recv(w, *e);
		*e = report_next(from);
	}
}

/*
 * Writes the events of a rank in time order. A call is recorded after the
 * events within it, so one iterator reads the calls ahead and a second one the
 * events in between.
 */
static void put_rank(struct writer *w, uint32_t rank)
{
	struct report_walk ahead = report_walk(w->s, rank, REPORT_ALL),
			   behind = ahead;
	const struct trace_event *call, *e = report_next(&behind);

	while ((call = report_next(&ahead))) {
		if (call->kind != TRACE_CALL)
			continue;
		put_between(w, &behind, &e, call->t);
		OTF2_EvtWriter_Enter(w->out, NULL, timestamp(w, call->t),
				     region_number(call->id));
		put_between(w, &behind, &e, UINT64_MAX);
		OTF2_EvtWriter_Leave(w->out, NULL,
				     timestamp(w, call->t + call->span),
				     region_number(call->id));
		e = report_next(&behind);
	}
	put_between(w, &behind, &e, UINT64_MAX);
}

/* Writes the events of all ranks. count: number of events of each rank. */
static int put_events(const struct report *s, OTF2_Archive *a, uint64_t *count)
{
	struct report_matched m;
	uint64_t at = 0;
	int err = report_match(s, &m);

	if (err)
		return err;
	OTF2_Archive_OpenEvtFiles(a);
	for (uint32_t r = 0; r < s->ranks; r++) {
		struct writer w = { .s = s, .message = m.message + at };

		while (at < m.messages && m.message[at].to == r) {
			w.messages++;
			at++;
		}
		w.out = OTF2_Archive_GetEvtWriter(a, r);
		if (!w.out)
			err = -EIO;
		else
			put_rank(&w, r);
		OTF2_EvtWriter_GetNumberOfEvents(w.out, &count[r]);
		OTF2_Archive_CloseEvtWriter(a, w.out);
	}
	OTF2_Archive_CloseEvtFiles(a);
	report_match_free(&m);
	return err;
}

/* ---- definitions --------------------------------------------------------- */

struct defs {
	OTF2_GlobalDefWriter *out;
	uint32_t strings;
};

static uint32_t put_string(struct defs *d, const char *text)
{
	OTF2_GlobalDefWriter_WriteString(d->out, d->strings, text);
	return d->strings++;
}

static void put_ranks(struct defs *d, const struct report *s,
		      const uint64_t *count)
{
	uint32_t node = put_string(d, s->job->host ? s->job->host : "host");
	uint32_t class = put_string(d, "node");
	char name[24];

	OTF2_GlobalDefWriter_WriteSystemTreeNode(
		d->out, 0, node, class, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t r = 0; r < s->ranks; r++) {
		uint32_t text;

		snprintf(name, sizeof(name), "rank %u", r);
		text = put_string(d, name);
		OTF2_GlobalDefWriter_WriteLocationGroup(
			d->out, r, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
			OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(
			d->out, r, text, OTF2_LOCATION_TYPE_CPU_THREAD,
			count[r], r);
	}
}

static int put_world(struct defs *d, const struct report *s)
{
	uint64_t *all = calloc(s->ranks, sizeof(*all));
	uint32_t name = put_string(d, "MPI_COMM_WORLD");

	if (!all)
		return -ENOMEM;
	for (uint32_t r = 0; r < s->ranks; r++)
		all[r] = r;
	OTF2_GlobalDefWriter_WriteGroup(
		d->out, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, s->ranks, all);
	OTF2_GlobalDefWriter_WriteGroup(
		d->out, 1, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
		OTF2_GROUP_FLAG_NONE, s->ranks, all);
	OTF2_GlobalDefWriter_WriteComm(d->out, 0, name, 1, OTF2_UNDEFINED_COMM,
				       OTF2_COMM_FLAG_NONE);
	free(all);
	return 0;
}

static int put_defs(const struct report *s, OTF2_Archive *a,
		    const uint64_t *count)
{
	struct defs d = { .out = OTF2_Archive_GetGlobalDefWriter(a) };
	char name[JOB_PAGE_NAME];

	if (!d.out)
		return -EIO;
	put_string(&d, "");
	OTF2_GlobalDefWriter_WriteClockProperties(
		d.out, TICKS, 0, (s->end - s->begin) / 1000 + 1,
		OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t id = 1; id < JOB_PAGE_NAMES; id++) {
		uint32_t text;

		if (!weft_job_page_name(s->job->job_page, id, name))
			continue;
		text = put_string(&d, name);
		OTF2_GlobalDefWriter_WriteRegion(
			d.out, region_number(id), text, text, 0,
			OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
			OTF2_REGION_FLAG_NONE, 0, 0, 0);
	}
	put_ranks(&d, s, count);
	return put_world(&d, s);
}

int report_otf2(const struct report *s, const char *folder)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = on_full };
	uint64_t *count = calloc(s->ranks, sizeof(*count));
	OTF2_Archive *a =
		count ? OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE,
					  CHUNK, DEF_CHUNK,
					  OTF2_SUBSTRATE_POSIX,
					  OTF2_COMPRESSION_NONE)
		      : NULL;
	char name[JOB_PAGE_NAME];
	uint32_t n = 0;
	int err;

	if (!a) {
		free(count);
		return -EIO;
	}
	OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	for (uint32_t id = 1; id < JOB_PAGE_NAMES; id++)
		if (weft_job_page_name(s->job->job_page, id, name))
			region_of[id] = n++;
	err = put_events(s, a, count);
	if (!err) {
		/* OTF2 requires a definition file for each location */
		OTF2_Archive_OpenDefFiles(a);
		for (uint32_t r = 0; r < s->ranks; r++)
			OTF2_Archive_CloseDefWriter(
				a, OTF2_Archive_GetDefWriter(a, r));
		OTF2_Archive_CloseDefFiles(a);
		err = put_defs(s, a, count);
	}
	if (OTF2_Archive_Close(a) != OTF2_SUCCESS && !err)
		err = -EIO;
	free(count);
	return err;
}
