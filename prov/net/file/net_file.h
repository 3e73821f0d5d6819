/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine files: text files with one line per parameter of a machine: the
 * value, its unit, and after a # the source of the value. The model itself
 * reads no files; tools and the virtual-time runtime fill a struct net_config
 * with these functions.
 *
 *   hop = 45.333 ns    # calibrated: Table 1, (1166 - 622) / 12
 *
 * A machine is named by SPEC = NAME[@VARIANT][:DIMS] or FILE[@VARIANT][:DIMS].
 * A name is looked up in share/weft/machines above the running program or
 * library, so an installation can be moved. Lines below [VARIANT] override the
 * common lines. DIMS = 4x4x4x4x2 are lengths in the order A, B, C, ..; omitted
 * lengths are 1. A dimension is a torus if its length is that of a midplane or
 * of the full machine, otherwise a mesh; 8t and 8m select torus or mesh
 * explicitly.
 */
#ifndef WEFT_NET_FILE_H
#define WEFT_NET_FILE_H

#include "prov/net/file/net_config.h"

#include <stddef.h>
#include <stdint.h>

/* Error message for users, with file and line. */
struct net_error_text {
	char text[4096];
};

/*
 * Fills cfg from SPEC. Without DIMS, the smallest shape of the machine with at
 * least `nodes` nodes is used (0: the shape in the file). Returns 0; -ENOENT:
 * no such machine or file; -EINVAL: why holds the error message, and cfg is
 * undefined.
 */
int net_file_load(const char *spec, uint32_t nodes, struct net_config *cfg,
		  struct net_error_text *why);

/*
 * Writes the shape: "4x4x4x4x2"; "4mx4x4x4x2" if a dimension that is a torus by
 * default is a mesh.
 */
void net_file_shape_text(const struct net_config *cfg, char *buf, size_t len);

/* Source of a value in a machine file. */
enum net_source { NET_SPEC, NET_CALIBRATED, NET_ASSUMED, NET_NO_SOURCE };
struct net_file_entry {
	unsigned line;
	const char *key;
	const char *part; /* path or bus (the text before the dot), or NULL */
	const char *variant; /* variant of the line; NULL: all variants */
	const char *value;   /* value as written in the file */
	enum net_source kind;
	/* source text after "calibrated:" etc.; may be empty */
	const char *source;
};

/* Calls each() for every line that sets a key, in the order of the file. */
int net_file_each(const char *spec,
		  void (*each)(void *arg, const struct net_file_entry *entry),
		  void *arg, struct net_error_text *why);

/*
 * Finds the path of the file that SPEC names. Returns 0, -ENOENT (sets why) or
 * -ENAMETOOLONG.
 */
int net_file_find(const char *spec, char *path, size_t len,
		  struct net_error_text *why);

/*
 * Finds the path of a file below share/weft, above the running program or
 * library: "machines/bgq", "reproduce/bgq.tsv". Returns 0 or -ENOENT.
 */
int net_file_share(const char *what, char *path, size_t len);

/* Requested variant, shape and number of nodes; NULL or 0: that of the file. */
struct net_spec {
	const char *variant;
	const char *dims;
	uint32_t nodes;
};

/*
 * Fills cfg from the text of a machine file, like net_file_load. Error messages
 * start with name.
 */
int net_file_parse(const char *name, char *text, size_t len,
		   const struct net_spec *spec, struct net_config *cfg,
		   struct net_error_text *why);

#endif
