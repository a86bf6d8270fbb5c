/*
 * Convert recordings on four threads, and print the size of each output.
 * usage: threads PERF.DATA ...
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

enum { N_THREADS = 4 };

static struct pd_error *count(void *ctx, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)ctx += size;
	return NULL;
}

/* Convert every fourth recording of the list @p arg, which ends with NULLs. */
static void *convert(void *arg)
{
	struct pd_profile_opts opts = PD_DEFAULTS;

	opts.jobs = 1;
	for (char **path = (char **)arg; *path; path += N_THREADS) {
		struct pd_file *file = NULL;
		size_t size = 0;
		struct pd_error *err = pd_file_open(*path, NULL, &file);

		if (!err)
			err = pd_convert(file, &opts, "folded", count, &size, NULL);
		pd_file_close(file);
		char *text = err ? pd_error_string(err) : NULL;
		printf("%s: %zu %s\n", *path, size, text ? text : "bytes");
		free(text);
		pd_error_destroy(err);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char **paths = (char **)calloc((size_t)argc + 2 * N_THREADS, sizeof(*paths));
	pthread_t threads[N_THREADS];
	int n = 0;

	for (int i = 1; paths && i < argc; i++)
		paths[i - 1] = argv[i];
	while (paths && n < N_THREADS && !pthread_create(&threads[n], NULL, convert, paths + n))
		n++;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(paths);
	return n < N_THREADS;
}
