/*
 * Copy a recording into another byte order or container.
 *
 * usage: rewrite IN OUT [--little|--big] [--file|--pipe] [--keep-compressed]
 *
 * Keeps byte order and container by default. Prints what could not be copied.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/copy.h>

#include "base/array.h"
#include "parse/open_file.h"

static int fail(struct pd_error *err)
{
	char *text = pd_error_string(err);

	fprintf(stderr, "%s\n", text ? text : "no memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}

static int usage(void)
{
	fputs("usage: rewrite IN OUT [--little|--big] [--file|--pipe] [--keep-compressed]\n",
		stderr);
	return 2;
}

static void print(const struct pd_copy_result *result)
{
	const struct {
		const char *what;
		uint64_t n;
	} counts[] = {
		{ "turned in part", result->n_partly_byteswapped },
		{ "unknown", result->n_unknown },
		{ "without payload", result->n_without_payload },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(counts); i++) {
		if (counts[i].n)
			printf("%s: %" PRIu64 "\n", counts[i].what, counts[i].n);
	}
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (result->features_left_out[bit / 64] >> (bit % 64) & 1)
			printf("left out: feature %u\n", bit);
	}
}

static bool take_option(const char *arg, struct pd_copy_opts *opts)
{
	if (!strcmp(arg, "--little") || !strcmp(arg, "--big"))
		opts->swap = pd_is_big_endian(false) != !strcmp(arg, "--big");
	else if (!strcmp(arg, "--file") || !strcmp(arg, "--pipe"))
		opts->is_pipe = !strcmp(arg, "--pipe");
	else if (!strcmp(arg, "--keep-compressed"))
		opts->keep_compressed = true;
	else
		return false;
	return true;
}

static struct pd_error *rewrite(
	struct pd_file *file, const char *path, const struct pd_copy_opts *opts)
{
	struct pd_copy_result result;
	FILE *out = fopen(path, "wb");

	if (!out)
		return pd_error_os(path, "cannot open");
	struct pd_error *err = pd_copy(file, out, path, opts, &result);
	if (fclose(out) != 0 && !err)
		err = pd_error_os(path, "cannot write");
	if (!err)
		print(&result);
	return err;
}

int main(int argc, char **argv)
{
	struct pd_file *file;

	if (argc < 3)
		return usage();
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (err)
		return fail(err);
	struct pd_copy_opts opts = { .swap = file->swap, .is_pipe = file->is_pipe };
	bool ok = true;
	for (int i = 3; i < argc; i++)
		ok &= take_option(argv[i], &opts);
	if (ok)
		err = rewrite(file, argv[2], &opts);
	pd_file_close(file);
	if (!ok)
		return usage();
	return err ? fail(err) : 0;
}
