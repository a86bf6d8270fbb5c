/*
 * Convert any number of recordings, one after the other, and print the size of each output. At the
 * end, print the largest amount of memory that was in use. usage: batch FORMAT PERF.DATA ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <pdconv/pdconv.h>

static struct pd_error *count(void *ctx, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)ctx += size;
	return NULL;
}

static struct pd_error *convert(const char *path, const char *format, size_t *size_ret)
{
	struct pd_file *file = NULL;
	struct pd_error *err = pd_file_open(path, NULL, &file);

	*size_ret = 0;
	if (!err)
		err = pd_convert(file, NULL, format, count, size_ret, NULL);
	pd_file_close(file);
	return err;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int n_failed = 0;

	for (int i = 2; i < argc; i++) {
		size_t size;
		struct pd_error *err = convert(argv[i], argv[1], &size);

		/* A recording that cannot be converted does not concern the others. */
		char *text = err ? pd_error_string(err) : NULL;
		printf("%s: %zu %s\n", argv[i], size, text ? text : "bytes");
		n_failed += err != NULL;
		free(text);
		pd_error_destroy(err);
	}
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "%ld KiB\n", usage.ru_maxrss);
	return n_failed > 0;
}
