/*
 * Tests of pdconv/unwinder.h: stacks of recordings against those of a conversion, of this process
 * while it runs, and of processes that are made up.
 */
#include "tests/unit/test_recording.h"

#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "base/containers/hash.h"
#include "parse/event_index.h"
#include "parse/open_file.h"
#include "resolve/resolve.h"

#define noinline __attribute__((noinline))

/* Number of processes after which an unwinder forgets those that have exited. */
enum { MANY = 40000 };

/* Parts of a stack that are compared. */
struct seen {
	uint64_t time;
	uint64_t pcs_hash;
	size_t n;
	size_t n_kernel;
	/** PD_N_UNWIND_ENDS: the stack was not unwound. */
	enum pd_unwind_end end;
};

struct list {
	PD_VEC(struct seen) seen;
};

static void see_conversion(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	struct list *list = ctx;
	struct seen seen = {
		.time = sample->time,
		.n = chain->n,
		.n_kernel = chain->n_system,
		.end = chain->origin == PROF_STACK_UNWOUND ? chain->end : PD_N_UNWIND_ENDS,
	};

	(void)profile;
	for (size_t i = 0; i < chain->n; i++)
		seen.pcs_hash = base_hash_pair(chain->pcs[i], seen.pcs_hash);
	assert_true(pd_vec_push(&list->seen, seen));
}

static const char *directory(const char *name, char buf[static 64])
{
	snprintf(buf, 64, "testdata/%s", strcmp(name, "compressed") ? name : "nested");
	return buf;
}

static struct pd_file *open_recording(const char *name)
{
	char path[80];
	struct pd_file *file;

	snprintf(path, sizeof(path), "testdata/%s/perf.data", name);
	assert_ok(pd_file_open(path, NULL, &file));
	return file;
}

static void convert(const char *name, struct list *ret)
{
	char dir[64];
	struct resolve_opts opts = {
		.search = {
			.symfs = "/proc/fs",
			.debug_dirs = directory(name, dir),
			.buildid_dir = "/nonexistent",
		},
		.on_sample = see_conversion,
		.ctx = ret,
		.no_names = true,
		.no_truncated = true,
	};
	struct pd_file *file = open_recording(name);
	struct profile *profile;

	assert_ok(resolve_profile(file, &opts, &profile));
	prof_destroy(profile);
	pd_file_close(file);
}

static struct pd_unwinder *create_for(const char *arch, const char *name)
{
	char buf[64];
	const char *dir = directory(name, buf);
	const struct pd_unwinder_opts opts = {
		.is_offline = true,
		.search = { .symfs = "/proc/fs", .dirs = &dir, .n_dirs = 1 },
	};
	struct pd_unwinder *unwinder;

	assert_ok(pd_unwinder_create(arch, &opts, &unwinder));
	return unwinder;
}

/* Unwind a SAMPLE record. */
static void unwind_record(struct pd_unwinder *unwinder, const struct pd_file *file,
	const struct pd_record *rec, struct pd_stack_frames *stack)
{
	const struct pd_event *event = pd_events_find(&file->events, rec);
	struct pd_sample sample;
	const char *field;

	assert_non_null(event);
	assert_int_equal(pd_sample_decode(&event->plan, rec, &sample, &field), PD_SAMPLE_OK);
	assert_ok(pd_unwinder_unwind(unwinder, &sample, rec->misc, stack));
}

static void expect_stack(const struct seen *expected, const struct pd_stack_frames *stack)
{
	uint64_t hash = 0;

	assert_int_equal(stack->n, expected->n);
	assert_int_equal(stack->n_kernel, expected->n_kernel);
	for (size_t i = 0; i < stack->n; i++)
		hash = base_hash_pair(stack->frames[i].pc, hash);
	assert_true(hash == expected->pcs_hash);
	if (expected->end != PD_N_UNWIND_ENDS)
		assert_string_equal(
			pd_unwind_end_name(stack->end), pd_unwind_end_name(expected->end));
}

/* Fields of frames that do not depend on the recording. */
static void expect_sound_frames(const struct pd_stack_frames *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		const struct pd_frame *frame = &stack->frames[i];

		assert_int_equal(frame->is_kernel, i < stack->n_kernel);
		assert_true(frame->vaddr == PD_NO_ADDR || frame->offset != PD_NO_ADDR);
		if (frame->vaddr != PD_NO_ADDR)
			assert_null(frame->binary->why);
		if (!frame->binary)
			assert_int_equal(frame->n_names, 0);
	}
}

static bool has_names(const struct pd_stack_frames *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		if (stack->frames[i].n_names && stack->frames[i].names[0].function)
			return true;
	}
	return false;
}

static size_t count_function(const struct pd_stack_frames *stack, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < stack->n; i++) {
		for (size_t k = 0; k < stack->frames[i].n_names; k++) {
			const char *function = stack->frames[i].names[k].function;

			n += function && strcmp(function, name) == 0;
		}
	}
	return n;
}

/* Unwind with the architecture @p arch, or that of the recording. */
static void compare_recording(const char *name, const char *arch)
{
	struct list list = { 0 };
	struct pd_stack_frames stack = { 0 };
	struct pd_file *file = open_recording(name);
	struct pd_unwinder *unwinder = create_for(arch ? arch : file->text[PD_FEATURE_ARCH], name);
	struct pd_reader *reader;
	struct pd_record rec;
	size_t i = 0, n_named = 0;

	convert(name, &list);
	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	assert_ok(pd_reader_next(reader, &rec));
	for (; rec.bytes; assert_null(pd_reader_next(reader, &rec))) {
		assert_ok(pd_unwinder_add_record(unwinder, &file->events, &rec));
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		unwind_record(unwinder, file, &rec, &stack);
		expect_stack(&list.seen.data[i++], &stack);
		assert_ok(pd_stack_frames_name(&stack));
		expect_sound_frames(&stack);
		n_named += has_names(&stack);
	}
	assert_int_equal(i, list.seen.n);
	assert_true(n_named * 10 >= i * 9);
	pd_reader_destroy(reader);
	pd_file_close(file);
	pd_unwinder_destroy(unwinder);
	/* Frames do not need the unwinder. */
	assert_ok(pd_stack_frames_name(&stack));
	pd_stack_frames_deinit(&stack);
	pd_stack_frames_deinit(&stack);
	pd_vec_deinit(&list.seen);
}

static void stacks_are_those_of_a_conversion(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++)
		compare_recording(recording_names[i], NULL);
}

/* So uname() calls a 64-bit machine under the personality PER_LINUX32. */
static void a_machine_called_i686_has_64_bit_programs(void **state)
{
	(void)state;
	compare_recording("nested", "i686");
}

/* Samples of a recording, for several threads. */
struct shared {
	struct pd_unwinder *unwinder;
	struct pd_file *file;
	PD_VEC(struct pd_record) samples;
	struct list expected;
	atomic_bool is_over;
};

/* cmocka is not thread-safe: a failed assertion would only end one thread. */
static bool is_expected(const struct seen *expected, const struct pd_stack_frames *stack)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < stack->n; i++)
		hash = base_hash_pair(stack->frames[i].pc, hash);
	return stack->n == expected->n && hash == expected->pcs_hash;
}

static bool unwind_all(const struct shared *shared, struct pd_stack_frames *stack)
{
	for (size_t i = 0; i < shared->samples.n; i++) {
		const struct pd_record *rec = &shared->samples.data[i];
		const struct pd_event *event = pd_events_find(&shared->file->events, rec);
		struct pd_sample sample;
		const char *field;

		if (pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK ||
			pd_unwinder_unwind(shared->unwinder, &sample, rec->misc, stack) ||
			!is_expected(&shared->expected.seen.data[i], stack) ||
			pd_stack_frames_name(stack))
			return false;
	}
	return true;
}

static void *unwind_on_thread(void *arg)
{
	struct shared *shared = arg;
	struct pd_stack_frames stack = { 0 };
	bool ok = unwind_all(shared, &stack);

	while (ok && !atomic_load(&shared->is_over))
		ok = unwind_all(shared, &stack);

	pd_stack_frames_deinit(&stack);
	return ok ? arg : NULL;
}

/* A process that forks, calls exec, maps code and exits. */
static void add_life(struct bytes *b, uint32_t parent, uint32_t pid)
{
	b->n = 0;
	size_t at = record_begin(b, PD_RECORD_FORK, PD_MISC_USER);
	u32(b, pid);
	u32(b, parent);
	u32(b, pid);
	u32(b, parent);
	u64(b, 1);
	record_end(b, at);
	at = record_begin(b, PD_RECORD_COMM, PD_MISC_USER | PD_MISC_COMM_EXEC);
	u32(b, pid);
	u32(b, pid);
	padded(b, "program");
	record_end(b, at);
	for (uint64_t i = 1; i <= 4; i++) {
		at = record_begin(b, PD_RECORD_MMAP, PD_MISC_USER);
		u32(b, pid);
		u32(b, pid);
		u64(b, i << 20);
		u64(b, 4096);
		u64(b, 0);
		padded(b, "/nonexistent/program");
		record_end(b, at);
	}
	at = record_begin(b, PD_RECORD_EXIT, PD_MISC_USER);
	u32(b, pid);
	u32(b, parent);
	u32(b, pid);
	u32(b, parent);
	u64(b, 2);
	record_end(b, at);
}

static struct pd_record built_record(const struct bytes *b, size_t at)
{
	return (struct pd_record){
		.type = b->data[at],
		.misc = (uint16_t)(b->data[at + 4] | b->data[at + 5] << 8),
		.size = (uint32_t)(b->data[at + 6] | b->data[at + 7] << 8),
		.bytes = b->data + at,
		.time = PD_NO_TIME,
	};
}

/* Add the first @p n records. */
static void add_records(struct pd_unwinder *unwinder, const struct bytes *b, size_t n)
{
	for (size_t at = 0; n && at < b->n; n--) {
		struct pd_record rec = built_record(b, at);

		assert_ok(pd_unwinder_add_record(unwinder, NULL, &rec));
		at += rec.size;
	}
}

static void *add_lives(void *arg)
{
	struct shared *shared = arg;
	struct bytes b = { 0 };

	for (uint32_t i = 0; i < MANY; i++) {
		add_life(&b, 1, 1000000 + i % 1000);
		for (size_t at = 0; at < b.n;) {
			struct pd_record rec = built_record(&b, at);

			pd_error_destroy(pd_unwinder_add_record(shared->unwinder, NULL, &rec));
			at += rec.size;
		}
	}
	atomic_store(&shared->is_over, true);
	bytes_free(&b);
	return arg;
}

static void load_shared(struct shared *shared, const char *name)
{
	struct pd_reader *reader;
	struct pd_record rec;

	convert(name, &shared->expected);
	shared->file = open_recording(name);
	shared->unwinder = create_for(shared->file->text[PD_FEATURE_ARCH], name);
	assert_ok(pd_reader_create(shared->file, PD_ORDER_TIME, &reader));
	assert_ok(pd_reader_next(reader, &rec));
	for (; rec.bytes; assert_null(pd_reader_next(reader, &rec))) {
		/* The process has to outlive those that come and go. */
		if (rec.type != PD_RECORD_EXIT)
			assert_ok(pd_unwinder_add_record(
				shared->unwinder, &shared->file->events, &rec));
		if (rec.type == PD_RECORD_SAMPLE)
			assert_true(pd_vec_push(&shared->samples, pd_record_keep(&rec)));
	}
	pd_reader_destroy(reader);
}

/*
 * Threads unwind and name while another one adds records, so many of them that the unwinder forgets
 * processes meanwhile. Under ThreadSanitizer this shows races.
 */
static void threads_share_an_unwinder(void **state)
{
	enum { N_THREADS = 4 };
	struct shared shared = { 0 };
	pthread_t threads[N_THREADS], adder;
	size_t n_ok = 0;

	(void)state;
	load_shared(&shared, "threads");
	assert_int_equal(pthread_create(&adder, NULL, add_lives, &shared), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, unwind_on_thread, &shared), 0);
	for (size_t i = 0; i < N_THREADS; i++) {
		void *ok;

		pthread_join(threads[i], &ok);
		n_ok += ok != NULL;
	}
	pthread_join(adder, NULL);
	assert_int_equal(n_ok, N_THREADS);
	for (size_t i = 0; i < shared.samples.n; i++)
		pd_record_release(&shared.samples.data[i]);
	pd_vec_deinit(&shared.samples);
	pd_vec_deinit(&shared.expected.seen);
	pd_unwinder_destroy(shared.unwinder);
	pd_file_close(shared.file);
}

static struct pd_unwinder *create(void)
{
	const struct pd_unwinder_opts opts = { .is_offline = true };
	struct pd_unwinder *unwinder;

	assert_ok(pd_unwinder_create("x86_64", &opts, &unwinder));
	return unwinder;
}

/* Unwind a sample at @p ip without registers and call chain. */
static void unwind_ip(struct pd_unwinder *unwinder, uint32_t pid, uint64_t ip, uint16_t misc,
	struct pd_stack_frames *stack)
{
	const struct pd_sample sample = { .ip = ip, .pid = pid, .tid = pid };

	assert_ok(pd_unwinder_unwind(unwinder, &sample, misc, stack));
	assert_int_equal(stack->n, 1);
	assert_true(stack->frames[0].pc == ip);
	assert_int_equal(stack->end, PD_UNWIND_END_NO_REGS);
}

static void expect_mapped(struct pd_unwinder *unwinder, uint32_t pid, uint64_t ip, const char *path)
{
	struct pd_stack_frames stack = { 0 };

	unwind_ip(unwinder, pid, ip, PD_MISC_USER, &stack);
	if (!path)
		assert_null(stack.frames[0].binary);
	else
		assert_string_equal(stack.frames[0].binary->path, path);
	pd_stack_frames_deinit(&stack);
}

/* A sample in code that is not mapped, where its unwind ends. */
static struct pd_sample unmapped_sample(void)
{
	static const uint64_t regs[] = { 0x7000, 0x1234 };
	static const uint8_t bytes[64];

	return (struct pd_sample){
		.pid = 1,
		.tid = 1,
		.regs_user = {
			.abi = PD_REGS_ABI_64,
			.mask = 1 << 7 | 1 << 8,
			.values = { (const uint8_t *)regs, sizeof(uint64_t), false, 2 },
		},
		.stack_user = {
			.bytes = { bytes, 1, false, sizeof(bytes) },
			.reserved = sizeof(bytes),
			.dyn_size = sizeof(bytes),
		},
	};
}

static void an_unmapped_address_is_a_result(void **state)
{
	struct pd_unwinder *unwinder = create();
	const struct pd_sample sample = unmapped_sample();
	struct pd_stack_frames stack = { 0 };

	(void)state;
	assert_ok(pd_unwinder_unwind(unwinder, &sample, PD_MISC_USER, &stack));
	assert_int_equal(stack.n, 1);
	assert_true(stack.frames[0].pc == 0x1234);
	assert_null(stack.frames[0].binary);
	assert_true(stack.frames[0].vaddr == PD_NO_ADDR && stack.frames[0].offset == PD_NO_ADDR);
	assert_int_equal(stack.frames[0].source, PD_FRAME_EXACT);
	assert_string_equal(pd_unwind_end_name(stack.end), "NO_MAPPING");
	assert_null(stack.comm);
	expect_mapped(unwinder, 1, 0x1234, NULL);
	pd_stack_frames_deinit(&stack);
	pd_unwinder_destroy(unwinder);
}

/* An unwind that ends early goes on where the recorded chain has its last frame. */
static void a_recorded_chain_continues_an_unwind(void **state)
{
	struct pd_unwinder *unwinder = create();
	const uint64_t meets[] = { PD_CONTEXT_USER, 0x1234, 0x5678 };
	const uint64_t does_not[] = { PD_CONTEXT_USER, 0x4321, 0x5678 };
	struct pd_sample sample = unmapped_sample();
	struct pd_stack_frames stack = { 0 };

	(void)state;
	sample.callchain = (struct pd_view){ (const uint8_t *)meets, sizeof(uint64_t), false, 3 };
	assert_ok(pd_unwinder_unwind(unwinder, &sample, PD_MISC_USER, &stack));
	assert_int_equal(stack.n, 2);
	assert_true(stack.frames[0].pc == 0x1234 && stack.frames[1].pc == 0x5678);
	assert_int_equal(stack.frames[0].source, PD_FRAME_EXACT);
	assert_int_equal(stack.frames[1].source, PD_FRAME_RECORDED);
	assert_string_equal(pd_unwind_end_name(stack.end), "NO_MAPPING");
	sample.callchain.data = (const uint8_t *)does_not;
	assert_ok(pd_unwinder_unwind(unwinder, &sample, PD_MISC_USER, &stack));
	assert_int_equal(stack.n, 1);
	pd_stack_frames_deinit(&stack);
	pd_unwinder_destroy(unwinder);
}

static void an_unknown_architecture_is_not_supported(void **state)
{
	struct pd_unwinder *unwinder;
	struct pd_error *err = pd_unwinder_create("vax", NULL, &unwinder);

	(void)state;
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_UNSUPPORTED);
	assert_string_equal(err->message, "unwinding the architecture 'vax' is not supported");
	pd_error_destroy(err);
	pd_unwinder_destroy(NULL);
}

static void an_invalid_record_is_an_error(void **state)
{
	struct pd_unwinder *unwinder = create();
	struct bytes b = { 0 };

	(void)state;
	size_t at = record_begin(&b, PD_RECORD_FORK, 0);
	u32(&b, 1);
	record_end(&b, at);
	struct pd_record rec = built_record(&b, 0);
	assert_error(pd_unwinder_add_record(unwinder, NULL, &rec), PD_ERROR_FORMAT);
	bytes_free(&b);
	pd_unwinder_destroy(unwinder);
}

static void exec_and_exit_are_followed(void **state)
{
	enum { BEFORE_EXIT = 6, ALL = 7 };
	struct pd_unwinder *unwinder = create();
	struct pd_stack_frames stack = { 0 };
	struct bytes b = { 0 };

	(void)state;
	add_life(&b, 1, 50);
	add_records(unwinder, &b, BEFORE_EXIT);
	expect_mapped(unwinder, 50, 4 << 20, "/nonexistent/program");
	/* A child has the mappings of its parent until it calls exec. */
	add_life(&b, 50, 51);
	add_records(unwinder, &b, 1);
	expect_mapped(unwinder, 51, 4 << 20, "/nonexistent/program");
	add_records(unwinder, &b, 3);
	expect_mapped(unwinder, 51, 1 << 20, "/nonexistent/program");
	expect_mapped(unwinder, 51, 4 << 20, NULL);
	expect_mapped(unwinder, 50, 4 << 20, "/nonexistent/program");
	/* Samples may follow the exit. */
	add_records(unwinder, &b, ALL);
	unwind_ip(unwinder, 51, (4 << 20) + 5, PD_MISC_USER, &stack);
	assert_string_equal(stack.frames[0].binary->path, "/nonexistent/program");
	assert_string_equal(stack.comm, "program");
	assert_true(stack.frames[0].offset == 5 && stack.frames[0].vaddr == PD_NO_ADDR);
	assert_non_null(stack.frames[0].binary->why);
	pd_stack_frames_deinit(&stack);
	bytes_free(&b);
	pd_unwinder_destroy(unwinder);
}

/* Let @p n processes live one after the other. Returns the bytes that are allocated then. */
static size_t live(struct pd_unwinder *unwinder, uint32_t n)
{
	struct bytes b = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		add_life(&b, 50, 1000 + i % 30000);
		add_records(unwinder, &b, SIZE_MAX);
	}
	bytes_free(&b);
	return mallinfo2().uordblks;
}

static void add_ksymbol(struct pd_unwinder *unwinder, uint64_t addr, const char *name)
{
	struct bytes b = { 0 };

	record_begin(&b, PD_RECORD_KSYMBOL, PD_MISC_KERNEL);
	u64(&b, addr);
	u32(&b, 64);
	put(&b, 1, 2);
	put(&b, 0, 2);
	padded(&b, name);
	record_end(&b, 0);
	add_records(unwinder, &b, 1);
	bytes_free(&b);
}

static void expect_ksymbol(struct pd_unwinder *unwinder, uint64_t addr, const char *name)
{
	struct pd_stack_frames stack = { 0 };

	unwind_ip(unwinder, 50, addr, PD_MISC_KERNEL, &stack);
	assert_ok(pd_stack_frames_name(&stack));
	assert_int_equal(stack.n_kernel, 1);
	assert_true(stack.frames[0].binary->is_kernel);
	assert_int_equal(stack.frames[0].n_names, 1);
	assert_string_equal(stack.frames[0].names[0].function, name);
	pd_stack_frames_deinit(&stack);
}

/* A stream of one event, with the thread in every record. */
struct stream {
	struct pd_unwinder *unwinder;
	struct pd_events events;
	struct bytes bytes;
};

static void open_stream(struct stream *ret)
{
	const struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.size = 112,
		.sample_period = 1,
		.sample_type = 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME |
			       1 << PD_SAMPLE_CALLCHAIN,
		.flags = UINT64_C(1) << PD_ATTR_sample_id_all,
	};

	*ret = (struct stream){ .unwinder = create() };
	assert_ok(parse_events_add(&ret->events, &attr));
	assert_ok(parse_events_finish(&ret->events, 0));
	add_life(&ret->bytes, 1, 50);
	add_records(ret->unwinder, &ret->bytes, 6);
}

static void close_stream(struct stream *stream)
{
	parse_events_deinit(&stream->events);
	bytes_free(&stream->bytes);
	pd_unwinder_destroy(stream->unwinder);
}

static const uint64_t kernel_pc = UINT64_C(0xffffffff81000000);

/* Unwind a sample in the kernel whose user call chain follows in a record with @p cookie. */
static void unwind_deferred(
	struct stream *stream, uint32_t tid, uint64_t cookie, struct pd_stack_frames *stack)
{
	const uint64_t chain[] = { PD_CONTEXT_KERNEL, kernel_pc, PD_CONTEXT_USER_DEFERRED, cookie };
	const struct pd_sample sample = {
		.ip = kernel_pc,
		.pid = 50,
		.tid = tid,
		.callchain = { .data = (const uint8_t *)chain, .n = 4, .elem_size = 8 },
	};

	assert_ok(pd_unwinder_unwind(stream->unwinder, &sample, PD_MISC_KERNEL, stack));
	assert_int_equal(stack->n, 1);
	assert_true(stack->is_deferred);
}

/* Complete @p stack by a record of @p tid with two user frames. */
static void complete(
	struct stream *stream, uint32_t tid, uint64_t cookie, struct pd_stack_frames *stack)
{
	struct bytes *b = &stream->bytes;

	b->n = 0;
	size_t at = record_begin(b, PD_RECORD_CALLCHAIN_DEFERRED, PD_MISC_USER);
	u64(b, cookie);
	u64(b, 3);
	u64(b, PD_CONTEXT_USER);
	u64(b, (1 << 20) + 8);
	u64(b, (2 << 20) + 8);
	u32(b, 50);
	u32(b, tid);
	u64(b, 7);
	record_end(b, at);
	struct pd_record rec = built_record(b, 0);
	assert_ok(pd_unwinder_complete(stream->unwinder, &stream->events, &rec, stack));
}

static void deferred_call_chains_complete_stacks(void **state)
{
	struct pd_stack_frames stack = { 0 };
	struct stream stream;

	(void)state;
	open_stream(&stream);
	unwind_deferred(&stream, 50, 9, &stack);
	complete(&stream, 51, 9, &stack);
	assert_true(stack.is_deferred && stack.n == 1);
	complete(&stream, 50, 9, &stack);
	assert_false(stack.is_deferred);
	assert_int_equal(stack.n, 3);
	assert_int_equal(stack.n_kernel, 1);
	assert_true(stack.frames[0].is_kernel && stack.frames[0].pc == kernel_pc);
	assert_true(stack.frames[1].pc == (1 << 20) + 8 && !stack.frames[1].is_return);
	assert_true(stack.frames[2].pc == (2 << 20) + 8 && stack.frames[2].is_return);
	assert_string_equal(stack.frames[2].binary->path, "/nonexistent/program");
	assert_int_equal(stack.frames[2].source, PD_FRAME_RECORDED);
	assert_ok(pd_stack_frames_name(&stack));
	/* It is complete, so that another record does not matter. */
	complete(&stream, 50, 9, &stack);
	assert_int_equal(stack.n, 3);
	/* Another cookie: the record was lost. */
	unwind_deferred(&stream, 50, 10, &stack);
	complete(&stream, 50, 11, &stack);
	assert_true(!stack.is_deferred && stack.n == 1);
	/* The state is replaced before the record comes. */
	unwind_deferred(&stream, 50, 12, &stack);
	live(stream.unwinder, MANY);
	complete(&stream, 50, 12, &stack);
	assert_int_equal(stack.n, 3);
	assert_string_equal(stack.frames[2].binary->path, "/nonexistent/program");
	pd_stack_frames_deinit(&stack);
	close_stream(&stream);
}

/* Directory of the samples' program, which an option leads to. Options are copied. */
static void expect_found(const struct pd_search_opts *search, bool is_found)
{
	const struct pd_unwinder_opts opts = { .is_offline = true, .search = *search };
	struct pd_file *file = open_recording("nested");
	struct pd_stack_frames stack = { 0 };
	struct pd_unwinder *unwinder;
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n_found = 0;

	assert_ok(pd_unwinder_create(file->text[PD_FEATURE_ARCH], &opts, &unwinder));
	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	assert_ok(pd_reader_next(reader, &rec));
	for (; rec.bytes; assert_null(pd_reader_next(reader, &rec))) {
		assert_ok(pd_unwinder_add_record(unwinder, &file->events, &rec));
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		unwind_record(unwinder, file, &rec, &stack);
		assert_ok(pd_stack_frames_name(&stack));
		n_found += count_function(&stack, "main") > 0;
	}
	assert_int_equal(n_found > 0, is_found);
	pd_stack_frames_deinit(&stack);
	pd_reader_destroy(reader);
	pd_unwinder_destroy(unwinder);
	pd_file_close(file);
}

static void files_are_found_where_the_options_say(void **state)
{
	char from[] = "/tmp/pdconv-testdata", to[] = "testdata/nested", dir[] = "testdata/nested";
	const char *dirs[] = { "/nonexistent", dir };
	struct pd_path_map map = { from, to };

	(void)state;
	expect_found(&(struct pd_search_opts){ .no_own_paths = true }, false);
	expect_found(
		&(struct pd_search_opts){ .no_own_paths = true, .dirs = dirs, .n_dirs = 2 }, true);
	expect_found(
		&(struct pd_search_opts){
			.no_own_paths = true, .path_maps = &map, .n_path_maps = 1 },
		true);
}

/* The unwinder has its own copies of strings and arrays. */
static void options_are_copied(void **state)
{
	char modules[] = "/nonexistent/modules", symfs[] = "/proc/fs";
	char *dir = strdup("testdata/forkexec/perf.data");
	const char **dirs = malloc(sizeof(*dirs));
	struct pd_unwinder_opts opts = { .is_offline = true, .names.form = (enum pd_name_form)99 };
	struct pd_diag *diag = pd_diag_create();
	struct pd_stack_frames stack = { 0 };
	struct pd_unwinder *unwinder;
	struct bytes b = { 0 };

	(void)state;
	assert_error(pd_unwinder_create(NULL, &opts, &unwinder), PD_ERROR_USAGE);
	opts.names.form = PD_NAME_FORM_SHORT;
	opts.search.modules = modules;
	assert_error(pd_unwinder_create(NULL, &opts, &unwinder), PD_ERROR_OS);
	dirs[0] = dir;
	opts.search = (struct pd_search_opts){ .dirs = dirs, .n_dirs = 1, .symfs = symfs };
	assert_ok(pd_unwinder_create("x86_64", &opts, &unwinder));
	memset(dir, 'x', strlen(dir));
	memset(symfs, 'x', strlen(symfs));
	free(dir);
	free(dirs);
	/* The file is not a tarball, which is found out when a binary is looked for. */
	pd_unwinder_report(unwinder, diag);
	assert_int_equal(pd_diag_n(diag), 0);
	add_life(&b, 1, 50);
	add_records(unwinder, &b, 6);
	unwind_ip(unwinder, 50, 1 << 20, PD_MISC_USER, &stack);
	pd_unwinder_report(unwinder, diag);
	assert_int_equal(pd_diag_n(diag), 1);
	assert_string_equal(pd_diag_get(diag, 0).first->path, "testdata/forkexec/perf.data");
	pd_stack_frames_deinit(&stack);
	pd_unwinder_destroy(unwinder);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

/*
 * A million records of processes that exit take no more memory than a hundred thousand. Living
 * processes, the kernel, and frames that are in use, stay.
 */
static void memory_is_bounded_by_what_lives(void **state)
{
	enum { BEFORE_EXIT = 6 };
	const uint64_t ksymbol = UINT64_C(0xffffffffc0000000);
	struct pd_unwinder *unwinder = create();
	struct pd_stack_frames stack = { 0 };
	struct bytes b = { 0 };

	(void)state;
	add_life(&b, 1, 50);
	add_records(unwinder, &b, BEFORE_EXIT);
	bytes_free(&b);
	add_ksymbol(unwinder, ksymbol, "bpf_prog_1234_run");
	unwind_ip(unwinder, 50, 1 << 20, PD_MISC_USER, &stack);
	size_t first = live(unwinder, MANY);
	size_t last = live(unwinder, 4 * MANY);
	/* Sanitizers do not count what is allocated. */
	if (first)
		assert_uint_in_range(last, 1, first + (16 << 20));
	expect_mapped(unwinder, 50, 4 << 20, "/nonexistent/program");
	expect_ksymbol(unwinder, ksymbol + 3, "bpf_prog_1234_run");
	assert_string_equal(stack.frames[0].binary->path, "/nonexistent/program");
	assert_string_equal(stack.comm, "program");
	pd_stack_frames_deinit(&stack);
	pd_unwinder_destroy(unwinder);
}

static _Thread_local volatile unsigned long sunk;
/* Not a constant, for which compilers would make a clone of the function with another name. */
static volatile double burn_seconds = 0.1;

static noinline void burn_for_the_unwinder(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end) {
		for (int i = 0; i < 100000; i++)
			sunk += (unsigned long)i;
	}
}

struct watch {
	struct pd_unwinder *unwinder;
	const struct pd_events *events;
	struct pd_stack_frames stack;
	size_t n;
	size_t n_rooted;
	size_t n_named;
};

static struct pd_error *see_live(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct watch *watch = ctx;

	if (!sample)
		return pd_unwinder_add_record(watch->unwinder, watch->events, rec);
	struct pd_error *err =
		pd_unwinder_unwind(watch->unwinder, sample, rec->misc, &watch->stack);
	if (!err)
		err = pd_stack_frames_name(&watch->stack);
	watch->n++;
	watch->n_rooted += pd_unwind_end_has_root(watch->stack.end);
	watch->n_named += count_function(&watch->stack, "burn_for_the_unwinder") > 0;
	return err;
}

enum { N_BURNS = 10 };

static void this_process_is_unwound_while_it_runs(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "cpu-clock:u",
		.frequency = 997,
		.stack_bytes = 32768,
		.tracking = true,
	};
	struct pd_perf_reader *reader;
	struct watch watch = { 0 };

	(void)state;
	struct pd_error *err = pd_perf_reader_open(&opts, 0, -1, &reader);
	if (err) {
		pd_error_destroy(err);
		skip();
	}
	watch.events = pd_perf_reader_events(reader);
	assert_ok(pd_unwinder_create(NULL, NULL, &watch.unwinder));
	assert_ok(pd_unwinder_add_process(watch.unwinder, getpid()));
	/* The ring of a user without privileges has room for 15 samples. */
	for (int i = 0; i < N_BURNS; i++) {
		assert_ok(pd_perf_reader_enable(reader, true));
		burn_for_the_unwinder(burn_seconds / N_BURNS);
		assert_ok(pd_perf_reader_enable(reader, false));
		for (bool has = true; has;)
			assert_ok(pd_perf_reader_next(reader, see_live, &watch, &has));
	}
	assert_true(watch.n > 20);
	assert_true(watch.n_rooted * 100 >= watch.n * 95);
	assert_true(watch.n_named * 100 >= watch.n * 80);
	assert_string_equal(watch.stack.comm, "test_unwinder");
	pd_perf_reader_close(reader);
	pd_stack_frames_deinit(&watch.stack);
	pd_unwinder_destroy(watch.unwinder);
}

/*
 * Stacks inside burn_for_the_unwinder() that pd_unwinder_read() passed on. This thread unwinds meanwhile, in stacks that
 * sanitizers make larger than a sample may hold, so its other stacks can be cut.
 */
struct passed {
	uint64_t last_time;
	size_t n;
	size_t n_rooted;
	bool refuses;
};

static struct pd_error *see_stack(
	void *ctx, const struct pd_sample *sample, const struct pd_stack_frames *stack)
{
	struct passed *passed = ctx;

	if (passed->refuses)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL, "enough");
	assert_true(sample->time >= passed->last_time);
	passed->last_time = sample->time;
	if (!count_function(stack, "burn_for_the_unwinder"))
		return NULL;
	passed->n++;
	passed->n_rooted += pd_unwind_end_has_root(stack->end);
	return NULL;
}

static void *burn_on_thread(void *arg)
{
	burn_for_the_unwinder(burn_seconds);
	return arg;
}

static void threads_of_a_set_are_unwound_in_order(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "cpu-clock:u",
		.frequency = 997,
		.stack_bytes = 16384,
		.tracking = true,
		.inherit = true,
	};
	struct passed passed = { 0 };
	struct pd_unwinder *unwinder;
	struct pd_perf_set *set;
	pthread_t threads[2];

	(void)state;
	struct pd_error *err = pd_perf_set_open(&opts, 0, &set);
	if (err) {
		pd_error_destroy(err);
		skip();
	}
	assert_ok(pd_unwinder_create(NULL, NULL, &unwinder));
	assert_ok(pd_perf_set_enable(set, true));
	assert_ok(pd_unwinder_add_process(unwinder, 0));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn_on_thread, NULL), 0);
	for (size_t i = 0; i < 5; i++)
		assert_ok(pd_unwinder_read(unwinder, set, 20, see_stack, &passed));
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	burn_for_the_unwinder(burn_seconds / 10);
	passed.refuses = true;
	assert_ok(pd_perf_set_enable(set, false));
	assert_error(pd_unwinder_read(unwinder, set, 0, see_stack, &passed), PD_ERROR_UNSUPPORTED);
	passed.refuses = false;
	assert_ok(pd_unwinder_read(unwinder, set, 0, see_stack, &passed));
	assert_true(passed.n > 20);
	assert_true(passed.n_rooted * 100 >= passed.n * 95);
	pd_perf_set_close(set);
	pd_unwinder_destroy(unwinder);
}

struct written {
	FILE *out;
	size_t n;
	pid_t pid;
};

static struct pd_error *write_stack(
	void *ctx, const struct pd_sample *sample, const struct pd_stack_frames *stack)
{
	struct written *written = ctx;

	assert_int_equal(sample->pid, written->pid);
	written->n++;
	pd_stack_frames_write(stack, written->out);
	fputc('\n', written->out);
	return NULL;
}

/* A process that begins with a call that does not return until it is killed. */
static pid_t start_burning(void)
{
	pid_t child = fork();

	if (child == 0) {
		burn_for_the_unwinder(60);
		_exit(0);
	}
	return child;
}

static void a_process_is_unwound_for_a_time(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "cpu-clock:u", .frequency = 499, .stack_bytes = 16384
	};
	struct written written = { .pid = start_burning() };
	struct pd_unwinder *unwinder;
	char *text = NULL;
	size_t size, n_named = 0;

	(void)state;
	written.out = open_memstream(&text, &size);
	assert_ok(pd_unwinder_create(NULL, NULL, &unwinder));
	struct pd_error *err =
		pd_unwinder_run(unwinder, &opts, written.pid, 500, write_stack, &written);
	fclose(written.out);
	kill(written.pid, SIGKILL);
	waitpid(written.pid, NULL, 0);
	if (!err) {
		char *save = NULL;
		for (char *line = strtok_r(text, "\n", &save); line;
			line = strtok_r(NULL, "\n", &save))
			n_named += strncmp(line, "test_unwinder;", 14) == 0 &&
				   strstr(line, ";main;") && strstr(line, "burn_for_the_unwinder");
		assert_true(written.n > 20);
		assert_true(n_named * 100 >= written.n * 95);
		assert_error(
			pd_unwinder_run(unwinder, &opts, written.pid, 0, write_stack, &written),
			PD_ERROR_OS);
	}
	free(text);
	pd_unwinder_destroy(unwinder);
	if (err) {
		pd_error_destroy(err);
		skip();
	}
}

static void stacks_are_written_on_one_line(void **state)
{
	struct pd_frame_binary binary = { .path = "/usr/lib/lib one;.so" };
	struct pd_frame_name names[] = { { .function = "operator()(char*, 'x')\n" },
		{ .function = "outer;\"b\"" } };
	struct pd_frame frames[] = { { .names = names, .n_names = 2 }, { .binary = &binary },
		{ .names = NULL } };
	const struct pd_stack_frames stack = { .frames = frames, .n = 3, .comm = "a b" };
	const struct pd_stack_frames empty = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	pd_stack_frames_write(&stack, out);
	pd_stack_frames_write(&empty, out);
	fclose(out);
	assert_string_equal(text, "a b;[unknown];[lib one:.so];outer:b;operator()(char*, x)\\x0a"
				  "[unknown]");
	free(text);
}

/* Code that this process might generate, and its perf-PID.map. */
struct generated {
	struct pd_unwinder *unwinder;
	char path[64];
	uint64_t start;
	atomic_bool is_over;
};

enum { GENERATED_BYTES = 1 << 16 };

static void generate(struct generated *ret)
{
	void *code = mmap(
		NULL, GENERATED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(code != MAP_FAILED);
	*ret = (struct generated){ .start = (uintptr_t)code };
	snprintf(ret->path, sizeof(ret->path), "/tmp/perf-%d.map", (int)getpid());
	unlink(ret->path);
	assert_ok(pd_unwinder_create(NULL, NULL, &ret->unwinder));
	assert_ok(pd_unwinder_add_process(ret->unwinder, 0));
}

static void stop_generating(struct generated *generated)
{
	unlink(generated->path);
	munmap((void *)(uintptr_t)generated->start, GENERATED_BYTES);
	pd_unwinder_destroy(generated->unwinder);
}

/* Append the code @p name of 16 bytes at @p offset to the map. */
static void append_code(const struct generated *generated, uint64_t offset, const char *name)
{
	FILE *out = fopen(generated->path, "a");

	assert_non_null(out);
	fprintf(out, "%llx 10 %s\n", (unsigned long long)(generated->start + offset), name);
	fclose(out);
}

/* Whether the code at @p offset has that name now; NULL: none. */
static bool has_name_now(const struct generated *generated, uint64_t offset, const char *name)
{
	struct pd_stack_frames stack = { 0 };

	unwind_ip(generated->unwinder, (uint32_t)getpid(), generated->start + offset, PD_MISC_USER,
		&stack);
	assert_ok(pd_stack_frames_name(&stack));
	assert_true(stack.frames[0].binary->is_generated);
	bool has_it = name ? stack.frames[0].n_names == 1 &&
				      strcmp(stack.frames[0].names[0].function, name) == 0
			   : stack.frames[0].n_names == 0;
	pd_stack_frames_deinit(&stack);
	return has_it;
}

static void expect_name_soon(const struct generated *generated, uint64_t offset, const char *name)
{
	for (int i = 0; i < 1000; i++) {
		if (has_name_now(generated, offset, name))
			return;
		usleep(10000);
	}
	fail_msg("no name '%s'", name);
}

/* The file appears after the first sample, grows, and is replaced. */
static void maps_of_running_processes_are_followed(void **state)
{
	struct generated generated;

	(void)state;
	generate(&generated);
	assert_true(has_name_now(&generated, 8, NULL));
	append_code(&generated, 0, "first");
	expect_name_soon(&generated, 8, "first");
	append_code(&generated, 0x20, "second");
	expect_name_soon(&generated, 0x28, "second");
	assert_true(has_name_now(&generated, 0x18, NULL));
	append_code(&generated, 0, "replaced");
	expect_name_soon(&generated, 8, "replaced");
	expect_name_soon(&generated, 0x28, "second");
	unlink(generated.path);
	append_code(&generated, 0x20, "new file");
	expect_name_soon(&generated, 0x28, "new file");
	/* Names stay when the process has exited. */
	unlink(generated.path);
	usleep(1100000);
	assert_true(has_name_now(&generated, 0x28, "new file"));
	stop_generating(&generated);
}

static void *name_on_thread(void *arg)
{
	struct generated *generated = arg;
	struct pd_stack_frames stack = { 0 };
	bool ok = true;

	for (uint64_t i = 0; ok && !atomic_load(&generated->is_over); i++) {
		const struct pd_sample sample = {
			.ip = generated->start + i % 256 * 16,
			.pid = (uint32_t)getpid(),
		};

		ok = !pd_unwinder_unwind(generated->unwinder, &sample, PD_MISC_USER, &stack) &&
		     !pd_stack_frames_name(&stack) &&
		     (!stack.frames[0].n_names ||
			     strncmp(stack.frames[0].names[0].function, "code", 4) == 0);
	}
	pd_stack_frames_deinit(&stack);
	return ok ? arg : NULL;
}

static void threads_name_code_while_its_map_grows(void **state)
{
	enum { N_THREADS = 3 };
	struct generated generated;
	pthread_t threads[N_THREADS];
	char name[16];

	(void)state;
	generate(&generated);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, name_on_thread, &generated), 0);
	for (unsigned i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "code%u", i);
		append_code(&generated, i * 16, name);
		usleep(500);
	}
	atomic_store(&generated.is_over, true);
	for (size_t i = 0; i < N_THREADS; i++) {
		void *ok;

		pthread_join(threads[i], &ok);
		assert_non_null(ok);
	}
	expect_name_soon(&generated, 255 * 16, "code255");
	stop_generating(&generated);
}

/* A process that is added again gets the mappings that it has now. */
static void a_process_is_read_from_proc(void **state)
{
	enum { SIZE = 1 << 16 };
	char own[PATH_MAX] = "";
	struct pd_unwinder *unwinder;
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_ok(pd_unwinder_create(NULL, NULL, &unwinder));
	void *code = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(code != MAP_FAILED);
	expect_mapped(unwinder, pid, (uintptr_t)code, NULL);
	assert_ok(pd_unwinder_add_process(unwinder, getpid()));
	expect_mapped(unwinder, pid, (uintptr_t)code, "//anon");
	munmap(code, SIZE);
	assert_ok(pd_unwinder_add_process(unwinder, -1));
	expect_mapped(unwinder, pid, (uintptr_t)code, NULL);
	expect_mapped(unwinder, pid, (uintptr_t)add_lives, own);
	assert_error(pd_unwinder_add_process(unwinder, 0x7ffffff0), PD_ERROR_OS);
	assert_ok(pd_unwinder_add_kernel(unwinder));
	pd_unwinder_destroy(unwinder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_those_of_a_conversion),
		cmocka_unit_test(a_machine_called_i686_has_64_bit_programs),
		cmocka_unit_test(threads_share_an_unwinder),
		cmocka_unit_test(an_unmapped_address_is_a_result),
		cmocka_unit_test(a_recorded_chain_continues_an_unwind),
		cmocka_unit_test(an_unknown_architecture_is_not_supported),
		cmocka_unit_test(an_invalid_record_is_an_error),
		cmocka_unit_test(exec_and_exit_are_followed),
		cmocka_unit_test(deferred_call_chains_complete_stacks),
		cmocka_unit_test(files_are_found_where_the_options_say),
		cmocka_unit_test(options_are_copied),
		cmocka_unit_test(memory_is_bounded_by_what_lives),
		cmocka_unit_test(this_process_is_unwound_while_it_runs),
		cmocka_unit_test(threads_of_a_set_are_unwound_in_order),
		cmocka_unit_test(a_process_is_unwound_for_a_time),
		cmocka_unit_test(stacks_are_written_on_one_line),
		cmocka_unit_test(maps_of_running_processes_are_followed),
		cmocka_unit_test(threads_name_code_while_its_map_grows),
		cmocka_unit_test(a_process_is_read_from_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
