/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * external32: big-endian numbers of fixed sizes, without gaps. The packed
 * native data has the same order of elements, so elements are converted one by
 * one. Types whose size differs in external32: long has 4 bytes, wchar_t 2,
 * long double 16 (binary128).
 */
#include "src/types/types_pack.h"

#include <float.h>

/* Native and external32 representation of one basic type. */
struct shape {
	size_t in;	  /* size of a part in memory, bytes */
	size_t out;	  /* size of a part in external32, bytes */
	int parts;	  /* number of parts; 2: complex */
	bool is_signed;	  /* true: conversion extends the sign */
	bool is_extended; /* x87 double extended in memory */
};

static bool is_complex(const struct weft_dt *b)
{
	return b->basic == WEFT_NUM_C32 || b->basic == WEFT_NUM_C64 ||
	       b->basic == WEFT_NUM_CLD || b->basic == WEFT_NUM_C128;
}

static struct shape shape_of(const struct weft_dt *b)
{
	struct shape s = { .parts = is_complex(b) ? 2 : 1 };

	s.in = (size_t)b->size / (size_t)s.parts;
	s.out = s.in;
	s.is_signed = b->basic == WEFT_NUM_I8 || b->basic == WEFT_NUM_I16 ||
		      b->basic == WEFT_NUM_I32 || b->basic == WEFT_NUM_I64 ||
		      b->basic == WEFT_NUM_I128;
	if (weft_dt_handle(b) == MPI_LONG ||
	    weft_dt_handle(b) == MPI_UNSIGNED_LONG)
		s.out = 4;
	else if (weft_dt_handle(b) == MPI_WCHAR)
		s.out = 2;
	else if (b->basic == WEFT_NUM_FLD || b->basic == WEFT_NUM_CLD)
		s.out = 16;
	s.is_extended = LDBL_MANT_DIG == 64 &&
			(b->basic == WEFT_NUM_FLD || b->basic == WEFT_NUM_CLD);
	return s;
}

/* ---- conversion of one part of an element ---- */

/* Returns the index of byte k of a native number; 0: least significant. */
static size_t native_at(size_t k, size_t size)
{
	static const union {
		uint16_t word;
		unsigned char first;
	} probe = { 1 };

	return probe.first ? k : size - 1 - k;
}

static void int_out(unsigned char *to, const unsigned char *from,
		    const struct shape *s)
{
	for (size_t k = 0; k < s->out; k++)
		to[s->out - 1 - k] = from[native_at(k, s->in)];
}

static void int_in(unsigned char *to, const unsigned char *from,
		   const struct shape *s)
{
	unsigned char fill = s->is_signed && (from[0] & 0x80) ? 0xff : 0;

	for (size_t k = 0; k < s->in; k++)
		to[native_at(k, s->in)] =
			k < s->out ? from[s->out - 1 - k] : fill;
}

/*
 * x87: 64 bits of mantissa with an explicit leading one, then 15 bits of
 * exponent and the sign. binary128: 112 bits without the leading one.
 */
static void x87_out(unsigned char *to, const unsigned char *from)
{
	uint64_t frac;

	memcpy(&frac, from, 8);
	to[0] = from[9];
	to[1] = from[8];
	frac <<= 1; /* the leading one is not stored in binary128 */
	for (int k = 0; k < 8; k++)
		to[2 + k] = (unsigned char)(frac >> (56 - 8 * k));
	memset(to + 10, 0, 6);
}

static void x87_in(unsigned char *to, const unsigned char *from)
{
	bool normal = (from[0] & 0x7f) || from[1];
	uint64_t frac = 0;

	for (int k = 0; k < 8; k++)
		frac = frac << 8 | from[2 + k];
	frac = frac >> 1 | (uint64_t)normal << 63;
	memset(to, 0, 16);
	memcpy(to, &frac, 8);
	to[8] = from[1];
	to[9] = from[0];
}

static void part_out(unsigned char *to, const unsigned char *from,
		     const struct shape *s)
{
	if (s->is_extended)
		x87_out(to, from);
	else
		int_out(to, from, s);
}

static void part_in(unsigned char *to, const unsigned char *from,
		    const struct shape *s)
{
	if (s->is_extended)
		x87_in(to, from);
	else
		int_in(to, from, s);
}

/* ---- conversion of typed buffers ---- */

struct stream {
	const struct weft_typed *t;
	size_t pos;	    /* position in the native packed data, bytes */
	unsigned char *ext; /* next byte of the external32 data */
	bool out;
};

static int stream_run(void *arg, const struct weft_dt *basic, MPI_Count n)
{
	struct stream *st = arg;
	struct shape s = shape_of(basic);
	unsigned char tmp[16];

	for (MPI_Count i = 0; i < n * s.parts; i++) {
		if (st->out) {
			weft_pack(st->t, st->pos, tmp, s.in);
			part_out(st->ext, tmp, &s);
		} else {
			part_in(tmp, st->ext, &s);
			weft_unpack(st->t, st->pos, tmp, s.in);
		}
		st->pos += s.in;
		st->ext += s.out;
	}
	return 0;
}

static size_t stream_all(struct stream *st)
{
	unsigned char *first = st->ext;

	for (MPI_Count i = 0; i < st->t->count; i++)
		weft_dt_walk(st->t->dt, stream_run, st);
	return (size_t)(st->ext - first);
}

size_t weft_pack_ext(const struct weft_typed *t, void *dst)
{
	struct stream st = { .t = t, .ext = dst, .out = true };

	return stream_all(&st);
}

size_t weft_unpack_ext(const struct weft_typed *t, const void *src)
{
	struct stream st = { .t = t };

	/* ext is only read, since out is false */
	st.ext = (unsigned char *)(uintptr_t)src;
	return stream_all(&st);
}

static int add_size(void *arg, const struct weft_dt *basic, MPI_Count n)
{
	struct shape s = shape_of(basic);

	*(MPI_Count *)arg += n * s.parts * (MPI_Count)s.out;
	return 0;
}

MPI_Count weft_pack_ext_size(const struct weft_dt *dt)
{
	MPI_Count sum = 0;

	weft_dt_walk(dt, add_size, &sum);
	return sum;
}
