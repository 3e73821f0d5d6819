/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the variables that are passed to ranks on other hosts. */
#include "src/base/attr.h"
#include "src/tools/run/delegate/run_delegate.h"
#include "src/tools/run/run_env.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variables of this login, this host or a launcher, which are not passed. */
static const char *const not_passed[] = {
	"BASH_*",  "DISPLAY",	 "HOME",	 "HOSTNAME",   "HYDRA_*",
	"LOGNAME", "MAIL",	 "OLDPWD",	 "OMPI_*",     "ORTE_*",
	"PMIX_*",  "PMI_*",	 "PRTE_*",	 "PWD",	       "SHELL",
	"SHLVL",   "SLURM_*",	 "SSH_*",	 "TERM_*",     "TTY",
	"USER",	   "WEFT_JOB_*", "WEFT_LOCAL_*", "XAUTHORITY", "XDG_*",
	"_",
};

static bool is_not_passed(const char *name)
{
	for (size_t i = 0; i < WEFT_COUNT_OF(not_passed); i++)
		if (!fnmatch(not_passed[i], name, 0))
			return true;
	/* names of functions that bash exports are not identifiers */
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return true;
	return false;
}

static bool named(const struct run_edits *ed, const char *name)
{
	for (int i = 0; i < ed->count; i++)
		if (!ed->edit[i].value && !fnmatch(ed->edit[i].name, name, 0))
			return true;
	return false;
}

/* Returns the value of the last setting of a name; NULL: none. */
static const char *value_of(const struct run_edits *ed, const char *name)
{
	for (int i = ed->count; i-- > 0;)
		if (ed->edit[i].value && !strcmp(ed->edit[i].name, name))
			return ed->edit[i].value;
	return NULL;
}

/* Returns whether every context sets the variable to this value. */
static bool same_in_all_apps(const struct run_opts *o, const char *name,
			     const char *value)
{
	const char *v;

	for (int i = 0; i < o->napps; i++) {
		v = value_of(&o->app[i].env, name);
		if (!v)
			v = value_of(&o->genv, name);
		if (!v || strcmp(v, value))
			return false;
	}
	return true;
}

static bool is_passed(const struct run_opts *o, int app, const char *name)
{
	const struct run_edits *all = &o->genv, *own = &o->app[app].env;

	if (value_of(all, name) || value_of(own, name))
		return false;
	if (named(all, name) || named(own, name))
		return true;
	return all->base == RUN_ENV_ALL && own->base == RUN_ENV_ALL &&
	       !is_not_passed(name);
}

static bool named_anywhere(const struct run_opts *o, const char *name)
{
	bool found = named(&o->genv, name);

	for (int i = 0; i < o->napps && !found; i++)
		found = named(&o->app[i].env, name);
	return found;
}

char **run_delegate_env(const struct run_opts *o)
{
	size_t n = 0;
	char **list, *name;

	while (environ[n])
		n++;
	list = calloc(n + 1, sizeof(*list));
	n = 0;
	for (char **v = environ; list && *v; v++) {
		name = strndup(*v, strcspn(*v, "="));
		if (name && (!is_not_passed(name) || named_anywhere(o, name)))
			list[n++] = *v;
		free(name);
	}
	return list;
}

/* Passes each name once, with the value that was set last. */
static void set_edits(const struct run_opts *o, const struct run_edits *ed,
		      const struct run_edits *over,
		      const struct run_delegate_env *to, struct run_cmd *c)
{
	const struct run_env_edit *x;

	for (int i = 0; i < ed->count; i++) {
		x = &ed->edit[i];
		if (x->value && value_of(ed, x->name) == x->value &&
		    !(over && value_of(over, x->name)))
			to->set(c, x->name, x->value,
				same_in_all_apps(o, x->name, x->value));
	}
}

void run_delegate_vars(const struct run_opts *o, int app,
		       const struct run_delegate_env *to, struct run_cmd *c)
{
	const struct run_remote *w = &o->remote;
	char **v, *name;

	for (v = environ; *v; v++) {
		name = strndup(*v, strcspn(*v, "="));
		if (name && is_passed(o, app, name))
			to->keep(c, name);
		free(name);
	}
	set_edits(o, &o->genv, &o->app[app].env, to, c);
	set_edits(o, &o->app[app].env, NULL, to, c);
	if (o->model.machine) {
		to->set(c, "FI_WEFT_MACHINE", o->model.spec, true);
		to->set(c, "FI_WEFT_CLOCK", "live", true);
	}
	if (o->model.faults_spec)
		to->set(c, "FI_WEFT_FAULTS", o->model.faults_spec, true);
	if (w->iface)
		to->set(c, "FI_WEFT_IFACE", w->iface, true);
}
