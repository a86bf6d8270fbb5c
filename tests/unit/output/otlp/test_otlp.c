/*
 * Properties that recordings of the tests lack: containers, labels, unknown frames, frames that are
 * the same location, names that are not UTF-8, and times.
 */
#include <pdconv/record.h>

#include "analyze/executables.h"
#include "base/array.h"
#include "output/formats.h"
#include "tests/unit/made_profile.h"

#define HEX "0123456789abcdef"
#define ID HEX HEX HEX HEX

static const struct prof_tags no_tags = {
	.cpu = PROF_NONE,
	.labels = { PROF_NONE },
};

static void add_at(struct profile *profile, struct prof_stack_id stack,
	const struct prof_tags *tags, uint64_t time, uint64_t period)
{
	const struct prof_thread thread = made_thread(profile, 7, 8, "comm");
	const struct prof_sample sample = {
		.stack = stack,
		.thread = prof_add_thread(profile, &thread),
		.event = { 0 },
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_add_tags(profile, tags),
	};

	const struct prof_value value = { .samples = 1, .period = period };
	assert_ok(prof_add_samples(profile, &sample, time, &value, NULL));
}

static void add(struct profile *profile, struct prof_stack_id stack, const struct prof_tags *tags,
	uint64_t period)
{
	add_at(profile, stack, tags, PD_NO_TIME, period);
}

/* A profile of one event, and the stack of one frame in /bin/a. */
static struct profile *make(struct prof_stack_id *stack_ret)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	made_event(profile, "cycles", "count");
	const struct prof_frame_id frame = made_frame(profile, "/bin/a");
	*stack_ret = prof_add_stack(profile, &frame, 1);
	return profile;
}

/* Write the profile as JSON, and destroy it. The caller frees the text. */
static char *write_json(struct profile *profile)
{
	const struct out_format *format = out_format_find("otlp-json");
	struct out_write_opts opts = out_write_defaults();
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_ok(format->write(profile, &opts, out));
	assert_int_equal(fclose(out), 0);
	prof_destroy(profile);
	return text;
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

static void containers(void **state)
{
	static const struct {
		const char *cgroup;
		bool is_container;
	} cases[] = {
		{ "/docker/" ID, true },
		{ "/kubepods.slice/pod1/cri-containerd-" ID ".scope", true },
		{ "/system.slice/docker-" ID ".scope/init.scope", true },
		{ "/user.slice", false },
		{ "/docker/" ID "0", false },
		{ "/docker/" HEX HEX HEX, false },
		{ "/docker/X" HEX HEX HEX "0123456789ABCDEF", false },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct prof_stack_id stack;
		struct profile *profile = make(&stack);
		struct prof_tags tags = no_tags;

		tags.cgroup = prof_add_string(profile, cases[i].cgroup);
		add(profile, stack, &tags, 1);
		char *text = write_json(profile);
		assert_int_equal(count(text, "\"process.linux.cgroup\""), 1);
		assert_int_equal(count(text, "\"container.id\""), cases[i].is_container);
		assert_int_equal(
			count(text, "{\"stringValue\":\"" ID "\"}"), cases[i].is_container);
		free(text);
	}
}

/* Labels of the recording are attributes. Keys of a sample are unique. */
static void labels(void **state)
{
	struct prof_stack_id stack;
	struct profile *profile = make(&stack);
	struct prof_tags tags = no_tags;
	const struct prof_string_id texts[] = {
		prof_add_string(profile, "env"),
		prof_add_string(profile, "first"),
		prof_add_string(profile, "env"),
		prof_add_string(profile, "second"),
		prof_add_string(profile, "thread.id"),
		prof_add_string(profile, "mine"),
	};

	(void)state;
	tags.labels = prof_add_labels(profile, texts, PD_ARRAY_LEN(texts));
	add(profile, stack, &tags, 1);
	char *text = write_json(profile);
	assert_non_null(strstr(text, "{\"stringValue\":\"first\"}"));
	assert_null(strstr(text, "second"));
	assert_int_equal(count(text, "\"thread.id\""), 1);
	assert_int_equal(count(text, "\"label.thread.id\""), 1);
	free(text);
}

/* Frames that differ in what OTLP does not have are one location, and their samples are one. */
static void same_locations(void **state)
{
	struct prof_stack_id stack;
	struct profile *profile = make(&stack);
	struct prof_frame frame = *prof_frame(profile, (struct prof_frame_id){ 0 });

	(void)state;
	frame.flags = PROF_FRAME_BY_FP;
	const struct prof_frame_id id = prof_add_frame(profile, &frame);
	assert_true(pd_vec_push(&profile->frame_lines, profile->frame_lines.data[0]));
	add(profile, stack, &no_tags, 3);
	add(profile, prof_add_stack(profile, &id, 1), &no_tags, 4);
	char *text = write_json(profile);
	assert_non_null(strstr(text, "\"locationTable\":[{},{\"mappingIndex\":1,"));
	assert_int_equal(count(text, "\"address\":"), 1);
	assert_non_null(strstr(text, "\"stackTable\":[{},{\"locationIndices\":[1]}]"));
	/* The sum of the periods, and the number of samples. */
	assert_int_equal(count(text, "\"stackIndex\":1"), 2);
	assert_non_null(strstr(text, "\"values\":[\"7\"]"));
	assert_non_null(strstr(text, "\"values\":[\"2\"]"));
	free(text);
}

/* Index 0 stands for no location, so a frame of which nothing is known has a name. */
static void unknown_frames(void **state)
{
	struct prof_stack_id stack;
	struct profile *profile = make(&stack);
	const struct prof_frame frame = { .binary = prof_no_binary() };
	const struct prof_frame_id id = prof_add_frame(profile, &frame);

	(void)state;
	assert_true(pd_vec_push(&profile->frame_lines, (struct prof_lines){ 0 }));
	add(profile, prof_add_stack(profile, &id, 1), &no_tags, 1);
	add(profile, prof_add_stack(profile, &id, 0), &no_tags, 2);
	char *text = write_json(profile);
	assert_non_null(strstr(text, "\"locationTable\":[{},{\"lines\":[{\"functionIndex\":1}]}]"));
	assert_non_null(strstr(text, "\"[unknown]\""));
	assert_non_null(strstr(text, "\"mappingTable\":[{}]"));
	/* A stack without frames is none. */
	assert_non_null(strstr(text, "\"stackTable\":[{},{\"locationIndices\":[1]}]"));
	assert_non_null(strstr(text, "{\"attributeIndices\":[1,2,3],\"values\":[\"2\"]}"));
	free(text);
}

/* Bytes that are not UTF-8 are characters, the same ones in JSON and in protocol buffers. */
static void invalid_utf8(void **state)
{
	struct prof_stack_id stack;
	struct profile *profile = make(&stack);
	struct prof_tags tags = no_tags;

	(void)state;
	/* A byte, one that looks like its encoding, and a character. */
	tags.cgroup = prof_add_string(profile, "/\xff \xf4\x8f\xbb\xbf \xc3\xa9");
	add(profile, stack, &tags, 1);
	char *text = write_json(profile);
	assert_non_null(strstr(text,
		"\"/\\udbff\\udeff \\udbff\\udef4\\udbff\\ude8f\\udbff\\udebb\\udbff\\udebf \xc3\xa9\""));
	free(text);
}

static void sample_times(void **state)
{
	struct prof_stack_id stack;
	struct profile *profile = make(&stack);

	(void)state;
	profile->about.start_ns = 1000000;
	profile->stats.first_ns = 500;
	profile->stats.last_ns = 700;
	for (uint64_t i = 0; i < 3; i++)
		add_at(profile, stack, &no_tags, 500 + 100 * i, 10 + i);
	char *text = write_json(profile);
	assert_non_null(strstr(text,
		"\"values\":[\"10\",\"11\",\"12\"],\"timestampsUnixNano\":[\"1000000\",\"1000100\","
		"\"1000200\"]"));
	/* The last time is within. */
	assert_int_equal(count(text, "\"timeUnixNano\":\"1000000\",\"durationNano\":\"201\""), 2);
	assert_int_equal(count(text, "timestampsUnixNano"), 1);
	free(text);
}

static void nothing(void **state)
{
	struct profile *profile;

	(void)state;
	assert_ok(prof_create(&profile));
	char *text = write_json(profile);
	assert_non_null(strstr(text, "\"profiles\":[{\"sampleType\":{\"typeStrindex\":1,"));
	assert_non_null(strstr(text, "\"period\":\"1\""));
	free(text);
}

static void add_rooted(struct profile *profile, const char *binary, uint32_t pid, uint32_t tid,
	const char *comm, enum pd_unwind_end end)
{
	const struct prof_thread thread = made_thread(profile, pid, tid, comm);
	const struct prof_frame_id frame = made_frame(profile, binary);
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, &frame, 1),
		.thread = prof_add_thread(profile, &thread),
		.event = { 0 },
		.end = end,
		.tags = prof_no_tags(),
	};

	assert_ok(prof_add_sample(profile, &sample, 1, NULL));
}

static const char *find(const struct ana_executables *executables, struct profile *profile,
	uint32_t pid, const char *comm)
{
	const struct prof_thread thread = made_thread(profile, pid, pid + 1, comm);
	struct prof_binary_id id = ana_executable(executables, &thread);

	return prof_is_none(id) ? "" : prof_string(profile, prof_binary(profile, id)->name);
}

static void executables(void **state)
{
	struct profile *profile;
	struct ana_executables e = { 0 };

	(void)state;
	assert_ok(prof_create(&profile));
	made_event(profile, "cycles", "count");
	/* The root of a main thread is surer than a name, which is surer than nothing. */
	add_rooted(profile, "/bin/python3", 1, 1, "script", PD_UNWIND_END_ROOT);
	add_rooted(profile, "/lib/libc.so.6", 1, 2, "worker", PD_UNWIND_END_ROOT);
	add_rooted(profile, "/opt/script", 1, 2, "script", PD_N_UNWIND_ENDS);
	add_rooted(profile, "/bin/a-name-of-many-characters", 2, 2, "a-name-of-many-",
		PD_N_UNWIND_ENDS);
	add_rooted(profile, "/bin/other", 3, 3, "oth", PD_N_UNWIND_ENDS);
	/* A shell that has executed another program. */
	add_rooted(profile, "/bin/sh", 4, 4, "sh", PD_UNWIND_END_ROOT);
	add_rooted(profile, "/bin/ls", 4, 4, "ls", PD_UNWIND_END_ROOT);
	/* Two programs under one name. */
	add_rooted(profile, "/bin/x", 5, 5, "same", PD_UNWIND_END_ROOT);
	add_rooted(profile, "/bin/y", 5, 5, "same", PD_UNWIND_END_ROOT);
	for (uint32_t i = 0; i < profile->binaries.n; i++)
		profile->binaries.data[i].has_image = true;
	assert_ok(ana_executables_init(&e, profile));
	assert_string_equal(find(&e, profile, 1, "script"), "/bin/python3");
	assert_string_equal(find(&e, profile, 1, "worker"), "/bin/python3");
	assert_string_equal(find(&e, profile, 2, "thread"), "/bin/a-name-of-many-characters");
	assert_string_equal(find(&e, profile, 3, "oth"), "");
	assert_string_equal(find(&e, profile, 4, "sh"), "/bin/sh");
	assert_string_equal(find(&e, profile, 4, "ls"), "/bin/ls");
	assert_string_equal(find(&e, profile, 4, "thread"), "");
	assert_string_equal(find(&e, profile, 5, "same"), "");
	assert_string_equal(find(&e, profile, 6, "same"), "");
	ana_executables_deinit(&e);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers),
		cmocka_unit_test(labels),
		cmocka_unit_test(same_locations),
		cmocka_unit_test(unknown_frames),
		cmocka_unit_test(invalid_utf8),
		cmocka_unit_test(sample_times),
		cmocka_unit_test(nothing),
		cmocka_unit_test(executables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
