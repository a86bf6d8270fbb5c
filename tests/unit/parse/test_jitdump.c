/* jitdump files: which generated code was at an address at a time. */
#include "tests/unit/test_recording.h"

#include "parse/jitdump.h"

enum { BASE = 0x10000, SIZE = 0x100, HEADER_BYTES = 40 };

struct dump {
	struct pd_bytes out;
};

static void put_header(struct dump *d, uint64_t flags)
{
	const struct pd_jitdump_header header = {
		.magic = PD_JITDUMP_MAGIC,
		.version = 1,
		.total_size = HEADER_BYTES,
		.elf_mach = 62,
		.pid = 7,
		.flags = flags,
	};
	struct pd_layout_env env = { 0 };

	pd_layout_encode(&pd_layout_jitdump_header, &header, &env, &d->out);
	assert_int_equal(d->out.buf.n, HEADER_BYTES);
}

static void put_record(
	struct dump *d, const struct pd_layout *layout, uint64_t time, const void *body)
{
	struct pd_layout_env env = { 0 };
	struct pd_bytes bytes = { .swap = d->out.swap };

	pd_layout_encode(layout, body, &env, &bytes);
	const struct pd_jitdump_prefix prefix = {
		.id = layout->type,
		.total_size = (uint32_t)(16 + bytes.buf.n),
		.timestamp = time,
	};
	pd_layout_encode(&pd_layout_jitdump_prefix, &prefix, &env, &d->out);
	pd_bytes_put(&d->out, bytes.buf.data, bytes.buf.n);
	pd_bytes_deinit(&bytes);
}

static void load(struct dump *d, uint64_t time, uint64_t addr, uint64_t size, const char *name)
{
	static const uint8_t code[SIZE];
	const struct pd_jit_code_load body = {
		.pid = 7,
		.code_addr = addr,
		.code_size = size,
		.name = { name, strlen(name), 0 },
		.code = { .data = code, .elem_size = 1, .n = size },
	};

	put_record(d, &pd_layout_jit_code_load, time, &body);
}

static void unwinding(struct dump *d, uint64_t size, uint64_t hdr_size)
{
	static const uint8_t bytes[64];
	const struct pd_jit_code_unwinding_info body = {
		.unwinding_size = size,
		.eh_frame_hdr_size = hdr_size,
		.data = { .data = bytes, .elem_size = 1, .n = size },
	};

	put_record(d, &pd_layout_jit_code_unwinding_info, 1, &body);
}

static struct parse_jit *read_dump(const struct dump *d)
{
	struct parse_jit *jit;

	assert_ok(parse_jit_read(d->out.buf.data, d->out.buf.n, "jit-7.dump", &jit));
	return jit;
}

static const char *name_at(const struct parse_jit *jit, uint64_t time, uint64_t addr)
{
	const struct parse_jit_code *code = parse_jit_find(jit, parse_jit_epoch(jit, time), addr);

	return code ? code->name : "nothing";
}

static void code_is_found_by_address_and_epoch(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .out = { .swap = swap } };

		put_header(&d, 0);
		load(&d, 100, BASE, SIZE, "a");
		load(&d, 110, BASE + SIZE, SIZE, "b");
		load(&d, 200, BASE + SIZE / 2, SIZE, "c"); /* where half of each is */
		load(&d, 300, BASE, SIZE / 2, "d");
		struct parse_jit *jit = read_dump(&d);

		assert_int_equal(parse_jit_machine(jit), 62);
		assert_int_equal(parse_jit_swap(jit), swap);
		/*
		 * Codes do not change within an epoch: code that is added exists from the start of
		 * the epoch on.
		 */
		assert_string_equal(name_at(jit, 50, BASE), "a");
		assert_string_equal(name_at(jit, 100, BASE + SIZE - 1), "a");
		assert_string_equal(name_at(jit, 199, BASE + SIZE), "b");
		assert_string_equal(name_at(jit, 199, BASE + 2 * SIZE), "nothing");
		assert_string_equal(name_at(jit, 199, BASE - 1), "nothing");
		assert_string_equal(name_at(jit, 200, BASE + SIZE), "c");
		assert_string_equal(name_at(jit, 200, BASE + SIZE * 3 / 2), "nothing");
		/* Code that does not replace other code does not begin an epoch. */
		assert_string_equal(name_at(jit, 200, BASE), "d");
		assert_string_equal(name_at(jit, PD_NO_TIME, BASE), "d");
		assert_string_equal(name_at(jit, PD_NO_TIME, BASE + SIZE), "c");

		const struct parse_jit_code *code = parse_jit_find(jit, 0, BASE);
		assert_int_equal(code->end - code->start, SIZE);
		assert_ptr_equal(parse_jit_at_offset(jit, code->offset), code);
		assert_ptr_equal(parse_jit_at_offset(jit, code->offset + SIZE - 1), code);
		assert_null(parse_jit_at_offset(jit, code->offset + SIZE));
		assert_null(parse_jit_at_offset(jit, 0));
		assert_int_equal(parse_jit_n_codes(jit), 4);
		parse_jit_destroy(jit);
		pd_bytes_deinit(&d.out);
	}
}

static void moved_code_is_found_at_its_new_address(void **state)
{
	const struct pd_jit_code_move move = {
		.old_code_addr = BASE, .new_code_addr = 2 * BASE, .code_size = SIZE
	};
	const struct pd_jit_code_move nothing = { .old_code_addr = BASE + 8,
		.new_code_addr = BASE };
	struct dump d = { 0 };

	(void)state;
	put_header(&d, 0);
	load(&d, 100, BASE, SIZE, "a");
	put_record(&d, &pd_layout_jit_code_move, 200, &move);
	put_record(&d, &pd_layout_jit_code_move, 300, &nothing);
	struct parse_jit *jit = read_dump(&d);
	assert_string_equal(name_at(jit, 199, BASE), "a");
	assert_string_equal(name_at(jit, 200, BASE), "nothing");
	assert_string_equal(name_at(jit, 200, 2 * BASE + SIZE - 1), "a");
	assert_ptr_equal(
		parse_jit_find(jit, 0, BASE)->bytes, parse_jit_find(jit, 1, 2 * BASE)->bytes);
	assert_memory_equal(parse_jit_find(jit, 0, BASE)->bytes,
		d.out.buf.data + parse_jit_find(jit, 0, BASE)->offset, SIZE);
	/* Code that moved keeps its offset in the dump, which identifies it. */
	assert_int_equal(
		parse_jit_find(jit, 0, BASE)->offset, parse_jit_find(jit, 1, 2 * BASE)->offset);
	parse_jit_destroy(jit);
	pd_bytes_deinit(&d.out);
}

static void processor_timestamps_are_ignored(void **state)
{
	struct dump d = { 0 };

	(void)state;
	put_header(&d, 1);
	load(&d, 100, BASE, SIZE, "a");
	load(&d, 200, BASE, SIZE, "b");
	struct parse_jit *jit = read_dump(&d);
	assert_string_equal(name_at(jit, 50, BASE), "b");
	parse_jit_destroy(jit);
	pd_bytes_deinit(&d.out);
}

static void unwinding_information_is_for_the_next_code(void **state)
{
	struct dump d = { 0 };

	(void)state;
	put_header(&d, 0);
	unwinding(&d, 60, 20);
	load(&d, 100, BASE, SIZE, "a");
	load(&d, 100, 2 * BASE, SIZE, "b");
	unwinding(&d, 20, 20); /* an index of nothing */
	load(&d, 100, 3 * BASE, SIZE, "c");
	struct parse_jit *jit = read_dump(&d);
	assert_int_equal(parse_jit_find(jit, 0, BASE)->eh_frame_size, 40);
	assert_int_equal(parse_jit_find(jit, 0, 2 * BASE)->eh_frame_size, 0);
	assert_int_equal(parse_jit_find(jit, 0, 3 * BASE)->eh_frame_size, 0);
	parse_jit_destroy(jit);
	pd_bytes_deinit(&d.out);
}

/* A dump that is truncated at any byte has all codes of its complete records. */
static void damage_ends_the_dump(void **state)
{
	struct dump d = { 0 };
	struct parse_jit *jit;

	(void)state;
	put_header(&d, 0);
	unwinding(&d, 60, 20);
	load(&d, 100, BASE, 16, "a");
	size_t whole = d.out.buf.n;
	load(&d, 100, BASE + 16, 16, "b");
	for (size_t n = 0; n < d.out.buf.n; n++) {
		/* Copied to a block of that size, so that sanitizers find reads past its end. */
		uint8_t *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy, d.out.buf.data, n);
		struct pd_error *err = parse_jit_read(copy, n, "jit-7.dump", &jit);
		if (n < HEADER_BYTES) {
			assert_non_null(err);
			assert_int_equal(err->code, PD_ERROR_FORMAT);
			pd_error_destroy(err);
		} else {
			assert_ok(err);
			assert_int_equal(parse_jit_n_codes(jit), n >= whole);
			parse_jit_destroy(jit);
		}
		free(copy);
	}
	/* A record with the size 0, or with a size that does not match its contents. */
	memset(d.out.buf.data + whole + 4, 0, 4);
	jit = read_dump(&d);
	assert_int_equal(parse_jit_n_codes(jit), 1);
	parse_jit_destroy(jit);
	pd_bytes_deinit(&d.out);
}

static void paths_of_dumps_are_recognised(void **state)
{
	(void)state;
	assert_true(parse_jit_is_path("/tmp/jit-123.dump"));
	assert_true(parse_jit_is_path("jit-1.dump"));
	assert_true(parse_jit_is_path("/tmp/jit-12-3.dump"));
	assert_false(parse_jit_is_path("/tmp/jit-.dump"));
	assert_false(parse_jit_is_path("/tmp/jit--3.dump"));
	assert_false(parse_jit_is_path("/tmp/jit-12-.dump"));
	assert_false(parse_jit_is_path("/tmp/jit-1-2-3.dump"));
	assert_false(parse_jit_is_path("/tmp/jit-1x.dump"));
	assert_false(parse_jit_is_path("/tmp/jit-1.dump.old"));
	assert_false(parse_jit_is_path("/tmp/jit-1.dump/x"));
	assert_false(parse_jit_is_path(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_found_by_address_and_epoch),
		cmocka_unit_test(moved_code_is_found_at_its_new_address),
		cmocka_unit_test(processor_timestamps_are_ignored),
		cmocka_unit_test(unwinding_information_is_for_the_next_code),
		cmocka_unit_test(damage_ends_the_dump),
		cmocka_unit_test(paths_of_dumps_are_recognised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
