/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the MPI library that a program is linked with, in the list of needed
 * libraries of its ELF file. Scripts and wrappers hide the library; no message
 * is printed for them.
 */
#include "src/tools/run/job/run_foreign.h"
#include "src/tools/run/run_path.h"
#include "src/tools/run/run_message.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapped file that is not trusted: every access is checked. */
struct image {
	const char *base;
	size_t size;
};

static const void *read_image(const struct image *f, uint64_t at, size_t len)
{
	return at <= f->size && len <= f->size - at ? f->base + at : NULL;
}

/*
 * Returns the segment of a type that contains the address; addr 0: the first
 * segment of the type.
 */
static const ElfW(Phdr) *
	segment(const struct image *f, uint32_t type, uint64_t addr)
{
	const ElfW(Ehdr) *e = read_image(f, 0, sizeof(*e));
	const ElfW(Phdr) * p;

	for (unsigned i = 0; e && i < e->e_phnum; i++) {
		p = read_image(f, e->e_phoff + i * sizeof(*p), sizeof(*p));
		if (!p)
			return NULL;
		if (p->p_type == type &&
		    (!addr ||
		     (addr >= p->p_vaddr && addr - p->p_vaddr < p->p_filesz)))
			return p;
	}
	return NULL;
}

/* Returns the string at an address of the loaded program. */
static const char *string_at(const struct image *f, uint64_t addr)
{
	const ElfW(Phdr) *p = addr ? segment(f, PT_LOAD, addr) : NULL;
	const char *s =
		p ? read_image(f, p->p_offset + (addr - p->p_vaddr), 1) : NULL;

	return s && memchr(s, 0, f->size - (size_t)(s - f->base)) ? s : NULL;
}

static const char *needed(const struct image *f)
{
	const ElfW(Phdr) *p = segment(f, PT_DYNAMIC, 0);
	const ElfW(Dyn) *d = p ? read_image(f, p->p_offset, p->p_filesz) : NULL;
	size_t n = p ? p->p_filesz / sizeof(*d) : 0, i;
	uint64_t strings = 0;
	const char *lib;

	for (i = 0; d && i < n && d[i].d_tag != DT_NULL; i++)
		if (d[i].d_tag == DT_STRTAB)
			strings = d[i].d_un.d_ptr;
	for (i = 0; d && strings && i < n && d[i].d_tag != DT_NULL; i++) {
		if (d[i].d_tag != DT_NEEDED)
			continue;
		lib = string_at(f, strings + d[i].d_un.d_val);
		/*
		 * Libraries of other ABIs: libmpi.so.12, libmpich.so.12; not
		 * libmpi_abi or libmpi_cxx.
		 */
		if (lib && (!strncmp(lib, "libmpi.so", 9) ||
			    !strncmp(lib, "libmpich.so", 11)))
			return lib;
	}
	return NULL;
}

static bool is_elf(const struct image *f)
{
	const unsigned char *id = read_image(f, 0, EI_NIDENT);

	return id && !memcmp(id, ELFMAG, SELFMAG) &&
	       id[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

/*
 * Returns the MPI library that an ELF file needs, unless it is the library of
 * the standard ABI; NULL: none. Freed by the caller.
 */
static char *foreign_lib(const char *file)
{
	struct image f = { NULL, 0 };
	const char *lib = NULL;
	char *copy = NULL;
	struct stat st;
	void *p = MAP_FAILED;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	f.base = p;
	f.size = (size_t)st.st_size;
	if (is_elf(&f))
		lib = needed(&f);
	if (lib)
		copy = strdup(lib);
	munmap(p, (size_t)st.st_size);
	return copy;
}

static bool any_connected(const struct run_job *job, const struct run_app *a)
{
	for (int i = a->first; i < a->first + a->n; i++)
		if (job->rank[i].connected)
			return true;
	return false;
}

void run_foreign_note(const struct run_job *job)
{
	const struct run_opts *o = job->opts;
	const struct run_app *a;
	char *file, *lib;

	for (int i = 0; i < o->napps && !o->quiet && job->nranks > 1; i++) {
		a = &o->app[i];
		file = NULL;
		if (any_connected(job, a) ||
		    run_path_find(a->argv[0], a->path, a->wdir, &file))
			continue;
		lib = foreign_lib(file);
		if (lib)
			run_message(
				"%s is a program of another MPI (%s) and does "
				"not use PMIx: each rank runs as a job of its "
				"own; compile it with Weft's mpicc, or use the "
				"mpiexec of that MPI",
				a->argv[0], lib);
		free(lib);
		free(file);
	}
}
