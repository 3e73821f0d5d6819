/* SPDX-License-Identifier: BSD-3-Clause */
/* Slowdown of a loaded host, as t_pace.h defines it. */
#include "test/support/t_pace.h"

#include "src/base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROOT	"T_PACE_ROOT"
#define LOOK_NS 500000000u

struct proc {
	pid_t pid, parent;
	int threads;
	bool runs;  /* whether its first thread is running */
	bool below; /* whether it is the root or a descendant of the root */
};

struct procs {
	struct proc *p;
	int n, room;
};

/* ---- processes ----------------------------------------------------------- */

static bool read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	return ok;
}

/*
 * Parses the fields of a stat file; the second field is a name with any
 * characters.
 */
static bool read_stat(const char *path, struct proc *p)
{
	char line[1024], state;
	const char *end;

	if (!read_line(path, line, sizeof(line)))
		return false;
	end = strrchr(line, ')');
	if (!end || sscanf(end + 1,
			   " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u"
			   " %*d %*d %*d %*d %d",
			   &state, &p->parent, &p->threads) != 3)
		return false;
	p->runs = state == 'R';
	return true;
}

static bool procs_grow(struct procs *all)
{
	int room = all->room ? 2 * all->room : 256;
	struct proc *p = realloc(all->p, (size_t)room * sizeof(*p));

	if (!p)
		return false;
	all->p = p;
	all->room = room;
	return true;
}

static void procs_read(struct procs *all)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	char path[300];

	*all = (struct procs){ 0 };
	while (d && (e = readdir(d))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (all->n == all->room && !procs_grow(all))
			break;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		all->p[all->n] = (struct proc){ .pid = atoi(e->d_name) };
		if (read_stat(path, &all->p[all->n]))
			all->n++;
	}
	if (d)
		closedir(d);
}

static bool is_below(const struct procs *all, pid_t pid)
{
	for (int i = 0; i < all->n; i++) {
		if (all->p[i].pid == pid)
			return all->p[i].below;
	}
	return false;
}

/*
 * Marks descendants of root. Children usually have higher pids, so one or two
 * passes are enough.
 */
static void procs_mark(struct procs *all, pid_t root)
{
	bool more = true;

	while (more) {
		more = false;
		for (int i = 0; i < all->n; i++) {
			struct proc *p = &all->p[i];

			if (p->below ||
			    (p->pid != root && !is_below(all, p->parent)))
				continue;
			p->below = more = true;
		}
	}
}

static int threads_running(const struct proc *p)
{
	char path[300];
	struct proc t;
	struct dirent *e;
	int n = 0;
	DIR *d;

	if (p->threads == 1)
		return p->runs;
	snprintf(path, sizeof(path), "/proc/%d/task", p->pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", p->pid,
			 e->d_name);
		n += e->d_name[0] != '.' && read_stat(path, &t) && t.runs;
	}
	if (d)
		closedir(d);
	return n;
}

/* ---- load of the host ---------------------------------------------------- */

static pid_t root_pid(void)
{
	const char *s = getenv(ROOT);

	return s ? atoi(s) : getpid();
}

static int own_running(void)
{
	struct procs all;
	int n = 0;

	procs_read(&all);
	procs_mark(&all, root_pid());
	for (int i = 0; i < all.n; i++) {
		if (all.p[i].below)
			n += threads_running(&all.p[i]);
	}
	free(all.p);
	return n;
}

double t_pace(void)
{
	int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int runnable, want;
	char line[200];

	if (!read_line("/proc/loadavg", line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %d/", &runnable) != 1 ||
	    runnable <= cores)
		return 1;
	/*
	 * the thread that reads these files is itself a running thread of the
	 * test
	 */
	want = runnable - own_running() + 1;
	return want > cores ? (double)cores / want : 1;
}

void t_limit_set(struct t_limit *l, int seconds)
{
	l->left_ns = (uint64_t)seconds * 1000000000u;
	l->checked_ns = weft_now_ns();
	l->backoff_since_ns = 0;
}

bool t_limit_expired(struct t_limit *l)
{
	uint64_t now = weft_now_ns(), passed = now - l->checked_ns;

	if (passed < LOOK_NS && passed < l->left_ns)
		return !l->left_ns;
	passed = (uint64_t)((double)passed * t_pace());
	l->left_ns -= passed < l->left_ns ? passed : l->left_ns;
	l->checked_ns = now;
	return !l->left_ns;
}

void t_limit_backoff(struct t_limit *l)
{
	enum { YIELD_NS = 10000000, SLEEP_NS = 500000 };
	const struct timespec ts = { .tv_nsec = SLEEP_NS };
	uint64_t now = weft_now_ns();

	if (!l->backoff_since_ns)
		l->backoff_since_ns = now;
	if (now - l->backoff_since_ns < YIELD_NS)
		sched_yield();
	else
		nanosleep(&ts, NULL);
}

/* ---- used by idle_timeout ------------------------------------------------ */

void t_pace_root(void)
{
	char s[20];

	snprintf(s, sizeof(s), "%d", getpid());
	/*
	 * keep the root of an outer idle_timeout: its limit includes this part
	 * of the test
	 */
	setenv(ROOT, s, 0);
}

void t_kill_descendants(int sig)
{
	struct procs all;

	procs_read(&all);
	procs_mark(&all, getpid());
	for (int i = 0; i < all.n; i++) {
		if (all.p[i].below && all.p[i].pid != getpid())
			kill(all.p[i].pid, sig);
	}
	free(all.p);
}
