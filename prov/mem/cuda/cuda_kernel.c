/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPU kernels, as text in the driver's assembly language (PTX), which the
 * driver compiles for the installed GPU. There is one reduction kernel per
 * operation and type; its text is generated from a pattern and compiled at the
 * first use.
 */
#include "prov/mem/cuda/cuda_kernel.h"
#include "src/base/attr.h"
#include "src/base/num.h"

#include <errno.h>
#include <string.h>

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

#define SIGNAL                                                               \
	".visible .entry weft_signal(.param .u64 word, .param .u32 value)\n" \
	"{\n"                                                                \
	" .reg .u64 %w;\n .reg .u32 %v;\n"                                   \
	" ld.param.u64 %w, [word];\n"                                        \
	" ld.param.u32 %v, [value];\n"                                       \
	" membar.sys;\n"                                                     \
	" st.volatile.global.u32 [%w], %v;\n"                                \
	" ret;\n"                                                            \
	"}\n"

/*
 * Copies %n bytes from %f to %t by the threads of one block, 16 bytes per
 * thread and pass, or single bytes if the addresses are not aligned. Uses %i,
 * %s, %x, %y, %p, %r0, %r1, %q0 to %q3, %b.
 */
#define COPY_REGISTERS                                 \
	" .reg .u64 %t, %f, %n, %i, %s, %x, %y, %z;\n" \
	" .reg .u32 %r0, %r1, %q0, %q1, %q2, %q3;\n"   \
	" .reg .u16 %b;\n .reg .pred %p;\n"
#define COPY                                              \
	" mov.u32 %r0, %tid.x;\n mov.u32 %r1, %ntid.x;\n" \
	" cvt.u64.u32 %i, %r0;\n cvt.u64.u32 %s, %r1;\n"  \
	" or.b64 %x, %t, %f;\n"                           \
	" and.b64 %x, %x, 15;\n"                          \
	" setp.ne.u64 %p, %x, 0;\n"                       \
	" @%p bra BYTES;\n"                               \
	" shr.u64 %z, %n, 4;\n"                           \
	"WIDE:\n"                                         \
	" setp.ge.u64 %p, %i, %z;\n"                      \
	" @%p bra REST;\n"                                \
	" shl.b64 %x, %i, 4;\n"                           \
	" add.u64 %y, %f, %x;\n"                          \
	" ld.global.v4.u32 {%q0, %q1, %q2, %q3}, [%y];\n" \
	" add.u64 %y, %t, %x;\n"                          \
	" st.global.v4.u32 [%y], {%q0, %q1, %q2, %q3};\n" \
	" add.u64 %i, %i, %s;\n"                          \
	" bra WIDE;\n"                                    \
	"REST:\n"                                         \
	" shl.b64 %z, %z, 4;\n"                           \
	" cvt.u64.u32 %i, %r0;\n"                         \
	" add.u64 %i, %i, %z;\n"                          \
	"BYTES:\n"                                        \
	" setp.ge.u64 %p, %i, %n;\n"                      \
	" @%p bra DONE;\n"                                \
	" add.u64 %y, %f, %i;\n"                          \
	" ld.global.u8 %b, [%y];\n"                       \
	" add.u64 %y, %t, %i;\n"                          \
	" st.global.u8 [%y], %b;\n"                       \
	" add.u64 %i, %i, %s;\n"                          \
	" bra BYTES;\n"                                   \
	"DONE:\n"

#define COPY_SHORT                                                            \
	".visible .entry weft_copy_short(.param .u64 to, .param .u64 from,\n" \
	" .param .u64 bytes, .param .u64 word, .param .u32 value)\n"          \
	"{\n" COPY_REGISTERS                                                  \
	" ld.param.u64 %t, [to];\n ld.param.u64 %f, [from];\n"                \
	" ld.param.u64 %n, [bytes];\n" COPY " membar.gl;\n"                   \
	" bar.sync 0;\n"                                                      \
	" setp.ne.u32 %p, %r0, 0;\n"                                          \
	" @%p bra END;\n"                                                     \
	" ld.param.u64 %x, [word];\n ld.param.u32 %q0, [value];\n"            \
	" membar.gl;\n"                                                       \
	" st.volatile.global.u32 [%x], %q0;\n"                                \
	"END:\n"                                                              \
	" ret;\n"                                                             \
	"}\n"

#define COPY_BLOCKS                                            \
	".visible .entry weft_copy_blocks(.param .u64 list)\n" \
	"{\n" COPY_REGISTERS " mov.u32 %r0, %ctaid.x;\n"       \
	" ld.param.u64 %x, [list];\n"                          \
	" mad.wide.u32 %x, %r0, 24, %x;\n"                     \
	" ld.global.u64 %t, [%x];\n"                           \
	" ld.global.u64 %f, [%x+8];\n"                         \
	" ld.global.u64 %n, [%x+16];\n" COPY " ret;\n"         \
	"}\n"

/*
 * A reduction. $k: log2 of the element size; $t: suffix of the type; $b: its
 * bits; $o: the operation's instructions from %v0 and %v1 to %v2.
 */
#define APPLY                                                              \
	HEAD ".visible .entry weft_apply(.param .u64 to, .param .u64 a,\n" \
	     " .param .u64 b, .param .u64 n)\n"                            \
	     "{\n"                                                         \
	     " .reg .u64 %t, %a, %b, %n, %i, %s, %x, %y;\n"                \
	     " .reg .u32 %r0, %r1, %r2;\n"                                 \
	     " .reg .$t %v0, %v1, %v2;\n .reg .pred %p, %q;\n"             \
	     " ld.param.u64 %t, [to];\n ld.param.u64 %a, [a];\n"           \
	     " ld.param.u64 %b, [b];\n ld.param.u64 %n, [n];\n"            \
	     " mov.u32 %r0, %ctaid.x;\n mov.u32 %r1, %ntid.x;\n"           \
	     " mov.u32 %r2, %tid.x;\n cvt.u64.u32 %x, %r2;\n"              \
	     " mad.wide.u32 %i, %r0, %r1, %x;\n"                           \
	     " mov.u32 %r2, %nctaid.x;\n"                                  \
	     " mul.wide.u32 %s, %r1, %r2;\n"                               \
	     "NEXT:\n"                                                     \
	     " setp.ge.u64 %p, %i, %n;\n"                                  \
	     " @%p bra DONE;\n"                                            \
	     " shl.b64 %x, %i, $k;\n"                                      \
	     " add.u64 %y, %a, %x;\n ld.global.$t %v0, [%y];\n"            \
	     " add.u64 %y, %b, %x;\n ld.global.$t %v1, [%y];\n"            \
	     " $o\n"                                                       \
	     " add.u64 %y, %t, %x;\n st.global.$t [%y], %v2;\n"            \
	     " add.u64 %i, %i, %s;\n"                                      \
	     " bra NEXT;\n"                                                \
	     "DONE:\n"                                                     \
	     " ret;\n"                                                     \
	     "}\n"

/* suffix of the types with kernels; 8- and 16-bit types have none */
static const char *const suffix[WEFT_NUM_WORDS] = {
	[WEFT_NUM_I32] = "s32", [WEFT_NUM_U32] = "u32", [WEFT_NUM_I64] = "s64",
	[WEFT_NUM_U64] = "u64", [WEFT_NUM_F32] = "f32", [WEFT_NUM_F64] = "f64",
};

static bool is_float(unsigned type)
{
	return type == WEFT_NUM_F32 || type == WEFT_NUM_F64;
}

/* Returns the instructions of an operation; NULL: no kernel. */
static const char *instruction(unsigned op, unsigned type)
{
	const bool f = is_float(type);

	switch (op) {
	case WEFT_NUM_SUM:
		return f ? "add.rn.$t %v2, %v0, %v1;" : "add.$t %v2, %v0, %v1;";
	case WEFT_NUM_PROD:
		return f ? "mul.rn.$t %v2, %v0, %v1;"
			 : "mul.lo.$t %v2, %v0, %v1;";
	case WEFT_NUM_MIN:
		return "setp.lt.$t %q, %v0, %v1; "
		       "selp.$t %v2, %v0, %v1, %q;";
	case WEFT_NUM_MAX:
		return "setp.gt.$t %q, %v0, %v1; "
		       "selp.$t %v2, %v0, %v1, %q;";
	case WEFT_NUM_BAND:
		return f ? NULL : "and.b$b %v2, %v0, %v1;";
	case WEFT_NUM_BOR:
		return f ? NULL : "or.b$b %v2, %v0, %v1;";
	case WEFT_NUM_BXOR:
		return f ? NULL : "xor.b$b %v2, %v0, %v1;";
	default:
		return NULL;
	}
}

static int function_load(struct cuda_home *h, const char *text,
			 const char *name, cuda_function *f)
{
	cuda_module m;
	int err = cuda_error("kernel", h->driver->module_load(&m, text));

	return err ? err
		   : cuda_error(name, h->driver->module_function(f, m, name));
}

int cuda_kernels_load(struct cuda_home *h)
{
	static const char text[] = HEAD SIGNAL COPY_SHORT COPY_BLOCKS;
	const struct cuda_driver *d = h->driver;
	cuda_module m;
	int err = cuda_error("kernels", d->module_load(&m, text));

	if (!err)
		err = cuda_error(
			"weft_signal",
			d->module_function(&h->signal, m, "weft_signal"));
	if (!err)
		err = cuda_error("weft_copy_short",
				 d->module_function(&h->copy_short, m,
						    "weft_copy_short"));
	if (!err)
		err = cuda_error("weft_copy_blocks",
				 d->module_function(&h->copy_blocks, m,
						    "weft_copy_blocks"));
	return err;
}

uint32_t cuda_copy_short(struct cuda_home *h, cuda_addr to, cuda_addr from,
			 uint64_t bytes)
{
	cuda_addr word = (uintptr_t)h->completed;
	uint32_t number = h->submitted + 1 ? h->submitted + 1 : 1;
	void *params[] = { &to, &from, &bytes, &word, &number };
	/* as many threads as there are blocks of 16 bytes, in whole warps */
	unsigned threads = (unsigned)((bytes / 16 + 32) / 32 * 32);

	if (threads > 1024)
		threads = 1024;
	if (cuda_error("copy",
		       h->driver->launch(h->copy_short, 1, 1, 1, threads, 1, 1,
					 0, h->stream, params, NULL)))
		return 0;
	return h->submitted = number;
}

int cuda_copy_blocks(struct cuda_home *h, unsigned n)
{
	cuda_addr list = (uintptr_t)h->list;
	void *params[] = { &list };

	return cuda_error("copy",
			  h->driver->launch(h->copy_blocks, n, 1, 1, 128, 1, 1,
					    0, h->stream, params, NULL));
}

/*
 * Writes the pattern to out, with the letters after a dollar sign replaced.
 * Returns the end of the text.
 */
static char *expand(char *out, const char *pattern, unsigned op, unsigned type)
{
	size_t bytes = weft_num_bytes(type);

	for (; *pattern; pattern++) {
		if (*pattern != '$') {
			*out++ = *pattern;
			continue;
		}
		switch (*++pattern) {
		case 't':
			out = stpcpy(out, suffix[type]);
			break;
		case 'b':
			out = stpcpy(out, bytes == 8 ? "64" : "32");
			break;
		case 'k':
			out = stpcpy(out, bytes == 8 ? "3" : "2");
			break;
		default: /* the letter o: the operation's instructions */
			out = expand(out, instruction(op, type), op, type);
		}
	}
	*out = '\0';
	return out;
}

/* Returns the kernel of a reduction, compiled at its first use. */
static int apply_kernel(struct cuda_home *h, unsigned op, unsigned type,
			cuda_function *f)
{
	static cuda_function kernels[WEFT_NUM_KERNELS][WEFT_NUM_WORDS];
	/* more space than all replacements need */
	char text[sizeof(APPLY) + 256];
	int err = 0;

	if (op >= WEFT_NUM_KERNELS || type >= WEFT_NUM_WORDS || !suffix[type] ||
	    !instruction(op, type))
		return -EOPNOTSUPP;
	if (!kernels[op][type]) {
		expand(text, APPLY, op, type);
		err = function_load(h, text, "weft_apply", &kernels[op][type]);
	}
	*f = kernels[op][type];
	return err;
}

int cuda_apply(struct cuda_home *h, const struct weft_mem_apply *x)
{
	cuda_addr to = (uintptr_t)x->to, a = (uintptr_t)x->a;
	cuda_addr b = (uintptr_t)x->b;
	uint64_t n = x->count, blocks = (n + 255) / 256;
	void *params[] = { &to, &a, &b, &n };
	cuda_function f;
	int err = apply_kernel(h, x->op, x->type, &f);

	if (err)
		return err;
	/* enough to fill a large GPU; each thread processes several elements */
	if (blocks > 4096)
		blocks = 4096;
	return cuda_error("reduction",
			  h->driver->launch(f, (unsigned)blocks, 1, 1, 256, 1,
					    1, 0, h->stream, params, NULL));
}
