/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-calibrate: fits the parameters of a generic machine to measured times.
 *
 *   cal_table.c   reads tables in the format of the OSU benchmarks
 *   cal_fit.c     the times of a generic machine as formulas, least squares
 *   cal_write.c   residuals, machine file, plot
 */
#ifndef WEFT_CAL_H
#define WEFT_CAL_H

#include "prov/net/file/net_config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CAL_WHY = 512 };

enum cal_kind { CAL_LATENCY, CAL_BANDWIDTH, CAL_ALLREDUCE, CAL_KINDS };

/* A measured value; bandwidths are stored as times per message. */
struct cal_point {
	enum cal_kind kind;
	double bytes, us;
};

/*
 * Maximum number of points; the time of the fit grows with the square of this
 * number.
 */
enum { CAL_POINTS_MAX = 4096 };

struct cal_table {
	struct cal_point *point;
	unsigned count, room;
};

/*
 * Adds the points of a file. Returns 0, or a negative errno and the reason with
 * file and line.
 */
int cal_read(struct cal_table *t, const char *name, char why[CAL_WHY]);
/* Like cal_read, with the text of the file, which is modified. */
int cal_parse(struct cal_table *t, const char *name, char *text,
	      char why[CAL_WHY]);

/* Properties of the machine that the fit needs. */
struct cal_machine {
	uint32_t payload, header, chunk; /* bytes of the parts of a packet */
	double hop_us;			 /* time per link */
	unsigned hops;			 /* number of links between the nodes */
	unsigned ranks;			 /* ranks of an allreduce; 0: unknown */
};

/*
 * Fitted numbers, in microseconds and bytes. A message takes
 *
 *   overhead + time + wire * byte          up to `eager` bytes
 *   2 overhead + 3 time + wire * byte      longer: request, read, data
 *
 * and messages follow each other after gap + wire * byte, or after `message`,
 * the time of the processor, if that is longer. The bandwidth test waits for a
 * response after each window of messages.
 */
struct cal_fit {
	double overhead; /* o_send + o_recv */
	double time;	 /* latency of both interfaces and the links */
	double byte;	 /* time per byte on the wire */
	double gap;	 /* time per message in the interface */
	double message;	 /* time per message in the processor; 0: unmeasured */
	double response; /* time of a window's response, per message */
	double eager;
	bool eager_known; /* longer messages were measured */
	/* overhead is an assumed part of the smallest latency */
	bool overhead_assumed;
	double mean_error, worst_error; /* relative errors of latency and
					 * bandwidth */
};

/* Returns the number of bytes on the wire for a message of `bytes` bytes. */
double cal_wire(const struct cal_machine *m, double bytes);
/* Returns the time of a point by the formulas. */
double cal_model(const struct cal_machine *m, const struct cal_fit *f,
		 const struct cal_point *p);
/*
 * Computes the fit. Returns 0, or -EINVAL and the reason: too few points, or no
 * valid result.
 */
int cal_fit(const struct cal_table *t, const struct cal_machine *m,
	    struct cal_fit *f, char why[CAL_WHY]);

void cal_print(FILE *out, const struct cal_table *t,
	       const struct cal_machine *m, const struct cal_fit *f);
/* Writes the machine file `base` with the fitted numbers. */
void cal_write(FILE *out, const char *base, const struct cal_machine *m,
	       const struct cal_fit *f);
/* Draws times and fit. Returns 0 or -EIO. */
int cal_plot(const char *file, const struct cal_table *t,
	     const struct cal_machine *m, const struct cal_fit *f);

#endif
