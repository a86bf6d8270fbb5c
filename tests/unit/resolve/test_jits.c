/* Generated code of a jitdump in the processes of a recording. */
#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test_recording.h"

#include "resolve/resolve.h"

enum { CODE = 0x5000, CODE_BYTES = 16, HEADER_BYTES = 40, LOAD_BYTES = 56, MACHINE = 62 };

/* A jitdump with one function at CODE. */
static void write_dump(void)
{
	static const char name[] = "generated";
	struct bytes b = { 0 };

	u32(&b, 0x4a695444);
	u32(&b, 1);
	u32(&b, HEADER_BYTES);
	u32(&b, MACHINE);
	u64(&b, (uint64_t)7 << 32);
	u64(&b, 1);
	u64(&b, 0);
	u32(&b, 0);
	u32(&b, LOAD_BYTES + sizeof(name) + CODE_BYTES);
	u64(&b, 2);
	u64(&b, (uint64_t)7 << 32 | 7);
	u64(&b, CODE);
	u64(&b, CODE);
	u64(&b, CODE_BYTES);
	u64(&b, 1);
	bytes_add(&b, name, sizeof(name));
	for (size_t i = 0; i < CODE_BYTES; i++)
		put(&b, 0x90, 1);
	write_file("jit-7.dump", (const char *)b.data, b.n);
	bytes_free(&b);
}

static void map_dump(struct bytes *b)
{
	char path[256];
	size_t rec = record_begin(b, PD_RECORD_MMAP, PD_MISC_USER);

	snprintf(path, sizeof(path), "%s/jit-7.dump", dir);
	u64(b, (uint64_t)7 << 32 | 7);
	u64(b, 0x1000);
	u64(b, 0x1000);
	u64(b, 0);
	padded(b, path);
	tid_time(b, 7, 7, 1);
	record_end(b, rec);
}

static void fork_process(struct bytes *b, uint32_t parent, uint32_t child)
{
	size_t rec = record_begin(b, PD_RECORD_FORK, 0);

	u32(b, child);
	u32(b, parent);
	u32(b, child);
	u32(b, parent);
	u64(b, 3);
	tid_time(b, child, child, 3);
	record_end(b, rec);
}

static void sample_code(struct bytes *b, uint32_t pid)
{
	size_t rec = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	u64(b, CODE + 1);
	tid_time(b, pid, pid, 4);
	record_end(b, rec);
}

/* No sample of the parent precedes the fork, so its code is not looked up before. */
static void forked_processes_have_the_code_of_their_parent(void **state)
{
	const struct resolve_opts opts = { .jobs = 1 };
	struct bytes b = { 0 };
	struct profile *profile;

	(void)state;
	write_dump();
	recording_begin(&b);
	/* sample_type is the fourth number of the attr. */
	patch64(&b, FILE_HEADER_BYTES + 24, load64(&b, FILE_HEADER_BYTES + 24) | 1 << PD_SAMPLE_IP);
	map_dump(&b);
	fork_process(&b, 7, 8);
	fork_process(&b, 8, 9);
	sample_code(&b, 9);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_int_equal(profile->functions.n, 1);
	const struct prof_function *function =
		profile_function(profile, (struct prof_function_id){ 0 });
	assert_string_equal(profile_string(profile, function->name), "generated");
	profile_destroy(profile);
	pd_file_close(file);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forked_processes_have_the_code_of_their_parent),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
