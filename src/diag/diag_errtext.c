/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error classes, codes and their texts. Called by diag_err.c and mpi_err.c;
 * thread-safe by a lock of its own. The ranges of codes are:
 *
 *   below 16384    slot * 64 + class: slot 0 is the class itself, the others
 *                  hold the texts of recent errors, reused in rotation
 *   1001..1018     classes of the tool interface (slot 15 is not used)
 *   1019..1021     classes of mpi-ext.h; the texts of their recent errors have
 *                  the codes of the last three slots
 *   from 16384     classes and codes that the application added
 */
#include "src/diag/diag_errtext.h"

#include "src/types/types_attr.h"

#include <assert.h>
#include <errno.h>
#include <mpi-ext.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES	   64
/* text slots; one more follows for each class of mpi-ext.h */
#define SLOTS	   253
#define TOOL_SLOT  15
#define TOOL_FIRST MPI_T_ERR_CANNOT_INIT
#define TOOL_LAST  MPI_T_ERR_PVAR_NO_ATOMIC
#define EXT_FIRST  MPIX_ERR_PROC_FAILED
#define EXT_LAST   MPIX_ERR_REVOKED
#define EXTS	   (EXT_LAST - EXT_FIRST + 1)
/* first code of the classes of mpi-ext.h */
#define EXT_CODE   (SLOTS * CLASSES)
#define USER_FIRST (MPI_ERR_LASTCODE + 1)

struct text {
	const char *name;
	const char *sentence;
};

#define TEXT(c, t) [(c) % 1001] = { #c, t }

static const struct text classes[CLASSES] = {
	TEXT(MPI_SUCCESS, "no error"),
	TEXT(MPI_ERR_BUFFER, "invalid buffer"),
	TEXT(MPI_ERR_COUNT, "invalid count"),
	TEXT(MPI_ERR_TYPE, "invalid datatype"),
	TEXT(MPI_ERR_TAG, "invalid tag"),
	TEXT(MPI_ERR_COMM, "invalid communicator"),
	TEXT(MPI_ERR_RANK, "invalid rank"),
	TEXT(MPI_ERR_REQUEST, "invalid request"),
	TEXT(MPI_ERR_ROOT, "invalid root"),
	TEXT(MPI_ERR_GROUP, "invalid group"),
	TEXT(MPI_ERR_OP, "invalid operation"),
	TEXT(MPI_ERR_TOPOLOGY, "invalid topology"),
	TEXT(MPI_ERR_DIMS, "invalid dimensions"),
	TEXT(MPI_ERR_ARG, "invalid argument"),
	TEXT(MPI_ERR_UNKNOWN, "unknown error"),
	TEXT(MPI_ERR_TRUNCATE, "message longer than the receive buffer"),
	TEXT(MPI_ERR_OTHER, "other error"),
	TEXT(MPI_ERR_INTERN, "internal error"),
	TEXT(MPI_ERR_PENDING, "request not complete"),
	TEXT(MPI_ERR_IN_STATUS, "error code is in the status"),
	TEXT(MPI_ERR_ACCESS, "permission denied"),
	TEXT(MPI_ERR_AMODE, "invalid access mode"),
	TEXT(MPI_ERR_ASSERT, "invalid assertion"),
	TEXT(MPI_ERR_BAD_FILE, "invalid file name"),
	TEXT(MPI_ERR_BASE, "invalid base address"),
	TEXT(MPI_ERR_CONVERSION, "error in a data conversion function"),
	TEXT(MPI_ERR_DISP, "invalid displacement"),
	TEXT(MPI_ERR_DUP_DATAREP, "data representation defined already"),
	TEXT(MPI_ERR_FILE_EXISTS, "file exists"),
	TEXT(MPI_ERR_FILE_IN_USE, "file is open in some process"),
	TEXT(MPI_ERR_FILE, "invalid file handle"),
	TEXT(MPI_ERR_INFO_KEY, "info key too long or empty"),
	TEXT(MPI_ERR_INFO_NOKEY, "no such info key"),
	TEXT(MPI_ERR_INFO_VALUE, "info value too long or empty"),
	TEXT(MPI_ERR_INFO, "invalid info"),
	TEXT(MPI_ERR_IO, "input/output error"),
	TEXT(MPI_ERR_KEYVAL, "invalid attribute key"),
	TEXT(MPI_ERR_LOCKTYPE, "invalid lock type"),
	TEXT(MPI_ERR_NAME, "service name not published"),
	TEXT(MPI_ERR_NO_MEM, "out of memory"),
	TEXT(MPI_ERR_NOT_SAME, "arguments differ between processes"),
	TEXT(MPI_ERR_NO_SPACE, "not enough space"),
	TEXT(MPI_ERR_NO_SUCH_FILE, "no such file"),
	TEXT(MPI_ERR_PORT, "invalid port name"),
	TEXT(MPI_ERR_QUOTA, "quota exceeded"),
	TEXT(MPI_ERR_READ_ONLY, "file or file system is read-only"),
	TEXT(MPI_ERR_RMA_ATTACH, "memory cannot be attached"),
	TEXT(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
	TEXT(MPI_ERR_RMA_RANGE, "target memory is not part of the window"),
	TEXT(MPI_ERR_RMA_SHARED, "memory cannot be shared"),
	TEXT(MPI_ERR_RMA_SYNC, "wrong synchronization of a window"),
	TEXT(MPI_ERR_SERVICE, "invalid service name"),
	TEXT(MPI_ERR_SIZE, "invalid size"),
	TEXT(MPI_ERR_SPAWN, "processes could not be started"),
	TEXT(MPI_ERR_UNSUPPORTED_DATAREP, "data representation not supported"),
	TEXT(MPI_ERR_UNSUPPORTED_OPERATION, "operation not supported"),
	TEXT(MPI_ERR_WIN, "invalid window"),
	TEXT(MPI_ERR_RMA_FLAVOR, "wrong flavour of window"),
	TEXT(MPI_ERR_PROC_ABORTED, "a peer process has ended"),
	TEXT(MPI_ERR_VALUE_TOO_LARGE, "value too large to be stored"),
	TEXT(MPI_ERR_SESSION, "invalid session"),
	TEXT(MPI_ERR_ERRHANDLER, "invalid error handler"),
	TEXT(MPI_ERR_ABI, "conflict with the ABI"),
};

static const struct text tools[] = {
	TEXT(MPI_T_ERR_CANNOT_INIT, "tool interface cannot be initialized"),
	TEXT(MPI_T_ERR_NOT_ACCESSIBLE, "tool interface not accessible"),
	TEXT(MPI_T_ERR_NOT_INITIALIZED, "tool interface not initialized"),
	TEXT(MPI_T_ERR_NOT_SUPPORTED, "not supported by the tool interface"),
	TEXT(MPI_T_ERR_MEMORY, "tool interface is out of memory"),
	TEXT(MPI_T_ERR_INVALID, "invalid use of the tool interface"),
	TEXT(MPI_T_ERR_INVALID_INDEX, "invalid variable or category index"),
	TEXT(MPI_T_ERR_INVALID_ITEM, "invalid item of an enumeration"),
	TEXT(MPI_T_ERR_INVALID_SESSION, "invalid tool session"),
	TEXT(MPI_T_ERR_INVALID_HANDLE, "invalid tool handle"),
	TEXT(MPI_T_ERR_INVALID_NAME, "no variable or category of that name"),
	TEXT(MPI_T_ERR_OUT_OF_HANDLES, "no more tool handles"),
	TEXT(MPI_T_ERR_OUT_OF_SESSIONS, "no more tool sessions"),
	TEXT(MPI_T_ERR_CVAR_SET_NOT_NOW, "variable cannot be set now"),
	TEXT(MPI_T_ERR_CVAR_SET_NEVER, "variable cannot be set"),
	TEXT(MPI_T_ERR_PVAR_NO_WRITE, "variable cannot be written"),
	TEXT(MPI_T_ERR_PVAR_NO_STARTSTOP,
	     "variable cannot be started or stopped"),
	TEXT(MPI_T_ERR_PVAR_NO_ATOMIC,
	     "variable cannot be read and reset at once"),
};

static const struct text exts[EXTS] = {
	{ "MPIX_ERR_PROC_FAILED", "a process has failed" },
	{ "MPIX_ERR_PROC_FAILED_PENDING",
	  "a process that may be the sender has failed, and the failure is not "
	  "acknowledged; the request is still active" },
	{ "MPIX_ERR_REVOKED", "the communicator is revoked" },
};

static_assert(EXT_CODE + EXTS * CLASSES == USER_FIRST, "all codes are used");

struct user {
	int class;
	bool live;
	bool is_class;
	char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * texts of the slots, with MPI_MAX_ERROR_STRING bytes each; allocated at the
 * first use of a slot
 */
static char *stored[SLOTS];
static unsigned next_slot = 1;
static char *ext_stored[EXTS][CLASSES];
static unsigned ext_next[EXTS];
static struct user *users;
static int user_count;

static const struct text *text_of(int class)
{
	if (class >= TOOL_FIRST && class <= TOOL_LAST)
		return &tools[class - TOOL_FIRST];
	if (class >= EXT_FIRST && class <= EXT_LAST)
		return &exts[class - EXT_FIRST];
	if (class < 0 || class >= CLASSES || !classes[class].name)
		return NULL;
	return &classes[class];
}

const char *weft_errtext_name(int class)
{
	const struct text *t = text_of(class);

	return t ? t->name : NULL;
}

static struct user *user_of(int code)
{
	if (code < USER_FIRST || code - USER_FIRST >= user_count ||
	    !users[code - USER_FIRST].live)
		return NULL;
	return &users[code - USER_FIRST];
}

static int class_of(int code)
{
	const struct user *u = user_of(code);

	if (code >= USER_FIRST)
		return u ? u->class : -1;
	if (code >= TOOL_FIRST && code <= EXT_LAST)
		return code;
	if (code >= EXT_CODE)
		return EXT_FIRST + (code - EXT_CODE) / CLASSES;
	return code >= 0 && text_of(code % CLASSES) ? code % CLASSES : -1;
}

int weft_errtext_class(int code)
{
	int class;

	pthread_mutex_lock(&lock);
	class = class_of(code);
	pthread_mutex_unlock(&lock);
	return class;
}

/*
 * Returns the text for a code of a class of mpi-ext.h; NULL: the code is of no
 * such class.
 */
static const char *ext_text(int code)
{
	return ext_stored[(code - EXT_CODE) / CLASSES]
			 [(code - EXT_CODE) % CLASSES];
}

static const char *get(int code)
{
	const struct user *u = user_of(code);
	int slot = code / CLASSES;

	if (u)
		return u->text ? u->text : "";
	if (class_of(code) < 0)
		return NULL;
	if (code >= EXT_CODE && ext_text(code))
		return ext_text(code);
	if (slot > 0 && slot != TOOL_SLOT && slot < SLOTS && stored[slot])
		return stored[slot];
	return text_of(class_of(code))->sentence;
}

const char *weft_errtext_get(int code)
{
	const char *text;

	pthread_mutex_lock(&lock);
	text = get(code);
	pthread_mutex_unlock(&lock);
	return text;
}

static void store(char **at, const char *text)
{
	if (!*at)
		*at = malloc(MPI_MAX_ERROR_STRING);
	if (*at)
		snprintf(*at, MPI_MAX_ERROR_STRING, "%s", text);
}

/*
 * Stores the text of an error of a class of mpi-ext.h. Returns the error's
 * code. Requires the lock.
 */
static int ext_store(int ext, const char *text)
{
	unsigned slot = ext_next[ext]++ % CLASSES;

	store(&ext_stored[ext][slot], text);
	return EXT_CODE + ext * CLASSES + (int)slot;
}

int weft_errtext_store(int class, const char *text)
{
	unsigned slot;
	int code;

	pthread_mutex_lock(&lock);
	if (class >= EXT_FIRST && class <= EXT_LAST) {
		code = ext_store(class - EXT_FIRST, text);
		pthread_mutex_unlock(&lock);
		return code;
	}
	slot = next_slot++;
	if (next_slot == TOOL_SLOT)
		next_slot++;
	if (next_slot == SLOTS)
		next_slot = 1;
	store(&stored[slot], text);
	pthread_mutex_unlock(&lock);
	return (int)slot * CLASSES + class;
}

/* ---- codes that the application adds ------------------------------------- */

static int errtext_add(int class, int *code_p)
{
	struct user *more;
	int rc = -ENOMEM;

	pthread_mutex_lock(&lock);
	more = realloc(users, (size_t)(user_count + 1) * sizeof(*users));
	if (more) {
		users = more;
		*code_p = USER_FIRST + user_count;
		more[user_count].is_class = class < 0;
		more[user_count].class = class < 0 ? *code_p : class;
		more[user_count].live = true;
		more[user_count].text = NULL;
		user_count++;
		weft_attr_predef_set(MPI_LASTUSEDCODE, *code_p);
		rc = 0;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int weft_errtext_add_class(int *class_p)
{
	return errtext_add(-1, class_p);
}

int weft_errtext_add_code(int class, int *code_p)
{
	/* a class of -1 means that the code is invalid */
	return class >= 0 && weft_errtext_class(class) == class
		       ? errtext_add(class, code_p)
		       : -EINVAL;
}

/* Sets the text of a code; NULL removes the text, which must exist. */
static int set_text(int code, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	struct user *u;
	int rc = -EINVAL;

	if (text && !copy)
		return -ENOMEM;
	pthread_mutex_lock(&lock);
	u = user_of(code);
	if (u && (text || u->text)) {
		free(u->text);
		u->text = copy;
		copy = NULL;
		rc = 0;
	}
	pthread_mutex_unlock(&lock);
	free(copy);
	return rc;
}

int weft_errtext_add_string(int code, const char *text)
{
	return set_text(code, text);
}

int weft_errtext_remove_string(int code)
{
	return set_text(code, NULL);
}

static bool has_codes(int class)
{
	for (int i = 0; i < user_count; i++)
		if (users[i].live && !users[i].is_class &&
		    users[i].class == class)
			return true;
	return false;
}

/*
 * Removes a code, or a class that has no codes. The code or class must have no
 * text.
 */
int weft_errtext_remove(int code, bool is_class)
{
	struct user *u;
	int rc = 0;

	pthread_mutex_lock(&lock);
	u = user_of(code);
	if (!u || u->is_class != is_class)
		rc = -EINVAL;
	else if (u->text || (is_class && has_codes(code)))
		rc = -EBUSY;
	if (!rc) {
		u->live = false;
		while (user_count && !users[user_count - 1].live)
			user_count--;
		weft_attr_predef_set(MPI_LASTUSEDCODE,
				     USER_FIRST + user_count - 1);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
