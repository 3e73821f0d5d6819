/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects, also before MPI_Init; handles as integers; the ABI calls. */
#include "mpi_t.h"

static void before_init(void)
{
	int major = 0, minor = -1, flag, len;
	MPI_Info info;
	char val[64];

	MT_OK(MPI_Abi_get_version(&major, &minor));
	MT_TRUE(major == 1 && minor == 0);
	MT_OK(MPI_Abi_get_info(&info));
	len = sizeof(val);
	MT_OK(MPI_Info_get_string(info, "mpi_count_size", &len, val, &flag));
	MT_TRUE(flag && len == 2 && !strcmp(val, "8"));
	MT_OK(MPI_Info_free(&info));
	MT_IS(info, MPI_INFO_NULL);
}

static void keys(void)
{
	char key[MPI_MAX_INFO_KEY], val[32];
	MPI_Info a, b;
	int n, flag, len;

	MT_OK(MPI_Info_create(&a));
	MT_OK(MPI_Info_set(a, "one", "1"));
	MT_OK(MPI_Info_set(a, "two", "second"));
	MT_OK(MPI_Info_set(a, "one", "first"));
	MT_OK(MPI_Info_dup(a, &b));
	MT_OK(MPI_Info_delete(a, "one"));
	MT_OK(MPI_Info_get_nkeys(a, &n));
	MT_IS(n, 1);
	MT_OK(MPI_Info_get_nkeys(b, &n));
	MT_IS(n, 2);
	MT_OK(MPI_Info_get_nthkey(b, 0, key));
	MT_TRUE(!strcmp(key, "one"));
	MT_OK(MPI_Info_get_valuelen(b, "two", &len, &flag));
	MT_TRUE(flag && len == 6);
	MT_OK(MPI_Info_get(b, "two", 3, val, &flag));
	MT_TRUE(flag && !strcmp(val, "sec"));
	len = 0;
	MT_OK(MPI_Info_get_string(b, "two", &len, val, &flag));
	MT_TRUE(flag && len == 7);
	MT_OK(MPI_Info_get(b, "three", 3, val, &flag));
	MT_IS(flag, 0);
	MT_IS(mt_class(MPI_Info_delete(a, "one")), MPI_ERR_INFO_NOKEY);
	MT_IS(mt_class(MPI_Info_set(a, "", "x")), MPI_ERR_INFO_KEY);
	MT_IS(mt_class(MPI_Info_get_nkeys(MPI_INFO_NULL, &n)), MPI_ERR_INFO);
	MT_IS(MPI_Info_fromint(MPI_Info_toint(b)), b);
	MPI_Info_free(&a);
	MPI_Info_free(&b);
}

static void environment(void)
{
	char val[MPI_MAX_INFO_VAL];
	int flag, len = sizeof(val);
	MPI_Info info = MPI_INFO_ENV;

	MT_OK(MPI_Info_get_string(MPI_INFO_ENV, "command", &len, val, &flag));
	MT_TRUE(flag && strstr(val, "info"));
	len = sizeof(val);
	MT_OK(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &len, val, &flag));
	MT_TRUE(flag && atoi(val) == mt_size);
	MT_IS(mt_class(MPI_Info_free(&info)), MPI_ERR_INFO);
}

static void handle_conversions(void)
{
	MPI_Comm c;

	MT_IS(MPI_Comm_toint(MPI_COMM_WORLD), 257);
	MT_IS(MPI_Comm_fromint(257), MPI_COMM_WORLD);
	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_TRUE(MPI_Comm_toint(c) > 4095);
	MT_IS(MPI_Comm_toint(c), MPI_Comm_toint(c));
	MT_IS(MPI_Comm_fromint(MPI_Comm_toint(c)), c);
	MT_IS(MPI_Comm_f2c(MPI_Comm_c2f(c)), c);
	MT_IS(PMPI_Comm_f2c(PMPI_Comm_c2f(c)), c);
	MT_IS(PMPI_Comm_c2f(c), MPI_Comm_toint(c));
	MT_IS(MPI_Type_f2c(PMPI_Type_c2f(MPI_DOUBLE)), MPI_DOUBLE);
	MPI_Comm_free(&c);
	MT_IS(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 0x143);
	MT_IS(MPI_File_toint(MPI_FILE_NULL), 0x118);
}

int main(int argc, char **argv)
{
	before_init();
	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	keys();
	environment();
	handle_conversions();
	return mt_end();
}
