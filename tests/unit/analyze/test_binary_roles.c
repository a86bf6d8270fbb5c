/* Which of the binaries of a profile is the program. */
#include "tests/unit/test.h"

#include "analyze/binary_roles.h"

static struct prof_binary_id add_binary(struct profile *profile, const char *path)
{
	const struct prof_binary binary = {
		.name = prof_add_string(profile, path),
		.has_image = path[0] == '/',
		.is_kernel = path[0] == '[',
	};

	return prof_add_binary(profile, &binary);
}

static struct prof_frame_id add_frame(struct profile *profile, struct prof_binary_id binary)
{
	const struct prof_frame frame = { .addr = 0x1000, .binary = binary };

	return prof_add_frame(profile, &frame);
}

/* Add @p times samples of a thread with the frames of @p leaf and @p root. */
static void add_samples(struct profile *profile, const char *comm, uint32_t tid,
	struct prof_binary_id leaf, struct prof_binary_id root, uint32_t end, unsigned times)
{
	const struct prof_thread thread = {
		.pid = 10, .tid = tid, .comm = prof_add_string(profile, comm)
	};
	const struct prof_frame_id frames[] = { add_frame(profile, leaf),
		add_frame(profile, root) };
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, frames, 2),
		.thread = prof_add_thread(profile, &thread),
		.end = end,
		.tags = prof_no_tags(),
	};

	for (unsigned i = 0; i < times; i++)
		assert_ok(prof_add_sample(profile, &sample, 1, NULL));
}

struct binaries {
	struct prof_binary_id kernel, loader, libc, library, program, tool;
};

static struct profile *begin(struct binaries *ret)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	prof_add_event(profile, &(struct prof_event){ 0 });
	*ret = (struct binaries){
		.kernel = add_binary(profile, "[kernel.kallsyms]"),
		.loader = add_binary(profile, "/lib64/ld-linux-x86-64.so.2"),
		.libc = add_binary(profile, "/lib/libc.so.6"),
		.library = add_binary(profile, "/lib/libcrypto.so.3"),
		.program = add_binary(profile, "/usr/bin/python3.11"),
		.tool = add_binary(profile, "/usr/bin/tool"),
	};
	return profile;
}

static void expect(struct profile *profile, struct prof_binary_id expected)
{
	struct prof_binary_id found;

	assert_ok(ana_find_main_binary(profile, &found));
	assert_int_equal(found.i, expected.i);
	prof_destroy(profile);
}

/* Most samples are in a library, and a thread was named after something else. */
static void the_root_of_main_threads_decides(void **state)
{
	struct binaries b;
	struct profile *profile = begin(&b);

	(void)state;
	add_samples(profile, "tool", 10, b.library, b.program, PD_UNWIND_END_ROOT, 5);
	add_samples(profile, "tool", 10, b.loader, b.loader, PD_UNWIND_END_ROOT, 9);
	add_samples(profile, "tool", 11, b.library, b.libc, PD_UNWIND_END_ROOT, 20);
	add_samples(profile, "tool", 10, b.tool, b.tool, PD_UNWIND_END_STACK_SHORT, 30);
	add_samples(profile, "swapper", 0, b.kernel, b.kernel, PD_N_UNWIND_ENDS, 90);
	expect(profile, b.program);
}

/* Recorded call chains do not say whether they reach the root. */
static void the_name_of_threads_decides(void **state)
{
	struct binaries b;
	struct profile *profile = begin(&b);

	(void)state;
	add_samples(profile, "python3", 10, b.library, b.library, PD_N_UNWIND_ENDS, 50);
	add_samples(profile, "python3", 10, b.program, b.libc, PD_N_UNWIND_ENDS, 1);
	expect(profile, b.program);
}

static void the_leaf_decides(void **state)
{
	struct binaries b;
	struct profile *profile = begin(&b);

	(void)state;
	add_samples(profile, "a-script", 10, b.library, b.libc, PD_N_UNWIND_ENDS, 50);
	add_samples(profile, "a-script", 10, b.program, b.libc, PD_N_UNWIND_ENDS, 1);
	add_samples(profile, "swapper", 0, b.kernel, b.kernel, PD_N_UNWIND_ENDS, 90);
	expect(profile, b.library);
}

static void the_kernel_is_no_program(void **state)
{
	struct binaries b;
	struct profile *profile = begin(&b);

	(void)state;
	add_samples(profile, "swapper", 0, b.kernel, b.kernel, PD_N_UNWIND_ENDS, 1);
	expect(profile, prof_no_binary());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_of_main_threads_decides),
		cmocka_unit_test(the_name_of_threads_decides),
		cmocka_unit_test(the_leaf_decides),
		cmocka_unit_test(the_kernel_is_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
