/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library that an ELF file needs: that of another MPI, or none; and
 * files whose offsets, sizes and addresses are wrong.
 */
#include "src/tools/run/job/run_foreign.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VADDR = 0x400000, LIBRARIES = 3 };

/* A program with two segments: the file as loaded, and its dynamic section. */
struct program {
	ElfW(Ehdr) head;
	ElfW(Phdr) segment[2];
	ElfW(Dyn) dynamic[LIBRARIES + 2];
	char strings[64];
};

static struct program program_of(const char *lib)
{
	static const char first[] = "\0libc.so.6\0libmpi_abi.so.0";
	struct program p = { 0 };

	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] =
		sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	p.head.e_phoff = offsetof(struct program, segment);
	p.head.e_phnum = 2;
	p.segment[0] = (ElfW(Phdr)){ .p_type = PT_LOAD,
				     .p_vaddr = VADDR,
				     .p_filesz = sizeof(p) };
	p.segment[1] =
		(ElfW(Phdr)){ .p_type = PT_DYNAMIC,
			      .p_offset = offsetof(struct program, dynamic),
			      .p_filesz = sizeof(p.dynamic) };
	memcpy(p.strings, first, sizeof(first));
	strcpy(p.strings + sizeof(first), lib);
	p.dynamic[0].d_tag = DT_NEEDED;
	p.dynamic[0].d_un.d_val = 1;
	p.dynamic[1].d_tag = DT_NEEDED;
	p.dynamic[1].d_un.d_val = 11;
	p.dynamic[2].d_tag = DT_NEEDED;
	p.dynamic[2].d_un.d_val = sizeof(first);
	p.dynamic[3].d_tag = DT_STRTAB;
	p.dynamic[3].d_un.d_ptr = VADDR + offsetof(struct program, strings);
	return p;
}

/* Returns the library that the program in a file of n bytes needs. */
static char *lib_of(const void *bytes, size_t n)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char name[32], *lib;

	T_TRUE(fd >= 0);
	T_IS(write(fd, bytes, n), (ssize_t)n);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	lib = run_foreign_lib(name);
	close(fd);
	return lib;
}

static void expect(const char *lib, const char *want)
{
	struct program p = program_of(lib);
	char *got = lib_of(&p, sizeof(p));

	if (want)
		T_STR(got, want);
	else
		T_NULL(got);
	free(got);
}

static void other_libraries_are_found(void **state)
{
	expect("libmpi.so.12", "libmpi.so.12");
	expect("libmpi.so.40", "libmpi.so.40");
	expect("libmpich.so.12", "libmpich.so.12");
	expect("libmpi_abi.so.0", NULL);
	expect("libmpi_cxx.so.40", NULL);
	expect("libmpicxx.so.12", NULL);
	expect("libm.so.6", NULL);
	T_NULL(run_foreign_lib("/proc/self/no-such-file"));
	T_NULL(run_foreign_lib("/proc/self"));
	T_NULL(run_foreign_lib("/dev/null"));
}

static void programs_of_the_other_word_size_are_left_out(void **state)
{
	struct program p = program_of("libmpi.so.12");

	p.head.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	T_NULL(lib_of(&p, sizeof(p)));
	p = program_of("libmpi.so.12");
	p.head.e_ident[0]++;
	T_NULL(lib_of(&p, sizeof(p)));
}

/* A string that is not terminated in the file is no library. */
static void truncated_programs_need_nothing(void **state)
{
	struct program p = program_of("libmpi.so.12");
	size_t end =
		offsetof(struct program, strings) + 27 + sizeof("libmpi.so.12");
	char *lib = lib_of(&p, end);

	T_STR(lib, "libmpi.so.12");
	free(lib);
	for (size_t n = 0; n < end; n++)
		T_NULL(lib_of(&p, n));
}

/* A structure that crosses the end of a file of whole pages is not read. */
static void structures_beyond_the_end_are_refused(void **state)
{
	static char file[4096];
	struct program p = program_of("libmpi.so.12");

	for (unsigned inside = 0; inside < sizeof(ElfW(Phdr)); inside += 8) {
		p.head.e_phoff = sizeof(file) - inside;
		memcpy(file, &p, sizeof(p));
		T_NULL(lib_of(file, sizeof(file)));
	}
	p = program_of("libmpi.so.12");
	p.segment[1].p_offset = sizeof(file) - 8;
	memcpy(file, &p, sizeof(p));
	T_NULL(lib_of(file, sizeof(file)));
}

/* An address beyond the end of the loaded segment yields no string. */
static void addresses_outside_the_segment_are_refused(void **state)
{
	struct program p = program_of("libmpi.so.12");
	char *lib;

	p.segment[0].p_filesz = offsetof(struct program, strings) + 27;
	T_NULL(lib_of(&p, sizeof(p)));
	p.segment[0].p_filesz++;
	lib = lib_of(&p, sizeof(p));
	T_STR(lib, "libmpi.so.12");
	free(lib);
}

/* Structures at any offset of the file are read. */
static void offsets_need_no_alignment(void **state)
{
	char file[sizeof(struct program) + 3] = { 0 };
	struct program p = program_of("libmpi.so.12");
	char *lib;

	p.head.e_phoff += 3;
	p.segment[0].p_offset = 3;
	p.segment[1].p_offset += 3;
	memcpy(file + 3, &p, sizeof(p));
	memcpy(file, &p.head, sizeof(p.head));
	memcpy(file + 3 + p.head.e_phoff - 3, p.segment, sizeof(p.segment));
	lib = lib_of(file, sizeof(file));
	T_STR(lib, "libmpi.so.12");
	free(lib);
}

static void changed_programs_are_read_within_the_file(void **state)
{
	static const struct fuzz_field fields[] = {
		FUZZ_FIELD(struct program, head.e_phoff, 0),
		FUZZ_FIELD(struct program, head.e_phnum, 0),
		FUZZ_FIELD(struct program, segment[0].p_vaddr, 0),
		FUZZ_FIELD(struct program, segment[0].p_offset, 0),
		FUZZ_FIELD(struct program, segment[0].p_filesz, 0),
		FUZZ_FIELD(struct program, segment[1].p_type, 0),
		FUZZ_FIELD(struct program, segment[1].p_offset, 0),
		FUZZ_FIELD(struct program, segment[1].p_filesz, 0),
		FUZZ_FIELD(struct program, dynamic[2].d_un.d_val, 0),
		FUZZ_FIELD(struct program, dynamic[3].d_un.d_ptr, 0),
	};
	const struct program valid = program_of("libmpi.so.12");
	int rounds = fuzz_rounds(4000), found = 0;
	char file[sizeof(valid) + 4096];
	struct fuzz f;

	fuzz_init(&f, 34);
	for (int i = 0; i < rounds; i++) {
		size_t n;
		char *lib;

		memcpy(file, &valid, sizeof(valid));
		n = fuzz_message(&f, file, sizeof(valid), sizeof(file), fields,
				 sizeof(fields) / sizeof(fields[0]));
		lib = lib_of(file, n);
		found += lib != NULL;
		free(lib);
	}
	T_TRUE(found > rounds / 20 && found < rounds - rounds / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(other_libraries_are_found),
		T_CASE(programs_of_the_other_word_size_are_left_out),
		T_CASE(truncated_programs_need_nothing),
		T_CASE(structures_beyond_the_end_are_refused),
		T_CASE(addresses_outside_the_segment_are_refused),
		T_CASE(offsets_need_no_alignment),
		T_CASE(changed_programs_are_read_within_the_file),
	};

	return T_RUN(tests);
}
