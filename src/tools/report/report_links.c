/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the statistics of the model's links, as recorded by rank 0. */
#include "src/tools/report/report_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 64, LINKS_MOST = 100000 };

struct class
{
	char name[8];
	uint64_t links, used, packets, bytes, busy, most, queued;
};

typedef void (*each_fn)(void *arg, const struct trace_link *l);

static void for_each_link(const struct report *s, each_fn fn, void *arg)
{
	const struct trace_link *l;
	uint64_t at = 0;
	size_t bytes;

	while ((l = weft_trace_next(&s->file, TRACE_LINKS, TRACE_ALL_WRITERS,
				    &at, &bytes)))
		for (size_t i = 0; i < bytes / sizeof(*l); i++)
			fn(arg, &l[i]);
}

struct classes {
	struct class class[CLASSES];
	unsigned count;
};

static void links_add(void *arg, const struct trace_link *l)
{
	struct classes *c = arg;
	unsigned i = 0;

	while (i < c->count && strncmp(c->class[i].name, l->name, 7))
		i++;
	if (i == CLASSES)
		return;
	if (i == c->count)
		memcpy(c->class[c->count++].name, l->name, 7);
	c->class[i].links++;
	c->class[i].used += l->packets > 0;
	c->class[i].packets += l->packets;
	c->class[i].bytes += l->bytes;
	c->class[i].busy += l->busy_ps;
	c->class[i].queued += l->queued_ps;
	if (l->busy_ps > c->class[i].most)
		c->class[i].most = l->busy_ps;
}

static void put_classes(struct json *j, const struct classes *c, double time)
{
	json_array(j, "classes");
	for (unsigned i = 0; i < c->count; i++) {
		const struct class *x = &c->class[i];

		json_object(j, NULL);
		json_text(j, "name", x->name);
		json_int(j, "links", (int64_t)x->links);
		json_int(j, "used", (int64_t)x->used);
		json_int(j, "packets", (int64_t)x->packets);
		json_int(j, "bytes", (int64_t)x->bytes);
		json_number(j, "busy",
			    (double)x->busy / (double)x->links / time);
		json_number(j, "most", (double)x->most / time);
		json_number(j, "queued",
			    (double)x->queued / (double)x->links / time);
		json_close(j);
	}
	json_close(j);
}

struct put {
	struct json *j;
	unsigned left;
	int64_t idle;
};

static bool has_faults(const struct trace_link *l)
{
	return l->bad || l->detours || l->retry_ps || l->dead;
}

/* Writes one link, whose names may have no terminating zero. */
static void put_link(void *arg, const struct trace_link *l)
{
	char name[sizeof(l->name) + 1] = "", node[sizeof(l->node) + 1] = "";
	struct put *p = arg;

	if ((!l->packets && !has_faults(l)) || !p->left) {
		p->idle++;
		return;
	}
	p->left--;
	memcpy(name, l->name, sizeof(l->name));
	memcpy(node, l->node, sizeof(l->node));
	if (strstr(node, " port"))
		*strstr(node, " port") = '\0';
	json_array(p->j, NULL);
	json_text(p->j, NULL, node);
	json_text(p->j, NULL, name);
	json_int(p->j, NULL, (int64_t)l->packets);
	json_int(p->j, NULL, (int64_t)l->bytes);
	json_int(p->j, NULL, (int64_t)l->busy_ps);
	json_int(p->j, NULL, (int64_t)l->queued_ps);
	if (has_faults(l)) {
		json_int(p->j, NULL, (int64_t)l->bad);
		json_int(p->j, NULL, (int64_t)l->detours);
		json_int(p->j, NULL, (int64_t)l->retry_ps);
		json_int(p->j, NULL, (int64_t)l->dead);
	}
	json_close(p->j);
}

void report_put_links(struct json *j, const struct report *s)
{
	const char *now = report_note(s, "now");
	double time = now ? atof(now) : 0;
	struct put p = { j, LINKS_MOST, 0 };
	static struct classes c;

	memset(&c, 0, sizeof(c));
	for_each_link(s, links_add, &c);
	if (!c.count || !(time > 0))
		return;
	json_object(j, "links");
	json_number(j, "time_ps", time);
	put_classes(j, &c, time);
	json_array(j, "link");
	for_each_link(s, put_link, &p);
	json_close(j);
	json_int(j, "idle", p.idle);
	json_close(j);
}

/* Writes the fault statistics, from lines of a number and a name. */
void report_put_faults(struct json *j, const struct report *s)
{
	const char *text = report_note(s, "faults");
	char name[80], *end;

	if (!text)
		return;
	json_array(j, "faults");
	while (*text) {
		int64_t value = strtoll(text, &end, 10);
		size_t len = strcspn(end, "\n");

		json_array(j, NULL);
		snprintf(name, sizeof(name), "%.*s", (int)len,
			 *end == ' ' ? end + 1 : end);
		name[strcspn(name, "\n")] = '\0';
		json_text(j, NULL, name);
		json_int(j, NULL, value);
		json_close(j);
		text = end + len + (end[len] == '\n');
	}
	json_close(j);
}
