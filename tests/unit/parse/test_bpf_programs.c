#include "tests/unit/test_recording.h"

#include "base/array.h"
#include "parse/bpf_programs.h"
#include "parse/open_file.h"

/* The two programs of testdata/bpf, and the function that each has a copy of. */
static const struct {
	const char *symbol;
	uint64_t addr;
	/** 0: not found. */
	uint32_t line;
	uint32_t start_line;
} cases[] = {
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc002215c, 10, 10 },
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc0022183, 15, 10 },
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc0022184, 16, 10 },
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc00221b7, 19, 10 },
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc00221b8, 0, 0 },
	{ "bpf_prog_722a51c06667bfab_spin", 0xffffffffc0025bb7, 16, 10 },
	{ "bpf_prog_fc7a6e72cabf2500_count_calls", 0xffffffffc0022121, 25, 25 },
	{ "bpf_prog_ca3d80f7739e24a9_count_calls", 0xffffffffc0022121, 25, 25 },
	{ "bpf_prog_dc3f1e667c3f054e_count_returns", 0xffffffffc00221e6, 33, 31 },
	/* Another program that was at the same address. */
	{ "bpf_prog_0123456789abcdef_spin", 0xffffffffc0022184, 0, 0 },
	{ "bpf_trampoline_1", 0xffffffffc0022184, 0, 0 },
	{ "", 0xffffffffc0022184, 0, 0 },
};

static struct pd_file *open_recording(const struct bytes *b)
{
	struct pd_file *file;

	assert_ok(pd_file_open_memory("bpf", b->data, b->n, NULL, &file));
	return file;
}

static void lines_of_programs(void **state)
{
	struct bytes b = testdata_read("bpf", "perf.data");
	struct pd_file *file = open_recording(&b);
	struct parse_bpf *bpf;

	(void)state;
	assert_ok(parse_bpf_create(file, &bpf));
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct parse_bpf_line line = { 0 };
		bool is_found = parse_bpf_find(bpf, cases[i].symbol, cases[i].addr, &line);

		if (is_found != (cases[i].line != 0) || line.line != cases[i].line ||
			line.start_line != cases[i].start_line)
			fail_msg("%s %#llx: line %u, first %u", cases[i].symbol,
				(unsigned long long)cases[i].addr, line.line, line.start_line);
		if (is_found)
			assert_string_equal(line.file, "/tmp/pdconv-testdata/bpf.bpf.c");
	}
	parse_bpf_destroy(bpf);
	pd_file_close(file);
	bytes_free(&b);
}

static void recordings_without_programs_have_no_lines(void **state)
{
	struct bytes b = testdata_read("nested", "perf.data");
	struct pd_file *file = open_recording(&b);
	struct parse_bpf_line line;
	struct parse_bpf *bpf;

	(void)state;
	assert_ok(parse_bpf_create(file, &bpf));
	assert_false(parse_bpf_find(bpf, cases[0].symbol, cases[0].addr, &line));
	parse_bpf_destroy(bpf);
	parse_bpf_destroy(NULL);
	pd_file_close(file);
	bytes_free(&b);
}

/* Wrong bytes in the features lead to other lines or none, and to nothing worse. */
static void damaged_programs(void **state)
{
	struct bytes b = testdata_read("bpf", "perf.data");
	struct pd_file *file = open_recording(&b);
	const struct pd_feature *info = &file->feature[PD_FEATURE_BPF_PROG_INFO];
	const struct pd_feature *btf = &file->feature[PD_FEATURE_BPF_BTF];
	uint64_t start = info->offset, end = btf->offset + btf->size;

	(void)state;
	assert_true(info->size && btf->size && start < end);
	pd_file_close(file);
	for (uint64_t at = start; at < end; at++) {
		struct parse_bpf_line line;
		struct parse_bpf *bpf;

		b.data[at] ^= 0xff;
		assert_ok(pd_file_open_memory("bpf", b.data, b.n, NULL, &file));
		assert_ok(parse_bpf_create(file, &bpf));
		for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
			if (parse_bpf_find(bpf, cases[i].symbol, cases[i].addr, &line))
				assert_true(strlen(line.file) < b.n);
		}
		parse_bpf_destroy(bpf);
		pd_file_close(file);
		b.data[at] ^= 0xff;
	}
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_programs),
		cmocka_unit_test(recordings_without_programs_have_no_lines),
		cmocka_unit_test(damaged_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
