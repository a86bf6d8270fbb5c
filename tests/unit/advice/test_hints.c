/* Hints of profiles that were made by hand: language runtimes, files and call chains. */
#include "tests/unit/test.h"

#include "advice/quality.h"
#include "advice/remedies.h"
#include "base/array.h"
#include "base/cleanup.h"

enum { PID = 7, SAMPLES = 100 };

/* Every version of a runtime has a hint for whatever it is known to lack. */
static void test_versions(void **state)
{
	const uint32_t versions[] = { 0, 207, 302, 303, 311, 312, 313, 399 };
	unsigned covered;

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		for (enum prof_runtime r = 0; r < PROF_N_RUNTIMES; r++) {
			if (advice_remedy_exists(r, ADVICE_LACKS_FRAMES))
				assert_non_null(advice_remedy_find(
					r, versions[i], ADVICE_LACKS_FRAMES, &covered));
		}
	}
	const char *old =
		advice_remedy_find(PROF_RUNTIME_CPYTHON, 311, ADVICE_LACKS_FRAMES, &covered);
	const char *new =
		advice_remedy_find(PROF_RUNTIME_CPYTHON, 312, ADVICE_LACKS_FRAMES, &covered);
	assert_string_not_equal(old, new);
	assert_int_equal(covered, ADVICE_LACKS_FRAMES);
	assert_null(advice_remedy_find(PROF_RUNTIME_JAVA, 0, ADVICE_LACKS_FRAMES, &covered));
}

/* A profile with one event and no samples. */
static struct profile *new_profile(void)
{
	struct profile *profile;
	struct prof_event event = { .sample_period = 1, .has_stacks = true };

	assert_ok(prof_create(&profile));
	event.name = prof_add_string(profile, "cpu-clock");
	event.unit = prof_add_string(profile, "nanoseconds");
	assert_false(prof_is_none(prof_add_event(profile, &event)));
	return profile;
}

static struct prof_binary_id add_binary(struct profile *profile, const char *name, bool has_image)
{
	const struct prof_binary binary = {
		.name = prof_add_string(profile, name),
		.has_image = has_image,
		.is_found = has_image,
	};

	return prof_add_binary(profile, &binary);
}

/* Add a frame with a function, or without a name if @p function is NULL. */
static struct prof_frame_id add_frame(
	struct profile *profile, struct prof_binary_id binary, const char *function)
{
	const struct prof_frame frame = { .addr = profile->frames.n, .binary = binary };
	struct prof_lines lines = { .first = (uint32_t)profile->lines.n, .n = !!function };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	if (function) {
		const struct prof_function named = {
			.name = prof_add_string(profile, function),
			.linkage = prof_add_string(profile, function),
			.binary = binary,
		};
		const struct prof_line line = { .function = prof_add_function(profile, &named) };
		assert_true(pd_vec_push(&profile->lines, line));
	}
	assert_true(pd_vec_push(&profile->frame_lines, lines));
	return id;
}

static void add_samples(struct profile *profile, uint32_t pid, const struct prof_frame_id *frames,
	size_t n, uint32_t end)
{
	const struct prof_thread thread = {
		.pid = pid,
		.tid = pid,
		.comm = prof_add_string(profile, "program"),
	};
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, frames, n),
		.thread = prof_add_thread(profile, &thread),
		.end = end,
		.tags = prof_no_tags(),
	};
	const struct prof_value value = { SAMPLES, SAMPLES };

	assert_ok(prof_add_samples(profile, &sample, PD_NO_TIME, &value, NULL));
	if (end >= PD_N_UNWIND_ENDS)
		profile->stats.origins[PROF_STACK_RECORDED] += SAMPLES;
}

static void add_runtime(struct profile *profile, enum prof_runtime runtime, uint32_t version)
{
	const struct prof_runtime_use use = { PID, runtime, version };

	assert_true(pd_vec_push(&profile->runtimes, use));
}

/* Check that the hints of the profile are exactly @p texts. */
static void check(struct profile *profile, const char *const *texts)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality;
	size_t n = 0;

	assert_ok(advice_quality_find(profile, false, &quality));
	for (; texts[n]; n++) {
		assert_true(n < quality.hints.list.n);
		assert_int_equal(
			strncmp(quality.hints.list.data[n].text, texts[n], strlen(texts[n])), 0);
	}
	assert_int_equal(quality.hints.list.n, n);
	prof_destroy(profile);
}

#define CHECK(profile, ...) check(profile, (const char *const[]){ __VA_ARGS__, NULL })

static void test_interpreter(void **state)
{
	for (int has_script = 0; has_script < 2; has_script++) {
		struct profile *profile = new_profile();
		struct prof_binary_id python = add_binary(profile, "/usr/bin/python3.12", true);
		struct prof_binary_id code = add_binary(profile, "//anon", false);
		const struct prof_frame_id frames[] = {
			add_frame(profile, python, "PyNumber_Add"),
			add_frame(profile, python, "_PyEval_EvalFrameDefault"),
			add_frame(profile, python, "main"),
		};
		const struct prof_frame_id named[] = {
			add_frame(profile, code, "py::f:/a.py"),
			frames[1],
			frames[2],
		};

		add_runtime(profile, PROF_RUNTIME_CPYTHON, 312);
		add_samples(profile, PID, frames, 3, PD_UNWIND_END_ROOT);
		if (has_script) {
			add_samples(profile, PID, named, 3, PD_UNWIND_END_ROOT);
			CHECK(profile, NULL);
		} else {
			CHECK(profile, "100 samples in the interpreter of CPython 3.12: ");
		}
	}
	(void)state;
}

/* Options that were given already are not suggested, but those that were not are. */
static void test_told(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id node = add_binary(profile, "/usr/bin/node", true);
	struct prof_binary_id code = add_binary(profile, "//anon", false);
	const struct prof_frame_id frames[] = {
		add_frame(profile, code, NULL),
		add_frame(profile, node, "Builtins_InterpreterEntryTrampoline"),
		add_frame(profile, node, "main"),
	};

	(void)state;
	profile->about.command =
		prof_add_string(profile, "perf record -g node --perf-basic-prof a.js");
	add_runtime(profile, PROF_RUNTIME_V8, 0);
	add_samples(profile, PID, frames, 3, PD_UNWIND_END_ROOT);
	CHECK(profile,
		"100 samples in code without names, generated by V8: its perf map or jitdump was not",
		"100 samples in the interpreter of V8: run node with its option interpreted");
}

/* A recorded chain of a Haskell program leads nowhere, whatever its frame pointers are. */
static void test_no_stack_chain(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id program = add_binary(profile, "/home/u/fib", true);
	const struct prof_frame_id frames[] = {
		add_frame(profile, program, "stg_ap_v_info"),
		add_frame(profile, prof_no_binary(), NULL),
	};

	(void)state;
	add_samples(profile, PID, frames, 2, PD_N_UNWIND_ENDS);
	CHECK(profile, "100 stacks without callers, in code of Haskell: ");
}

/* Erlang has frame pointers and names by one option. */
static void test_told_all(void **state)
{
	for (int is_told = 0; is_told < 2; is_told++) {
		struct profile *profile = new_profile();
		struct prof_binary_id code = add_binary(profile, "[JIT] tid 7", true);
		struct prof_frame_id frame = add_frame(profile, code, "fib:fib/1");

		profile->binaries.data[code.i].is_generated = true;
		if (is_told)
			profile->about.command =
				prof_add_string(profile, "perf record erl +JPperf true");
		add_runtime(profile, PROF_RUNTIME_ERLANG, 0);
		add_samples(profile, PID, &frame, 1, PD_UNWIND_END_NO_CFI);
		if (is_told)
			CHECK(profile, NULL);
		else
			CHECK(profile, "100 stacks without callers, in code of Erlang: run erl");
	}
	(void)state;
}

/* Code of Java in two processes, of which one has no runtime. */
static void test_generated(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id code = add_binary(profile, "//anon", false);
	const struct prof_frame_id frames[] = { add_frame(profile, code, NULL) };

	(void)state;
	add_runtime(profile, PROF_RUNTIME_JAVA, 0);
	add_samples(profile, PID, frames, 1, PD_UNWIND_END_NO_CFI);
	add_samples(profile, PID + 1, frames, 1, PD_UNWIND_END_NO_CFI);
	CHECK(profile, "100 samples in code without names, generated by Java: ",
		"100 samples in generated code without names: ",
		"100 stacks end in generated code: ",
		"100 stacks without callers, in code of Java: ");
}

/* Chains in code of Java skip callers unless it has frame pointers. */
static void test_frame_pointers(void **state)
{
	static const struct {
		const char *command;
		bool lacks;
	} cases[] = {
		{ "perf record -g java -cp . Main", true },
		{ "perf record -g /usr/lib/jvm/bin/java Main", true },
		{ "perf record -g java -XX:+PreserveFramePointer Main", false },
		{ "perf record -g javac Main.java", false },
		{ "perf record -g -p 42", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = new_profile();
		struct prof_binary_id code = add_binary(profile, "//anon", false);
		struct prof_binary_id jvm = add_binary(profile, "/usr/lib/libjvm.so", true);
		const struct prof_frame_id frames[] = {
			add_frame(profile, code, "Main.leaf"),
			add_frame(profile, jvm, "start_thread"),
		};

		profile->binaries.data[code.i].is_generated = true;
		profile->about.command = prof_add_string(profile, cases[i].command);
		add_runtime(profile, PROF_RUNTIME_JAVA, 0);
		add_samples(profile, PID, frames, 2, PD_N_UNWIND_ENDS);
		if (cases[i].lacks)
			CHECK(profile, "100 stacks without callers, in code of Java: run java with "
				       "-XX:+PreserveFramePointer");
		else
			CHECK(profile, NULL);
	}
}

/* A caller may be lacking in spite of the option: whether a leaf was in its prologue is not known. */
static void test_java_callers_with_frame_pointers(void **state)
{
	static const struct {
		const char *command;
		const char *hint;
	} cases[] = {
		{ "perf record --call-graph dwarf java Main",
			"100 stacks without callers, in code of Java: run java with "
			"-XX:+PreserveFramePointer" },
		{ "perf record --call-graph dwarf java -XX:+PreserveFramePointer Main", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct profile *profile = new_profile();
		struct prof_binary_id code = add_binary(profile, "//anon", false);
		const struct prof_frame_id frames[] = { add_frame(profile, code, "Main.leaf") };

		profile->binaries.data[code.i].is_generated = true;
		profile->about.command = prof_add_string(profile, cases[i].command);
		add_runtime(profile, PROF_RUNTIME_JAVA, 0);
		add_samples(profile, PID, frames, 1, PD_UNWIND_END_NO_CFI);
		CHECK(profile, cases[i].hint);
	}
}

/* If either of two runtimes may have generated the code, neither gets a hint. */
static void test_two_runtimes(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id code = add_binary(profile, "//anon", false);
	struct prof_binary_id program = add_binary(profile, "/opt/program", true);
	const struct prof_frame_id frames[] = {
		add_frame(profile, code, NULL),
		add_frame(profile, program, "main"),
	};

	(void)state;
	add_runtime(profile, PROF_RUNTIME_JAVA, 0);
	add_runtime(profile, PROF_RUNTIME_V8, 0);
	add_samples(profile, PID, frames, 2, PD_UNWIND_END_ROOT);
	CHECK(profile, "100 samples in generated code without names: ");
}

/* Stacks of a runtime that mostly reach the root do not lack callers. */
static void test_mostly_rooted(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id code = add_binary(profile, "//anon", false);
	struct prof_binary_id jvm = add_binary(profile, "/usr/lib/libjvm.so", true);
	struct prof_frame_id named = add_frame(profile, code, "f");
	const struct prof_frame_id frames[] = { named, add_frame(profile, jvm, "start") };
	const struct prof_frame_id deep[] = { named, named, frames[1] };

	(void)state;
	add_runtime(profile, PROF_RUNTIME_JAVA, 0);
	add_samples(profile, PID, &named, 1, PD_UNWIND_END_NO_CFI);
	add_samples(profile, PID, frames, 2, PD_UNWIND_END_ROOT);
	add_samples(profile, PID, deep, 3, PD_UNWIND_END_ROOT);
	profile->binaries.data[code.i].is_generated = true;
	CHECK(profile, NULL);
}

/* The stack of a Haskell program, which its functions show, is on the heap. */
static void test_no_stack(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id program = add_binary(profile, "/home/u/fib", true);
	const struct prof_frame_id started[] = { add_frame(profile, program, "hs_main") };
	const struct prof_frame_id frames[] = { add_frame(profile, program, "Main_fib_info") };

	(void)state;
	profile->binaries.data[program.i].lacks_cfi = true;
	add_samples(profile, PID, frames, 1, PD_UNWIND_END_NO_CFI);
	add_samples(profile, PID, started, 1, PD_UNWIND_END_ROOT);
	CHECK(profile, "100 stacks without callers, in code of Haskell: ");
}

static struct profile *with_stuck(const char *path, bool lacks_cfi)
{
	struct profile *profile = new_profile();
	struct prof_binary_id binary = add_binary(profile, path, true);
	const struct prof_frame_id frame = add_frame(profile, binary, "f");

	profile->binaries.data[binary.i].lacks_cfi = lacks_cfi;
	profile->binaries.data[binary.i].ends[PD_UNWIND_END_NO_CFI].samples = SAMPLES;
	add_samples(profile, PID, &frame, 1, PD_UNWIND_END_NO_CFI);
	return profile;
}

/* Only people who build a program themselves get advice on building it. */
static void test_stuck(void **state)
{
	struct profile *profile;

	(void)state;
	CHECK(with_stuck("/home/u/program", true),
		"100 stacks end in program: build with -fasynchronous-unwind-tables");
	CHECK(with_stuck("/usr/local/bin/program", true), "100 stacks end in program: build with");
	CHECK(with_stuck("/home/u/program", false), "100 stacks end in program: code without call");
	CHECK(with_stuck("/lib/ld-musl-x86_64.so.1", true),
		"100 stacks end in ld-musl-x86_64.so.1: built without");
	CHECK(with_stuck("/usr/lib/libcrypto.so.3", false), NULL);
	profile = with_stuck("/home/u/program", true);
	profile->binaries.data[0].is_mismatched = true;
	CHECK(profile, NULL);
	profile = with_stuck("/home/u/program", true);
	profile->binaries.data[0].is_go = true;
	CHECK(profile, NULL);
}

static void test_losses(void **state)
{
	for (int has_lost = 0; has_lost < 2; has_lost++) {
		struct profile *profile = new_profile();
		struct prof_frame_id frame = add_frame(profile, prof_no_binary(), NULL);

		add_samples(profile, PID, &frame, 1, PD_UNWIND_END_NO_MAPPING);
		profile->stats.n_lost_records = (uint64_t)has_lost;
		if (has_lost)
			CHECK(profile, "100 stacks end in no mapping, which may be among the lost",
				"the recorder lost 1 record and 0 samples: record with a larger");
		else
			CHECK(profile, NULL);
	}
	(void)state;
}

/* Chains that lead to no mapping after main() are complete, and those that may have main() count. */
static void test_chains(void **state)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality;
	struct profile *profile = new_profile();
	struct prof_binary_id program = add_binary(profile, "/home/u/program", true);
	const struct prof_frame_id good[] = {
		add_frame(profile, program, "main"),
		add_frame(profile, prof_no_binary(), NULL),
	};
	const struct prof_frame_id bad[] = { add_frame(profile, program, "f"), good[1] };
	/* The caller may be main(). */
	const struct prof_frame_id stripped[] = { bad[0], add_frame(profile, program, NULL) };
	const struct prof_frame_id callers[] = { bad[0], add_frame(profile, program, "g") };

	(void)state;
	add_samples(profile, PID, stripped, 2, PD_N_UNWIND_ENDS);
	add_samples(profile, PID, good, 2, PD_N_UNWIND_ENDS);
	add_samples(profile, PID, bad, 2, PD_N_UNWIND_ENDS);
	add_samples(profile, PID, callers, 2, PD_N_UNWIND_ENDS);
	assert_ok(advice_quality_find(profile, true, &quality));
	assert_int_equal(advice_quality_n_stacks(&quality), 400);
	assert_int_equal(advice_quality_n_rooted(&quality), 200);
	assert_int_equal(quality.lacks.chains.n_leaf_only, 100);
	CHECK(profile, "200 of 400 recorded call chains do not reach main: ");
}

/* Stacks that were cut: a larger copy, unless it is the largest. */
static void test_cut(void **state)
{
	static const struct {
		uint32_t bytes;
		const char *text;
	} cases[] = {
		{ 1000, "100 stacks of cpu-clock are cut at 1000 bytes: record with call graph dwarf,4000" },
		{ 8192, "100 stacks of cpu-clock are cut at 8 KiB: record with call graph dwarf,32768" },
		{ 32768,
			"100 stacks of cpu-clock are cut at 32 KiB: record with call graph dwarf,65528" },
		{ 65528, "100 stacks of cpu-clock are cut at 65528 bytes, the most that can be" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = new_profile();
		struct prof_binary_id program = add_binary(profile, "/home/u/program", true);
		struct prof_frame_id frame = add_frame(profile, program, "f");

		profile->events.data[0].stack_bytes = cases[i].bytes;
		add_samples(profile, PID, &frame, 1, PD_UNWIND_END_STACK_SHORT);
		CHECK(profile, cases[i].text);
	}
}

/* Frames without symbols are a hint only if they were counted. */
static void test_unnamed(void **state)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality;
	struct profile *profile = new_profile();
	const struct prof_frame_id frames[] = {
		add_frame(profile, add_binary(profile, "/usr/lib/libfoo.so", true), NULL),
		add_frame(profile, add_binary(profile, "/home/u/program", true), "main"),
	};

	(void)state;
	add_samples(profile, PID, frames, 2, PD_UNWIND_END_ROOT);
	assert_ok(advice_quality_find(profile, true, &quality));
	assert_int_equal(quality.unnamed.n_bare_binaries, 1);
	assert_int_equal(quality.unnamed.samples[ADVICE_UNNAMED_NO_SYMBOL], SAMPLES);
	assert_int_equal(quality.hints.list.n, 1);
	assert_int_equal(quality.hints.list.data[0].kind, ADVICE_HINT_DEBUG_FILES);
	assert_non_null(strstr(quality.hints.list.data[0].text, "libfoo.so"));
	CHECK(profile, NULL);
}

/* The vdso of another machine counts as a binary without symbols from 1 % of frames on. */
static void test_vdso(void **state)
{
	(void)state;
	for (size_t n = 50; n <= 200; n += 150) {
		_cleanup_(advice_quality_deinit) struct advice_quality quality;
		struct profile *profile = new_profile();
		struct prof_frame_id frames[200] = {
			add_frame(profile, add_binary(profile, "[vdso]", true), NULL),
		};
		struct prof_binary_id program = add_binary(profile, "/home/u/program", true);

		for (size_t i = 1; i < n; i++)
			frames[i] = add_frame(profile, program, "f");
		add_samples(profile, PID, frames, n, PD_UNWIND_END_ROOT);
		assert_ok(advice_quality_find(profile, true, &quality));
		assert_int_equal(quality.unnamed.n_bare_binaries, n == 50);
		prof_destroy(profile);
	}
}

static void test_registers(void **state)
{
	for (int has_all = 0; has_all < 2; has_all++) {
		struct profile *profile = new_profile();
		struct prof_binary_id program = add_binary(profile, "/home/u/program", true);
		struct prof_frame_id frame = add_frame(profile, program, "f");

		profile->arch = &base_arch_x86_64;
		profile->events.data[0].stack_bytes = 8192;
		/* Without the segment registers; and sp and ip alone. */
		profile->events.data[0].user_regs = has_all ? 0xff0fff : 0x180;
		add_samples(profile, PID, &frame, 1, PD_UNWIND_END_LOST_REG);
		if (has_all)
			CHECK(profile, NULL);
		else
			CHECK(profile, "100 stacks need registers that were not recorded: ");
	}
	(void)state;
}

/* A hint is not worth a line if it is about less than a hundredth of the samples. */
static void test_rare(void **state)
{
	struct profile *profile = new_profile();
	struct prof_binary_id program = add_binary(profile, "/home/u/program", true);
	struct prof_binary_id code = add_binary(profile, "//anon", false);
	const struct prof_frame_id bare = add_frame(profile, code, NULL);

	(void)state;
	add_samples(profile, PID, &bare, 1, PD_UNWIND_END_ROOT);
	for (int i = 0; i < 100; i++) {
		struct prof_frame_id frame = add_frame(profile, program, "f");

		add_samples(profile, PID, &frame, 1, PD_UNWIND_END_ROOT);
	}
	CHECK(profile, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_no_stack_chain),
		cmocka_unit_test(test_told_all),
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_java_callers_with_frame_pointers),
		cmocka_unit_test(test_two_runtimes),
		cmocka_unit_test(test_mostly_rooted),
		cmocka_unit_test(test_no_stack),
		cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_unnamed),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
