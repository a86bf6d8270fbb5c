/*
 * Replay inputs without a fuzzer: usage: replay CORPUS [TARGET]...
 *
 * Runs each target, or those that are named, on every file in its folder of the directory CORPUS,
 * and prints how many there were. An input at which a target fails is printed by its path, because
 * it is named before it is run.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* Input that is running, for the report of a crash. */
static char running[4096];

/* Called by the sanitizers before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void print_running(void)
{
	fprintf(stderr, "failed on %s\n", running);
}

static uint8_t *read_file(const char *path, size_t *size_ret)
{
	FILE *file = fopen(path, "rb");
	struct stat st;

	if (!file || fstat(fileno(file), &st) || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(2);
	}
	*size_ret = (size_t)st.st_size;
	/* Exactly as large as the input, so that sanitizers find reads past its end. */
	uint8_t *bytes = malloc(*size_ret ? *size_ret : 1);
	if (!bytes || fread(bytes, 1, *size_ret, file) != *size_ret)
		exit(2);
	fclose(file);
	return bytes;
}

static size_t replay(const struct fuzz_target *target, const char *corpus)
{
	struct dirent **entries;
	char dir[2048];
	size_t n_run = 0;

	snprintf(dir, sizeof(dir), "%s/%s", corpus, target->corpus);
	int n = scandir(dir, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			struct fuzz_input in;

			snprintf(running, sizeof(running), "%s/%s", dir, entries[i]->d_name);
			uint8_t *bytes = read_file(running, &in.size);
			in.bytes = bytes;
			target->run(&in);
			free(bytes);
			n_run++;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n_run;
}

int main(int argc, char **argv)
{
	size_t n_targets;
	const struct fuzz_target *targets = fuzz_targets(&n_targets);

	if (argc < 2) {
		fprintf(stderr, "usage: replay CORPUS [TARGET]...\n");
		return 2;
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(print_running);
	int status = 0;
	for (size_t i = 0; i < n_targets; i++) {
		bool is_wanted = argc == 2;

		for (int k = 2; k < argc; k++)
			is_wanted = is_wanted || strcmp(argv[k], targets[i].name) == 0;
		if (!is_wanted)
			continue;
		size_t n = replay(&targets[i], argv[1]);
		printf("%-12s %zu inputs\n", targets[i].name, n);
		/* A target without inputs would pass whatever it does. */
		status = n ? status : 1;
	}
	return status;
}
