/*
 * Print the names of every frame of a recording. usage: frames FILE [VMLINUX [DIRS]]
 *
 * Prints a line per frame: "ADDRESS BINARY", then for each function there, inlined ones first, a
 * tab and "FUNCTION FILE:LINE".
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "resolve/resolve.h"

static void print_line(const struct profile *profile, const struct prof_line *line)
{
	const struct prof_function *function = prof_function(profile, line->function);
	const char *file = prof_string(profile, function->file);

	printf("\t%s %s:%" PRIu32, prof_string(profile, function->name), *file ? file : "??",
		line->line);
}

static void print_frame(const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);
	const char *binary = "[unknown]";

	if (!prof_is_none(frame->binary))
		binary = prof_string(profile, prof_binary(profile, frame->binary)->name);
	printf("%" PRIx64 " %s", frame->addr, binary);
	for (uint32_t i = 0; i < n; i++)
		print_line(profile, &lines[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct resolve_opts opts = { .no_truncated = true };
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	if (argc < 2)
		return 2;
	if (argc > 2 && *argv[2])
		opts.kernel.vmlinux = argv[2];
	if (argc > 3)
		opts.search.debug_dirs = argv[3];
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "frames: %s\n", text);
		pd_error_destroy(err);
	}
	for (struct prof_frame_id id = { 0 }; profile && id.i < profile->frames.n; id.i++)
		print_frame(profile, id);
	prof_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
