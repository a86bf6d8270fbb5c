/**
 * @file Recordings for tests: files of testdata/ and small recordings built in memory.
 *
 * A recording built in memory has a single event. Its samples and trailers contain TID and TIME:
 *
 *	struct bytes b = { 0 };
 *	recording_begin(&b);
 *	size_t rec = record_begin(&b, PD_RECORD_COMM, 0);
 *	...
 *	record_end(&b, rec);
 *	recording_end(&b);
 */
#ifndef PD_TESTS_UNIT_RECORDING_H
#define PD_TESTS_UNIT_RECORDING_H

#include "base/array.h"
#include "tests/unit/test.h"

#include <pdconv/file.h>
#include <pdconv/sample.h>

/** Names of recordings: folders of testdata/. */
static const char *const recording_names[] = {
	"nested",
	"cxx",
	"threads",
	"forkexec",
	"signal",
	"fp",
	"compressed",
};

enum { N_RECORDINGS = PD_ARRAY_LEN(recording_names) };

/** Offsets within the file header, and sizes of the parts of a built recording, in bytes. */
enum {
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA_OFFSET = 40,
	AT_DATA_SIZE = 48,
	AT_FEATURES = 72,
	FILE_HEADER_BYTES = 104,
	BUILT_ATTR_BYTES = 64,
	BUILT_DATA_OFFSET = FILE_HEADER_BYTES + BUILT_ATTR_BYTES + 16,
};

struct bytes {
	uint8_t *data;
	size_t n;
	size_t cap;
};

static inline void bytes_add(struct bytes *b, const void *data, size_t n)
{
	if (!n)
		return;
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->data = realloc(b->data, b->cap);
		assert_non_null(b->data);
	}
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static inline void put(struct bytes *b, uint64_t value, size_t size)
{
	uint8_t le[8];

	for (size_t i = 0; i < size; i++)
		le[i] = (uint8_t)(value >> (8 * i));
	bytes_add(b, le, size);
}

static inline void u32(struct bytes *b, uint64_t value)
{
	put(b, value, 4);
}

static inline void u64(struct bytes *b, uint64_t value)
{
	put(b, value, 8);
}

/** Append @p text with its NUL, padded with zeros to a multiple of 8 bytes. */
static inline void padded(struct bytes *b, const char *text)
{
	size_t len = strlen(text) + 1;

	bytes_add(b, text, len);
	while (len++ % 8)
		put(b, 0, 1);
}

static inline void patch64(struct bytes *b, size_t at, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		b->data[at + i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t load64(const struct bytes *b, size_t at)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8; i++)
		value |= (uint64_t)b->data[at + i] << (8 * i);
	return value;
}

static inline size_t record_begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	size_t start = b->n;

	u32(b, type);
	put(b, misc, 2);
	put(b, 0, 2);
	return start;
}

static inline void record_end(struct bytes *b, size_t start)
{
	size_t size = b->n - start;

	assert_true(size <= UINT16_MAX);
	b->data[start + 6] = (uint8_t)size;
	b->data[start + 7] = (uint8_t)(size >> 8);
}

/** Append the body of a sample, or the trailer of another record: TID and TIME. */
static inline void tid_time(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time)
{
	u32(b, pid);
	u32(b, tid);
	u64(b, time);
}

static inline void add_sample(struct bytes *b, uint32_t pid, uint64_t time)
{
	size_t start = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	tid_time(b, pid, pid, time);
	record_end(b, start);
}

static inline void recording_begin(struct bytes *b)
{
	bytes_add(b, "PERFILE2", 8);
	u64(b, FILE_HEADER_BYTES);
	u64(b, BUILT_ATTR_BYTES + 16);
	u64(b, FILE_HEADER_BYTES);
	u64(b, BUILT_ATTR_BYTES + 16);
	u64(b, BUILT_DATA_OFFSET);
	for (size_t i = 0; i < 7; i++) /* data.size, event_types, features */
		u64(b, 0);
	u32(b, PD_TYPE_SOFTWARE);
	u32(b, BUILT_ATTR_BYTES);
	u64(b, 0); /* cpu-clock */
	u64(b, 4000);
	u64(b, 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME);
	u64(b, 0);
	u64(b, (uint64_t)1 << PD_ATTR_sample_id_all);
	for (size_t i = 0; i < 4; i++) /* rest of the attr, and its empty list of ids */
		u64(b, 0);
	assert_int_equal(b->n, BUILT_DATA_OFFSET);
}

static inline void recording_end(struct bytes *b)
{
	patch64(b, AT_DATA_SIZE, b->n - BUILT_DATA_OFFSET);
}

static inline struct pd_file *recording_open(const struct bytes *b, struct pd_diag *diag)
{
	struct pd_file *file;

	assert_ok(pd_file_open_memory("built", b->data, b->n, diag, &file));
	return file;
}

static inline struct bytes file_read(const char *path)
{
	struct bytes b = { 0 };
	uint8_t buf[65536];
	size_t n;
	FILE *in = fopen(path, "rb");

	if (!in)
		fail_msg("cannot open %s: run the tests from the top folder", path);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		bytes_add(&b, buf, n);
	fclose(in);
	return b;
}

/** The bytes of testdata/NAME/FILE. */
static inline struct bytes testdata_read(const char *name, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), "testdata/%s/%s", name, file);
	return file_read(path);
}

static inline void bytes_free(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ 0 };
}

/** Return the next number of an xorshift64 generator, which is reproducible on all machines. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
