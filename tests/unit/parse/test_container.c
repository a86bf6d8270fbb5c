/* The containers of records: streams, directories, what is compressed, odd headers, simpleperf. */
#include "tests/unit/test_recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <pdconv/reader.h>

#include "base/array.h"
#include "parse/event_index.h"
#include "parse/open_file.h"
#include "parse/meta_info.h"
#include "parse/simpleperf.h"
#include "parse/part_stream.h"

/* A stream: what has no sections. */

static void stream_begin(struct bytes *b)
{
	bytes_add(b, "PERFILE2", 8);
	u64(b, 16);
}

/* Attr of recording_begin() with another config. */
static void add_attr(struct bytes *b, uint32_t size, uint64_t config, uint64_t sample_type)
{
	u32(b, PD_TYPE_SOFTWARE);
	u32(b, size);
	u64(b, config);
	u64(b, 4000);
	u64(b, sample_type);
	u64(b, 0);
	u64(b, (uint64_t)1 << PD_ATTR_sample_id_all);
	u64(b, 0);
	u64(b, 0);
}

enum { WITH_ID = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME | 1 << PD_SAMPLE_ID };
enum { WITHOUT_ID = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME };

static void add_header_attr(struct bytes *b, uint64_t config, uint64_t id)
{
	size_t start = record_begin(b, PD_RECORD_ATTR, 0);

	add_attr(b, 0, config, id ? WITH_ID : WITHOUT_ID);
	if (id)
		u64(b, id);
	record_end(b, start);
}

static void add_feature(struct bytes *b, uint64_t bit, const void *body, size_t size)
{
	size_t start = record_begin(b, PD_RECORD_FEATURE, 0);

	u64(b, bit);
	bytes_add(b, body, size);
	record_end(b, start);
}

static void add_text_feature(struct bytes *b, uint64_t bit, const char *text)
{
	struct bytes body = { 0 };

	u32(&body, strlen(text) + 1);
	bytes_add(&body, text, strlen(text) + 1);
	add_feature(b, bit, body.data, body.n);
	bytes_free(&body);
}

static void add_sample_of(struct bytes *b, uint64_t id, uint64_t time)
{
	size_t start = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	tid_time(b, 7, 7, time);
	u64(b, id);
	record_end(b, start);
}

/* A pipe from which the bytes can be read; *writer_ret is who writes them. */
static int pipe_of(const struct bytes *b, pid_t *writer_ret)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	*writer_ret = fork();
	assert_true(*writer_ret >= 0);
	if (!*writer_ret) {
		close(fds[0]);
		for (size_t at = 0; at < b->n;) {
			ssize_t n = write(fds[1], b->data + at, b->n - at);
			if (n <= 0)
				break;
			at += (size_t)n;
		}
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

struct opened {
	struct pd_diag *diag;
	struct pd_file *file;
	int fd;
	pid_t writer;
};

static struct opened open_bytes(const struct bytes *b, bool through_pipe)
{
	struct opened o = { .diag = pd_diag_create(), .fd = -1 };

	if (through_pipe) {
		o.fd = pipe_of(b, &o.writer);
		assert_ok(pd_file_open_fd(o.fd, "pipe", o.diag, &o.file));
	} else {
		assert_ok(pd_file_open_memory("memory", b->data, b->n, o.diag, &o.file));
	}
	return o;
}

static void close_opened(struct opened *o)
{
	pd_file_close(o->file);
	pd_diag_destroy(o->diag);
	if (o->fd < 0)
		return;
	close(o->fd);
	waitpid(o->writer, NULL, 0);
}

/* One letter for each record: what came out, in its order. */
static char letter(const struct pd_record *rec)
{
	static const char tools[] = "AETBRI";

	if (rec->type == PD_RECORD_SAMPLE)
		return 's';
	if (rec->type == PD_RECORD_MMAP)
		return 'm';
	if (rec->type >= 64 && rec->type < 64 + sizeof(tools) - 1)
		return tools[rec->type - 64];
	return rec->type == PD_RECORD_FEATURE ? 'F' : rec->type == PD_RECORD_AUXTRACE ? 'X' : '?';
}

static const char *read_letters(struct pd_file *file, enum pd_order_kind kind)
{
	static char text[256];
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;

	assert_ok(pd_reader_create(file, kind, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		assert_true(n < sizeof(text) - 1);
		text[n++] = letter(&rec);
	}
	text[n] = '\0';
	pd_reader_destroy(reader);
	return text;
}

static const char *warning(const struct pd_diag *diag, size_t i)
{
	assert_true(i < pd_diag_n(diag));
	return diag_text(diag, i);
}

static void streams_have_the_metadata_of_files(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 11);
	add_header_attr(&b, 1, 12);
	add_header_attr(&b, 0, 11); /* again */
	add_text_feature(&b, PD_FEATURE_HOSTNAME, "recorder");
	add_feature(&b, PD_FEATURE_CLOCKID, "12345678", 8);
	add_feature(&b, PD_FEATURE_BRANCH_STACK, "", 0);
	add_feature(&b, 32, "", 0); /* the mark at the end of an older perf */
	add_sample_of(&b, 11, 100);
	add_sample_of(&b, 12, 90);
	for (int through_pipe = 0; through_pipe < 2; through_pipe++) {
		struct opened o = open_bytes(&b, through_pipe);

		assert_true(o.file->is_pipe);
		assert_int_equal(o.file->events.list.n, 2);
		assert_string_equal(o.file->events.list.data[0].name, "cpu-clock:HG");
		assert_string_equal(o.file->events.list.data[1].name, "task-clock:HG");
		assert_string_equal(o.file->text[PD_FEATURE_HOSTNAME], "recorder");
		assert_true(o.file->feature[PD_FEATURE_BRANCH_STACK].is_present);
		assert_false(o.file->feature[32].is_present);
		assert_string_equal(read_letters(o.file, PD_ORDER_TIME), "AAAFFFFss");
		assert_int_equal(o.file->events.list.n, 2);
		assert_int_equal(pd_diag_n(o.diag), 0);
		close_opened(&o);
	}
	bytes_free(&b);
}

static void a_stream_in_memory_is_read_twice_from_a_pipe_once(void **state)
{
	struct bytes b = { 0 };
	struct pd_reader *reader;

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 0);
	add_header_attr(&b, 0, 0); /* equal, and without ids: the same */
	add_sample(&b, 7, 100);
	struct opened o = open_bytes(&b, false);
	assert_string_equal(read_letters(o.file, PD_ORDER_FILE), "AAs");
	assert_string_equal(read_letters(o.file, PD_ORDER_FILE), "AAs");
	assert_int_equal(o.file->events.list.n, 1);
	close_opened(&o);

	o = open_bytes(&b, true);
	assert_string_equal(read_letters(o.file, PD_ORDER_FILE), "AAs");
	struct pd_error *err = pd_reader_create(o.file, PD_ORDER_FILE, &reader);
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_USAGE);
	pd_error_destroy(err);
	close_opened(&o);
	bytes_free(&b);
}

static void events_may_come_late(void **state)
{
	struct bytes b = { 0 };
	struct pd_reader *reader;
	struct pd_record rec;

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 11);
	add_sample_of(&b, 11, 100);
	add_header_attr(&b, 2, 12);
	add_sample_of(&b, 12, 200);
	struct opened o = open_bytes(&b, true);
	assert_int_equal(o.file->events.list.n, 1);
	assert_ok(pd_reader_create(o.file, PD_ORDER_FILE, &reader));
	for (size_t i = 0; i < 4; i++)
		assert_ok(pd_reader_next(reader, &rec));
	assert_string_equal(pd_events_find(&o.file->events, &rec)->name, "page-faults:HG");
	pd_reader_destroy(reader);
	close_opened(&o);
	bytes_free(&b);
}

/* perf until 3.10 ended the record after the name, which has no NUL if its length is a multiple of 8. */
static void check_event_type(const char *name, size_t room, const char *wanted)
{
	struct bytes b = { 0 };
	char field[64] = "";

	memcpy(field, name, strlen(name));
	stream_begin(&b);
	add_header_attr(&b, 1234, 0);
	size_t start = record_begin(&b, PD_RECORD_EVENT_TYPE, 0);
	u64(&b, 1234);
	bytes_add(&b, field, room);
	record_end(&b, start);
	struct opened o = open_bytes(&b, false);
	assert_string_equal(o.file->events.list.data[0].name, wanted);
	assert_int_equal(pd_diag_n(o.file->diag), 0);
	close_opened(&o);
	bytes_free(&b);
}

static void names_come_from_event_types(void **state)
{
	(void)state;
	check_event_type("my:tracepoint", 64, "my:tracepoint");
	check_event_type("my:tracepoint", 16, "my:tracepoint");
	check_event_type("my:event", 8, "my:event");
}

/* So much that no chunk holds it. */
enum { PAYLOAD_BYTES = 3 * 1024 * 1024 };

static void payloads_outside_belong_to_their_records(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 0);
	size_t start = record_begin(&b, PD_RECORD_TRACING_DATA, 0);
	u64(&b, 16);
	record_end(&b, start);
	bytes_add(&b, "tracing data....", 16);
	add_sample(&b, 7, 100);
	start = record_begin(&b, PD_RECORD_AUXTRACE, 0);
	u64(&b, PAYLOAD_BYTES);
	for (size_t i = 0; i < 4; i++)
		u64(&b, 0);
	record_end(&b, start);
	for (size_t i = 0; i < PAYLOAD_BYTES / 8; i++)
		u64(&b, i);
	add_sample(&b, 7, 200);
	for (int through_pipe = 0; through_pipe < 2; through_pipe++) {
		struct opened o = open_bytes(&b, through_pipe);
		const struct pd_feature *tracing = &o.file->feature[PD_FEATURE_TRACING_DATA];
		struct parse_stream *stream;
		struct pd_record rec;

		assert_int_equal(tracing->size, 16);
		assert_memory_equal(tracing->bytes, "tracing data....", 16);
		assert_memory_equal(b.data + tracing->offset, "tracing data....", 16);
		assert_ok(parse_stream_create(o.file, 0, &stream));
		do {
			assert_ok(parse_stream_next(stream, &rec));
			assert_non_null(rec.bytes);
		} while (rec.type != PD_RECORD_AUXTRACE);
		struct pd_view view = pd_record_outside(&rec);
		assert_int_equal(view.n, PAYLOAD_BYTES);
		assert_memory_equal(view.data, b.data + start + rec.size, PAYLOAD_BYTES);
		assert_ok(parse_stream_next(stream, &rec));
		assert_int_equal(rec.type, PD_RECORD_SAMPLE);
		parse_stream_destroy(stream);
		/* These bytes are not valid tracing data. */
		assert_int_equal(pd_diag_n(o.diag), 1);
		close_opened(&o);
	}
	bytes_free(&b);
}

static void text_after_a_stream_ends_it(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 0);
	add_sample(&b, 7, 100);
	bytes_add(&b, "[ perf record: Woken up 1 times to write data ]\n", 48);
	for (int through_pipe = 0; through_pipe < 2; through_pipe++) {
		struct opened o = open_bytes(&b, through_pipe);

		assert_string_equal(read_letters(o.file, PD_ORDER_TIME), "As");
		assert_int_equal(pd_diag_n(o.diag), 1);
		assert_non_null(strstr(warning(o.diag, 0), "a record is cut"));
		close_opened(&o);
	}
	bytes_free(&b);
}

static void build_ids_in_the_stream_are_found(void **state)
{
	struct bytes b = { 0 };
	struct parse_stream *stream;
	struct pd_record rec;

	(void)state;
	stream_begin(&b);
	add_header_attr(&b, 0, 0);
	add_sample(&b, 7, 100);
	size_t start = record_begin(&b, PD_RECORD_BUILD_ID, PD_MISC_USER);
	u32(&b, UINT32_MAX);
	for (size_t i = 0; i < 20; i++)
		put(&b, i + 1, 1);
	u32(&b, 0);
	padded(&b, "/bin/program");
	record_end(&b, start);
	struct opened o = open_bytes(&b, true);
	assert_null(pd_file_build_id(o.file, "/bin/program", PD_MISC_USER));
	assert_ok(parse_stream_create(o.file, 0, &stream));
	do
		assert_ok(parse_stream_next(stream, &rec));
	while (rec.bytes);
	parse_stream_destroy(stream);
	const struct pd_build_id *id = pd_file_build_id(o.file, "/bin/program", PD_MISC_USER);
	assert_non_null(id);
	assert_int_equal(id->len, 20);
	assert_int_equal(id->bytes[19], 20);
	assert_null(pd_file_build_id(o.file, "/bin/program", PD_MISC_KERNEL));
	close_opened(&o);
	bytes_free(&b);
}

/* Compressed as a whole. */

static void add_gzip(struct bytes *to, const void *data, size_t n)
{
	uint8_t buf[4096];
	z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)n };
	int result;

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
	do {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		result = deflate(&z, Z_FINISH);
		bytes_add(to, buf, sizeof(buf) - z.avail_out);
	} while (result == Z_OK);
	assert_int_equal(result, Z_STREAM_END);
	deflateEnd(&z);
}

static void compressed_recordings_are_unpacked(void **state)
{
	struct bytes recordings[2] = { { 0 }, { 0 } };

	(void)state;
	recording_begin(&recordings[0]);
	stream_begin(&recordings[1]);
	add_header_attr(&recordings[1], 0, 0);
	for (int i = 0; i < 2; i++) {
		struct bytes *b = &recordings[i];
		struct bytes zipped = { 0 };

		for (uint64_t time = 0; time < 100; time++)
			add_sample(b, 7, 1 + time);
		if (i == 0)
			recording_end(b);
		/* Two members, and something that does not belong to them. */
		add_gzip(&zipped, b->data, 300);
		add_gzip(&zipped, b->data + 300, b->n - 300);
		size_t whole = zipped.n;
		bytes_add(&zipped, "\0\0\0\0\0\0\0\0", 8);
		for (int through_pipe = 0; through_pipe < 2; through_pipe++) {
			struct opened o = open_bytes(&zipped, through_pipe);

			assert_int_equal(strlen(read_letters(o.file, PD_ORDER_FILE)), 100 + i);
			assert_int_equal(pd_diag_n(o.diag), 0);
			close_opened(&o);
		}
		zipped.n = whole - 20;
		struct opened o = open_bytes(&zipped, true);
		assert_true(strlen(read_letters(o.file, PD_ORDER_FILE)) <= (size_t)100 + i);
		assert_non_null(strstr(warning(o.diag, 0), "truncated"));
		close_opened(&o);
		bytes_free(&zipped);
		bytes_free(b);
	}
}

/* Directories. */

static void file_write(const char *dir, const char *name, const struct bytes *b)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(b->data, 1, b->n, out), b->n);
	fclose(out);
}

static void remove_all(const char *dir, const char *const *names)
{
	char path[256];

	for (; *names; names++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *names);
		unlink(path);
	}
	rmdir(dir);
}

/* Feature table after the records: bits in ascending order, one body for each bit. */
static void add_features(
	struct bytes *b, size_t n, const unsigned bits[], const struct bytes bodies[])
{
	size_t table = b->n;

	for (size_t i = 0; i < n; i++) {
		size_t word = AT_FEATURES + bits[i] / 64 * 8;

		patch64(b, word, load64(b, word) | (uint64_t)1 << (bits[i] % 64));
		u64(b, 0);
		u64(b, 0);
	}
	for (size_t i = 0; i < n; i++) {
		patch64(b, table + 16 * i, b->n);
		patch64(b, table + 16 * i + 8, bodies[i].n);
		bytes_add(b, bodies[i].data, bodies[i].n);
	}
}

static struct bytes directory_recording(uint64_t format)
{
	struct bytes b = { 0 };
	struct bytes body = { 0 };

	recording_begin(&b);
	add_sample(&b, 0, 10);
	add_sample(&b, 0, 40);
	recording_end(&b);
	u64(&body, format);
	add_features(&b, 1, (const unsigned[]){ PD_FEATURE_DIR_FORMAT }, &body);
	bytes_free(&body);
	return b;
}

/* "PID@TIME/PART ..." in the order in which they come. */
static const char *read_samples(struct pd_file *file, enum pd_order_kind kind)
{
	static char text[512];
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;

	assert_ok(pd_reader_create(file, kind, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		uint32_t pid;
		memcpy(&pid, rec.bytes + 8, 4);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%u@%u/%u ", (unsigned)pid,
			(unsigned)rec.time, (unsigned)rec.part);
	}
	assert_int_equal(pd_reader_n_late(reader), 0);
	text[n ? n - 1 : 0] = '\0';
	pd_reader_destroy(reader);
	return text;
}

static void parts_of_a_directory_are_merged_by_time(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.2", "data.10", "data.5",
		NULL };
	char dir[] = "/tmp/pdconv-test-XXXXXX";
	struct bytes b = directory_recording(1);
	struct pd_file *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	file_write(dir, "data", &b);
	bytes_free(&b);
	for (uint64_t i = 0; i < 3; i++) {
		add_sample(&b, 1, 10 + i); /* without rounds, and not in order */
		add_sample(&b, 2, 9 + i);
		file_write(dir, names[1 + i], &b);
		bytes_free(&b);
	}
	char fifo[64];
	snprintf(fifo, sizeof(fifo), "%s/data.5", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0); /* no regular file */

	assert_ok(pd_file_open(dir, NULL, &file));
	assert_int_equal(file->parts.n, 4);
	assert_string_equal(pd_file_part_path(file, 3) + strlen(dir), "/data.10");
	assert_string_equal(read_samples(file, PD_ORDER_TIME),
		"2@9/1 0@10/0 1@10/1 2@10/2 1@11/2 2@11/3 1@12/3 0@40/0");
	assert_string_equal(read_samples(file, PD_ORDER_FILE),
		"0@10/0 0@40/0 1@10/1 2@9/1 1@11/2 2@10/2 1@12/3 2@11/3");
	pd_file_close(file);

	b = directory_recording(0);
	file_write(dir, "data", &b);
	bytes_free(&b);
	assert_ok(pd_file_open(dir, NULL, &file));
	assert_string_equal(read_samples(file, PD_ORDER_TIME), "0@10/0 0@40/0");
	pd_file_close(file);
	remove_all(dir, names);
}

/* Odd headers. */

static void attrs_of_two_sizes_are_read(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	/*
	 * Two attrs of 72 bytes, each followed by its ids; the attr size in the header is 64 + 16.
	 */
	recording_begin(&b);
	add_sample(&b, 7, 100);
	recording_end(&b);
	size_t ids = b.n;
	u64(&b, 21);
	u64(&b, 22);
	size_t attrs = b.n;
	for (size_t i = 0; i < 2; i++) {
		add_attr(&b, 72, i, WITHOUT_ID);
		u64(&b, 0);
		u64(&b, ids + 8 * i);
		u64(&b, 8);
	}
	patch64(&b, AT_ATTRS, attrs);
	patch64(&b, AT_ATTRS + 8, 2 * (BUILT_ATTR_BYTES + 16));
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(&b, diag);
	assert_int_equal(pd_diag_n(diag), 0);
	assert_int_equal(file->events.list.n, 2);
	assert_int_equal(pd_events_by_id(&file->events, 21)->index, 0);
	assert_int_equal(pd_events_by_id(&file->events, 22)->index, 1);
	pd_file_close(file);
	/* Ids outside the file whichever way: the attrs stay. */
	patch64(&b, attrs + 80, 7);
	patch64(&b, AT_ATTRS + 8, BUILT_ATTR_BYTES + 16);
	patch64(&b, attrs + 72, b.n);
	file = recording_open(&b, diag);
	assert_int_equal(file->events.list.n, 1);
	assert_int_equal(parse_events_n_ids(&file->events), 0);
	assert_non_null(strstr(warning(diag, 0), "ids are damaged"));
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

static void events_have_a_limit(void **state)
{
	enum { MORE = 10 };
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_sample(&b, 7, 100);
	recording_end(&b);
	size_t attrs = b.n;
	for (size_t i = 0; i < PD_MAX_EVENTS + MORE; i++) {
		add_attr(&b, BUILT_ATTR_BYTES, i, WITHOUT_ID);
		u64(&b, 0);
		u64(&b, 0);
	}
	patch64(&b, AT_ATTRS, attrs);
	patch64(&b, AT_ATTRS + 8, b.n - attrs);
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(&b, diag);
	assert_int_equal(file->events.list.n, PD_MAX_EVENTS);
	assert_int_equal(pd_diag_n(diag), 1);
	assert_non_null(strstr(warning(diag, 0), "too many events"));
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&b);
}

static void headers_may_be_shorter_or_longer(void **state)
{
	static const uint64_t sizes[] = { 72, 104, 112, 4096 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bytes b = { 0 };
		struct bytes body = { 0 };

		recording_begin(&b);
		add_sample(&b, 7, 100);
		recording_end(&b);
		u32(&body, 4);
		bytes_add(&body, "abc", 4);
		add_features(&b, 1, (const unsigned[]){ PD_FEATURE_HOSTNAME }, &body);
		patch64(&b, 8, sizes[i]);
		struct pd_file *file = recording_open(&b, NULL);
		assert_int_equal(file->feature[PD_FEATURE_HOSTNAME].is_present, sizes[i] != 72);
		assert_string_equal(read_letters(file, PD_ORDER_TIME), "s");
		pd_file_close(file);
		memcpy(b.data, "PERFFILE", 8);
		file = recording_open(&b, NULL);
		assert_string_equal(read_letters(file, PD_ORDER_TIME), "s");
		pd_file_close(file);
		bytes_free(&body);
		bytes_free(&b);
	}
}

/* A number as a big-endian machine has it. */
static void put_be(struct bytes *b, uint64_t value, size_t size)
{
	while (size--)
		put(b, value >> (8 * size), 1);
}

/* The file of a big-endian machine, of 32 bits if `is_narrow`, with one sample. */
static struct bytes big_endian_recording(bool is_narrow)
{
	enum { DATA_BYTES = 24 };
	struct bytes b = { 0 };
	const uint64_t words[] = {
		FILE_HEADER_BYTES,
		BUILT_ATTR_BYTES + 16,
		FILE_HEADER_BYTES,
		BUILT_ATTR_BYTES + 16,
		BUILT_DATA_OFFSET,
		DATA_BYTES,
		0,
		0,
		(uint64_t)1 << (is_narrow ? PD_FEATURE_HOSTNAME + 32 : PD_FEATURE_HOSTNAME),
		0,
		0,
		0,
	};

	bytes_add(&b, "2ELIFREP", 8);
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++)
		put_be(&b, words[i], 8);
	put_be(&b, PD_TYPE_SOFTWARE, 4);
	put_be(&b, BUILT_ATTR_BYTES, 4);
	put_be(&b, 0, 8);
	put_be(&b, 4000, 8);
	put_be(&b, WITHOUT_ID, 8);
	for (size_t i = 0; i < 6; i++)
		put_be(&b, 0, 8);
	put_be(&b, PD_RECORD_SAMPLE, 4);
	put_be(&b, PD_MISC_USER, 2);
	put_be(&b, DATA_BYTES, 2);
	put_be(&b, 7, 4);
	put_be(&b, 7, 4);
	put_be(&b, 100, 8);
	put_be(&b, b.n + 16, 8);
	put_be(&b, 4 + 4, 8);
	put_be(&b, 4, 4);
	bytes_add(&b, "abc", 4);
	return b;
}

static void bitmaps_of_big_endian_machines_are_read(void **state)
{
	(void)state;
	for (int is_narrow = 0; is_narrow < 2; is_narrow++) {
		struct bytes b = big_endian_recording(is_narrow);
		struct pd_file *file = recording_open(&b, NULL);

		assert_true(file->swap);
		assert_string_equal(file->text[PD_FEATURE_HOSTNAME], "abc");
		assert_string_equal(read_letters(file, PD_ORDER_TIME), "s");
		pd_file_close(file);
		bytes_free(&b);
	}
}

/* The magic says nothing of the byte order; the header's size does. */
static void old_streams_are_read_in_both_byte_orders(void **state)
{
	(void)state;
	for (int is_big = 0; is_big < 2; is_big++) {
		struct bytes b = { 0 };

		bytes_add(&b, "PERFFILE", 8);
		if (is_big)
			put_be(&b, 16, 8);
		else
			u64(&b, 16);
		struct opened o = open_bytes(&b, true);
		assert_true(o.file->is_pipe);
		assert_int_equal(o.file->swap, is_big);
		assert_string_equal(read_letters(o.file, PD_ORDER_TIME), "");
		close_opened(&o);
		bytes_free(&b);
	}
}

/* Hostile ones. */

static size_t count_samples(struct pd_file *file)
{
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;

	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		n += rec.type == PD_RECORD_SAMPLE;
	}
	pd_reader_destroy(reader);
	return n;
}

/* Read exactly those bytes; a clean error is fine. */
static size_t survive(const struct bytes *b)
{
	struct pd_diag *diag = pd_diag_create();
	uint8_t *copy = malloc(b->n + !b->n);
	struct pd_file *file;
	size_t n = 0;

	assert_non_null(copy);
	memcpy(copy, b->data, b->n);
	struct pd_error *err = pd_file_open_memory("damaged", copy, b->n, diag, &file);
	if (!err) {
		n = count_samples(file);
		pd_file_close(file);
	}
	pd_error_destroy(err);
	pd_diag_destroy(diag);
	free(copy);
	return n;
}

/* Read the recording plain, and compressed, which makes it a stream. */
static size_t survive_both(const struct bytes *b)
{
	struct bytes zipped = { 0 };

	add_gzip(&zipped, b->data, b->n);
	size_t n = survive(b);
	assert_int_equal(survive(&zipped), n);
	bytes_free(&zipped);
	return n;
}

static void cuts_and_damage_of_a_stream_are_survived(void **state)
{
	struct bytes b = testdata_read("piped", "perf.data");
	struct bytes whole = { 0 };
	uint64_t random = 88172645463325252U;
	size_t n = b.n, most = 0;

	(void)state;
	bytes_add(&whole, b.data, n);
	for (b.n = 0; b.n < n; b.n += b.n < 3000 ? 7 : 1501) {
		size_t n_samples = survive_both(&b);

		assert_true(n_samples >= most);
		most = n_samples;
	}
	assert_true(most > 100);
	b.n = n < 30000 ? n : 30000;
	for (size_t i = 0; i < 500; i++) {
		for (size_t k = 0; k <= i % 8; k++) {
			uint64_t r = random_next(&random);

			b.data[r / 8 % (r & 1 ? b.n : 4000)] = (uint8_t)(r >> 48);
		}
		survive_both(&b);
		memcpy(b.data, whole.data, b.n);
	}
	bytes_free(&whole);
	bytes_free(&b);
}

static void damage_of_compressed_input_is_survived(void **state)
{
	struct bytes b = testdata_read("nested", "perf.data");
	uint64_t random = 88172645463325252U;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		struct bytes zipped = { 0 };

		add_gzip(&zipped, b.data, 30000);
		for (size_t k = 0; k <= i % 4; k++) {
			uint64_t r = random_next(&random);

			zipped.data[r / 8 % zipped.n] = (uint8_t)(r >> 48);
		}
		if (i % 3 == 0)
			zipped.n = random_next(&random) % zipped.n;
		survive(&zipped);
		bytes_free(&zipped);
	}
	bytes_free(&b);
}

/* simpleperf. */

static void simpleperf_begin(struct bytes *b)
{
	recording_begin(b);
	patch64(b, FILE_HEADER_BYTES + 8, 0); /* config: cpu-clock */
}

static void add_meta_info(struct bytes *body)
{
	static const char info[] = "simpleperf_version\0"
				   "1\0"
				   "event_type_info\0"
				   "other,1,7\nmy,clock,1,0\n";

	bytes_add(body, info, sizeof(info));
}

static void extensions_of_simpleperf_are_read(void **state)
{
	struct bytes b = { 0 };
	struct bytes big = { 0 };
	struct bytes bodies[2] = { { 0 }, { 0 } };

	(void)state;
	simpleperf_begin(&b);
	add_sample(&b, 7, 100);
	/* A record of 100008 bytes in two pieces. */
	u32(&big, 32769);
	put(&big, 100008 >> 16, 2);
	put(&big, 100008 & 0xffff, 2);
	while (big.n < 100008)
		put(&big, big.n & 127, 1);
	for (size_t at = 0; at < big.n; at += 60000) {
		size_t start = record_begin(&b, PD_RECORD_SIMPLEPERF_SPLIT, 0);

		bytes_add(&b, big.data + at, big.n - at < 60000 ? big.n - at : 60000);
		record_end(&b, start);
	}
	record_end(&b, record_begin(&b, PD_RECORD_SIMPLEPERF_SPLIT_END, 0));
	size_t start = record_begin(&b, PD_RECORD_SIMPLEPERF_EVENT_ID, 0);
	u64(&b, 1);
	u64(&b, 0);
	u64(&b, 77);
	record_end(&b, start);
	recording_end(&b);
	add_meta_info(&bodies[0]);
	start = record_begin(&bodies[1], PD_RECORD_MMAP, PD_MISC_USER);
	for (size_t i = 0; i < 6; i++)
		u64(&bodies[1], 0);
	record_end(&bodies[1], start);
	add_features(&b, 2,
		(const unsigned[]){
			PD_FEATURE_SIMPLEPERF_META_INFO, PD_FEATURE_SIMPLEPERF_INIT_MAP },
		bodies);

	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(&b, diag);
	struct parse_stream *stream;
	struct pd_record rec;
	assert_true(file->is_simpleperf);
	assert_string_equal(file->events.list.data[0].name, "my,clock");
	assert_string_equal(parse_simpleperf_info(file, "simpleperf_version"), "1");
	assert_null(parse_simpleperf_info(file, "nothing"));
	assert_string_equal(read_letters(file, PD_ORDER_FILE), "ms??");
	assert_int_equal(pd_events_by_id(&file->events, 77)->index, 0);
	assert_ok(parse_stream_create(file, 0, &stream));
	for (size_t i = 0; i < 3; i++)
		assert_ok(parse_stream_next(stream, &rec));
	assert_int_equal(rec.type, 32769);
	assert_int_equal(rec.size, big.n);
	assert_memory_equal(rec.bytes, big.data, big.n);
	parse_stream_destroy(stream);
	assert_int_equal(pd_diag_n(diag), 0);
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&bodies[0]);
	bytes_free(&bodies[1]);
	bytes_free(&big);
	bytes_free(&b);
}

/* Android 9 and before: a TRACING_DATA record of perf's type, with the data within it. */
static void tracing_data_of_old_simpleperf_are_read(void **state)
{
	struct bytes tracing = testdata_read("tracepoints", "perf.data");
	struct pd_file *from = recording_open(&tracing, NULL);
	const struct pd_feature *data = &from->feature[PD_FEATURE_TRACING_DATA];
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_sample(&b, 7, 100);
	size_t start = record_begin(&b, PD_RECORD_TRACING_DATA, 0);
	u32(&b, (uint32_t)data->size);
	bytes_add(&b, data->bytes, data->size);
	record_end(&b, start);
	add_sample(&b, 7, 200);
	recording_end(&b);
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(&b, diag);
	assert_string_equal(read_letters(file, PD_ORDER_FILE), "sTs");
	assert_int_equal(file->feature[PD_FEATURE_TRACING_DATA].size, data->size);
	assert_memory_equal(file->feature[PD_FEATURE_TRACING_DATA].bytes, data->bytes, data->size);
	assert_non_null(file->tracing);
	assert_int_equal(pd_diag_n(diag), 0);
	pd_file_close(file);
	pd_diag_destroy(diag);
	pd_file_close(from);
	bytes_free(&tracing);
	bytes_free(&b);
}

/* The feature is simpleperf's, but what is in it is ours. */
static void tags_are_not_taken_for_simpleperf(void **state)
{
	static const char info[] = "tag.job\0nightly\0other\0x\0tag.\0\0tag.cut";
	struct bytes b = { 0 };
	struct bytes body = { 0 };
	const char *key, *value;
	size_t at = 0;

	(void)state;
	recording_begin(&b);
	add_sample(&b, 7, 100);
	recording_end(&b);
	bytes_add(&body, info, sizeof(info) - 1);
	add_features(&b, 1, (const unsigned[]){ PD_FEATURE_SIMPLEPERF_META_INFO }, &body);
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file = recording_open(&b, diag);
	assert_false(file->is_simpleperf);
	assert_true(parse_meta_info_next_tag(file, &at, &key, &value));
	assert_string_equal(key, "job");
	assert_string_equal(value, "nightly");
	assert_true(parse_meta_info_next_tag(file, &at, &key, &value));
	assert_string_equal(key, "");
	assert_string_equal(value, "");
	assert_false(parse_meta_info_next_tag(file, &at, &key, &value));
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(&body);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_have_the_metadata_of_files),
		cmocka_unit_test(a_stream_in_memory_is_read_twice_from_a_pipe_once),
		cmocka_unit_test(events_may_come_late),
		cmocka_unit_test(names_come_from_event_types),
		cmocka_unit_test(payloads_outside_belong_to_their_records),
		cmocka_unit_test(text_after_a_stream_ends_it),
		cmocka_unit_test(build_ids_in_the_stream_are_found),
		cmocka_unit_test(compressed_recordings_are_unpacked),
		cmocka_unit_test(parts_of_a_directory_are_merged_by_time),
		cmocka_unit_test(attrs_of_two_sizes_are_read),
		cmocka_unit_test(events_have_a_limit),
		cmocka_unit_test(headers_may_be_shorter_or_longer),
		cmocka_unit_test(bitmaps_of_big_endian_machines_are_read),
		cmocka_unit_test(old_streams_are_read_in_both_byte_orders),
		cmocka_unit_test(cuts_and_damage_of_a_stream_are_survived),
		cmocka_unit_test(damage_of_compressed_input_is_survived),
		cmocka_unit_test(extensions_of_simpleperf_are_read),
		cmocka_unit_test(tracing_data_of_old_simpleperf_are_read),
		cmocka_unit_test(tags_are_not_taken_for_simpleperf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
