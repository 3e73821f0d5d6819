/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and runs a machine for an experiment (repro_bench.h). */
#include "src/tools/reproduce/repro_bench.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int report_error(const char *what, int err)
{
	fprintf(stderr, "weft-reproduce: %s: %s\n", what, strerror(-err));
	return err;
}

int repro_bench_config(const struct repro *r, const struct repro_row *row,
		       struct net_config *cfg)
{
	char spec[4096], shape[64] = "", variant[64] = "";
	struct net_error_text why;
	int err;

	if (row && !repro_arg(row, "shape", shape, NULL))
		*shape = 0;
	if (row && !repro_arg(row, "variant", variant, NULL))
		*variant = 0;
	snprintf(spec, sizeof(spec), "%s%s%s%s%s", r->machine,
		 *variant ? "@" : "", variant, *shape ? ":" : "", shape);
	err = net_file_load(spec, 0, cfg, &why);
	if (err)
		fprintf(stderr, "weft-reproduce: %s\n", why.text);
	return err;
}

int repro_bench_build(struct repro_bench *b, uint32_t packets)
{
	int err;

	b->nodes = net_shape_nodes(&b->cfg);
	b->bytes = net_bytes(&b->cfg, packets);
	b->net = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->net == MAP_FAILED) {
		b->net = NULL;
		return report_error("memory of the model", -errno);
	}
	err = net_open(b->net, b->bytes, &b->cfg, packets);
	return err ? report_error("opening the model", err) : 0;
}

int repro_bench_open(struct repro_bench *b, const struct repro *r,
		     const struct repro_row *row, uint32_t packets)
{
	int err;

	memset(b, 0, sizeof(*b));
	err = repro_bench_config(r, row, &b->cfg);
	return err ? err : repro_bench_build(b, packets);
}

int repro_bench_path(const struct repro_bench *b, const char *name,
		     uint8_t *path_p)
{
	*path_p = 0;
	for (unsigned i = 0; name && i < b->cfg.paths; i++)
		if (!strcmp(b->cfg.path[i].name, name)) {
			*path_p = (uint8_t)i;
			return 0;
		}
	return name ? report_error(name, -EINVAL) : 0;
}

int repro_bench_receive_path(const struct repro_bench *b,
			     const struct repro_row *row, uint8_t *in_p)
{
	char name[64];
	int err = 0;

	*in_p = 0;
	if (repro_arg(row, "in", name, NULL)) {
		err = repro_bench_path(b, name, in_p);
		++*in_p;
	}
	return err;
}

int repro_bench_run(struct repro_bench *b, const struct net_up *up, void *arg)
{
	bool stop = false;
	uint64_t next;
	int err;

	while ((next = net_next(b->net)) != NET_NEVER)
		net_run(b->net, next + 1000000000, up, arg, &stop);
	if (net_deadlock_check(b->net))
		return report_error("deadlock of the network", -EDEADLK);
	err = net_check(b->net);
	return err ? report_error("violated invariants of the model", err) : 0;
}

void repro_bench_close(struct repro_bench *b)
{
	if (b->net)
		munmap(b->net, b->bytes);
	b->net = NULL;
}
