/*
 * Write seeds to a directory: usage: seeds DIRECTORY [ELF-FILE]..., in the root of the sources.
 *
 * Each target has a folder. Whatever runs a target can start from these, and from the inputs in
 * tests/fuzz/corpus that earlier runs found.
 */
#include "tests/fuzz/seeds/seeds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "tests/fuzz/fuzz.h"

static const char *root;

const char *const seeds_recordings[] = { "testdata/nested/perf.data", "testdata/deep/perf.data",
	"testdata/group/perf.data", "testdata/touch/perf.data", "testdata/tracepoints/perf.data",
	"testdata/bpf/perf.data", "testdata/jit/perf.data", "testdata/trampoline/perf.data",
	"testdata/compressed/perf.data", "testdata/piped/perf.data", NULL };

static _Noreturn void fail(const char *path)
{
	fprintf(stderr, "cannot use '%s': %s\n", path, strerror(errno));
	exit(1);
}

void seeds_write(const char *corpus, const char *name, const void *bytes, size_t size)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", root, corpus);
	if (mkdir(path, 0777) && errno != EEXIST)
		fail(path);
	snprintf(path, sizeof(path), "%s/%s/seed-%s", root, corpus, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		fail(path);
}

void seeds_put(const char *corpus, const char *name, struct pd_bytes *bytes)
{
	if (bytes->failed)
		fail(name);
	seeds_write(corpus, name, bytes->buf.data, bytes->buf.n);
	pd_bytes_deinit(bytes);
}

void seeds_piece(struct pd_bytes *out, const void *bytes, size_t size)
{
	uint16_t n = size < UINT16_MAX ? (uint16_t)size : UINT16_MAX;

	pd_bytes_u8(out, (uint8_t)n);
	pd_bytes_u8(out, (uint8_t)(n >> 8));
	pd_bytes_put(out, bytes, n);
}

struct pd_bytes seeds_read(const char *path, size_t most)
{
	struct pd_bytes ret = { 0 };
	FILE *file = fopen(path, "rb");
	uint8_t *to = pd_bytes_extend(&ret, most);

	if (!file || !to)
		fail(path);
	ret.buf.n = fread(to, 1, most, file);
	fclose(file);
	return ret;
}

struct pd_file *seeds_open(const char *path)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open(path, NULL, &file);

	if (err)
		fail(path);
	return file;
}

/* One seed for each line of tests/fuzz/seeds/CORPUS.txt; the arguments of options are lines. */
static void write_lines(const char *corpus)
{
	char path[256], name[32], line[1024];
	int n = 0;

	snprintf(path, sizeof(path), "tests/fuzz/seeds/%s.txt", corpus);
	FILE *file = fopen(path, "r");
	if (!file)
		fail(path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		for (char *c = line; strcmp(corpus, "options") == 0 && (c = strchr(c, ' '));)
			*c = '\n';
		snprintf(name, sizeof(name), "%d", n++);
		seeds_write(corpus, name, line, strlen(line));
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: seeds DIRECTORY [ELF-FILE]...\n");
		return 2;
	}
	root = argv[1];
	if (mkdir(root, 0777) && errno != EEXIST)
		fail(root);
	seeds_of_recordings();
	seeds_of_records();
	seeds_of_features();
	seeds_of_binaries();
	for (int i = 2; i < argc; i++)
		seeds_of_binary(argv[i]);
	seeds_of_unwinding();
	seeds_of_profiles();
	write_lines("demangle");
	write_lines("events");
	write_lines("options");
	return 0;
}
