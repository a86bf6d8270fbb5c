/*
 * A program whose split debug information is missing: its symbols remain, and the reason is
 * reported.
 */
#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test_recording.h"

#include "resolve/resolve.h"

enum { BASE = 0x40000000, PAGE = 4096 };

static const char PROGRAM[] = "int main(int argc, char **argv)\n"
			      "{\n"
			      "	(void)argv;\n"
			      "	return argc;\n"
			      "}\n";

/* A recording with one sample, in main() of the program at @p path. False: it cannot be placed. */
static bool record_main(const char *path, struct bytes *ret)
{
	struct sym_binary *binary = open_with(NULL, path, NULL);
	struct sym_segment segment;
	struct sym_section text;
	size_t size;

	assert_int_equal(sh("nm program | sed -n 's/ T main$//p' >address"), 0);
	_cleanup_free_ char *address = read_all("address", &size);
	assert_true(sym_binary_section(binary, ".text", &text));
	bool ok = sym_binary_segment(binary, text.vaddr, 1, &segment) &&
		  segment.vaddr == segment.offset;
	sym_binary_destroy(binary);
	uint64_t start = text.vaddr / PAGE * PAGE;
	recording_begin(ret);
	/* sample_type is the fourth number of the attr. */
	patch64(ret, FILE_HEADER_BYTES + 24,
		load64(ret, FILE_HEADER_BYTES + 24) | 1 << PD_SAMPLE_IP);
	size_t rec = record_begin(ret, PD_RECORD_MMAP, PD_MISC_USER);
	u32(ret, 7);
	u32(ret, 7);
	u64(ret, BASE + start);
	u64(ret, 16 * PAGE);
	u64(ret, start);
	padded(ret, path);
	tid_time(ret, 7, 7, 1);
	record_end(ret, rec);
	rec = record_begin(ret, PD_RECORD_SAMPLE, PD_MISC_USER);
	u64(ret, BASE + strtoull(address, NULL, 16));
	tid_time(ret, 7, 7, 2);
	record_end(ret, rec);
	recording_end(ret);
	return ok;
}

static struct profile *build_profile(const struct bytes *b)
{
	const struct resolve_opts opts = { .jobs = 1 };
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(b, diag);
	struct profile *profile;

	assert_ok(resolve_profile(file, &opts, &profile));
	pd_file_close(file);
	pd_diag_destroy(diag);
	return profile;
}

/* Check the reported reason, and that main, the only function, has a name. */
static void check(const struct bytes *b, const char *what)
{
	struct profile *profile = build_profile(b);

	assert_int_equal(profile->binaries.n, 1);
	assert_true(profile->binaries.data[0].is_found);
	const char *why = prof_string(profile, profile->binaries.data[0].why);
	assert_true(*what ? strstr(why, what) != NULL : !*why);
	assert_int_equal(profile->functions.n, 1);
	const struct prof_function *function =
		prof_function(profile, (struct prof_function_id){ 0 });
	assert_string_equal(prof_string(profile, function->name), "main");
	prof_destroy(profile);
}

static void test_split(void **state)
{
	struct bytes b = { 0 };
	char path[256];

	(void)state;
	write_text("program.c", PROGRAM);
	assert_int_equal(sh("cc -O1 -g -gsplit-dwarf -c program.c && cc -o program program.o"), 0);
	snprintf(path, sizeof(path), "%s/program", dir);
	bool is_placed = record_main(path, &b);
	if (is_placed)
		check(&b, "");
	assert_int_equal(sh("rm program.dwo"), 0);
	if (is_placed)
		check(&b, "program.dwo: no such split debug file found");
	bytes_free(&b);
	if (!is_placed)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
