/*
 * Fuzz target: read a damaged recording. At worst, damage may be reported.
 *
 * Opens the bytes as a recording, reads the records in both orders, counts them, dumps every field,
 * and copies. For clang -fsanitize=fuzzer; `make fuzz` builds and runs it on the recordings of
 * testdata.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "inspect/dump.h"
#include "inspect/info.h"
#include "parse/space.h"
#include <pdconv/copy.h>
#include <pdconv/reader.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static FILE *nowhere;

static void replay(struct pd_file *file)
{
	struct pd_reader *reader = NULL;
	struct pd_space *space = NULL;
	struct pd_record rec;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_TIME, &reader);

	if (!err)
		err = pd_space_create(file, &space);
	while (!err) {
		err = pd_reader_next(reader, &rec);
		if (err || !rec.bytes)
			break;
		const struct pd_event *event = NULL;
		if (rec.type < PD_RECORD_FIRST_TOOL && pd_layout_find(rec.type, rec.misc))
			event = pd_events_find(&file->events, &rec);
		if (event && rec.type != PD_RECORD_SAMPLE)
			err = pd_space_apply(space, &rec, event->plan.sid_bytes);
	}
	pd_error_destroy(err);
	pd_space_destroy(space);
	pd_reader_destroy(reader);
}

static void count(struct pd_file *file)
{
	/* Unwind stacks, without files of this machine. */
	const struct resolve_opts opts = { .search = { .symfs = "/nonexistent" }, .jobs = 1 };
	struct inspect_info info;
	struct pd_error *err = inspect_info_collect(file, &opts, &info);

	if (!err) {
		inspect_info_text(&info, INSPECT_INFO_NO_LIMIT, nowhere);
		inspect_info_json(&info, INSPECT_INFO_NO_LIMIT, nowhere);
		inspect_info_deinit(&info);
	}
	pd_error_destroy(err);
}

static void dump(struct pd_file *file)
{
	const struct inspect_dump_opts kinds[] = { { .json = true }, { .by_field = true },
		{ .hex = true } };

	for (size_t i = 0; i < PD_ARRAY_LEN(kinds); i++)
		pd_error_destroy(inspect_dump(file, &kinds[i], nowhere));
}

/* Only a recording that was not read yet can be copied. */
static void copy(const uint8_t *bytes, size_t size, struct pd_diag *diag)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct pd_copy_opts opts = { .swap = i & 1, .is_pipe = i & 2 };
		struct pd_copy_result result;
		struct pd_file *file;
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);
		struct pd_error *err = pd_file_open_memory("fuzz", bytes, size, diag, &file);

		if (!err) {
			err = pd_copy(file, out, "copy", &opts, &result);
			pd_file_close(file);
		}
		pd_error_destroy(err);
		fclose(out);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct pd_diag *diag = pd_diag_create();
	struct pd_file *file;
	struct pd_error *err = pd_file_open_memory("fuzz", bytes, size, diag, &file);

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!err) {
		replay(file);
		count(file);
		dump(file);
		pd_file_close(file);
		copy(bytes, size, diag);
	}
	pd_error_destroy(err);
	pd_diag_destroy(diag);
	return 0;
}
