/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files, read as a whole (text.h). */
#include "src/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int weft_text_read(const char *name, char **text_p)
{
	FILE *f = fopen(name, "re");
	char *text = NULL;
	size_t room = 0;
	int rc = 0;

	if (!f)
		return -errno;
	errno = 0;
	/* up to the end of the file, or the first zero byte */
	if (getdelim(&text, &room, 0, f) < 0 && (ferror(f) || !text))
		rc = errno ? -errno : -ENOMEM;
	else if (feof(f) && !ftell(f))
		*text = '\0';
	fclose(f);
	if (rc)
		free(text);
	else
		*text_p = text;
	return rc;
}
