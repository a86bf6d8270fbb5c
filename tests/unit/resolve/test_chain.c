/*
 * Stacks made from recorded data: context markers, branch records, and call chains in later
 * records.
 */
#include "tests/unit/test_writing.h"

#include "resolve/resolve.h"

enum { MAX_SEEN = 16, MAX_LINKS = 16 };

/* A sample as the callback saw it. */
struct seen {
	uint64_t time;
	enum prof_stack_origin origin;
	enum pd_unwind_end end;
	size_t n;
	size_t n_system;
	uint64_t pcs[MAX_LINKS];
	uint32_t flags[MAX_LINKS];
	struct prof_binary_id ids[MAX_LINKS];
	char binaries[MAX_LINKS][32];
};

struct view {
	struct seen seen[MAX_SEEN];
	size_t n;
};

static void look(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	struct view *view = ctx;
	struct seen *seen = &view->seen[view->n++];

	assert_true(view->n <= MAX_SEEN && chain->n <= MAX_LINKS);
	*seen = (struct seen){
		.time = sample->time,
		.origin = chain->origin,
		.end = chain->end,
		.n = chain->n,
		.n_system = chain->n_system,
	};
	for (size_t i = 0; i < chain->n; i++) {
		const struct prof_frame *frame = prof_frame(profile, chain->frames[i]);

		seen->pcs[i] = chain->pcs[i];
		seen->flags[i] = frame->flags;
		seen->ids[i] = frame->binary;
	}
}

/* Binaries have names once all samples were seen. */
static void look_at_names(const struct profile *profile, struct seen *seen)
{
	for (size_t i = 0; i < seen->n; i++) {
		if (!prof_is_none(seen->ids[i]))
			snprintf(seen->binaries[i], sizeof(seen->binaries[i]), "%s",
				prof_string(profile, prof_binary(profile, seen->ids[i])->name));
	}
}

struct recording {
	struct pd_attr attr;
	struct pd_plan plan;
	FILE *out;
	struct pd_writer *writer;
	uint64_t time;
};

static struct recording open_recording(uint64_t sample_type, struct pd_attr attr)
{
	struct recording r = { .attr = attr, .out = tmpfile() };

	assert_non_null(r.out);
	r.attr.type = PD_TYPE_SOFTWARE;
	r.attr.size = 112;
	r.attr.sample_period = 1;
	r.attr.sample_type =
		sample_type | 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME;
	r.attr.flags = (uint64_t)1 << PD_ATTR_sample_id_all;
	pd_plan_compile(&r.attr, &r.plan);
	r.writer = writer_open(r.out, false, false);
	assert_ok(pd_writer_add_event(r.writer, &r.attr, NULL, 0));
	return r;
}

static struct pd_view words(const uint64_t *data, size_t n)
{
	return (struct pd_view){ .data = (const uint8_t *)data, .n = n, .elem_size = 8 };
}

static void put_sample(struct recording *r, uint16_t misc, uint32_t tid, struct pd_sample sample)
{
	struct pd_bytes out = { 0 };

	sample.pid = sample.tid = tid;
	sample.time = ++r->time;
	assert_true(pd_sample_encode(&r->plan, misc, &sample, &out));
	assert_ok(pd_writer_add_records(r->writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

static void put_chain(
	struct recording *r, uint16_t misc, uint32_t tid, const uint64_t *chain, size_t n)
{
	put_sample(r, misc, tid, (struct pd_sample){ .ip = 0x77, .callchain = words(chain, n) });
}

#define PUT_CHAIN(r, misc, tid, ...) \
	put_chain(r, misc, tid, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void put_deferred(
	struct recording *r, uint32_t tid, uint64_t cookie, const uint64_t *ips, size_t n)
{
	const union pd_body body = { .callchain_deferred = {
					     .cookie = cookie, .nr = n, .ips = words(ips, n) } };
	const struct pd_sid sid = { .pid = tid, .tid = tid, .time = ++r->time };
	struct pd_bytes trailer = { 0 };
	struct pd_bytes out = { 0 };

	pd_sid_encode(&r->plan, &sid, &trailer);
	assert_true(pd_record_encode(&pd_layout_callchain_deferred, PD_MISC_USER, &body,
		trailer.buf.data, trailer.buf.n, &out));
	assert_ok(pd_writer_add_records(r->writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&trailer);
	pd_bytes_deinit(&out);
}

/* Close the recording and resolve its samples. */
static struct view look_at(struct recording *r, struct resolve_opts opts)
{
	struct view view = { 0 };
	struct profile *profile;
	struct pd_file *file;

	writer_close(r->writer);
	struct bytes b = written(r->out);
	opts.on_sample = look;
	opts.ctx = &view;
	assert_ok(pd_file_open_memory("written", b.data, b.n, NULL, &file));
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_true(prof_is_conserved(profile));
	assert_int_equal(profile->stats.n_samples, view.n);
	for (size_t i = 0; i < view.n; i++)
		look_at_names(profile, &view.seen[i]);
	prof_destroy(profile);
	pd_file_close(file);
	bytes_free(&b);
	return view;
}

static void check_pcs(const struct seen *seen, const uint64_t *pcs, size_t n)
{
	assert_int_equal(seen->n, n);
	assert_memory_equal(seen->pcs, pcs, n * sizeof(*pcs));
}

#define CHECK_PCS(seen, ...) \
	check_pcs(seen, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static const uint64_t KERNEL = 0xffffffff81000000;

static void test_contexts(void **state)
{
	struct recording r = open_recording(1 << PD_SAMPLE_CALLCHAIN, (struct pd_attr){ 0 });

	(void)state;
	PUT_CHAIN(&r, PD_MISC_KERNEL, 5, PD_CONTEXT_KERNEL, KERNEL, KERNEL + 16, PD_CONTEXT_USER,
		0x1000, 0x2000);
	/*
	 * Before the first marker the record header has the context. Unknown markers are ignored.
	 */
	PUT_CHAIN(&r, PD_MISC_USER, 5, 0x1000, (uint64_t)-3, 0x2000, PD_CONTEXT_KERNEL, KERNEL);
	PUT_CHAIN(&r, PD_MISC_GUEST_KERNEL, 5, PD_CONTEXT_GUEST_KERNEL, KERNEL,
		PD_CONTEXT_GUEST_USER, 0x1000, PD_CONTEXT_HV, KERNEL + 32, PD_CONTEXT_GUEST, 0x3000,
		PD_CONTEXT_USER, 0x4000);
	PUT_CHAIN(&r, PD_MISC_GUEST_USER, 5, PD_CONTEXT_GUEST_USER);
	struct view view = look_at(&r, (struct resolve_opts){ 0 });

	assert_int_equal(view.n, 4);
	CHECK_PCS(&view.seen[0], KERNEL, KERNEL + 16, 0x1000, 0x2000);
	assert_int_equal(view.seen[0].n_system, 2);
	assert_int_equal(view.seen[0].origin, PROF_STACK_RECORDED);
	CHECK_PCS(&view.seen[1], KERNEL, 0x1000, 0x2000);
	CHECK_PCS(&view.seen[2], KERNEL, 0x1000, KERNEL + 32, 0x3000, 0x4000);
	assert_int_equal(view.seen[2].n_system, 4);
	assert_string_equal(view.seen[2].binaries[0], "[guest.kernel]");
	assert_string_equal(view.seen[2].binaries[1], "[guest.user]");
	assert_string_equal(view.seen[2].binaries[2], "[hypervisor]");
	assert_string_equal(view.seen[2].binaries[3], "[guest]");
	assert_string_equal(view.seen[2].binaries[4], "");
	/* If the chain has only markers, the stack is the instruction pointer. */
	CHECK_PCS(&view.seen[3], 0x77);
	assert_string_equal(view.seen[3].binaries[0], "[guest.user]");
	assert_int_equal(view.seen[3].origin, PROF_STACK_NONE);
}

static void test_contexts_without(void **state)
{
	for (int no_user = 0; no_user < 2; no_user++) {
		struct recording r =
			open_recording(1 << PD_SAMPLE_CALLCHAIN, (struct pd_attr){ 0 });

		PUT_CHAIN(
			&r, PD_MISC_KERNEL, 5, PD_CONTEXT_KERNEL, KERNEL, PD_CONTEXT_USER, 0x1000);
		struct view view = look_at(&r, (struct resolve_opts){ .unwind.no_user = no_user,
						       .unwind.no_kernel = !no_user });
		if (no_user)
			CHECK_PCS(&view.seen[0], KERNEL);
		else
			CHECK_PCS(&view.seen[0], 0x1000);
	}
	(void)state;
}

static void test_deferred(void **state)
{
	const uint64_t ips[] = { PD_CONTEXT_USER, 0x1000, 0x2000 };
	struct recording r = open_recording(1 << PD_SAMPLE_CALLCHAIN, (struct pd_attr){ 0 });

	(void)state;
	PUT_CHAIN(&r, PD_MISC_KERNEL, 5, PD_CONTEXT_KERNEL, KERNEL, PD_CONTEXT_USER_DEFERRED,
		9); /* 1 */
	PUT_CHAIN(&r, PD_MISC_KERNEL, 6, PD_CONTEXT_KERNEL, KERNEL, PD_CONTEXT_USER_DEFERRED,
		9); /* 2 */
	PUT_CHAIN(
		&r, PD_MISC_KERNEL, 5, PD_CONTEXT_KERNEL, KERNEL + 1, PD_CONTEXT_USER_DEFERRED, 9);
	PUT_CHAIN(&r, PD_MISC_USER, 5, PD_CONTEXT_USER, 0x5000); /* 4 */
	put_deferred(&r, 5, 9, ips, 3);
	PUT_CHAIN(&r, PD_MISC_KERNEL, 7, PD_CONTEXT_KERNEL, KERNEL, PD_CONTEXT_USER_DEFERRED,
		3); /* 6 */
	put_deferred(&r, 7, 4, ips, 3);
	PUT_CHAIN(&r, PD_MISC_USER, 8, PD_CONTEXT_USER_DEFERRED, 2); /* 8 */
	put_deferred(&r, 8, 2, ips + 1, 2);
	struct view view = look_at(&r, (struct resolve_opts){ 0 });

	assert_int_equal(view.n, 6);
	assert_int_equal(view.seen[0].time, 4);
	/* Both waiting samples got the chain. */
	assert_int_equal(view.seen[1].time, 1);
	CHECK_PCS(&view.seen[1], KERNEL, 0x1000, 0x2000);
	assert_int_equal(view.seen[1].n_system, 1);
	assert_int_equal(view.seen[2].time, 3);
	CHECK_PCS(&view.seen[2], KERNEL + 1, 0x1000, 0x2000);
	/* Another cookie: the expected record was lost. */
	assert_int_equal(view.seen[3].time, 6);
	CHECK_PCS(&view.seen[3], KERNEL);
	assert_int_equal(view.seen[4].time, 8);
	CHECK_PCS(&view.seen[4], 0x1000, 0x2000);
	/* The record never came. */
	assert_int_equal(view.seen[5].time, 2);
	CHECK_PCS(&view.seen[5], KERNEL);
}

/* More waiting samples than the limit, and than fit in a batch. */
static void test_many_deferred(void **state)
{
	struct recording r = open_recording(1 << PD_SAMPLE_CALLCHAIN, (struct pd_attr){ 0 });
	struct profile *profile;
	struct pd_file *file;

	(void)state;
	for (uint32_t i = 0; i < 70000; i++)
		PUT_CHAIN(&r, PD_MISC_KERNEL, i, PD_CONTEXT_KERNEL, KERNEL,
			PD_CONTEXT_USER_DEFERRED, 1);
	writer_close(r.writer);
	struct bytes b = written(r.out);
	assert_ok(pd_file_open_memory("written", b.data, b.n, NULL, &file));
	assert_ok(resolve_profile(file, &(struct resolve_opts){ 0 }, &profile));
	assert_true(prof_is_conserved(profile));
	assert_int_equal(profile->stats.n_samples, 70000);
	assert_int_equal(profile->stacks.n, 1);
	prof_destroy(profile);
	pd_file_close(file);
	bytes_free(&b);
}

static void test_branches(void **state)
{
	/* From, to, flags; the newest first. */
	const uint64_t calls[] = { 0x2010, 0x1000, 0, 0x3010, 0x2000, 0 };
	const uint64_t chain[] = { PD_CONTEXT_KERNEL, KERNEL, PD_CONTEXT_USER, 0x1008, 0xbad };
	const struct pd_sample sample = {
		.ip = 0x1004,
		.branch_stack = { .entries = { .data = (const uint8_t *)calls,
					  .n = 2,
					  .elem_size = 24 },
			.lacks_hw_idx = true },
	};
	struct pd_sample in_kernel = sample;
	struct recording r = open_recording(1 << PD_SAMPLE_CALLCHAIN | 1 << PD_SAMPLE_BRANCH_STACK,
		(struct pd_attr){ .branch_sample_type = PD_BRANCH_CALL_STACK });

	(void)state;
	in_kernel.callchain = words(chain, 5);
	put_sample(&r, PD_MISC_USER, 5, sample);
	put_sample(&r, PD_MISC_KERNEL, 5, in_kernel);
	in_kernel.callchain.n = 2;
	put_sample(&r, PD_MISC_KERNEL, 5, in_kernel);
	struct view view = look_at(&r, (struct resolve_opts){ 0 });

	assert_int_equal(view.n, 3);
	assert_int_equal(view.seen[0].origin, PROF_STACK_BRANCHES);
	CHECK_PCS(&view.seen[0], 0x1004, 0x2010, 0x3010);
	CHECK_PCS(&view.seen[1], KERNEL, 0x1008, 0x2010, 0x3010);
	/* The point where it left user space is unknown, so the last function called is used. */
	CHECK_PCS(&view.seen[2], KERNEL, 0x1000, 0x2010, 0x3010);

	/* Only the call stack mode records calls. */
	r = open_recording(
		1 << PD_SAMPLE_CALLCHAIN | 1 << PD_SAMPLE_BRANCH_STACK, (struct pd_attr){ 0 });
	put_sample(&r, PD_MISC_KERNEL, 5, in_kernel);
	view = look_at(&r, (struct resolve_opts){ 0 });
	CHECK_PCS(&view.seen[0], KERNEL);
}

/* HEADER_CPU_PMU_CAPS: one capability, "branches". */
static void put_depth(struct recording *r, const char *depth)
{
	struct pd_bytes out = { 0 };

	pd_bytes_u32(&out, 1);
	pd_bytes_u32(&out, 12);
	pd_bytes_put(&out, "branches\0\0\0\0", 12);
	pd_bytes_u32(&out, 4);
	pd_bytes_put(&out, depth, 4);
	assert_ok(
		pd_writer_add_feature(r->writer, PD_FEATURE_CPU_PMU_CAPS, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

static void put_calls(struct recording *r, uint32_t tid, const uint64_t *calls, size_t n)
{
	const struct pd_sample sample = {
		.ip = 0x1004,
		.branch_stack = { .entries = { .data = (const uint8_t *)calls,
					  .n = n,
					  .elem_size = 24 },
			.lacks_hw_idx = true },
	};

	put_sample(r, PD_MISC_USER, tid, sample);
}

/* The hardware keeps three calls: the outermost of four is lost, unless a neighbour has it. */
static void test_lost_calls(void **state)
{
	const uint64_t calls[] = { 0x5010, 0x1000, 0, 0x4010, 0x5000, 0, 0x3010, 0x4000, 0, 0x2010,
		0x3000, 0 };

	for (int stitch = 0; stitch < 2; stitch++) {
		struct recording r = open_recording(1 << PD_SAMPLE_BRANCH_STACK,
			(struct pd_attr){ .branch_sample_type = PD_BRANCH_CALL_STACK });

		put_calls(&r, 5, calls, 3);	/* truncated; the following sample has the rest */
		put_calls(&r, 6, calls + 6, 2); /* of another thread */
		put_calls(&r, 5, calls + 6, 2);
		put_calls(&r, 5, calls + 3, 3); /* full, but happens to be complete */
		put_calls(&r, 7, calls, 3);
		put_depth(&r, "3\0\0");
		struct view view = look_at(&r, (struct resolve_opts){ .stitch = stitch });

		assert_int_equal(view.n, 5);
		CHECK_PCS(&view.seen[1], 0x1004, 0x3010, 0x2010);
		CHECK_PCS(&view.seen[2], 0x1004, 0x3010, 0x2010);
		CHECK_PCS(&view.seen[4], 0x1004, 0x5010, 0x4010, 0x3010, 0);
		assert_int_equal(view.seen[4].flags[4], PROF_FRAME_TRUNCATED);
		if (stitch) {
			CHECK_PCS(&view.seen[0], 0x1004, 0x5010, 0x4010, 0x3010, 0, 0x2010);
			assert_int_equal(view.seen[0].flags[4], PROF_FRAME_STITCHED);
		} else {
			CHECK_PCS(&view.seen[0], 0x1004, 0x5010, 0x4010, 0x3010, 0);
			assert_int_equal(view.seen[0].flags[4], PROF_FRAME_TRUNCATED);
		}
	}
	(void)state;
}

/*
 * Open a recording for samples with a recorded chain, and with registers and a stack that cannot be
 * unwound. @p sample_ret is one at 0x1000, without a chain.
 */
static struct recording open_walk_and_chain(struct pd_sample *sample_ret)
{
	enum { BP = 1 << 6, SP = 1 << 7, IP = 1 << 8 };
	static const uint64_t regs[] = { 0, 0x7000, 0x1000 };
	static const uint64_t stack[2];

	*sample_ret = (struct pd_sample){
		.ip = 0x1000,
		.regs_user = { .abi = PD_REGS_ABI_64,
			.mask = BP | SP | IP,
			.values = words(regs, 3) },
		.stack_user = { .reserved = 16,
			.dyn_size = 16,
			.bytes = { .data = (const uint8_t *)stack, .n = 16, .elem_size = 1 } },
	};
	return open_recording(
		1 << PD_SAMPLE_CALLCHAIN | 1 << PD_SAMPLE_REGS_USER | 1 << PD_SAMPLE_STACK_USER,
		(struct pd_attr){ .sample_regs_user = BP | SP | IP, .sample_stack_user = 16 });
}

static void test_walk_and_chain(void **state)
{
	const uint64_t chain[] = { PD_CONTEXT_USER, 0x1000, 0x2000, 0x3000 };
	struct pd_sample sample;
	struct recording r = open_walk_and_chain(&sample);

	(void)state;
	sample.callchain = words(chain, 4);
	put_sample(&r, PD_MISC_USER, 5, sample);
	sample.regs_user.abi = PD_REGS_ABI_NONE;
	sample.regs_user.values.n = 0;
	put_sample(&r, PD_MISC_USER, 5, sample);
	struct view view = look_at(&r, (struct resolve_opts){ 0 });

	assert_int_equal(view.n, 2);
	assert_int_equal(view.seen[0].origin, PROF_STACK_UNWOUND);
	assert_int_equal(view.seen[0].end, PD_UNWIND_END_NO_MAPPING);
	CHECK_PCS(&view.seen[0], 0x1000, 0x2000, 0x3000);
	assert_int_equal(view.seen[0].flags[0], 0);
	assert_int_equal(view.seen[0].flags[1], PROF_FRAME_JOINED);
	/* Nothing to walk. */
	assert_int_equal(view.seen[1].origin, PROF_STACK_RECORDED);
	assert_int_equal(view.seen[1].end, PD_N_UNWIND_ENDS);
	CHECK_PCS(&view.seen[1], 0x1000, 0x2000, 0x3000);
	assert_int_equal(view.seen[1].flags[1], 0);
}

/* A recorded chain is joined only where it is certain which of its entries was unwound last. */
static void test_recursion_in_chain(void **state)
{
	static const uint64_t from_leaf[] = { PD_CONTEXT_USER, 0x1000, 0x1000, 0x3000 };
	static const uint64_t one_meeting[] = { PD_CONTEXT_USER, 0x4000, 0x1000, 0x3000 };
	static const uint64_t two_meetings[] = { PD_CONTEXT_USER, 0x4000, 0x1000, 0x1000, 0x3000 };
	struct pd_sample sample;
	struct recording r = open_walk_and_chain(&sample);

	(void)state;
	sample.callchain = words(from_leaf, 4);
	put_sample(&r, PD_MISC_USER, 5, sample);
	sample.callchain = words(one_meeting, 4);
	put_sample(&r, PD_MISC_USER, 5, sample);
	sample.callchain = words(two_meetings, 5);
	put_sample(&r, PD_MISC_USER, 5, sample);
	struct view view = look_at(&r, (struct resolve_opts){ 0 });

	assert_int_equal(view.n, 3);
	CHECK_PCS(&view.seen[0], 0x1000, 0x1000, 0x3000);
	CHECK_PCS(&view.seen[1], 0x1000, 0x3000);
	CHECK_PCS(&view.seen[2], 0x1000);
}

/* Addresses in testdata/signal/signal. */
enum {
	IN_SPIN = 0x4016e7,
	IN_SPIN_TOO = 0x4016ef,
	IN_INTERRUPTED = 0x401725, /* its call of spin */
	FROM_INTERRUPTED = 0x40172a,
	FROM_HANDLER_WORK = 0x40170a, /* another caller of spin */
	FROM_MAIN = 0x40157a,
	FROM_ON_ALARM = 0x401715,
	TRAMPOLINE = 0x4087a0, /* its first instruction */
};

/* Stack pointers: of the two stacks, and of interrupted(), which calls spin() and has no frame. */
enum { AT_SPIN = 0x7f000000, AT_INTERRUPTED = AT_SPIN + 8, AT_HANDLER = 0x500000 };

static struct recording open_stacks(void)
{
	enum { BP = 1 << 6, SP = 1 << 7, IP = 1 << 8 };
	union pd_body body = {
		.mmap = { .pid = 5, .tid = 5, .addr = 0x401000, .len = 0x78000, .pgoff = 0x1000 }
	};
	struct recording r = open_recording(1 << PD_SAMPLE_REGS_USER | 1 << PD_SAMPLE_STACK_USER,
		(struct pd_attr){ .sample_regs_user = BP | SP | IP, .sample_stack_user = 256 });
	const struct pd_sid sid = { .pid = 5, .tid = 5, .time = ++r.time };
	char *path = realpath("testdata/signal/signal", NULL);
	struct pd_bytes trailer = { 0 };
	struct pd_bytes out = { 0 };

	assert_non_null(path);
	body.mmap.filename = (struct pd_str){ .s = path, .len = strlen(path) };
	pd_sid_encode(&r.plan, &sid, &trailer);
	assert_true(pd_record_encode(
		&pd_layout_mmap, PD_MISC_USER, &body, trailer.buf.data, trailer.buf.n, &out));
	assert_ok(pd_writer_add_records(r.writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&trailer);
	pd_bytes_deinit(&out);
	free(path);
	return r;
}

static void put_stack(
	struct recording *r, uint64_t pc, uint64_t sp, const uint64_t *stack, size_t n_words)
{
	const uint64_t regs[] = { 0, sp, pc };

	put_sample(r, PD_MISC_USER, 5,
		(struct pd_sample){
			.ip = pc,
			.regs_user = { .abi = PD_REGS_ABI_64,
				.mask = r->attr.sample_regs_user,
				.values = words(regs, 3) },
			.stack_user = { .reserved = 8 * n_words,
				.dyn_size = 8 * n_words,
				.bytes = { .data = (const uint8_t *)stack,
					.n = 8 * n_words,
					.elem_size = 1 } },
		});
}

#define PUT_STACK(r, pc, sp, ...) \
	put_stack(r, pc, sp, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* A sample in the handler, on another stack. */
static void put_handler_at(struct recording *r, uint64_t interrupted_pc, uint64_t interrupted_sp)
{
	/* Where sigreturn(2) finds the registers: rt_sigframe in the kernel's asm/sigframe.h. */
	enum { RSP = 20, RIP = 21 };
	uint64_t stack[32] = { [RSP] = interrupted_sp, [RIP] = interrupted_pc };

	put_stack(r, TRAMPOLINE, AT_HANDLER, stack, 32);
}

static void put_handler(struct recording *r, uint64_t interrupted_pc)
{
	put_handler_at(r, interrupted_pc, AT_SPIN);
}

#define CHECK_OPEN(seen) CHECK_PCS(seen, TRAMPOLINE, IN_SPIN, 0)

/* The interrupted stack is known if the samples before and after have the same one. */
static void test_other_stack(void **state)
{
	struct recording r = open_stacks();

	(void)state;
	PUT_STACK(&r, IN_SPIN_TOO, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN);
	put_handler(&r, IN_SPIN);
	PUT_STACK(&r, IN_SPIN, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN);
	PUT_STACK(&r, IN_INTERRUPTED, AT_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN);
	PUT_STACK(&r, IN_SPIN_TOO, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	struct view view = look_at(&r, (struct resolve_opts){ .stitch = true });

	assert_int_equal(view.n, 8);
	CHECK_PCS(&view.seen[0], IN_SPIN_TOO, FROM_INTERRUPTED, FROM_MAIN, 0);
	assert_int_equal(view.seen[0].flags[3], PROF_FRAME_TRUNCATED);
	for (size_t i = 1; i < 7; i++) {
		if (view.seen[i].pcs[0] != TRAMPOLINE)
			continue;
		assert_int_equal(view.seen[i].end, PD_UNWIND_END_OTHER_STACK);
		/* The leaf of another sample is the caller, but not at the call. */
		CHECK_PCS(&view.seen[i], TRAMPOLINE, IN_SPIN, 0, FROM_INTERRUPTED, FROM_MAIN, 0);
		assert_int_equal(view.seen[i].flags[2], PROF_FRAME_STITCHED);
		assert_int_equal(view.seen[i].flags[5], PROF_FRAME_TRUNCATED);
	}
}

/* Several handlers in succession: the first one interrupts the caller of spin(). */
static void test_other_stacks(void **state)
{
	struct recording r = open_stacks();

	(void)state;
	PUT_STACK(&r, IN_SPIN_TOO, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	put_handler_at(&r, IN_INTERRUPTED, AT_INTERRUPTED);
	put_handler(&r, IN_SPIN);
	put_handler(&r, IN_SPIN_TOO);
	PUT_STACK(&r, IN_SPIN, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	struct view view = look_at(&r, (struct resolve_opts){ .stitch = true });

	assert_int_equal(view.n, 5);
	CHECK_PCS(&view.seen[1], TRAMPOLINE, IN_INTERRUPTED, 0, FROM_MAIN, 0);
	CHECK_PCS(&view.seen[2], TRAMPOLINE, IN_SPIN, 0, FROM_INTERRUPTED, FROM_MAIN, 0);
	CHECK_PCS(&view.seen[3], TRAMPOLINE, IN_SPIN_TOO, 0, FROM_INTERRUPTED, FROM_MAIN, 0);
}

/* It is not known if they differ, or if one of them is missing or says less. */
static void test_doubtful_stack(void **state)
{
	struct recording r = open_stacks();

	(void)state;
	put_handler(&r, IN_SPIN); /* nothing before */
	PUT_STACK(&r, IN_SPIN, AT_SPIN, FROM_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN); /* another caller after */
	PUT_STACK(&r, IN_SPIN, AT_SPIN, FROM_HANDLER_WORK, FROM_MAIN);
	put_handler(&r, IN_SPIN); /* another outer caller after */
	PUT_STACK(&r, IN_SPIN, AT_SPIN, FROM_HANDLER_WORK, FROM_ON_ALARM);
	put_handler(&r, IN_SPIN); /* two leaves, whose calls are unknown */
	PUT_STACK(&r, IN_INTERRUPTED, AT_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN);
	PUT_STACK(&r, IN_INTERRUPTED, AT_INTERRUPTED, FROM_MAIN);
	put_handler(&r, IN_SPIN); /* deeper than the sample after */
	PUT_STACK(&r, IN_INTERRUPTED, AT_INTERRUPTED + 8, FROM_MAIN);
	put_handler(&r, IN_SPIN); /* nothing after */
	struct view view = look_at(&r, (struct resolve_opts){ .stitch = true });

	assert_int_equal(view.n, 13);
	for (size_t i = 0; i < view.n; i += 2) {
		CHECK_OPEN(&view.seen[i]);
		assert_int_equal(view.seen[i].flags[2], PROF_FRAME_TRUNCATED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_contexts_without),
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_many_deferred),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_lost_calls),
		cmocka_unit_test(test_walk_and_chain),
		cmocka_unit_test(test_recursion_in_chain),
		cmocka_unit_test(test_other_stack),
		cmocka_unit_test(test_other_stacks),
		cmocka_unit_test(test_doubtful_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
