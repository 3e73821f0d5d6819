/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal interface of the machine file reader. */
#ifndef WEFT_NET_FILE_INT_H
#define WEFT_NET_FILE_INT_H

#include "prov/net/file/net_file.h"
#include "src/base/attr.h"

#include <stdbool.h>
#include <string.h>

/* Type of a value; it determines the accepted units. */
enum file_type {
	FILE_NAME,
	FILE_TOPOLOGY,
	FILE_DIMS,	/* 4x4x4x4x2 */
	FILE_TIME,	/* ps, ns, us or cycles; stored in ps */
	FILE_CYCLES,	/* cycles */
	FILE_BYTES,	/* B, KiB, MiB */
	FILE_RATE_INV,	/* GB/s; stored as ps per byte times 1000 */
	FILE_RATE_US,	/* GB/s; stored as bytes per us */
	FILE_BYTE_TIME, /* ps, ns per byte; stored as ps per byte times 1000 */
	FILE_COUNT,	/* a whole number */
	FILE_GRAPH,	/* name of a file with a graph of switches */
	FILE_PATHS,	/* names of paths */
	FILE_BUSES,	/* names of buses */
	FILE_BUS_MASK,	/* names of the buses of a path */
	FILE_NODES,	/* "any" or "range" */
	/* one of the words that the key accepts, stored as its index */
	FILE_CODE,
	FILE_ORDER,   /* dimensions: "A B C D E" or "longest" */
	FILE_CHOICES, /* collective algorithms: "16-31 64K-1M binomial, ..." */
	FILE_ZONE, /* zone masks, e.g. "AB CD E", or one of the words longest,
		      any, order */
};

/*
 * Flags of keys that may be absent: FILE_TORUS_ONLY for fat trees,
 * FILE_CUT_THROUGH for wormhole switching, FILE_OPTIONAL for all machines.
 */
#define FILE_CUT_THROUGH 16u
#define FILE_TORUS_ONLY	 1u
#define FILE_OPTIONAL	 2u
/*
 * Flags of keys of a path or bus, written NAME.KEY; their offset is within
 * struct net_path or struct net_bus.
 */
#define FILE_OF_PATH	 4u
#define FILE_OF_BUS	 8u

struct file_key {
	const char *name;
	enum file_type type;
	unsigned offset, bytes; /* offset and size of the field in its struct */
	uint64_t min, max;	/* limits of the stored value */
	unsigned flags;
	const char *help; /* description, with an example */
};

/* A line that sets a key; the strings point into the file's buffer. */
struct file_line {
	unsigned line;
	const struct file_key *def;
	char *key, *value, *comment;
	char *part;	     /* name before the dot of NAME.KEY, or NULL */
	const char *variant; /* section that contains the line, or NULL */
};

#define FILE_LINES_MAX 256

struct file_doc {
	const char *name;
	struct file_line item[FILE_LINES_MAX];
	unsigned count;
	const char *section; /* section being read, or NULL */
	const char *variant; /* requested variant, or NULL */
	struct net_error_text *why;
	char missing[3072]; /* missing keys with their meaning */
	size_t missing_len;
	unsigned missing_count;
	const struct file_key *missing_key; /* the first missing key */
};

/* net_file_text.c */
bool file_same_text(const char *a, const char *b);
/*
 * Returns the line that sets a key in the section of a variant; variant NULL:
 * outside of all sections.
 */
const struct file_line *file_line_in(const struct file_doc *doc,
				     const char *part, const char *key,
				     const char *variant);
/* Returns the line of the requested variant, otherwise the common line. */
const struct file_line *file_line_get(const struct file_doc *doc,
				      const char *part, const char *key);
/* Returns the line that sets a key of the machine, or NULL. */
const struct file_line *file_doc_get(const struct file_doc *doc,
				     const char *key);
/* Reads a whole file and appends a terminating zero. */
int file_read(const char *path, char **text_p, size_t *len_p,
	      struct net_error_text *why);

int file_fail(struct net_error_text *why, const char *fmt, ...)
	WEFT_PRINTF(2, 3);
/* Like file_fail; file name and line number precede the message. */
int file_fail_at(const struct file_doc *doc, unsigned line, const char *fmt,
		 ...) WEFT_PRINTF(3, 4);

/* net_file_key.c */
extern const struct file_key file_keys[];
extern const unsigned file_key_count;
/* Finds a key; flags: FILE_OF_PATH | FILE_OF_BUS; 0: a key of the machine. */
const struct file_key *file_key_find(const char *name, unsigned flags);
const struct file_key *file_key_nearest(const char *name);

/* net_file_value.c: parses a value and stores it in the struct at `base`. */
int file_value(const struct file_doc *doc, const struct file_line *item,
	       uint64_t cycle_ps, struct net_config *cfg, void *base);

/* net_file_part.c: reads paths and buses */
int file_paths(const char *text, struct net_config *cfg);
int file_buses(const char *text, struct net_config *cfg);
int file_bus_mask(const char *text, const struct net_config *cfg,
		  uint8_t *mask_p);
/* Returns the path or bus of that name, or NULL. */
void *file_part(const char *name, unsigned flags, struct net_config *cfg);

/* net_file_choice.c: adds the choices of a collective operation */
int file_choices(const char *operation, const char *text,
		 struct net_config *cfg);

/* net_file_shape.c: reads dimension lengths, torus or mesh, order and zones */
int file_dims(const char *text, unsigned most, uint16_t *size, char *wrap,
	      unsigned *count_p);
/* Returns the maximum length of a dimension. */
unsigned file_length_max(const struct net_config *cfg);
int file_shape(const struct file_doc *doc, struct net_config *c,
	       const char *dims, uint32_t nodes);
int file_order(const char *text, struct net_config *cfg);
int file_zone(const char *text, struct net_config *cfg, unsigned zone);

/* net_file_check.c: constraints between several values */
int file_check(const struct file_doc *doc, const struct net_config *c);

/*
 * Maximum number of queues of all ports of a switch; not for networks of
 * switches.
 */
#define FILE_QUEUES_MAX 112u

/* net_file_generic.c: support for machines with unit = generic */
static inline bool file_is_generic(const struct net_config *cfg)
{
	return !strcmp(cfg->unit, "generic");
}
bool file_generic_requires(const char *key, const struct net_config *cfg);
/* Returns the default value of a key, or NULL. */
const char *file_generic_default(const char *key);
/* Refuses keys that have no effect with the machine's topology. */
int file_generic_topology(const struct file_doc *doc,
			  const struct net_config *cfg);
/* Refuses a file with two keys that set the same value. */
int file_generic_pairs(const struct file_doc *doc);
/* Sets the values that follow from those of LogGP and from the shape. */
void file_generic_set(struct net_config *cfg);

/* net_file_graph.c: graphs of switches */
struct file_graph_names {
	char name[NET_GRAPH_SWITCHES][24];
};
int file_graph(const struct file_doc *doc, const struct file_line *item,
	       struct net_config *cfg, struct file_graph_names *names);
/* Like file_graph, for text that starts at line `line` of file `path`. */
int file_graph_text(const struct file_doc *doc, const char *path, char *text,
		    unsigned line, struct net_config *cfg,
		    struct file_graph_names *names);

/*
 * net_file_switches.c: links, limits and virtual channels of a network of
 * switches; names: switch names of a graph, or NULL
 */
int file_switches(const struct file_doc *doc, struct net_config *c,
		  const struct file_graph_names *names);

#endif
