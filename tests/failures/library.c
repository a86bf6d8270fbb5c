/*
 * Use functions of the library like a program that goes on after an error.
 *
 * usage: library strings
 *        library reports
 *        library unwind RECORDING DIRECTORY
 *        library convert RECORDING DIRECTORY FORMAT
 *        library --version
 *
 * A call that fails for lack of memory is repeated once. What is printed at the end then is what is printed without
 * a failure, or the second call has failed as well, which is an error. DIRECTORY has the binaries of RECORDING.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "base/diag.h"
#include "parse/open_file.h"
#include "symbolize/file/trouble.h"
#include "symbolize/table/ranges.h"

/* Whether @p err, which is freed, says that memory ran out. Any other error is left in *@p err. */
static bool is_no_memory(struct pd_error **err)
{
	if (!*err || (*err)->code != PD_ERROR_NOMEM)
		return false;
	pd_error_destroy(*err);
	*err = NULL;
	return true;
}

/* Evaluate CALL, which returns an error, again if memory ran out. */
#define TWICE(call) \
	({ \
		struct pd_error *twice_err = (call); \
		is_no_memory(&twice_err) ? (call) : twice_err; \
	})

/* Output that is kept in memory until the end. Zero-initialized it is empty. */
struct text {
	char *data;
	size_t n, size;
};

static struct pd_error *append(void *ctx, const void *bytes, size_t n)
{
	struct text *text = ctx;

	if (!text->data || text->n + n > text->size) {
		size_t size = 2 * (text->n + n);
		char *data = realloc(text->data, size);

		if (!data)
			return &pd_enomem;
		text->data = data;
		text->size = size;
	}
	memcpy(text->data + text->n, bytes, n);
	text->n += n;
	return NULL;
}

static struct pd_error *append_string(struct text *text, const char *string)
{
	return TWICE(append(text, string, strlen(string)));
}

static struct pd_error *append_line(struct text *text, const char *string)
{
	struct pd_error *err = append_string(text, string);

	return err ? err : append_string(text, "\n");
}

/* The table of strings of a binary: enough of them that it grows several times. */

enum { N_STRINGS = 3000 };

static struct pd_error *add_strings(struct sym_ranges *ranges, uint32_t *offsets)
{
	char string[32];

	for (uint32_t i = 0; i < N_STRINGS; i++) {
		snprintf(string, sizeof(string), "function %" PRIu32, i);
		struct pd_error *err = TWICE(sym_ranges_string(ranges, string, &offsets[i]));
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *print_strings(
	const struct sym_ranges *ranges, const uint32_t *offsets, struct text *out)
{
	for (uint32_t i = 0; i < N_STRINGS; i++) {
		struct pd_error *err = append_line(out, ranges->strings.data + offsets[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *run_strings(char **arguments, struct text *out)
{
	struct sym_ranges ranges = { 0 };
	uint32_t first[N_STRINGS], again[N_STRINGS];
	struct pd_error *err = add_strings(&ranges, first);

	(void)arguments;
	if (!err)
		err = print_strings(&ranges, first, out);
	/* Strings that are there are found, and no others. */
	if (!err)
		err = add_strings(&ranges, again);
	if (!err)
		err = append_line(
			out, memcmp(first, again, sizeof(first)) ? "different" : "the same");
	sym_ranges_deinit(&ranges);
	return err;
}

/* Reports of damage, and of files that cannot be read. None is lost without a word. */

static uint64_t count(const struct pd_diag *diag)
{
	uint64_t n = 0;

	for (size_t i = 0; i < pd_diag_n(diag); i++)
		n += pd_diag_get(diag, i).count;
	return n;
}

/* Report three kinds of damage, one of them twice, and a file. */
static void report(struct pd_diag *diag, struct sym_trouble *trouble)
{
	struct pd_error restored = {
		.code = PD_ERROR_FORMAT, .offset = 8, .what = "MMAP", .message = (char *)"restored"
	};

	pd_diag_warn(diag, "data", 8, "SAMPLE", "%d bytes are damaged", 16);
	pd_diag_warn(diag, "data", 80, "COMM", "%d bytes are missing", 24);
	pd_diag_warn(diag, "data", 800, "COMM", "%d bytes are missing", 32);
	base_diag_restore(diag, &restored, 1);
	sym_trouble_add(trouble, "kallsyms", EIO);
	sym_trouble_report(trouble, diag);
}

static struct pd_error *run_reports(char **arguments, struct text *out)
{
	char line[32];
	struct pd_diag *diag = pd_diag_create();
	struct sym_trouble *trouble = NULL;
	struct pd_error *err = diag ? sym_trouble_create(&trouble) : &pd_enomem;

	(void)arguments;
	if (!err) {
		report(diag, trouble);
		snprintf(line, sizeof(line), "%" PRIu64, count(diag));
		err = append_line(out, line);
	}
	sym_trouble_destroy(trouble);
	pd_diag_destroy(diag);
	return err;
}

/* Single samples. */

static struct pd_error *print_stack(const struct pd_stack_frames *stack, struct text *out)
{
	char line[64];
	struct pd_error *err = append_line(out, stack->comm ? stack->comm : "?");

	for (size_t i = 0; !err && i < stack->n; i++) {
		const struct pd_frame *frame = &stack->frames[i];

		if (frame->binary && frame->binary->why)
			fprintf(stderr, "library: %s\n", frame->binary->why);
		snprintf(line, sizeof(line), "\t%" PRIx64, frame->pc);
		err = append_line(out, line);
		for (size_t k = 0; !err && k < frame->n_names; k++)
			err = append_line(
				out, frame->names[k].function ? frame->names[k].function : "?");
	}
	return err ? err : append_line(out, pd_unwind_end_name(stack->end));
}

static struct pd_error *unwind_sample(struct pd_unwinder *unwinder, const struct pd_file *file,
	const struct pd_record *rec, struct pd_stack_frames *stack)
{
	const struct pd_event *event = pd_events_find(&file->events, rec);
	struct pd_sample sample;
	const char *field;

	if (!event || pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK)
		return pd_error_create(PD_ERROR_FORMAT, NULL, "invalid sample");
	struct pd_error *err = TWICE(pd_unwinder_unwind(unwinder, &sample, rec->misc, stack));
	return err ? err : TWICE(pd_stack_frames_name(stack));
}

static struct pd_error *unwind_all(
	struct pd_unwinder *unwinder, struct pd_file *file, struct text *out)
{
	struct pd_stack_frames stack = { 0 };
	struct pd_reader *reader = NULL;
	struct pd_record rec;
	struct pd_error *err = TWICE(pd_reader_create(file, PD_ORDER_TIME, &reader));

	if (err)
		return err;
	for (err = pd_reader_next(reader, &rec); !err && rec.bytes;
		err = pd_reader_next(reader, &rec)) {
		err = TWICE(pd_unwinder_add_record(unwinder, &file->events, &rec));
		if (!err && rec.type == PD_RECORD_SAMPLE) {
			err = unwind_sample(unwinder, file, &rec, &stack);
			if (!err)
				err = print_stack(&stack, out);
		}
		if (err)
			break;
	}
	pd_stack_frames_deinit(&stack);
	pd_reader_destroy(reader);
	return err;
}

/* A folder that has none of the recorded files. */
#define NO_FILES "/proc/self/ns"

static struct pd_error *run_unwind(char **arguments, struct text *out)
{
	const struct pd_unwinder_opts opts = {
		.is_offline = true,
		.search = {
			.symfs = NO_FILES,
			.dirs = (const char *const *)&arguments[1],
			.n_dirs = 1,
		},
	};
	struct pd_unwinder *unwinder = NULL;
	struct pd_file *file = NULL;
	struct pd_error *err = TWICE(pd_file_open(arguments[0], NULL, &file));

	if (err)
		return err;
	err = TWICE(pd_unwinder_create(file->text[PD_FEATURE_ARCH], &opts, &unwinder));
	if (!err) {
		err = unwind_all(unwinder, file, out);
		pd_unwinder_destroy(unwinder);
	}
	pd_file_close(file);
	return err;
}

/* Conversions. */

/* Print what could not be read. */
static void print_diag(const struct pd_diag *diag)
{
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		char *text = pd_error_string(pd_diag_get(diag, i).first);

		fprintf(stderr, "library: %s\n", text ? text : "out of memory");
		free(text);
	}
}

/* Print why binaries were not found. */
static void print_missing(const struct pd_profile *profile)
{
	for (uint32_t i = 0; i < pd_profile_n_binaries(profile); i++) {
		const struct pd_profile_binary binary = pd_profile_get_binary(profile, i);

		if (*binary.why)
			fprintf(stderr, "library: %s\n", binary.why);
	}
}

static struct pd_error *convert(char **arguments, struct text *out)
{
	struct pd_profile_opts opts = { .jobs = 1 };
	struct pd_file *file;
	struct pd_error *err = pd_file_open(arguments[0], NULL, &file);

	if (err)
		return err;
	out->n = 0;
	opts.search.no_own_paths = true;
	opts.search.symfs = NO_FILES;
	opts.search.ignore_vmlinux = true;
	opts.search.dirs = (const char *const *)&arguments[1];
	opts.search.n_dirs = 1;
	struct pd_profile *profile = NULL;
	err = pd_profile_create(file, &opts, arguments[2], &profile);
	if (!err)
		err = pd_profile_write(profile, arguments[2], append, out);
	if (!err) {
		print_diag(file->diag);
		print_missing(profile);
	}
	pd_profile_destroy(profile);
	pd_file_close(file);
	return err;
}

static struct pd_error *run_convert(char **arguments, struct text *out)
{
	return TWICE(convert(arguments, out));
}

/* Do nothing: the calls that remain are those of the dynamic linker. */
static struct pd_error *run_nothing(char **arguments, struct text *out)
{
	(void)arguments;
	return append_line(out, "library");
}

static const struct mode {
	const char *name;
	/* Number of arguments that follow the name, at least. */
	int n_arguments;
	struct pd_error *(*run)(char **arguments, struct text *out);
} MODES[] = {
	{ "strings", 0, run_strings },
	{ "reports", 0, run_reports },
	{ "unwind", 2, run_unwind },
	{ "convert", 3, run_convert },
	{ "--version", 0, run_nothing },
};

static struct pd_error *run(int argc, char **argv, struct text *out)
{
	for (size_t i = 0; i < sizeof(MODES) / sizeof(*MODES); i++) {
		if (argc >= 2 + MODES[i].n_arguments && strcmp(argv[1], MODES[i].name) == 0)
			return MODES[i].run(argv + 2, out);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL, "see the beginning of library.c");
}

static struct pd_error *write_out(const struct text *out)
{
	for (size_t at = 0; at < out->n;) {
		ssize_t n = write(STDOUT_FILENO, out->data + at, out->n - at);

		if (n < 0 && errno != EINTR)
			return pd_error_os("standard output", "cannot write");
		at += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct text out = { 0 };
	struct pd_error *err = run(argc, argv, &out);

	if (!err)
		err = write_out(&out);
	free(out.data);
	if (!err)
		return 0;
	char *text = pd_error_string(err);
	fprintf(stderr, "library: %s\n", text ? text : "out of memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}
