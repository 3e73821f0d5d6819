/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T: calls before MPI_Init, control variables, and counters of messages. */
#include "mpi_t.h"

static void options(void)
{
	int n, i, count, verbosity, bind, scope, value, items, len;
	char name[64], desc[256], item[32];
	MPI_T_cvar_handle h;
	MPI_Datatype type;
	MPI_T_enum e;

	MT_OK(MPI_T_cvar_get_num(&n));
	MT_TRUE(n > 5);
	MT_OK(MPI_T_cvar_get_index("WEFT_CHECK", &i));
	len = sizeof(name);
	count = sizeof(desc);
	MT_OK(MPI_T_cvar_get_info(i, name, &len, &verbosity, &type, &e, desc,
				  &count, &bind, &scope));
	MT_TRUE(!strcmp(name, "WEFT_CHECK") && len == 11);
	MT_TRUE(type == MPI_INT && e != MPI_T_ENUM_NULL);
	MT_IS(bind, MPI_T_BIND_NO_OBJECT);
	MT_OK(MPI_T_enum_get_info(e, &items, NULL, NULL));
	MT_IS(items, 2);
	len = sizeof(item);
	MT_OK(MPI_T_enum_get_item(e, 1, &value, item, &len));
	MT_TRUE(value == 1 && !strcmp(item, "yes"));
	MT_OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
	MT_IS(count, 1);
	MT_OK(MPI_T_cvar_read(h, &value));
	MT_TRUE(value == 0 || value == 1);
	value = 1;
	MT_OK(MPI_T_cvar_write(h, &value));
	value = 7;
	MT_OK(MPI_T_cvar_read(h, &value));
	MT_IS(value, 1);
	MT_OK(MPI_T_cvar_handle_free(&h));
	MT_IS(h, MPI_T_CVAR_HANDLE_NULL);
	MT_IS(MPI_T_cvar_get_index("nonsense", &i), MPI_T_ERR_INVALID_NAME);
	MT_IS(MPI_T_event_get_index("nonsense", &i), MPI_T_ERR_INVALID_NAME);
	MT_OK(MPI_T_event_get_num(&n));
	MT_IS(n, 0);
}

/* Tests options of the provider: a number, a list of words, and any text. */
static void provider_options(void)
{
	int i, first, cat, count, members[64], cvars;
	MPI_T_cvar_handle h;
	MPI_Count seconds = 0;
	const char *text;

	MT_OK(MPI_T_cvar_get_index("FI_WEFT_MACHINE", &first));
	MT_OK(MPI_T_category_get_index("provider", &cat));
	MT_OK(MPI_T_category_get_info(cat, NULL, NULL, NULL, NULL, &cvars, NULL,
				      NULL));
	MT_OK(MPI_T_category_get_cvars(cat, 64, members));
	MT_TRUE(cvars > 25 && members[0] == first);
	MT_OK(MPI_T_cvar_get_index("FI_WEFT_SILENCE", &i));
	MT_TRUE(i > first && i < first + cvars);
	MT_OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
	MT_OK(MPI_T_cvar_read(h, &seconds));
	MT_TRUE(seconds >= 1);
	seconds = 321;
	MT_OK(MPI_T_cvar_write(h, &seconds));
	text = getenv("FI_WEFT_SILENCE");
	MT_TRUE(text && !strcmp(text, "321"));
	MT_OK(MPI_T_cvar_handle_free(&h));
	MT_OK(MPI_T_cvar_get_index("FI_WEFT_CARRIER", &i));
	MT_OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
	MT_OK(MPI_T_cvar_read(h, &i));
	MT_TRUE(i >= 0 && i < 5);
	MT_OK(MPI_T_cvar_handle_free(&h));
}

static void categories(void)
{
	int n, i, cvars, pvars, cats, members[64], len = 0;

	MT_OK(MPI_T_category_get_num(&n));
	for (int k = 0; k < n; k++) {
		MT_OK(MPI_T_category_get_info(k, NULL, &len, NULL, &len, &cvars,
					      &pvars, &cats));
		MT_TRUE(cvars + pvars + cats > 0 && cvars < 64);
	}
	MT_OK(MPI_T_category_get_index("messages", &i));
	MT_OK(MPI_T_category_get_pvars(i, 64, members));
	MT_IS(members[0], 0);
	MT_IS(MPI_T_category_get_cvars(99, 64, members),
	      MPI_T_ERR_INVALID_INDEX);
}

static unsigned long long read_pvar(MPI_T_pvar_session s, MPI_T_pvar_handle h)
{
	unsigned long long v = 0;

	MT_OK(MPI_T_pvar_read(s, h, &v));
	return v;
}

static MPI_T_pvar_handle open_pvar(MPI_T_pvar_session s, const char *name,
				   int class)
{
	MPI_T_pvar_handle h;
	int i, n;

	MT_OK(MPI_T_pvar_get_index(name, class, &i));
	MT_OK(MPI_T_pvar_handle_alloc(s, i, NULL, &h, &n));
	MT_IS(n, 1);
	return h;
}

static void exchange(int n)
{
	int next = (mt_rank + 1) % mt_size, in, out = 1;
	int prev = (mt_rank + mt_size - 1) % mt_size;

	for (int k = 0; k < n; k++)
		MPI_Sendrecv(&out, 1, MPI_INT, next, 0, &in, 1, MPI_INT, prev,
			     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void counters(void)
{
	MPI_T_pvar_handle sent, bytes, got, level;
	MPI_T_pvar_session s;
	unsigned long long v;

	MT_OK(MPI_T_pvar_session_create(&s));
	sent = open_pvar(s, "messages_sent", MPI_T_PVAR_CLASS_COUNTER);
	bytes = open_pvar(s, "bytes_sent", MPI_T_PVAR_CLASS_COUNTER);
	got = open_pvar(s, "messages_received", MPI_T_PVAR_CLASS_COUNTER);
	level = open_pvar(s, "pending", MPI_T_PVAR_CLASS_LEVEL);
	exchange(3);
	MT_IS(read_pvar(s, sent), 0);
	MT_OK(MPI_T_pvar_start(s, MPI_T_PVAR_ALL_HANDLES));
	exchange(10);
	MT_OK(MPI_T_pvar_stop(s, sent));
	exchange(5);
	MT_IS(read_pvar(s, sent), 10);
	MT_IS(read_pvar(s, bytes), 60);
	MT_IS(read_pvar(s, got), 15);
	MT_OK(MPI_T_pvar_readreset(s, got, &v));
	MT_IS(v, 15);
	MT_IS(read_pvar(s, got), 0);
	MT_OK(MPI_T_pvar_reset(s, bytes));
	MT_IS(read_pvar(s, bytes), 0);
	MT_IS(MPI_T_pvar_start(s, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
	MT_IS(MPI_T_pvar_reset(s, level), MPI_T_ERR_PVAR_NO_WRITE);
	MT_OK(MPI_T_pvar_handle_free(s, &sent));
	MT_IS(MPI_T_pvar_read(s, MPI_T_PVAR_HANDLE_NULL, &v),
	      MPI_T_ERR_INVALID_HANDLE);
	MT_OK(MPI_T_pvar_session_free(&s));
	MT_IS(s, MPI_T_PVAR_SESSION_NULL);
	MT_IS(MPI_T_pvar_read(s, got, &v), MPI_T_ERR_INVALID_SESSION);
}

/* Counts three unexpected messages; only Weft's provider counts them. */
static void queues(void)
{
	MPI_T_pvar_handle waiting;
	MPI_T_pvar_session s;
	unsigned long long v = 0;
	int flag, x;

	MT_OK(MPI_T_pvar_session_create(&s));
	waiting = open_pvar(s, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
	if (MPI_T_pvar_read(s, waiting, &v) == MPI_T_ERR_NOT_ACCESSIBLE)
		return;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int k = 0; k < 3; k++)
		MPI_Send(&k, 1, MPI_INT, (mt_rank + 1) % mt_size, k,
			 MPI_COMM_WORLD);
	do
		MT_OK(MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag,
				 MPI_STATUS_IGNORE));
	while (!flag);
	MT_TRUE(read_pvar(s, waiting) >= 3);
	for (int k = 0; k < 3; k++)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, k, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MT_OK(MPI_T_pvar_session_free(&s));
}

static void write_after_init(void)
{
	MPI_T_cvar_handle h;
	int i, n, value = 1;

	MPI_T_cvar_get_index("WEFT_CHECK", &i);
	MPI_T_cvar_handle_alloc(i, NULL, &h, &n);
	MT_IS(MPI_T_cvar_write(h, &value), MPI_T_ERR_CVAR_SET_NOT_NOW);
}

int main(int argc, char **argv)
{
	int level, n;

	MT_IS(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	MT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	MT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	options();
	provider_options();
	categories();
	mt_begin(&argc, &argv);
	counters();
	queues();
	write_after_init();
	MT_OK(MPI_T_finalize());
	MT_OK(MPI_T_cvar_get_num(&n));
	mt_end();
	MT_OK(MPI_T_finalize());
	return MPI_T_finalize() != MPI_T_ERR_NOT_INITIALIZED;
}
