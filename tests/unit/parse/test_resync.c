/* Damage among records: what comes before and after it is read, and what is between is counted. */
#include "tests/unit/test_recording.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pdconv/copy.h>
#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "base/integer.h"
#include "parse/open_file.h"

/* The records of a recording in file order, without those that cannot be damaged here. */
struct records {
	struct {
		uint32_t type;
		uint32_t size;
		uint64_t offset;
		uint64_t time;
	} data[512];
	size_t n;
	/** Size of all records, and bytes that were passed over. */
	uint64_t n_bytes;
	struct pd_gaps gaps;
	/** First diagnostic, or "". */
	char text[256];
};

/* Like a file, or a stream of a recorder. */
struct form {
	bool swap;
	bool is_pipe;
	/** Read the bytes from a pipe. */
	bool is_sent;
};

static const struct form forms[] = {
	{ 0 },
	{ .swap = true },
	{ .is_pipe = true },
	{ .is_pipe = true, .is_sent = true },
	{ .swap = true, .is_pipe = true, .is_sent = true },
};

/* The recording NAME of testdata/ in another form. */
static struct bytes recording_as(const char *name, const struct form *form)
{
	const struct pd_copy_opts opts = { .swap = form->swap, .is_pipe = form->is_pipe };
	struct bytes from = testdata_read(name, "perf.data"), to = { 0 };
	struct pd_copy_result result;
	struct pd_file *file = recording_open(&from, NULL);
	FILE *out = tmpfile();
	uint8_t buf[4096];
	size_t n;

	assert_non_null(out);
	assert_ok(pd_copy(file, out, "copy", &opts, &result));
	rewind(out);
	while ((n = fread(buf, 1, sizeof(buf), out)) > 0)
		bytes_add(&to, buf, n);
	fclose(out);
	pd_file_close(file);
	bytes_free(&from);
	return to;
}

/* A pipe from which the bytes can be read; *writer_ret is who writes them. */
static int pipe_of(const struct bytes *b, pid_t *writer_ret)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	*writer_ret = fork();
	assert_true(*writer_ret >= 0);
	if (*writer_ret) {
		close(fds[1]);
		return fds[0];
	}
	close(fds[0]);
	for (size_t at = 0; at < b->n;) {
		ssize_t n = write(fds[1], b->data + at, b->n - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	_exit(0);
}

static void read_all(struct pd_file *file, struct records *ret)
{
	struct pd_reader *reader;
	struct pd_record rec;

	*ret = (struct records){ 0 };
	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		assert_true(ret->n < PD_ARRAY_LEN(ret->data));
		ret->data[ret->n].type = rec.type;
		ret->data[ret->n].size = rec.size;
		ret->data[ret->n].offset = rec.offset;
		ret->data[ret->n++].time = rec.time;
		ret->n_bytes += rec.size + rec.outside_size;
	}
	ret->gaps = file->gaps;
	if (pd_diag_n(file->diag))
		snprintf(ret->text, sizeof(ret->text), "%s",
			pd_diag_get(file->diag, 0).first->message);
	pd_reader_destroy(reader);
}

static void read_bytes(const struct bytes *b, bool is_sent, struct records *ret)
{
	struct pd_file *file;
	pid_t writer;

	if (!is_sent) {
		file = recording_open(b, NULL);
		read_all(file, ret);
		pd_file_close(file);
		return;
	}
	int fd = pipe_of(b, &writer);
	assert_ok(pd_file_open_fd(fd, "pipe", NULL, &file));
	read_all(file, ret);
	pd_file_close(file);
	close(fd);
	waitpid(writer, NULL, 0);
}

static size_t nth_sample(const struct records *records, size_t n)
{
	for (size_t i = 0; i < records->n; i++) {
		if (records->data[i].type == PD_RECORD_SAMPLE && !n--)
			return i;
	}
	fail_msg("too few samples");
	return 0;
}

/*
 * Check that found is truth without up to max_lost records from index first on, and that all bytes
 * are either in a record or counted. shift is how many bytes were added.
 */
static void expect_rest(const struct records *found, const struct records *truth, size_t first,
	size_t max_lost, int64_t shift)
{
	size_t n_lost = truth->n - found->n;

	assert_true(found->n < truth->n);
	assert_true(n_lost <= max_lost);
	for (size_t i = 0; i < found->n; i++) {
		size_t j = i < first ? i : i + n_lost;

		assert_int_equal(found->data[i].type, truth->data[j].type);
		assert_int_equal(found->data[i].size, truth->data[j].size);
		assert_int_equal(found->data[i].time, truth->data[j].time);
	}
	assert_int_equal(found->gaps.n, 1);
	assert_int_equal(found->n_bytes + found->gaps.bytes, (int64_t)truth->n_bytes + shift);
	assert_non_null(strstr(found->text, " bytes passed over"));
}

static void remove_bytes(struct bytes *b, size_t at, size_t n)
{
	memmove(b->data + at, b->data + at + n, b->n - at - n);
	b->n -= n;
}

static void insert_bytes(struct bytes *b, size_t at, uint8_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(b, 0, 1);
	memmove(b->data + at + n, b->data + at, b->n - at - n);
	memset(b->data + at, value, n);
}

enum {
	TYPE_AT = 0,
	SIZE_AT = 6,
	REMOVED = 500,
	INSERTED = 77,
	ZEROED = 4096,
};

/* The least significant byte of an integer of size bytes. */
static size_t low_byte(const struct form *form, size_t at, size_t size)
{
	return form->swap ? at + size - 1 : at;
}

static void size_of_zero(struct bytes *b, size_t at, const struct form *form)
{
	(void)form;
	memset(b->data + at + SIZE_AT, 0, 2);
}

static void size_too_large(struct bytes *b, size_t at, const struct form *form)
{
	b->data[low_byte(form, at + SIZE_AT, 2)] += 8;
}

/* The size is that of four records. */
static void size_of_several(struct bytes *b, size_t at, const struct form *form)
{
	uint8_t *size = b->data + at + SIZE_AT;

	base_store_uint(size, 2, form->swap, 4 * base_load_uint(size, 2, form->swap));
}

static void size_too_small(struct bytes *b, size_t at, const struct form *form)
{
	b->data[low_byte(form, at + SIZE_AT, 2)] -= 8;
}

static void size_not_aligned(struct bytes *b, size_t at, const struct form *form)
{
	b->data[low_byte(form, at + SIZE_AT, 2)] ^= 1;
}

static void impossible_type(struct bytes *b, size_t at, const struct form *form)
{
	b->data[at + (form->swap ? 0 : 3)] = 0x7f;
}

static void zeros(struct bytes *b, size_t at, const struct form *form)
{
	(void)form;
	memset(b->data + at + 300, 0, ZEROED);
}

static void removed(struct bytes *b, size_t at, const struct form *form)
{
	(void)form;
	remove_bytes(b, at + 300, REMOVED);
}

static void inserted(struct bytes *b, size_t at, const struct form *form)
{
	(void)form;
	insert_bytes(b, at + 300, 0xa5, INSERTED);
}

static const struct damage {
	void (*make)(struct bytes *b, size_t at, const struct form *form);
	size_t max_lost;
	int64_t shift;
} damages[] = {
	{ size_of_zero, 1, 0 },
	{ size_too_large, 1, 0 },
	{ size_of_several, 1, 0 },
	{ size_too_small, 1, 0 },
	{ size_not_aligned, 1, 0 },
	{ impossible_type, 1, 0 },
	{ zeros, 5, 0 },
	{ removed, 2, -REMOVED },
	{ inserted, 1, INSERTED },
};

static void records_around_damage_are_read(void **state)
{
	(void)state;
	for (size_t f = 0; f < PD_ARRAY_LEN(forms); f++) {
		for (size_t d = 0; d < PD_ARRAY_LEN(damages); d++) {
			const struct damage *damage = &damages[d];
			struct bytes b = recording_as("nested", &forms[f]);
			struct records truth, found;

			/* Sizes in the header of a file would not agree. */
			if (damage->shift && !forms[f].is_pipe) {
				bytes_free(&b);
				continue;
			}
			read_bytes(&b, false, &truth);
			size_t first = nth_sample(&truth, 20);
			damage->make(&b, truth.data[first].offset, &forms[f]);
			read_bytes(&b, forms[f].is_sent, &found);
			expect_rest(&found, &truth, first, damage->max_lost, damage->shift);
			bytes_free(&b);
		}
	}
}

/* The stack of a sample holds copies of records, which the recording does not have there. */
static void records_in_a_damaged_sample_are_not_taken(void **state)
{
	enum { STACK_AT = 200, STACK_END = 1000, MIN_COPIES = 3 };

	(void)state;
	for (size_t f = 0; f < PD_ARRAY_LEN(forms); f++) {
		struct bytes b = recording_as("nested", &forms[f]);
		struct records truth, found;
		size_t n_copies = 0;

		read_bytes(&b, false, &truth);
		size_t first = nth_sample(&truth, 20);
		uint8_t *sample = b.data + truth.data[first].offset;
		assert_true(truth.data[first].size >= STACK_END);
		size_t at = STACK_AT;
		for (size_t i = 0; i < first; i++) {
			uint32_t size = truth.data[i].size;

			/* Records of the kernel that are small enough. */
			if (truth.data[i].type >= PD_RECORD_SAMPLE + 2 || at + size > STACK_END)
				continue;
			memcpy(sample + at, b.data + truth.data[i].offset, size);
			at += size;
			n_copies++;
		}
		assert_true(n_copies >= MIN_COPIES);
		size_of_zero(&b, truth.data[first].offset, &forms[f]);
		read_bytes(&b, forms[f].is_sent, &found);
		expect_rest(&found, &truth, first, 1, 0);
		bytes_free(&b);
	}
}

/* Records of later versions of perf and the kernel have unknown types, which is not a sign of damage. */
static void unknown_records_are_returned(void **state)
{
	enum { N = 40 };
	struct bytes b = { 0 };
	struct records found;

	(void)state;
	recording_begin(&b);
	for (uint64_t i = 0; i < N; i++) {
		size_t start = record_begin(&b, i % 4 ? 200 : 60, 0x0ff8);
		for (uint64_t word = 0; word <= i; word++)
			u64(&b, word);
		record_end(&b, start);
		if (i > N / 2)
			add_sample(&b, 7, i);
	}
	recording_end(&b);
	read_bytes(&b, false, &found);
	assert_int_equal(found.n, N + N / 2 - 1);
	assert_int_equal(found.gaps.n, 0);
	assert_string_equal(found.text, "");
	bytes_free(&b);
}

/*
 * Remove the last N bytes of the stack of each sample, as if the stack ended at the end of the
 * address space.
 */
static void cut_stacks(struct bytes *b, const struct form *form, size_t n)
{
	struct pd_file *file = recording_open(b, NULL);
	uint64_t stack = file->events.list.data[0].attr.sample_stack_user;
	struct records records;

	read_all(file, &records);
	pd_file_close(file);
	for (size_t i = records.n; i-- > 0;) {
		uint8_t *sample = b->data + records.data[i].offset;
		uint32_t size = records.data[i].size;
		/* The stack is between two sizes; the data source follows. */
		uint8_t *captured = sample + size - 16;
		uint8_t *reserved = captured - stack - 8;

		if (records.data[i].type != PD_RECORD_SAMPLE || size < stack ||
			pd_load_u64(reserved, form->swap) != stack)
			continue;
		base_store_uint(reserved, 8, form->swap, stack - n);
		base_store_uint(captured, 8, form->swap, stack - n);
		base_store_uint(sample + SIZE_AT, 2, form->swap, size - n);
		remove_bytes(b, (size_t)(captured - b->data) - n, n);
	}
}

/*
 * The kernel writes the stack of a 32-bit process near the end of its address space in as many
 * bytes as there are, so sizes and offsets are not multiples of 8.
 */
static void samples_of_any_size_are_returned(void **state)
{
	(void)state;
	for (size_t f = 0; f < PD_ARRAY_LEN(forms); f++) {
		struct bytes b = recording_as("nested", &forms[f]);
		struct records before, truth, found;

		if (!forms[f].is_pipe) {
			bytes_free(&b);
			continue;
		}
		read_bytes(&b, false, &before);
		cut_stacks(&b, &forms[f], 4);
		read_bytes(&b, forms[f].is_sent, &truth);
		assert_string_equal(truth.text, "");
		assert_int_equal(truth.n, before.n);
		assert_true(truth.n_bytes + 4 * 20 < before.n_bytes);
		/* They are found again after damage, too. */
		size_t first = nth_sample(&truth, 20);
		assert_int_equal(truth.data[first].size % 8, 4);
		size_of_zero(&b, truth.data[first].offset, &forms[f]);
		read_bytes(&b, forms[f].is_sent, &found);
		expect_rest(&found, &truth, first, 1, 0);
		bytes_free(&b);
	}
}

/* A sample with a wrong time does not make the right times after damage impossible. */
static void right_times_are_found_after_a_wrong_one(void **state)
{
	enum { TIME_AT = 24 };

	(void)state;
	for (size_t f = 0; f < PD_ARRAY_LEN(forms); f++) {
		struct bytes b = recording_as("nested", &forms[f]);
		struct records truth, found;

		read_bytes(&b, false, &truth);
		size_t wrong = nth_sample(&truth, 20), damaged = nth_sample(&truth, 22);
		base_store_uint(b.data + truth.data[wrong].offset + TIME_AT, 8, forms[f].swap,
			UINT64_C(1) << 60);
		read_bytes(&b, false, &truth);
		assert_string_equal(truth.text, "");
		size_of_zero(&b, truth.data[damaged].offset, &forms[f]);
		read_bytes(&b, forms[f].is_sent, &found);
		expect_rest(&found, &truth, damaged, 1, 0);
		bytes_free(&b);
	}
}

/* Random bytes may look like one sample, but not like several in a row. */
static void nothing_is_found_in_noise(void **state)
{
	enum { N = 100, NOISE = 1 << 20 };
	uint64_t seed = 42;
	struct bytes b = { 0 };
	struct records found;

	(void)state;
	recording_begin(&b);
	for (uint64_t i = 0; i < N; i++)
		add_sample(&b, 7, 1000 + i);
	for (size_t i = 0; i < NOISE / 8; i++) {
		uint64_t word = random_next(&seed);

		/* Every other word looks like the header of a sample. */
		if (i % 2)
			word = PD_RECORD_SAMPLE | (uint64_t)PD_MISC_USER << 32 |
			       (word & 0xf8) << 48;
		u64(&b, word);
	}
	recording_end(&b);
	read_bytes(&b, false, &found);
	/* The last sample may be damaged, too. */
	assert_int_equal(found.n, N - 1);
	assert_int_equal(found.gaps.bytes, NOISE + 24);
	assert_non_null(strstr(found.text, "the last 1048600 bytes of records are not read"));
	bytes_free(&b);
}

/* A second reader passes over the same bytes, which are counted once. */
static void damage_is_counted_once(void **state)
{
	struct bytes b = testdata_read("nested", "perf.data");
	struct records truth, found;

	(void)state;
	read_bytes(&b, false, &truth);
	for (size_t i = 10; i < 60; i += 20)
		size_of_zero(&b, truth.data[nth_sample(&truth, i)].offset, &forms[0]);
	struct pd_file *file = recording_open(&b, NULL);
	for (int i = 0; i < 2; i++) {
		read_all(file, &found);
		assert_int_equal(found.n, truth.n - 3);
		assert_int_equal(found.gaps.n, 3);
		assert_int_equal(found.n_bytes + found.gaps.bytes, truth.n_bytes);
	}
	pd_file_close(file);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_around_damage_are_read),
		cmocka_unit_test(records_in_a_damaged_sample_are_not_taken),
		cmocka_unit_test(unknown_records_are_returned),
		cmocka_unit_test(samples_of_any_size_are_returned),
		cmocka_unit_test(right_times_are_found_after_a_wrong_one),
		cmocka_unit_test(nothing_is_found_in_noise),
		cmocka_unit_test(damage_is_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
