/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collector process: reads the pipes of its slice of ranks, splits the data
 * into lines and writes them. One process, one epoll, no threads. run_io.h has
 * the protocol; run_io.c forks collectors.
 */
#include "src/base/attr.h"
#include "src/tools/run/io/run_fdpass.h"
#include "src/tools/run/io/run_io.h"
#include "src/tools/run/io/run_line.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, PROMPT_MS = 100 };

/* Streams of a rank, in this order; the lifeline (run_io.h) has no sink. */
enum { STREAM_OUT, STREAM_ERR, STREAM_LIFE, PER_RANK };

struct stream {
	struct run_line line;
	/* destination; NULL: a lifeline, which carries no data */
	struct sink *sink;
	int fd; /* the pipe; -1: end of file was reached */
};

/* Destination of lines: stdout or stderr of this process. */
struct sink {
	struct run_buf buf;
	/* stream whose unfinished line was written last */
	struct stream *owner;
	int fd;
	bool tty;
	/* whether the reader has closed the sink, or the disk is full */
	bool broken;
};

struct collector {
	const struct run_slice *slice;
	struct stream *stream; /* three streams for each rank of the slice */
	struct sink sink[2];
	int ctl;
	int epoll;
	int handed_out; /* number of ranks whose pipes were handed out */
	int live;	/* number of open streams */
	bool last;	/* whether no more ranks will be requested */
	bool failed;
	char chunk[CHUNK];
};

static void stream_close(struct collector *c, struct stream *s)
{
	if (s->fd < 0)
		return;
	close(s->fd);
	s->fd = -1;
	c->live--;
}

/*
 * Closes the streams of a sink that cannot be written any more. The ranks get
 * SIGPIPE at their next write, as they would without mpiexec.
 */
static void sink_broken(struct collector *c, struct sink *k, int err)
{
	int i;

	k->broken = true;
	if (err != -EPIPE) {
		run_message("cannot write %s: %s",
			    k == c->sink ? "standard output" : "standard error",
			    strerror(-err));
		c->failed = true;
	}
	for (i = 0; i < PER_RANK * c->slice->count; i++)
		if (c->stream[i].sink == k)
			stream_close(c, &c->stream[i]);
}

static void sink_flush(struct collector *c, struct sink *k)
{
	pthread_mutex_t *lock = &c->slice->shared->lock;
	int err;

	if (k->buf.len == 0 || k->broken)
		return;
	if (pthread_mutex_lock(lock) == EOWNERDEAD)
		pthread_mutex_consistent(lock);
	err = run_write_all(k->fd, k->buf.data, k->buf.len);
	pthread_mutex_unlock(lock);
	k->buf.len = 0;
	if (err)
		sink_broken(c, k, err);
}

/*
 * Ends the unfinished line of another stream before output of this stream, if
 * the output is line based.
 */
static void sink_switch(struct collector *c, struct sink *k, struct stream *s)
{
	/* output is line based on a terminal, and with tags or timestamps */
	if (k->owner && k->owner != s &&
	    (k->tty || c->slice->out->tag != RUN_TAG_NONE ||
	     c->slice->out->timestamp))
		run_buf_add(&k->buf, "\n", 1);
	if (k->owner != s)
		k->owner = NULL;
}

/* Reads and discards the data of a lifeline; only its end of file matters. */
static void lifeline_read(struct collector *c, struct stream *s)
{
	ssize_t n = read(s->fd, c->chunk, sizeof(c->chunk));
	int rank, at;

	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	rank = c->slice->first + (int)(s - c->stream) / PER_RANK;
	at = 1 + atomic_fetch_add_explicit(&c->slice->shared->ends, 1,
					   memory_order_acq_rel);
	/* R0 pairs with A0 in run_io_death_order(): mpiexec reads the number */
	atomic_store_explicit(&c->slice->shared->rank[rank].ended, at,
			      memory_order_release);
	stream_close(c, s);
}

static void stream_read(struct collector *c, struct stream *s)
{
	struct sink *k = s->sink;
	ssize_t n = read(s->fd, c->chunk, sizeof(c->chunk));
	size_t before = k->buf.len;
	int err;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	sink_switch(c, k, s);
	if (n > 0) {
		err = run_line_feed(&s->line, c->chunk, (size_t)n, &k->buf);
	} else {
		err = run_line_flush(&s->line, false, &k->buf);
		stream_close(c, s);
	}
	if (err) {
		run_message("no memory left for output");
		c->failed = true;
	}
	if (k->buf.len > before)
		k->owner = k->buf.data[k->buf.len - 1] == '\n' ? NULL : s;
	if (k->buf.len > CHUNK)
		sink_flush(c, k);
}

/* Shows unfinished lines (prompts, progress dots) on a terminal. */
static void show_prompts(struct collector *c)
{
	struct stream *s;
	int i;

	for (i = 0; i < PER_RANK * c->handed_out; i++) {
		s = &c->stream[i];
		if (s->fd < 0 || !s->sink || !s->sink->tty ||
		    s->line.part.len == 0)
			continue;
		sink_switch(c, s->sink, s);
		run_line_flush(&s->line, false, &s->sink->buf);
		s->sink->owner = s;
	}
}

static int stream_open(struct collector *c, int kind, int *fd_p)
{
	struct stream *s = &c->stream[PER_RANK * c->handed_out + kind];
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = s };
	int rank = c->slice->first + c->handed_out;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	s->fd = fd[0];
	s->sink = kind == STREAM_LIFE ? NULL : &c->sink[kind];
	s->line.tag = run_line_tag(c->slice->out, rank, c->slice->host,
				   kind == STREAM_ERR);
	s->line.stamp = c->slice->out->timestamp;
	c->live++;
	*fd_p = fd[1];
	if (!s->line.tag)
		return -ENOMEM;
	if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd[0], &ev) < 0)
		return -errno;
	if (s->sink && s->sink->broken)
		stream_close(c, s);
	return 0;
}

static void send_pipes(struct collector *c)
{
	const struct run_output *o = c->slice->out;
	int fd[RUN_FDS] = { -1, -1, -1 }, n = 0, err, i;
	bool merged = o->merge && !o->errfile;

	for (i = 0; i < PER_RANK; i++)
		c->stream[PER_RANK * c->handed_out + i].fd = -1;
	err = stream_open(c, STREAM_LIFE, &fd[n++]);
	if (!o->outfile && !err)
		err = stream_open(c, STREAM_OUT, &fd[n++]);
	if (!o->errfile && !merged && !err)
		err = stream_open(c, STREAM_ERR, &fd[n++]);
	c->handed_out++;
	run_fd_send(c->ctl, fd, err ? 0 : n, err);
	while (n-- > 0)
		if (fd[n] >= 0)
			close(fd[n]);
}

static void read_mpiexec(struct collector *c)
{
	char what;
	ssize_t n = recv(c->ctl, &what, 1, 0);

	if (n == 0 || (n < 0 && errno == ECONNRESET)) {
		/*
		 * mpiexec was killed: end the process groups of all ranks,
		 * since the kernel kills only the children
		 */
		const struct run_shared *sh = c->slice->shared;
		int i;

		for (i = 0; i < sh->nranks; i++)
			if (sh->rank[i].group > 1)
				kill(-sh->rank[i].group, SIGKILL);
		_exit(1);
	}
	if (n == 1 && what == 'P' && c->handed_out < c->slice->count)
		send_pipes(c);
	if (n == 1 && what == 'D')
		c->last = true;
}

static bool any_prompt(const struct collector *c)
{
	int i;

	if (!c->sink[0].tty && !c->sink[1].tty)
		return false;
	for (i = 0; i < PER_RANK * c->handed_out; i++)
		if (c->stream[i].fd >= 0 && c->stream[i].line.part.len)
			return true;
	return false;
}

static void collect_events(struct collector *c)
{
	struct epoll_event ev[64];
	struct stream *s;
	int i, n;

	n = epoll_wait(c->epoll, ev, WEFT_COUNT_OF(ev),
		       any_prompt(c) ? PROMPT_MS : -1);
	if (n == 0)
		show_prompts(c);
	for (i = 0; i < n; i++) {
		s = ev[i].data.ptr;
		if (!s)
			read_mpiexec(c);
		else if (s->fd >= 0 && s->sink)
			stream_read(c, s);
		else if (s->fd >= 0)
			lifeline_read(c, s);
	}
	sink_flush(c, &c->sink[0]);
	sink_flush(c, &c->sink[1]);
}

void run_ignore_signals(void)
{
	static const int sigs[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				    SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM };
	sigset_t none;
	size_t i;

	for (i = 0; i < WEFT_COUNT_OF(sigs); i++)
		signal(sigs[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int run_collect(const struct run_slice *slice, int ctl)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct collector *c = calloc(1, sizeof(*c));
	int i;

	if (!c)
		return 1;
	run_ignore_signals();
	c->slice = slice;
	c->ctl = ctl;
	c->stream = calloc((size_t)slice->count * PER_RANK, sizeof(*c->stream));
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!c->stream || c->epoll < 0)
		return 1;
	for (i = 0; i < 2; i++) {
		c->sink[i].fd = i + 1;
		c->sink[i].tty = isatty(i + 1);
	}
	if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, ctl, &ev) < 0)
		return 1;
	while (!c->last || c->live > 0)
		collect_events(c);
	return c->failed;
}
