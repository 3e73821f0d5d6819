/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T control variables: the options. Options are read when MPI starts.
 * Writing a control variable sets the environment variable of its option, and
 * is possible only before MPI starts.
 */
#include "src/mpi/mpi_export.h"

#include "coll/coll.h"
#include "src/core/core_opts.h"
#include "src/core/core_state.h"
#include "src/job/job_fi_opts.h"
#include "src/mpi/tool/mpi_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024 /* maximum length of a string variable, bytes */

static const struct weft_cfg_table tables[MPI_TOOL_TABLES] = {
	[MPI_TOOL_CORE] = { weft_core_opts, WEFT_OPT_COUNT },
	[MPI_TOOL_COLL] = { weft_coll_options, WEFT_COLL_KINDS },
	[MPI_TOOL_PROVIDER] = { weft_fi_opts, WEFT_FI_COUNT },
};

int mpi_tool_first_cvar(int table)
{
	size_t n = 0;

	for (int t = 0; t < table; t++)
		n += tables[t].count;
	return (int)n;
}

int mpi_tool_cvars(void)
{
	return mpi_tool_first_cvar(MPI_TOOL_TABLES);
}

static int table_of(int i)
{
	int t = 0;

	while (i >= mpi_tool_first_cvar(t + 1))
		t++;
	return t;
}

const struct weft_cfg_opt *mpi_tool_cvar(int i)
{
	int t = table_of(i);

	return &tables[t].opt[i - mpi_tool_first_cvar(t)];
}

static int check_index(int i)
{
	int err = mpi_tool_ready();

	if (err)
		return err;
	return i >= 0 && i < mpi_tool_cvars() ? MPI_SUCCESS
					      : MPI_T_ERR_INVALID_INDEX;
}

static bool has_enum(const struct weft_cfg_opt *o)
{
	return o->type == WEFT_CFG_BOOL ||
	       (o->type == WEFT_CFG_TEXT && o->choices);
}

static MPI_Datatype type_of(const struct weft_cfg_opt *o)
{
	if (has_enum(o))
		return MPI_INT;
	if (o->type == WEFT_CFG_TEXT)
		return MPI_CHAR;
	return o->type == WEFT_CFG_INT ? MPI_COUNT : MPI_UNSIGNED_LONG_LONG;
}

/* ---- queries -------------------------------------------------------------*/

#pragma weak MPI_T_cvar_get_num = PMPI_T_cvar_get_num
int PMPI_T_cvar_get_num(int *num_cvar)
{
	MPI_ENTER;

	*num_cvar = mpi_tool_cvars();
	return mpi_tool_ready();
}

#pragma weak MPI_T_cvar_get_info = PMPI_T_cvar_get_info
int PMPI_T_cvar_get_info(int cvar_index, char *name, int *name_len,
			 int *verbosity, MPI_Datatype *datatype,
			 MPI_T_enum *enumtype, char *desc, int *desc_len,
			 int *bind, int *scope)
{
	MPI_ENTER;
	static const int scopes[MPI_TOOL_TABLES] = {
		[MPI_TOOL_CORE] = MPI_T_SCOPE_LOCAL,
		[MPI_TOOL_COLL] = MPI_T_SCOPE_ALL_EQ,
		[MPI_TOOL_PROVIDER] = MPI_T_SCOPE_ALL,
	};
	const struct weft_cfg_opt *o;
	int err = check_index(cvar_index);

	if (err)
		return err;
	o = mpi_tool_cvar(cvar_index);
	mpi_tool_text(o->name, name, name_len);
	mpi_tool_text(o->help, desc, desc_len);
	if (verbosity)
		*verbosity = table_of(cvar_index) == MPI_TOOL_COLL
				     ? MPI_T_VERBOSITY_TUNER_BASIC
				     : MPI_T_VERBOSITY_USER_BASIC;
	if (datatype)
		*datatype = type_of(o);
	if (enumtype)
		*enumtype = has_enum(o) ? (MPI_T_enum)(uintptr_t)o
					: MPI_T_ENUM_NULL;
	if (bind)
		*bind = MPI_T_BIND_NO_OBJECT;
	if (scope)
		*scope = scopes[table_of(cvar_index)];
	return MPI_SUCCESS;
}

#pragma weak MPI_T_cvar_get_index = PMPI_T_cvar_get_index
int PMPI_T_cvar_get_index(const char *name, int *cvar_index)
{
	MPI_ENTER;
	int err = mpi_tool_ready();

	for (int i = 0; i < mpi_tool_cvars() && !err; i++) {
		if (strcmp(mpi_tool_cvar(i)->name, name))
			continue;
		*cvar_index = i;
		return MPI_SUCCESS;
	}
	return err ? err : MPI_T_ERR_INVALID_NAME;
}

/* ---- handles: an MPI_T_cvar_handle is a pointer to the option ------------ */

#pragma weak MPI_T_cvar_handle_alloc = PMPI_T_cvar_handle_alloc
int PMPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle,
			     MPI_T_cvar_handle *handle, int *count)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	int err = check_index(cvar_index);

	if (err)
		return err;
	o = mpi_tool_cvar(cvar_index);
	*handle = (MPI_T_cvar_handle)(uintptr_t)o;
	*count = type_of(o) == MPI_CHAR ? TEXT_MAX : 1;
	return MPI_SUCCESS;
}

static int check_handle(MPI_T_cvar_handle handle,
			const struct weft_cfg_opt **opt_p)
{
	int err = mpi_tool_ready();

	for (int i = 0; i < mpi_tool_cvars() && !err; i++) {
		*opt_p = mpi_tool_cvar(i);
		if ((const void *)handle == *opt_p)
			return MPI_SUCCESS;
	}
	return err ? err : MPI_T_ERR_INVALID_HANDLE;
}

#pragma weak MPI_T_cvar_handle_free = PMPI_T_cvar_handle_free
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	int err = check_handle(*handle, &o);

	if (!err)
		*handle = MPI_T_CVAR_HANDLE_NULL;
	return err;
}

/* Returns the index of text in a list "a|b|c"; -1: not in the list. */
static int word_index(const char *words, const char *text)
{
	size_t len = strlen(text);

	for (int i = 0;; i++) {
		if (!strncmp(words, text, len) &&
		    (words[len] == '|' || words[len] == '\0'))
			return i;
		words = strchr(words, '|');
		if (!words)
			return -1;
		words++;
	}
}

#pragma weak MPI_T_cvar_read = PMPI_T_cvar_read
int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	union weft_cfg_value v;
	int err = check_handle(handle, &o);

	if (err)
		return err;
	v = weft_cfg_get(o);
	if (o->type == WEFT_CFG_BOOL)
		*(int *)buf = v.b;
	else if (has_enum(o))
		*(int *)buf = word_index(o->choices, v.text);
	else if (o->type == WEFT_CFG_TEXT)
		snprintf(buf, TEXT_MAX, "%s", v.text);
	else if (o->type == WEFT_CFG_INT)
		*(MPI_Count *)buf = v.i;
	else
		*(unsigned long long *)buf = v.size;
	return MPI_SUCCESS;
}

/* Converts a value to the syntax of the environment; false: out of range. */
static bool to_text(const struct weft_cfg_opt *o, const void *buf, char *text)
{
	const char *word = o->choices;
	int i;

	if (o->type == WEFT_CFG_INT) {
		snprintf(text, TEXT_MAX, "%lld", *(const long long *)buf);
	} else if (o->type == WEFT_CFG_SIZE) {
		snprintf(text, TEXT_MAX, "%llu",
			 *(const unsigned long long *)buf);
	} else if (o->type == WEFT_CFG_BOOL) {
		snprintf(text, TEXT_MAX, "%d", *(const int *)buf != 0);
	} else if (!has_enum(o)) {
		snprintf(text, TEXT_MAX, "%s", (const char *)buf);
	} else {
		for (i = *(const int *)buf; word && i > 0; i--) {
			word = strchr(word, '|');
			word = word ? word + 1 : NULL;
		}
		if (!word || i < 0)
			return false;
		snprintf(text, TEXT_MAX, "%.*s", (int)strcspn(word, "|"), word);
	}
	return true;
}

#pragma weak MPI_T_cvar_write = PMPI_T_cvar_write
int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	char text[TEXT_MAX];
	int err = check_handle(handle, &o);

	if (err)
		return err;
	if (weft_load32(&weft_core.phase) != WEFT_BEFORE_INIT)
		return MPI_T_ERR_CVAR_SET_NOT_NOW;
	if (!to_text(o, buf, text))
		return MPI_T_ERR_INVALID_ITEM;
	return setenv(o->name, text, 1) ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
}
