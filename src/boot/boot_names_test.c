/* SPDX-License-Identifier: BSD-3-Clause */
/* Published names: found by all processes, removed when the publisher exits. */
#include "src/boot/boot_names.h"

#include "test/t.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT "weft:00000001:02000123"

static char service[64], port[128];

static void name_is_found_and_removed(void **state)
{
	assert_int_equal(weft_names_lookup(service, port, sizeof(port)),
			 -ENOENT);
	assert_int_equal(weft_names_publish(service, PORT), 0);
	assert_int_equal(weft_names_lookup(service, port, sizeof(port)), 0);
	assert_string_equal(port, PORT);
	assert_int_equal(weft_names_publish(service, PORT "45"), -EEXIST);
	assert_int_equal(weft_names_unpublish(service, PORT "45"), -ENOENT);
	assert_int_equal(weft_names_unpublish(service, PORT), 0);
	assert_int_equal(weft_names_unpublish(service, PORT), -ENOENT);
	assert_int_equal(weft_names_lookup(service, port, sizeof(port)),
			 -ENOENT);
}

static void name_ends_with_its_process(void **state)
{
	int ready[2], end[2], status;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (!pid) {
		close(end[1]);
		byte = (char)weft_names_publish(service, PORT);
		_exit(write(ready[1], &byte, 1) != 1 ||
		      read(end[0], &byte, 1) != 0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(weft_names_lookup(service, port, sizeof(port)), 0);
	assert_int_equal(weft_names_unpublish(service, PORT), -ENOENT);
	close(end[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(weft_names_lookup(service, port, sizeof(port)),
			 -ENOENT);
}

static void too_long_port_is_refused(void **state)
{
	char text[200];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(weft_names_publish(service, text), -ENAMETOOLONG);
	assert_int_equal(weft_names_unpublish(service, text), -ENOENT);
}

static void short_buffer_finds_nothing(void **state)
{
	assert_int_equal(weft_names_publish(service, PORT), 0);
	assert_int_equal(weft_names_lookup(service, port, strlen(PORT)),
			 -ENOENT);
	assert_int_equal(weft_names_lookup(service, port, strlen(PORT) + 1), 0);
	assert_int_equal(weft_names_unpublish(service, PORT), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_is_found_and_removed),
		cmocka_unit_test(name_ends_with_its_process),
		cmocka_unit_test(too_long_port_is_refused),
		cmocka_unit_test(short_buffer_finds_nothing),
	};

	snprintf(service, sizeof(service), "test service %d", (int)getpid());
	return T_RUN(tests);
}
