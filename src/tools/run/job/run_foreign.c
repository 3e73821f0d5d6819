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

/* A mapped file whose contents are not trusted: every access is checked. */
struct image {
	const char *base;
	size_t size;
};

/*
 * Copies a structure, which may be unaligned in the file. Returns false if it
 * is not completely in the file.
 */
static bool read_image(const struct image *f, uint64_t at, void *to, size_t len)
{
	if (at > f->size || len > f->size - at)
		return false;
	memcpy(to, f->base + at, len);
	return true;
}

/*
 * Finds the segment of a type that contains the address; addr 0: the first
 * segment of the type. Returns false if there is none.
 */
static bool segment(const struct image *f, uint32_t type, uint64_t addr,
		    ElfW(Phdr) * p)
{
	ElfW(Ehdr) e;

	if (!read_image(f, 0, &e, sizeof(e)))
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		if (!read_image(f, e.e_phoff + i * sizeof(*p), p, sizeof(*p)))
			return false;
		if (p->p_type == type &&
		    (!addr ||
		     (addr >= p->p_vaddr && addr - p->p_vaddr < p->p_filesz)))
			return true;
	}
	return false;
}

/*
 * Returns the string at an address of the loaded program; NULL: there is none.
 */
static const char *string_at(const struct image *f, uint64_t addr)
{
	ElfW(Phdr) p;
	uint64_t at;

	if (!addr || !segment(f, PT_LOAD, addr, &p))
		return NULL;
	at = p.p_offset + (addr - p.p_vaddr);
	if (at >= f->size || !memchr(f->base + at, 0, f->size - at))
		return NULL;
	return f->base + at;
}

/*
 * Reads entry i of the dynamic section. Returns false at the end of the section
 * or of the file.
 */
static bool dynamic(const struct image *f, const ElfW(Phdr) * p, uint64_t i,
		    ElfW(Dyn) * d)
{
	return i < p->p_filesz / sizeof(*d) &&
	       read_image(f, p->p_offset + i * sizeof(*d), d, sizeof(*d)) &&
	       d->d_tag != DT_NULL;
}

static const char *needed(const struct image *f)
{
	uint64_t strings = 0;
	ElfW(Phdr) p;
	ElfW(Dyn) d;
	const char *lib;

	if (!segment(f, PT_DYNAMIC, 0, &p))
		return NULL;
	for (uint64_t i = 0; dynamic(f, &p, i, &d); i++)
		if (d.d_tag == DT_STRTAB)
			strings = d.d_un.d_ptr;
	for (uint64_t i = 0; strings && dynamic(f, &p, i, &d); i++) {
		if (d.d_tag != DT_NEEDED)
			continue;
		lib = string_at(f, strings + d.d_un.d_val);
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
	unsigned char id[EI_NIDENT];

	return read_image(f, 0, id, sizeof(id)) &&
	       !memcmp(id, ELFMAG, SELFMAG) &&
	       id[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
}

char *run_foreign_lib(const char *file)
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
		lib = run_foreign_lib(file);
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
