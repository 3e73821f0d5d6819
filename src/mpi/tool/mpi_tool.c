/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T: initialization, enumerations, categories. */
#include "src/mpi/mpi_export.h"

#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/diag/diag_pvar.h"
#include "src/mpi/tool/mpi_tool.h"

#include <string.h>

/* ---- initialization ----------------------------------------------------- */

static weft_au32 users;

int mpi_tool_ready(void)
{
	return weft_load32(&users) ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

#pragma weak MPI_T_init_thread = PMPI_T_init_thread
int PMPI_T_init_thread(int required, int *provided)
{
	MPI_ENTER;

	weft_add32(&users, 1);
	if (provided)
		*provided = MPI_THREAD_MULTIPLE;
	return MPI_SUCCESS;
}

#pragma weak MPI_T_finalize = PMPI_T_finalize
int PMPI_T_finalize(void)
{
	MPI_ENTER;
	uint32_t n = weft_load32(&users);

	do {
		if (n == 0)
			return MPI_T_ERR_NOT_INITIALIZED;
	} while (!weft_cas32(&users, &n, n - 1));
	return MPI_SUCCESS;
}

void mpi_tool_text(const char *from, char *to, int *len)
{
	int need = (int)strlen(from) + 1;

	if (!len)
		return;
	if (to && *len > 0) {
		int n = need < *len ? need : *len;

		memcpy(to, from, (size_t)n);
		to[n - 1] = '\0';
	}
	*len = need;
}

/* ---- enumerations: an MPI_T_enum is a pointer to the option -------------- */

/* Returns item i of the values of a boolean or a choice; NULL: no such item. */
static const char *enum_item(const struct weft_cfg_opt *o, int i, size_t *len_p)
{
	const char *p = o->type == WEFT_CFG_BOOL ? "no|yes" : o->choices;

	for (; p && i > 0; i--) {
		p = strchr(p, '|');
		p = p ? p + 1 : NULL;
	}
	if (p)
		*len_p = strcspn(p, "|");
	return p;
}

static int enum_check(MPI_T_enum e, const struct weft_cfg_opt **opt_p)
{
	int err = mpi_tool_ready();

	for (int i = 0; !err && i < mpi_tool_cvars(); i++) {
		*opt_p = mpi_tool_cvar(i);
		if ((const void *)e == *opt_p)
			return MPI_SUCCESS;
	}
	return err ? err : MPI_T_ERR_INVALID_HANDLE;
}

#pragma weak MPI_T_enum_get_info = PMPI_T_enum_get_info
int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name,
			 int *name_len)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	int err = enum_check(enumtype, &o);
	size_t len;

	if (err)
		return err;
	*num = 0;
	while (enum_item(o, *num, &len))
		(*num)++;
	mpi_tool_text(o->name, name, name_len);
	return MPI_SUCCESS;
}

#pragma weak MPI_T_enum_get_item = PMPI_T_enum_get_item
int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name,
			 int *name_len)
{
	MPI_ENTER;
	const struct weft_cfg_opt *o;
	int err = enum_check(enumtype, &o);
	const char *item;
	char text[64];
	size_t len = 0;

	if (err)
		return err;
	item = indx < 0 ? NULL : enum_item(o, indx, &len);
	if (!item)
		return MPI_T_ERR_INVALID_ITEM;
	len = len < sizeof(text) ? len : sizeof(text) - 1;
	memcpy(text, item, len);
	text[len] = '\0';
	*value = indx;
	mpi_tool_text(text, name, name_len);
	return MPI_SUCCESS;
}

/* ---- categories ----------------------------------------------------------*/

enum { CAT_ALL, CAT_OPTIONS, CAT_COLL, CAT_MESSAGES, CAT_PROVIDER, CATS };

static const struct {
	const char *name;
	const char *help;
	int parent;
} cats[CATS] = {
	[CAT_ALL] = { "weft", "everything", -1 },
	[CAT_OPTIONS] = { "options", "options of the MPI layer (WEFT_*)",
			  CAT_ALL },
	[CAT_COLL] = { "collectives", "algorithms of the collectives",
		       CAT_OPTIONS },
	[CAT_MESSAGES] = { "messages", "messages of the MPI layer", CAT_ALL },
	[CAT_PROVIDER] = { "provider",
			   "options (FI_WEFT_*) and packets of the provider",
			   CAT_ALL },
};

/* The members of a category, which are consecutive: [from, to). */
struct range {
	int from;
	int to;
};

static struct range cat_cvars(int cat)
{
	static const int table[CATS] = {
		[CAT_ALL] = -1,
		[CAT_OPTIONS] = MPI_TOOL_CORE,
		[CAT_COLL] = MPI_TOOL_COLL,
		[CAT_MESSAGES] = -1,
		[CAT_PROVIDER] = MPI_TOOL_PROVIDER,
	};
	int t = table[cat];

	if (t < 0)
		return (struct range){ 0, 0 };
	return (struct range){ mpi_tool_first_cvar(t),
			       mpi_tool_first_cvar(t + 1) };
}

static struct range cat_pvars(int cat)
{
	int core = weft_pvar_first_provider;

	if (cat == CAT_MESSAGES)
		return (struct range){ 0, core };
	if (cat == CAT_PROVIDER)
		return (struct range){ core, weft_pvar_count };
	return (struct range){ 0, 0 };
}

static int cat_check(int cat)
{
	int err = mpi_tool_ready();

	if (err)
		return err;
	return cat >= 0 && cat < CATS ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

static void copy_range(struct range r, int len, int *out)
{
	for (int i = r.from; i < r.to && i - r.from < len; i++)
		out[i - r.from] = i;
}

#pragma weak MPI_T_category_get_num = PMPI_T_category_get_num
int PMPI_T_category_get_num(int *num_cat)
{
	MPI_ENTER;

	*num_cat = CATS;
	return mpi_tool_ready();
}

#pragma weak MPI_T_category_get_info = PMPI_T_category_get_info
int PMPI_T_category_get_info(int cat_index, char *name, int *name_len,
			     char *desc, int *desc_len, int *num_cvars,
			     int *num_pvars, int *num_categories)
{
	MPI_ENTER;
	int err = cat_check(cat_index), kids = 0;
	struct range c, p;

	if (err)
		return err;
	c = cat_cvars(cat_index);
	p = cat_pvars(cat_index);
	for (int i = 0; i < CATS; i++)
		kids += cats[i].parent == cat_index;
	mpi_tool_text(cats[cat_index].name, name, name_len);
	mpi_tool_text(cats[cat_index].help, desc, desc_len);
	if (num_cvars)
		*num_cvars = c.to - c.from;
	if (num_pvars)
		*num_pvars = p.to - p.from;
	if (num_categories)
		*num_categories = kids;
	return MPI_SUCCESS;
}

#pragma weak MPI_T_category_get_index = PMPI_T_category_get_index
int PMPI_T_category_get_index(const char *name, int *cat_index)
{
	MPI_ENTER;
	int err = mpi_tool_ready();

	for (int i = 0; i < CATS && !err; i++) {
		if (strcmp(cats[i].name, name))
			continue;
		*cat_index = i;
		return MPI_SUCCESS;
	}
	return err ? err : MPI_T_ERR_INVALID_NAME;
}

#pragma weak MPI_T_category_get_cvars = PMPI_T_category_get_cvars
int PMPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
	MPI_ENTER;
	int err = cat_check(cat_index);

	if (!err)
		copy_range(cat_cvars(cat_index), len, indices);
	return err;
}

#pragma weak MPI_T_category_get_pvars = PMPI_T_category_get_pvars
int PMPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
	MPI_ENTER;
	int err = cat_check(cat_index);

	if (!err)
		copy_range(cat_pvars(cat_index), len, indices);
	return err;
}

#pragma weak MPI_T_category_get_categories = PMPI_T_category_get_categories
int PMPI_T_category_get_categories(int cat_index, int len, int indices[])
{
	MPI_ENTER;
	int err = cat_check(cat_index), n = 0;

	for (int i = 0; i < CATS && !err; i++)
		if (cats[i].parent == cat_index && n < len)
			indices[n++] = i;
	return err;
}

/* Reports no change: no variable is ever added. */
#pragma weak MPI_T_category_changed = PMPI_T_category_changed
int PMPI_T_category_changed(int *update_number)
{
	MPI_ENTER;

	*update_number = 0;
	return mpi_tool_ready();
}

#pragma weak MPI_T_category_get_num_events = PMPI_T_category_get_num_events
int PMPI_T_category_get_num_events(int cat_index, int *num_events)
{
	MPI_ENTER;
	int err = cat_check(cat_index);

	if (!err)
		*num_events = 0;
	return err;
}

#pragma weak MPI_T_category_get_events = PMPI_T_category_get_events
int PMPI_T_category_get_events(int cat_index, int len, int indices[])
{
	MPI_ENTER;

	return cat_check(cat_index);
}
