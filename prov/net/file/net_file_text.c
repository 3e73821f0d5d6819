/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of machine files: reading, lines by key, and error messages. */
#include "prov/net/file/net_file_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX 65536u

int file_fail(struct net_error_text *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int file_fail_at(const struct file_doc *doc, unsigned line, const char *fmt,
		 ...)
{
	size_t size = sizeof(doc->why->text), at;
	va_list ap;

	snprintf(doc->why->text, size, "%.200s:%u: ", doc->name, line);
	at = strlen(doc->why->text);
	va_start(ap, fmt);
	vsnprintf(doc->why->text + at, size - at, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

bool file_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

const struct file_line *file_line_in(const struct file_doc *doc,
				     const char *part, const char *key,
				     const char *variant)
{
	const struct file_line *l;

	for (unsigned i = 0; i < doc->count; i++) {
		l = &doc->item[i];
		if (!strcmp(l->key, key) && file_same_text(l->part, part) &&
		    file_same_text(l->variant, variant))
			return l;
	}
	return NULL;
}

const struct file_line *file_line_get(const struct file_doc *doc,
				      const char *part, const char *key)
{
	const struct file_line *l = NULL;

	if (doc->variant)
		l = file_line_in(doc, part, key, doc->variant);
	return l ? l : file_line_in(doc, part, key, NULL);
}

const struct file_line *file_doc_get(const struct file_doc *doc,
				     const char *key)
{
	return file_line_get(doc, NULL, key);
}

int file_read(const char *path, char **text_p, size_t *len_p,
	      struct net_error_text *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = malloc(FILE_BYTES_MAX + 1);
	ssize_t n = 0;
	size_t len = 0;

	if (fd >= 0 && text)
		while ((n = read(fd, text + len, FILE_BYTES_MAX - len)) > 0)
			len += (size_t)n;
	if (fd < 0 || !text || n < 0) {
		file_fail(why, "%.200s: %s", path, strerror(errno));
		len = 0;
	} else if (len == FILE_BYTES_MAX) {
		file_fail(why,
			  "%.200s: longer than 65535 bytes, not a machine file "
			  "or graph",
			  path);
		len = 0;
	} else if (!len) {
		file_fail(why, "%.200s: empty", path);
	}
	if (fd >= 0)
		close(fd);
	if (!len) {
		free(text);
		return -EINVAL;
	}
	text[len] = 0;
	*text_p = text;
	*len_p = len;
	return 0;
}
