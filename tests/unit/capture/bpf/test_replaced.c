/* Stacks that BPF unwound by the tables of code that was no longer there. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/bpf/replaced.h"

enum { PID = 7, PROGRAM = 0x400000, LIBRARY = 0x7000 };

static uint64_t file(const char *path)
{
	return cap_code_file(path, strlen(path));
}

static void look(struct cap_code_views *views, uint32_t generation, const char *library)
{
	struct cap_code_view *view = cap_code_views_begin(views, generation);
	const struct cap_code program = { PROGRAM, PROGRAM + 0x1000, file("/bin/program") };
	const struct cap_code code = { LIBRARY, LIBRARY + 0x1000, file(library) };

	assert_true(pd_vec_push(&view->list, program));
	assert_true(pd_vec_push(&view->list, code));
}

static void map(struct cap_replaced *replaced, uint32_t pid, uint64_t time, const char *library)
{
	const struct cap_replaced_code code = {
		.pid = pid, .time = time, .code = { LIBRARY, LIBRARY + 0x1000, file(library) }
	};

	cap_replaced_note(replaced, &code);
}

static void expect(const struct cap_replaced *replaced, const struct cap_code_views *views,
	uint32_t generation, uint64_t time, uint16_t n)
{
	const struct bw_record stack = {
		.pid = PID,
		.generation = generation,
		.n = 4,
		.pcs = { PROGRAM + 4, LIBRARY + 0x10, PROGRAM + 8, PROGRAM + 12 },
	};

	assert_int_equal(cap_replaced_n_certain(replaced, views, &stack, time), n);
}

/* A library takes the place of another one, and the mappings are read some time later. */
static void test_replaced(void **state)
{
	struct cap_replaced replaced = { 0 };
	struct cap_code_views views = { 0 };

	(void)state;
	look(&views, 1, "/lib/a.so");
	assert_false(cap_replaced_has(&replaced, PID));
	expect(&replaced, &views, 1, 100, 4);
	map(&replaced, PID, 200, "/lib/b.so");
	map(&replaced, PID + 1, 50, "/lib/c.so");
	assert_true(cap_replaced_has(&replaced, PID));
	expect(&replaced, &views, 1, 199, 4);
	/* The frame in the library is right, its caller is not. */
	expect(&replaced, &views, 1, 200, 2);
	look(&views, 2, "/lib/b.so");
	expect(&replaced, &views, 2, 300, 4);
	expect(&replaced, &views, 1, 300, 2);
	/* The first one comes back. Only the last mapping counts. */
	map(&replaced, PID, 400, "/lib/a.so");
	expect(&replaced, &views, 2, 399, 4);
	expect(&replaced, &views, 2, 400, 2);
	expect(&replaced, &views, 1, 400, 4);
	cap_code_views_deinit(&views);
}

/* A generation that is no longer remembered may lack the code. */
static void test_forgotten(void **state)
{
	struct cap_replaced replaced = { 0 };
	struct cap_code_views views = { 0 };

	(void)state;
	map(&replaced, PID, 100, "/lib/a.so");
	for (uint32_t generation = 1; generation <= CAP_MAX_VIEWS; generation++)
		look(&views, generation, "/lib/a.so");
	expect(&replaced, &views, 1, 200, 4);
	look(&views, CAP_MAX_VIEWS + 1, "/lib/a.so");
	expect(&replaced, &views, 1, 200, 2);
	expect(&replaced, &views, 2, 200, 4);
	cap_code_views_deinit(&views);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
