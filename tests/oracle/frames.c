/*
 * frames FILE [VMLINUX [DIRS]]: what every frame of a recording is called, for comparison.
 *
 * A line a frame: "ADDRESS BINARY", then for each function there, inlined ones first, a tab and
 * "FUNCTION FILE:LINE".
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "resolve/resolve.h"

static void print_line(const struct profile *profile, const struct prof_line *line)
{
	const struct prof_function *function = profile_function(profile, line->function);
	const char *file = profile_string(profile, function->file);

	printf("\t%s %s:%" PRIu32, profile_string(profile, function->name), *file ? file : "??",
		line->line);
}

static void print_frame(const struct profile *profile, uint32_t id)
{
	const struct prof_frame *frame = profile_frame(profile, id);
	struct prof_lines lines = profile->frame_lines.data[id];
	const char *binary = "[unknown]";

	if (frame->binary != PROF_NONE)
		binary = profile_string(profile, profile->binaries.data[frame->binary].name);
	printf("%" PRIx64 " %s", frame->addr, binary);
	for (uint32_t i = 0; i < lines.n; i++)
		print_line(profile, &profile->lines.data[lines.first + i]);
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
	for (uint32_t i = 0; profile && i < profile->frames.n; i++)
		print_frame(profile, i);
	profile_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
