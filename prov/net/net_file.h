/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine files: text with a line for each number of a machine, its unit, and
 * after a # where the number comes from. The model itself reads no files; this
 * is the door through which tools and carriers fill a struct net_config.
 *
 *   hop = 45.333 ns    # calibrated: Table 1, (1166 - 622) / 12
 *
 * A machine is named by SPEC = NAME[@VARIANT][:DIMS] or FILE[@VARIANT][:DIMS].
 * A name is looked up in share/weft/machines above the running program or
 * library, wherever it has been moved to. Lines of a variant stand after its
 * [name] and take the place of the others. DIMS = 4x4x4x4x2 are lengths in the
 * order A, B, C, ..; what is left out is 1. A length is a torus when it is that
 * of a midplane or of the full machine, otherwise a mesh; 8t and 8m say it
 * outright.
 */
#ifndef WEFT_NET_FILE_H
#define WEFT_NET_FILE_H

#include "prov/net/net_config.h"

#include <stddef.h>
#include <stdint.h>

/* What is wrong, in a sentence for people, with file and line. */
struct net_why {
	char text[480];
};

/*
 * Fills cfg from SPEC. nodes: the machine must have so many; without DIMS the
 * smallest shape of the machine that has them is taken (0: the file's own
 * shape). 0, -ENOENT: no such machine or file, -EINVAL: why says what is wrong,
 * cfg is then undefined.
 */
int net_file_load(const char *spec, uint32_t nodes, struct net_config *cfg,
		  struct net_why *why);

/* Writes "4x4x4x4x2" or, with a mesh against the rule, "4mx4x4x4x2". */
void net_file_shape_text(const struct net_config *cfg, char *buf, size_t len);

/* One line of a file, with where its number comes from. */
enum net_source { NET_SPEC, NET_CALIBRATED, NET_ASSUMED, NET_NO_SOURCE };
struct net_file_entry {
	unsigned line;
	const char *key;
	const char *part;    /* path or bus before the point, or NULL */
	const char *variant; /* whose line it is, or NULL: of all */
	const char *value;   /* as written */
	enum net_source kind;
	const char *source; /* as written, after the kind; may be "" */
};

/* Calls each for every line that sets a key, in the order of the file. */
int net_file_each(const char *spec,
		  void (*each)(void *arg, const struct net_file_entry *entry),
		  void *arg, struct net_why *why);

/* Path of the file behind SPEC. 0, -ENOENT (why), -ENAMETOOLONG. */
int net_file_find(const char *spec, char *path, size_t len,
		  struct net_why *why);

/*
 * Path of a file below share/weft, above the running program or library:
 * "machines/bgq", "reproduce/bgq.tsv". 0 or -ENOENT.
 */
int net_file_share(const char *what, char *path, size_t len);

/* What of a file is wanted; NULL, 0: as it says. */
struct net_spec {
	const char *variant;
	const char *dims;
	uint32_t nodes;
};

/* As net_file_load, from text; name stands in the errors. */
int net_file_parse(const char *name, char *text, size_t len,
		   const struct net_spec *spec, struct net_config *cfg,
		   struct net_why *why);

#endif
