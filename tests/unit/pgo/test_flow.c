/* Flow: which counts of edges end up where. */
#include "tests/unit/test.h"

#include "pgo/bolt.h"
#include "pgo/flow.h"

/* A profile with two programs, the kernel, and a binary without a file; and its edges. */
struct fixture {
	struct profile *profile;
	struct prof_binary_id program;
	struct prof_binary_id library;
	struct prof_binary_id kernel;
	struct prof_binary_id missing;
};

static struct prof_binary_id add_binary(struct profile *profile, const char *name, bool is_found)
{
	const struct prof_binary binary = {
		.name = prof_add_string(profile, name),
		.has_image = true,
		.is_found = is_found,
	};

	return prof_add_binary(profile, &binary);
}

static struct fixture set_up_fixture(void)
{
	struct fixture f;

	assert_ok(prof_create(&f.profile));
	f.program = add_binary(f.profile, "/bin/a program", true);
	f.library = add_binary(f.profile, "/lib/.lib.so", true);
	f.kernel = add_binary(f.profile, "[kernel.kallsyms]", true);
	f.missing = add_binary(f.profile, "/bin/missing", false);
	struct prof_binary *kernel = &f.profile->binaries.data[f.kernel.i];
	kernel->is_kernel = kernel->has_lines = true;
	kernel->ref_symbol = prof_add_string(f.profile, "_text");
	kernel->load_addr = 0xffffffff92000000;
	kernel->vmlinux_offset = 0x11000000;
	return f;
}

/* Add a frame, in a function of 0x100 bytes. */
static struct prof_frame_id at(struct fixture *f, struct prof_binary_id binary, uint64_t addr)
{
	const struct prof_frame frame = { .addr = addr, .binary = binary };
	const struct prof_frame_offset offset = { .in_symbol = addr & 0xff, .has_symbol = true };
	struct prof_frame_id id = prof_add_frame(f->profile, &frame);

	if (id.i == f->profile->frame_offsets.n)
		assert_true(pd_vec_push(&f->profile->frame_offsets, offset));
	return id;
}

static void add_edge(struct fixture *f, struct prof_frame_id from, struct prof_frame_id to,
	struct prof_frame_id end, uint64_t n)
{
	bool is_kernel =
		prof_frame(f->profile, from)->addr >> 63 || prof_frame(f->profile, to)->addr >> 63;
	const struct prof_edge edge = { from, to, end, is_kernel ? PROF_EDGE_KERNEL : 0 };
	const struct prof_edge_count count = { n, n / 10 };

	assert_ok(prof_add_edge(f->profile, &edge, &count));
	f->profile->stats.branches.n_branches += n;
}

/* Every branch leads to an image or is left out. What comes after it is known, or counted. */
static void expect_conserved(const struct pgo_flow *flow)
{
	uint64_t n = flow->left_out.n_branches + flow->left_out.n_kernel_exits;

	for (size_t i = 0; i < flow->images.n; i++) {
		const struct pgo_image *image = &flow->images.data[i];

		for (size_t k = 0; k < image->runs.n; k++)
			n += image->runs.data[k].n;
		n += image->n_newest + image->misfits.n_inverted + image->misfits.n_overlong +
		     image->misfits.n_outside;
	}
	assert_int_equal(n, flow->profile->stats.branches.n_branches);
}

static void expect_file(const struct pgo_flow *flow, uint32_t image, const char *expected)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	pgo_bolt_write(&flow->images.data[image], "cycles", out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_runs(void **state)
{
	struct fixture f = set_up_fixture();
	struct prof_frame_id none = prof_no_frame();
	struct pgo_flow flow;

	(void)state;
	/* A branch with two ends, and a branch from another function. */
	add_edge(&f, at(&f, f.program, 0x1010), at(&f, f.program, 0x1020),
		at(&f, f.program, 0x1030), 20);
	add_edge(&f, at(&f, f.program, 0x1010), at(&f, f.program, 0x1020),
		at(&f, f.program, 0x1040), 5);
	add_edge(&f, at(&f, f.program, 0x2010), at(&f, f.program, 0x1020),
		at(&f, f.program, 0x1030), 3);
	add_edge(&f, at(&f, f.program, 0x1010), at(&f, f.program, 0x1020), none, 7);
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	expect_file(&flow, flow.image_of[f.program.i],
		"B 1010 1020 32 2\nB 2010 1020 3 0\nF 1020 1030 20\nf 1020 1030 3\nF 1020 1040 5\n");
	expect_conserved(&flow);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

static void test_misfits(void **state)
{
	struct fixture f = set_up_fixture();
	struct prof_frame_id start = at(&f, f.program, 0x1020), from = at(&f, f.program, 0x1010);
	struct pgo_flow flow;

	(void)state;
	add_edge(&f, from, start, at(&f, f.program, 0x1000), 1);
	add_edge(&f, from, start, at(&f, f.program, 0x1020 + (1 << 20)), 2);
	add_edge(&f, from, start, at(&f, f.program, 0x1021 + (1 << 20)), 4);
	add_edge(&f, from, start, at(&f, f.library, 0x1030), 8);
	add_edge(&f, from, start, at(&f, f.missing, 0x1030), 16);
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	const struct pgo_image *image = &flow.images.data[flow.image_of[f.program.i]];
	assert_int_equal(image->misfits.n_inverted, 1);
	assert_int_equal(image->misfits.n_overlong, 4);
	assert_int_equal(image->misfits.n_outside, 8 + 16);
	expect_file(&flow, flow.image_of[f.program.i], "B 1010 1020 31 1\nF 1020 101020 2\n");
	expect_conserved(&flow);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

/* A call into a library and the return, both without the file of the caller as well. */
static void test_elsewhere(void **state)
{
	struct fixture f = set_up_fixture();
	struct pgo_flow flow;

	(void)state;
	add_edge(&f, at(&f, f.program, 0x1010), at(&f, f.library, 0x500), at(&f, f.library, 0x510),
		10);
	add_edge(&f, at(&f, f.library, 0x510), at(&f, f.missing, 0x700), at(&f, f.missing, 0x710),
		20);
	add_edge(&f, at(&f, f.missing, 0x710), at(&f, f.missing, 0x720), prof_no_frame(), 40);
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	assert_int_equal(flow.image_of[f.missing.i], PROF_NONE);
	assert_int_equal(flow.left_out.n_branches, 20 + 40);
	expect_file(&flow, flow.image_of[f.program.i], "B 1010 X:0 10 1\n");
	expect_file(&flow, flow.image_of[f.library.i],
		"B 510 X:0 20 2\nB X:0 500 10 1\nf 500 510 10\n");
	expect_conserved(&flow);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

/* Branches of the kernel have the addresses of vmlinux, and user programs do not see them. */
static void test_kernel(void **state)
{
	struct fixture f = set_up_fixture();
	const uint64_t base = 0xffffffff92000000;
	struct prof_frame_id entry = at(&f, f.kernel, base + 0x100);
	struct pgo_flow flow;

	(void)state;
	add_edge(&f, at(&f, f.program, 0x1010), entry, at(&f, f.kernel, base + 0x110), 10);
	add_edge(&f, at(&f, f.kernel, base + 0x110), at(&f, f.program, 0x1010),
		at(&f, f.program, 0x1080), 10);
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	expect_file(&flow, flow.image_of[f.program.i], "");
	expect_file(&flow, flow.image_of[f.kernel.i],
		"B ffffffff81000110 X:0 10 1\nB X:0 ffffffff81000100 10 1\n"
		"f ffffffff81000100 ffffffff81000110 10\n");
	assert_int_equal(flow.left_out.n_kernel_exits, 10);
	expect_conserved(&flow);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

/* Binaries with one build id are one image, whatever their folders are. Others of one name differ. */
static void test_images(void **state)
{
	struct fixture f = set_up_fixture();
	struct prof_binary_id a = add_binary(f.profile, "/bin/twin", true);
	struct prof_binary_id b = add_binary(f.profile, "/opt/twin", true);
	struct pgo_flow flow;

	(void)state;
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	assert_int_not_equal(flow.image_of[a.i], flow.image_of[b.i]);
	assert_string_equal(pgo_image_name(&flow, flow.image_of[f.program.i]), "a_program.no-id-1");
	assert_string_equal(pgo_image_name(&flow, flow.image_of[f.library.i]), "_lib.so.no-id-2");
	assert_string_equal(pgo_image_name(&flow, flow.image_of[f.kernel.i]), "vmlinux.no-id-3");
	pgo_flow_deinit(&flow);
	f.profile->binaries.data[a.i].build_id = (struct pd_build_id){ 2, { 0xab, 0xcd } };
	f.profile->binaries.data[b.i].build_id = (struct pd_build_id){ 2, { 0xab, 0xcd } };
	assert_ok(pgo_flow_create(f.profile, prof_no_event(), &flow));
	assert_int_equal(flow.image_of[a.i], flow.image_of[b.i]);
	assert_string_equal(pgo_image_name(&flow, flow.image_of[a.i]), "twin.abcd");
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_misfits),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
