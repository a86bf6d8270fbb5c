/* Generated code of a jitdump in the processes of a recording. */
#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test_recording.h"

#include "resolve/resolve.h"

enum { CODE = 0x5000, CODE_BYTES = 16, HEADER_BYTES = 40, LOAD_BYTES = 56, MACHINE = 62 };

/* A jitdump of process @p pid with a function called @p name at @p addr. */
static void write_dump(uint32_t pid, const char *name, uint64_t addr)
{
	size_t name_bytes = strlen(name) + 1;
	struct bytes b = { 0 };
	char file[32];

	u32(&b, 0x4a695444);
	u32(&b, 1);
	u32(&b, HEADER_BYTES);
	u32(&b, MACHINE);
	u64(&b, (uint64_t)pid << 32);
	u64(&b, 1);
	u64(&b, 0);
	u32(&b, 0);
	u32(&b, (uint32_t)(LOAD_BYTES + name_bytes + CODE_BYTES));
	u64(&b, 2);
	u64(&b, (uint64_t)pid << 32 | pid);
	u64(&b, addr);
	u64(&b, addr);
	u64(&b, CODE_BYTES);
	u64(&b, 1);
	bytes_add(&b, name, name_bytes);
	for (size_t i = 0; i < CODE_BYTES; i++)
		put(&b, 0x90, 1);
	snprintf(file, sizeof(file), "jit-%u.dump", (unsigned)pid);
	write_file(file, (const char *)b.data, b.n);
	bytes_free(&b);
}

static void map_dump(struct bytes *b, uint32_t pid, uint64_t time)
{
	char path[256];
	size_t rec = record_begin(b, PD_RECORD_MMAP, PD_MISC_USER);

	snprintf(path, sizeof(path), "%s/jit-%u.dump", dir, (unsigned)pid);
	u64(b, (uint64_t)pid << 32 | pid);
	u64(b, 0x1000);
	u64(b, 0x1000);
	u64(b, 0);
	padded(b, path);
	tid_time(b, pid, pid, time);
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

static void sample_code(struct bytes *b, uint32_t pid, uint64_t addr)
{
	size_t rec = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	u64(b, addr);
	tid_time(b, pid, pid, 5);
	record_end(b, rec);
}

static void begin(struct bytes *b)
{
	write_dump(7, "of_parent", CODE);
	recording_begin(b);
	/* sample_type is the fourth number of the attr. */
	patch64(b, FILE_HEADER_BYTES + 24, load64(b, FILE_HEADER_BYTES + 24) | 1 << PD_SAMPLE_IP);
	map_dump(b, 7, 1);
}

/* Check that the functions of the recording are those called @p names. */
static void end(struct bytes *b, const char *const *names, uint32_t n)
{
	const struct resolve_opts opts = { .jobs = 1 };
	struct profile *profile;

	recording_end(b);
	struct pd_file *file = recording_open(b, NULL);
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_int_equal(profile->functions.n, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function =
			prof_function(profile, (struct prof_function_id){ i });

		assert_string_equal(prof_string(profile, function->name), names[i]);
	}
	prof_destroy(profile);
	pd_file_close(file);
	bytes_free(b);
}

/* No sample of the parent precedes the fork, so its code is not looked up before. */
static void forked_processes_have_the_code_of_their_parent(void **state)
{
	static const char *const names[] = { "of_parent" };
	struct bytes b = { 0 };

	(void)state;
	begin(&b);
	fork_process(&b, 7, 8);
	fork_process(&b, 8, 9);
	sample_code(&b, 9, CODE + 1);
	end(&b, names, 1);
}

static void forked_processes_add_code_of_their_own(void **state)
{
	static const char *const names[] = { "of_parent", "of_child" };
	struct bytes b = { 0 };

	(void)state;
	write_dump(8, "of_child", CODE + CODE_BYTES / 2);
	begin(&b);
	fork_process(&b, 7, 8);
	map_dump(&b, 8, 4);
	/* Their code replaces that of the parent where both have some. */
	sample_code(&b, 8, CODE + 1);
	sample_code(&b, 8, CODE + CODE_BYTES / 2 + 1);
	sample_code(&b, 8, CODE + CODE_BYTES + 1);
	end(&b, names, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forked_processes_have_the_code_of_their_parent),
		cmocka_unit_test(forked_processes_add_code_of_their_own),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
