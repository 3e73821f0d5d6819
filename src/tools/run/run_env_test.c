/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the environment and the program path of a rank. */
#include "src/tools/run/run_env.h"
#include "src/tools/run/run_path.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct run_opts opts;
static struct run_app app;

static struct run_job a_job(void)
{
	memset(&opts, 0, sizeof(opts));
	memset(&app, 0, sizeof(app));
	opts.app = &app;
	opts.napps = 1;
	return (struct run_job){ .opts = &opts,
				 .nranks = 5,
				 .nlocal = 5,
				 .cpus = 2,
				 .topo_fd = -1,
				 .events_fd = -1 };
}

static const char *env_value(char **env, const char *name)
{
	size_t len = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

static void all_families_of_rank_variables_are_set(void **state)
{
	static const char *const rank[] = {
		"PMIX_RANK",
		"PMI_RANK",
		"MPI_LOCALRANKID",
		"LOCAL_RANK",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_LOCAL_RANK",
		"OMPI_COMM_WORLD_NODE_RANK",
	};
	static const char *const size[] = {
		"PMI_SIZE",
		"MPI_LOCALNRANKS",
		"OMPI_COMM_WORLD_SIZE",
		"OMPI_COMM_WORLD_LOCAL_SIZE",
		"OMPI_UNIVERSE_SIZE",
		"WEFT_LOCAL_RANKS",
	};
	struct run_job job = a_job();
	struct run_env e;
	char **env;
	size_t i;

	setenv("PMI_RANK", "stale", 1);
	T_OK(run_env_open(&e, &job, 0, NULL));
	env = run_env_of_rank(&e, 3);
	for (i = 0; i < sizeof(rank) / sizeof(rank[0]); i++)
		T_STR(env_value(env, rank[i]), "3");
	for (i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		T_STR(env_value(env, size[i]), "5");
	T_STR(env_value(env, "WEFT_LOCAL_CPUS"), "2");
	env = run_env_of_rank(&e, 4);
	T_STR(env_value(env, "PMI_RANK"), "4");
	run_env_close(&e);
	unsetenv("PMI_RANK");
}

/* A host runs ranks 3 and 4 of a job of five ranks. */
static void local_variables_count_the_ranks_of_a_host(void **state)
{
	struct run_job job = a_job();
	struct run_env e;
	char **env;

	job.first = 3;
	job.nlocal = 2;
	T_OK(run_env_open(&e, &job, 0, NULL));
	env = run_env_of_rank(&e, 4);
	T_STR(env_value(env, "PMIX_RANK"), "4");
	T_STR(env_value(env, "LOCAL_RANK"), "1");
	T_STR(env_value(env, "MPI_LOCALNRANKS"), "2");
	T_STR(env_value(env, "PMI_SIZE"), "5");
	run_env_close(&e);
}

static void global_settings_precede_context_settings(void **state)
{
	struct run_env_edit global[] = { { "A", "1" }, { "B", "1" } };
	struct run_env_edit own[] = { { "B", "2" } };
	struct run_job job = a_job();
	struct run_env e;
	char **env;

	opts.genv = (struct run_edits){ .edit = global, .count = 2 };
	app.env = (struct run_edits){ .edit = own, .count = 1 };
	T_OK(run_env_open(&e, &job, 0, NULL));
	env = run_env_of_rank(&e, 0);
	T_STR(env_value(env, "A"), "1");
	T_STR(env_value(env, "B"), "2");
	T_NOT_NULL(env_value(env, "PATH"));
	run_env_close(&e);
}

static void env_list_passes_only_named_variables(void **state)
{
	struct run_env_edit global[] = { { "KEEP_*", NULL } };
	struct run_job job = a_job();
	struct run_env e;
	char **env;

	setenv("KEEP_ME", "yes", 1);
	opts.genv = (struct run_edits){ .edit = global,
					.count = 1,
					.base = RUN_ENV_LIST };
	T_OK(run_env_open(&e, &job, 0, NULL));
	env = run_env_of_rank(&e, 0);
	T_STR(env_value(env, "KEEP_ME"), "yes");
	T_NULL(env_value(env, "PATH"));
	T_NOT_NULL(env_value(env, "PMI_SIZE"));
	run_env_close(&e);
}

static void variables_of_another_launcher_are_removed(void **state)
{
	char server[] = "PMIX_NAMESPACE=ours";
	char *pmix[] = { server, NULL };
	struct run_job job = a_job();
	struct run_env e;
	char **env;

	setenv("PMIX_SERVER_URI2", "theirs", 1);
	setenv("PMIX_MCA_gds", "hash", 1);
	T_OK(run_env_open(&e, &job, 0, pmix));
	env = run_env_of_rank(&e, 0);
	T_NULL(env_value(env, "PMIX_SERVER_URI2"));
	T_STR(env_value(env, "PMIX_MCA_gds"), "hash");
	T_STR(env_value(env, "PMIX_NAMESPACE"), "ours");
	run_env_close(&e);
}

/* Measured values (not 0) are set, unless the user has set them. */
static void measured_sizes_are_set(void **state)
{
	static const struct {
		const char *name;
		struct run_sizes sizes;
	} rows[] = {
		{ "FI_WEFT_HOST_EAGER", { .eager = 4711 } },
		{ "FI_WEFT_SHARED_COPY_MIN", { .shared_copy = 4711 } },
		{ "FI_WEFT_SHARED_COPY_MIN_BUSY",
		  { .shared_copy_busy = 4711 } },
		{ "FI_WEFT_COPY_LOOP_MAX", { .loop = 4711 } },
	};
	struct run_job job = a_job();
	struct run_env e;

	for (size_t i = 0; i < 3 * sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = rows[i / 3].name;
		const char *want = NULL;

		job.sizes = (struct run_sizes){ 0 };
		if (i % 3 > 0) {
			job.sizes = rows[i / 3].sizes;
			want = "4711";
		}
		if (i % 3 > 1) {
			setenv(name, "0", 1);
			want = "0";
		}
		T_OK(run_env_open(&e, &job, 0, NULL));
		if (want)
			T_STR(env_value(run_env_of_rank(&e, 0), name), want);
		else
			T_NULL(env_value(run_env_of_rank(&e, 0), name));
		run_env_close(&e);
		unsetenv(name);
	}
}

static void program_is_found_or_the_reason_is_returned(void **state)
{
	char dir[] = "/tmp/run_env_test.XXXXXX", name[64], *file = NULL;
	FILE *f;

	T_NOT_NULL(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/prog", dir);
	f = fopen(name, "w");
	T_NOT_NULL(f);
	fclose(f);
	T_IS(run_path_find(name, NULL, NULL, &file), -EACCES);
	T_IS(run_path_find(dir, NULL, NULL, &file), -EACCES);
	chmod(name, 0755);
	T_OK(run_path_find(name, NULL, NULL, &file));
	free(file);
	T_OK(run_path_find("prog", dir, NULL, &file));
	T_STR(file, name);
	free(file);
	T_OK(run_path_find("./prog", NULL, dir, &file));
	free(file);
	T_IS(run_path_find("prog-that-is-not", dir, NULL, &file), -ENOENT);
	T_OK(run_path_find("sh", NULL, NULL, &file));
	free(file);
	unlink(name);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(all_families_of_rank_variables_are_set),
		T_CASE(local_variables_count_the_ranks_of_a_host),
		T_CASE(global_settings_precede_context_settings),
		T_CASE(env_list_passes_only_named_variables),
		T_CASE(variables_of_another_launcher_are_removed),
		T_CASE(measured_sizes_are_set),
		T_CASE(program_is_found_or_the_reason_is_returned),
	};

	return T_RUN(tests);
}
